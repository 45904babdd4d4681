// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_sim/run/output_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "dyn_core/error.hpp"
#include "output_file.hpp"

namespace dyn::sim {
namespace {

namespace fs = std::filesystem;

constexpr const char* unfinished_prefix = ".unfinished-";

std::string reason(int number) { return std::generic_category().message(number); }

// The lock of a folder that is being filled; -1 if another process has it.
int lock_of(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  if (descriptor >= 0) close(descriptor);
  return -1;
}

// Files of a process that was killed while writing.
void remove_abandoned(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const bool ours = entry.path().filename().string().rfind(unfinished_prefix, 0) == 0;
    if (ours && entry.is_directory(error)) found.push_back(entry.path());
  }
  for (const fs::path& path : found) {
    const int lock = lock_of(path);
    if (lock < 0) continue;
    fs::remove_all(path, error);
    close(lock);
  }
}

}  // namespace

namespace outputs {
namespace {

// The final place of the file.
std::string place_of(const fs::path& file) {
  const fs::path folder = file.parent_path();
  const bool unfinished = folder.filename().string().rfind(unfinished_prefix, 0) == 0;
  return (unfinished ? folder.parent_path() / file.filename() : file).string();
}

}  // namespace

void require_replaceable(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status) || fs::is_regular_file(status)) return;
  throw ModelError(file.string() + ": cannot be written: it is there and is not a regular file");
}

OutputFile::OutputFile(const fs::path& file, bool binary) : file_(file) {
  std::error_code ignored;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);
  require_replaceable(file);
  errno = 0;
  stream_.open(file, binary ? std::ios::binary | std::ios::out : std::ios::out);
  if (!stream_) throw ModelError(place_of(file) + ": cannot be written: " + reason(errno));
}

void OutputFile::close() {
  stream_.close();
  if (!stream_) throw ModelError(place_of(file_) + ": could not be written completely; is the disk full?");
}

}  // namespace outputs

OutputFolder::OutputFolder(fs::path folder, const std::vector<std::string>& names) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw ModelError(folder_.string() + ": cannot be created: " + error.message());
  for (const std::string& name : names) outputs::require_replaceable(folder_ / name);
  remove_abandoned(folder_);
  std::string made = (folder_ / (std::string(unfinished_prefix) + "XXXXXX")).string();
  if (mkdtemp(made.data()) == nullptr) throw ModelError(folder_.string() + ": cannot be written to: " + reason(errno));
  unfinished_ = made;
  lock_ = lock_of(unfinished_);
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  fs::remove_all(unfinished_, ignored);
  if (lock_ >= 0) close(lock_);
}

void OutputFolder::publish(const std::string& last, const std::vector<std::string>& gone) {
  std::vector<fs::path> names;
  for (const auto& entry : fs::directory_iterator(unfinished_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  std::stable_partition(names.begin(), names.end(), [&](const fs::path& name) { return name != last; });
  for (const fs::path& name : names) outputs::require_replaceable(folder_ / name);
  std::error_code error;
  fs::remove(folder_ / last, error);
  for (const std::string& name : gone) fs::remove(folder_ / name, error);
  for (const fs::path& name : names) {
    fs::rename(unfinished_ / name, folder_ / name, error);
    if (error) throw ModelError((folder_ / name).string() + ": cannot be written: " + error.message());
  }
}

}  // namespace dyn::sim
