// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A controller manager with several arms in real time, as ros2_control_node runs it, while references come on topics
// and a client floods every controller with service calls whose answers it never waits for. Prints wake-up and update
// times, cycles, samples of the validators, memory; ends with 1 if a cycle is not accounted for, an update failed, or a
// service no longer answers afterwards, and in runs of two minutes or more if memory grew by more than 5 % in the
// second half.
//   load_manager [ARMS [SECONDS [CALLS_PER_S]]]       4 arms, 10 s, 1000 calls a second
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "controller_manager/controller_manager.hpp"
#include "controller_manager_msgs/srv/switch_controller.hpp"
#include "dyn_msgs/msg/validation.hpp"
#include "dyn_msgs/srv/attach_payload.hpp"
#include "dyn_msgs/srv/detach_payload.hpp"
#include "dyn_msgs/srv/list_payloads.hpp"
#include "several_arms.hpp"
#include "trajectory_msgs/msg/joint_trajectory_point.hpp"

namespace dyn_controllers::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;
constexpr nanoseconds period{1'000'000};

struct Record {
  std::vector<double> wakeup_us, update_us;
  long overruns = 0, failed = 0;
};

// The last core and SCHED_FIFO where the system allows them.
void become_real_time() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(std::max(1U, std::thread::hardware_concurrency()) - 1, &set);
  const bool pinned = pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
  const sched_param fifo{50};
  const bool first = pthread_setschedparam(pthread_self(), SCHED_FIFO, &fifo) == 0;
  std::printf("%s, %s\n", pinned ? "last core" : "not pinned to a core", first ? "SCHED_FIFO 50" : "no SCHED_FIFO");
}

// Cycles that are over before they could begin are left out and counted.
void run_loop(controller_manager::ControllerManager& manager, long due, Record& record) {
  become_real_time();
  const Clock::time_point begin = Clock::now() + std::chrono::milliseconds(10);
  Clock::time_point last = begin - period;
  for (long k = 0; k < due; ++k) {
    const Clock::time_point at = begin + k * period;
    std::this_thread::sleep_until(at);
    const Clock::time_point woke = Clock::now();
    const rclcpp::Time time = manager.get_clock()->now();
    const rclcpp::Duration elapsed(woke - last);
    last = woke;
    manager.read(time, elapsed);
    if (manager.update(time, elapsed) != controller_interface::return_type::OK) ++record.failed;
    manager.write(time, elapsed);
    const Clock::time_point end = Clock::now();
    record.wakeup_us.push_back(std::chrono::duration<double, std::micro>(woke - at).count());
    record.update_us.push_back(std::chrono::duration<double, std::micro>(end - woke).count());
    const long late = std::min((end - at) / period, due - 1 - k);
    record.overruns += late;
    k += late;
  }
}

// References on topics, 100 a second for each arm.
void lead(const std::vector<std::string>& arms, const std::atomic<bool>& stop) {
  const auto node = std::make_shared<rclcpp::Node>("leader");
  std::vector<rclcpp::Publisher<trajectory_msgs::msg::JointTrajectoryPoint>::SharedPtr> publishers;
  for (const std::string& arm : arms) {
    publishers.push_back(
        node->create_publisher<trajectory_msgs::msg::JointTrajectoryPoint>('/' + arm + "/reference", 1));
  }
  const Clock::time_point begin = Clock::now();
  for (long k = 0; !stop; ++k) {
    const double t = 0.01 * static_cast<double>(k);
    trajectory_msgs::msg::JointTrajectoryPoint point;
    point.positions.assign(7, 0.4 * (1.0 - std::cos(t)));
    point.velocities.assign(7, 0.4 * std::sin(t));
    point.accelerations.assign(7, 0.4 * std::cos(t));
    for (const auto& publisher : publishers) publisher->publish(point);
    std::this_thread::sleep_until(begin + k * std::chrono::milliseconds(10));
  }
}

