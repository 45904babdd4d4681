// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/model/input_file.hpp"

#include <fstream>

#include "dyn_core/error.hpp"

namespace dyn {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_file_bytes = std::uintmax_t{32} << 20;

}  // namespace

void refuse_nul(const std::string& name) {
  const size_t nul = name.find('\0');
  if (nul == std::string::npos) return;
  std::string shown = name;
  for (size_t at = nul; at != std::string::npos; at = shown.find('\0', at)) shown.replace(at, 1, "\\0");
  throw ModelError("'" + shown + "': the name has a NUL character in it (\\0), which no file name has");
}

void require_regular_file(const fs::path& file) {
  refuse_nul(file.string());
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) throw ModelError(file.string() + ": there is no such file");
  if (error) throw ModelError(file.string() + ": this is not a file that can be read: " + error.message());
  if (fs::is_directory(status)) throw ModelError(file.string() + ": this is a directory, not a file");
  if (!fs::is_regular_file(status)) {
    throw ModelError(file.string() + ": this is not a regular file (a FIFO, a socket or a device is not read)");
  }
}

std::string read_text_file(const fs::path& file) {
  require_regular_file(file);
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error) throw ModelError(file.string() + ": this is not a file that can be read: " + error.message());
  if (size > max_file_bytes) {
    throw ModelError(file.string() + ": the file has " + std::to_string(size) + " bytes, more than " +
                     std::to_string(max_file_bytes));
  }
  std::ifstream in(file, std::ios::binary);
  std::string text(size, '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  if (!in) throw ModelError(file.string() + ": the file cannot be read");
  return text;
}

}  // namespace dyn
