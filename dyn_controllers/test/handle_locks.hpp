// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a controller's loop may lock: ros2_control's handles try-lock when they are read or written
// (pthread_rwlock/mutex_trylock and unlock). Nothing may come on top.
#pragma once

#include "plugin_fixture.hpp"
#include "support/allocation_counter.hpp"
#include "support/lock_counter.hpp"

namespace dyn_controllers::test {

// Calls that so many reads and writes of handles make. A command is overwritten.
template <class Controller>
std::int64_t locks_of_handles(Plugin<Controller>& plugin, std::int64_t reads, std::int64_t writes) {
  const auto& state = plugin.states.begin()->second;
  const auto of_reading = dyn::test::count_lock_calls([&] { (void)state->template get_optional<double>(); });
  EXPECT_GT(of_reading, 0);
  if (writes == 0) return reads * of_reading;
  const auto& command = plugin.commands.begin()->second;
  return reads * of_reading + writes * dyn::test::count_lock_calls([&] { (void)command->set_value(0.0); });
}

// The lock calls that `what` makes; its allocations and frees are added to `total`.
template <class What>
std::int64_t locks_and_allocations(const What& what, dyn::test::AllocationCount& total) {
  std::int64_t locks = 0;
  const auto count = dyn::test::count_allocations([&] { locks = dyn::test::count_lock_calls(what); });
  total.allocations += count.allocations;
  total.frees += count.frees;
  return locks;
}

}  // namespace dyn_controllers::test