// Lists, attaches and detaches, one arm after the other; nobody reads the answers.
long flood(const std::vector<std::string>& arms, double per_second, const std::atomic<bool>& stop) {
  using dyn_msgs::srv::AttachPayload, dyn_msgs::srv::DetachPayload, dyn_msgs::srv::ListPayloads;
  const auto node = std::make_shared<rclcpp::Node>("flood");
  std::vector<rclcpp::Client<ListPayloads>::SharedPtr> lists;
  std::vector<rclcpp::Client<AttachPayload>::SharedPtr> attaches;
  std::vector<rclcpp::Client<DetachPayload>::SharedPtr> detaches;
  for (const std::string& arm : arms) {
    lists.push_back(node->create_client<ListPayloads>('/' + arm + "/list_payloads"));
    attaches.push_back(node->create_client<AttachPayload>('/' + arm + "/attach_payload"));
    detaches.push_back(node->create_client<DetachPayload>('/' + arm + "/detach_payload"));
  }
  const auto off = std::make_shared<DetachPayload::Request>();
  off->name = "box";
  const Clock::time_point begin = Clock::now();
  long sent = 0;
  for (; !stop; ++sent) {
    const size_t k = static_cast<size_t>(sent) % arms.size();
    const long turn = sent / static_cast<long>(arms.size()) % 20;
    if (turn == 0)
      attaches[k]->async_send_request(std::make_shared<AttachPayload::Request>(box(arms[k] + "_tool0")));
    else if (turn == 10)
      detaches[k]->async_send_request(off);
    else
      lists[k]->async_send_request(std::make_shared<ListPayloads::Request>());
    lists[k]->prune_pending_requests();
    attaches[k]->prune_pending_requests();
    detaches[k]->prune_pending_requests();
    std::this_thread::sleep_until(begin + nanoseconds(static_cast<long>(1e9 / per_second * static_cast<double>(sent))));
  }
  return sent;
}

bool answers(const std::string& arm) {
  using dyn_msgs::srv::ListPayloads;
  const auto node = std::make_shared<rclcpp::Node>("asker");
  const auto client = node->create_client<ListPayloads>('/' + arm + "/list_payloads");
  for (int k = 0; k < 30; ++k) {  // the calls of the flood are answered first
    const auto answer = client->async_send_request(std::make_shared<ListPayloads::Request>());
    if (rclcpp::spin_until_future_complete(node, answer.future, std::chrono::seconds(2)) ==
        rclcpp::FutureReturnCode::SUCCESS) {
      return true;
    }
  }
  return false;
}

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::stol(line.substr(6));
  }
  return 0;
}

void print(const char* name, std::vector<double> us) {
  std::sort(us.begin(), us.end());
  const auto at = [&](double share) { return us[static_cast<size_t>(share * static_cast<double>(us.size() - 1))]; };
  std::printf("%s: p50 %.1f us, p99 %.1f us, p99.9 %.1f us, largest %.0f us\n", name, at(0.5), at(0.99), at(0.999),
              at(1.0));
}

std::shared_ptr<controller_manager::ControllerManager> make_manager(const std::vector<std::string>& arms,
                                                                    const std::shared_ptr<rclcpp::Executor>& executor) {
  const auto file = std::filesystem::temp_directory_path() / ("load_manager_" + std::to_string(getpid()) + ".yaml");
  auto options = controller_manager::get_cm_node_options();
  options.append_parameter_override("update_rate", 1000);
  std::ofstream yaml(file);
  for (const std::string& arm : arms) {
    options.append_parameter_override(arm + ".type", "dyn_controllers/ComputedTorqueController");
    options.append_parameter_override(arm + ".params_file", std::vector<std::string>{file.string()});
    yaml << torque_parameters_of(arm) << "    validation: {mode: monitor}\n";
  }
  yaml.close();
  const auto manager = std::make_shared<controller_manager::ControllerManager>(executor, several_arms(arms), true,
                                                                               "controller_manager", "", options);
  for (const std::string& arm : arms) {
    if (manager->load_controller(arm, "dyn_controllers/ComputedTorqueController") == nullptr ||
        manager->configure_controller(arm) != controller_interface::return_type::OK) {
      throw std::runtime_error(arm + " could not be configured");
    }
  }
  std::filesystem::remove(file);
  return manager;
}

