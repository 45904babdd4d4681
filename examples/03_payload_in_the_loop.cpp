// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A payload is attached and detached by one thread while another runs the control loop: the loop neither waits nor
// allocates, and uses the new model from the beginning of a cycle on.
#include <atomic>
#include <chrono>
#include <dyn_core/live/live_model.hpp>
#include <dyn_core/model/robot_library.hpp>
#include <exception>
#include <iostream>
#include <thread>
#include <vector>

namespace {

constexpr double period_s = 1e-3;

// The loop's thread: gravity torque of joint 2 with the newest model, a thousand times a second.
void loop(dyn::live::LiveModel& live, std::atomic<bool>& stop, std::atomic<double>& torque) {
  const std::size_t n = live.robot_coordinates();
  const std::vector<double> q(n, 0.5), v(n, 0.0);
  for (auto next = std::chrono::steady_clock::now(); !stop; next += std::chrono::milliseconds(1)) {
    std::this_thread::sleep_until(next);
    dyn::Dynamics& dynamics = live.acquire(period_s).dynamics;  // one atomic exchange
    if (dynamics.update(q, v).ok()) torque = dynamics.g()[1];
  }
}

}  // namespace

int main() try {
  dyn::live::LiveModel live(dyn::load_robot("arm7"), {});
  std::atomic<bool> stop{false};
  std::atomic<double> torque{0.0};
  std::thread thread([&] { loop(live, stop, torque); });
  const auto wait_and_read = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    return torque.load();
  };

  const double empty = wait_and_read();
  const dyn::Inertial box{3.0, {0.0, 0.0, 0.1}, dyn::Mat3d::Identity() * 0.01};
  (void)live.attach(dyn::Payload::rigid("box", "link7", box), 0.2);  // ramped in over 0.2 s
  const double loaded = wait_and_read();
  (void)live.detach("box", 0.0);
  const double again = wait_and_read();
  stop = true;
  thread.join();
  std::cout << "gravity torque of joint 2: " << empty << " N m, with the box " << loaded << ", without " << again
            << '\n';
  return loaded != empty && again == empty ? 0 : 1;  // detaching gives back the same bits
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
