// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Replaces the readers of bags in a build without libsqlite3, libzstd or liblz4.
#include "dyn_core/error.hpp"
#include "dyn_sim/logs/motion_log.hpp"

namespace dyn::sim {
namespace {

[[noreturn]] RawLog refuse(const std::filesystem::path& file) {
  throw ModelError(file.string() + ": this program was built without libsqlite3, libzstd or liblz4 and reads no bags");
}

}  // namespace

RawLog read_mcap_log(const std::filesystem::path& file, const LogChoice&) { return refuse(file); }
RawLog read_db3_log(const std::filesystem::path& file, const LogChoice&) { return refuse(file); }

}  // namespace dyn::sim