// What the arms' validators say of the samples that they were given.
struct Comparisons {
  explicit Comparisons(const std::vector<std::string>& arms) : newest(arms.size()) {
    for (size_t k = 0; k < arms.size(); ++k) {
      subscriptions.push_back(node->create_subscription<Message>("/" + arms[k] + "/validation", 10,
                                                                 [this, k](const Message& m) { newest[k] = m; }));
    }
  }
  void print() const {
    Message sum;
    for (const Message& arm : newest) {
      sum.samples += arm.samples;
      sum.lost += arm.lost;
      sum.breaches += arm.breaches;
    }
    std::printf("samples of the validators: %lu compared, %lu lost and counted, %lu beyond the tolerance\n",
                sum.samples, sum.lost, sum.breaches);
  }

  using Message = dyn_msgs::msg::Validation;
  rclcpp::Node::SharedPtr node = std::make_shared<rclcpp::Node>("comparisons");
  std::vector<Message> newest;
  std::vector<rclcpp::Subscription<Message>::SharedPtr> subscriptions;
};

int run(size_t count, long seconds, double calls_per_s) {
  std::vector<std::string> arms;
  for (size_t k = 0; k < count; ++k) arms.push_back("arm" + std::to_string(k + 1));
  const auto executor = std::make_shared<rclcpp::executors::MultiThreadedExecutor>(rclcpp::ExecutorOptions(), 2);
  const auto manager = make_manager(arms, executor);
  Comparisons comparisons(arms);
  executor->add_node(manager);
  executor->add_node(comparisons.node);
  std::thread spinner([&] { executor->spin(); });
  const long due = 1000 * seconds;
  Record record;
  record.wakeup_us.reserve(due);
  record.update_us.reserve(due);
  std::atomic<bool> stop{false};
  std::thread loop([&] { run_loop(*manager, due, record); });
  const bool on =
      manager->switch_controller(arms, {}, controller_manager_msgs::srv::SwitchController::Request::STRICT, true,
                                 rclcpp::Duration::from_seconds(10.0)) == controller_interface::return_type::OK;
  std::thread leader([&] { lead(arms, stop); });
  long sent = 0;
  std::thread flooder([&] { sent = flood(arms, calls_per_s, stop); });
  std::vector<long> memory;
  const Clock::time_point begin = Clock::now();
  while (Clock::now() < begin + std::chrono::seconds(seconds)) {
    memory.push_back(resident_kib());
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  loop.join();
  stop = true;
  leader.join();
  flooder.join();
  const bool answered = std::all_of(arms.begin(), arms.end(), answers);
  executor->cancel();
  spinner.join();

  const long cycles = static_cast<long>(record.update_us.size());
  const double growth =
      100.0 * (static_cast<double>(memory.back()) / static_cast<double>(memory[memory.size() / 2]) - 1.0);
  std::printf("%zu arms for %ld s: %ld cycles due, %ld run, %ld left out and counted, %ld updates failed\n", count,
              seconds, due, cycles, record.overruns, record.failed);
  print("wake-up", record.wakeup_us);
  print("read, update, write", record.update_us);
  comparisons.print();
  std::printf(
      "%ld service calls without waiting; afterwards services %s; memory %.1f MiB, %.1f %% more in the second half\n",
      sent, answered ? "answer" : "do not answer", static_cast<double>(memory.back()) / 1024.0, growth);
  const bool grew = seconds >= 120 && growth > 5.0;
  return on && answered && !grew && cycles + record.overruns == due && record.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace dyn_controllers::test

int main(int argc, char** argv) {
  rclcpp::init(argc, argv);
  const size_t arms = argc > 1 ? std::stoul(argv[1]) : 4;
  const long seconds = argc > 2 ? std::stol(argv[2]) : 10;
  const int code = dyn_controllers::test::run(arms, seconds, argc > 3 ? std::stod(argv[3]) : 1000.0);
  rclcpp::shutdown();
  return code;
}
