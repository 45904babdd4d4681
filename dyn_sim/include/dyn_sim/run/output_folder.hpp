// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A folder in which the files of a run appear together and complete, or not at all. They are written to a hidden folder
// beside their final places and renamed when all are there: after an error the files of the previous run are unchanged;
// after a SIGKILL at any time there is no truncated file beside a valid results.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dyn::sim {

class OutputFolder {
 public:
  // Creates it. Throws ModelError if nothing can be written there, or if one of `names` exists and is not a regular
  // file. Removes what a process left that was killed while writing.
  OutputFolder(std::filesystem::path folder, const std::vector<std::string>& names);
  ~OutputFolder();  // unpublished files are removed
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  OutputFolder(OutputFolder&&) = delete;
  OutputFolder& operator=(OutputFolder&&) = delete;

  [[nodiscard]] const std::filesystem::path& unfinished() const noexcept { return unfinished_; }  // write here
  // Moves everything in unfinished() to its place. `last` is the file that marks the others as complete: the previous
  // one is removed first, with the files of the previous run that this run does not write (`gone`); the new one comes
  // last. Throws ModelError.
  void publish(const std::string& last, const std::vector<std::string>& gone);

 private:
  std::filesystem::path folder_, unfinished_;
  int lock_ = -1;  // held while this object lives, so that no other process removes the folder
};

}  // namespace dyn::sim
