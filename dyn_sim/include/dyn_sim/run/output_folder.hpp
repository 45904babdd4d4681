// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A folder in which the files of a run appear together, whole, or not at all. They are written in a hidden folder
// beside their places and renamed when all are there: after a fault in between the files of the run before are as they
// were, after a kill at any time nothing truncated has a valid file beside it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dyn::sim {

class OutputFolder {
 public:
  // Makes it. Throws ModelError where nothing can be written there, or where one of `names` is there and is no regular
  // file. What a process left in it that was killed while it wrote is removed.
  OutputFolder(std::filesystem::path folder, const std::vector<std::string>& names);
  ~OutputFolder();  // what was not published goes
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  OutputFolder(OutputFolder&&) = delete;
  OutputFolder& operator=(OutputFolder&&) = delete;

  [[nodiscard]] const std::filesystem::path& unfinished() const noexcept { return unfinished_; }  // write here
  // Everything in unfinished() to its place. `last` is the file that says that the others are whole: the one before is
  // taken away first, with the files of the run before that this one has not (`gone`), the new one comes last. Throws
  // ModelError.
  void publish(const std::string& last, const std::vector<std::string>& gone);

 private:
  std::filesystem::path folder_, unfinished_;
  int lock_ = -1;  // held while this lives: the folder is nobody's to clear away
};

}  // namespace dyn::sim
