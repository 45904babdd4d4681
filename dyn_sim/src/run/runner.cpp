// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The loop's thread: absolute-time sleeping, SCHED_FIFO, pinning to a core and locked memory if the system allows them.
#include "dyn_sim/run/runner.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <future>
#include <numeric>
#include <optional>
#include <thread>

#include "arm_loop.hpp"
#include "due_cycles.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/realtime.hpp"
#include "loop_allocations.hpp"
#include "quiet_phase.hpp"

namespace dyn::sim {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

std::int64_t now_ns() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * second_ns + t.tv_nsec;
}

void sleep_until(std::int64_t ns) noexcept {
  const timespec t{ns / second_ns, ns % second_ns};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}

// Between its two names the loop's thread makes no system call except clock_nanosleep; a test checks that.
void mark_thread(const char* name) noexcept { (void)pthread_setname_np(pthread_self(), name); }

// Sets up the calling thread for real time as far as the system allows; returns a description of what it got.
std::string become_real_time(const RunConfig& config) {
  std::string got;
  const int cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const int core = config.cpu.value_or(cores - 1);
  cpu_set_t set;
  CPU_ZERO(&set);
  if (core < CPU_SETSIZE) CPU_SET(static_cast<unsigned>(core), &set);
  const bool pinned = pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
  got += pinned ? "core " + std::to_string(core) : "not pinned to a core";
  const sched_param fifo{80};
  const int refused = pthread_setschedparam(pthread_self(), SCHED_FIFO, &fifo);
  got += refused == 0 ? ", SCHED_FIFO 80" : std::string(", no SCHED_FIFO (") + std::strerror(refused) + ")";
  const bool locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
  got += locked ? ", memory locked" : std::string(", memory not locked (") + std::strerror(errno) + ")";
  return got;
}

std::string tenths(double x) {
  const std::string digits = std::to_string(std::llround(10.0 * x));
  return (digits.size() > 1 ? digits.substr(0, digits.size() - 1) : "0") + "." + digits.back();
}

Percentiles percentiles(const std::vector<float>& all, std::uint64_t count) {
  std::vector<float> x(all.begin(),
                       all.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(count, all.size())));
  if (x.empty()) return {};
  std::sort(x.begin(), x.end());
  const auto at_share = [&](double share) {
    return static_cast<double>(x[static_cast<size_t>(share * static_cast<double>(x.size() - 1))]);
  };
  return {at_share(0.5), at_share(0.99), at_share(0.999), static_cast<double>(x.back())};
}

class Loop {
 public:
  Loop(const RunConfig& config, const RunOptions& options, RunRecord& record, LiveView& view)
      : config_(config), options_(options), record_(record), view_(view) {
    const double duration = planned_duration_s(config, options);
    cycles_ = planned_cycles_ = std::max<std::int64_t>(1, std::llround(duration * config.rate_hz));
    record_.arms.resize(config.arms.size());
    for (size_t i = 0; i < config.arms.size(); ++i) {
      view_.arms.push_back(std::make_unique<ArmView>());
      arms_.push_back(std::make_unique<ArmLoop>(config.arms[i], config.rate_hz, duration, give_up_, record_.arms[i],
                                                *view_.arms[i]));
    }
    record_.update_ns.resize(cycles_);
    record_.wakeup_ns.resize(cycles_);
  }

  void run() {
    record_.real_time = !options_.fast;
    record_.scheduling = options_.fast ? "not in real time" : become_real_time(config_);
    const auto period_ns = static_cast<std::int64_t>(std::llround(1e9 / config_.rate_hz));
    for (auto& arm : arms_) {
      arm->preallocate();
      arm->apply_due_events(0.0, true);
    }
    std::int64_t due = first_due(period_ns);
    mark_thread("dyn loop");
    const std::int64_t allocations = allocations_of_this_thread();
    const realtime::Scope scope("the loop of dyn run");
    for (std::int64_t k = 0; k < cycles_ && !over(k); ++k, due += period_ns) {
      const double time_s = static_cast<double>(k) / config_.rate_hz;
      if (!options_.fast) wake_for(due, period_ns);
      const std::int64_t woke = now_ns();
      for (auto& arm : arms_) arm->cycle(k, time_s);
      note(k, options_.fast ? 0 : woke - due);
      for (auto& arm : arms_) arm->apply_due_events(static_cast<double>(k + 1) / config_.rate_hz, options_.fast);
      if (!options_.fast && now_ns() > due + period_ns) due = overrun(due, period_ns);
    }
    record_.allocations_in_loop = allocations_are_counted() ? allocations_of_this_thread() - allocations : -1;
    mark_thread("dyn loop ends");
  }

  // Another thread ends the loop at once, in the middle of a cycle if necessary.
  void give_up(bool asked_again) noexcept {
    asked_again_ = asked_again;
    give_up_.store(true, std::memory_order_relaxed);
  }

  void finish() {
    const auto cycles = static_cast<std::int64_t>(record_.cycles);
    Ending ending;
    ending.end_s = static_cast<double>(cycles) / config_.rate_hz;
    ending.planned_s = static_cast<double>(planned_cycles_) / config_.rate_hz;
    ending.late_s = options_.fast ? 0.0 : 0.1;
    ending.asked = record_.interrupted;
    ending.given_up = cycles < cycles_ && give_up_.load(std::memory_order_relaxed);
    ending.asked_again = asked_again_;
    if (failed_arm_ >= 0) ending.failed_arm = config_.arms[failed_arm_].name;
    for (auto& arm : arms_) arm->finish(ending);
    record_.update = percentiles(record_.update_ns, record_.cycles);
    record_.wakeup = percentiles(record_.wakeup_ns, record_.cycles);
    record_.update_ns.resize(record_.cycles);
    record_.wakeup_ns.resize(record_.cycles);
    record_.duration_s = static_cast<double>(record_.cycles) / config_.rate_hz;
  }

 private:
  // If the run is asked to end, or an arm has failed, the loop continues while the controllers bring the arms to rest.
  [[nodiscard]] bool over(std::int64_t k) noexcept {
    const bool asked = options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed) > 0;
    if (asked && !record_.interrupted) {
      record_.interrupted = true;
      come_to_rest(k);
    }
    const auto has_failed = [](const auto& arm) { return arm->failed(); };
    if (failed_arm_ < 0) {
      const auto first = std::find_if(arms_.begin(), arms_.end(), has_failed);
      if (first != arms_.end()) {
        failed_arm_ = static_cast<int>(first - arms_.begin());
        come_to_rest(k);
      }
    }
    return give_up_.load(std::memory_order_relaxed) || std::all_of(arms_.begin(), arms_.end(), has_failed);
  }

  void come_to_rest(std::int64_t k) noexcept {
    constexpr double rest_s = 0.8;
    if (view_.stopping.exchange(true, std::memory_order_relaxed)) return;
    for (const auto& arm : arms_) arm->stop();
    cycles_ = std::min<std::int64_t>(cycles_, k + std::llround(rest_s * config_.rate_hz));
  }

  // Some periods from now, at the phase of the period at which the system disturbs the loop least.
  [[nodiscard]] std::int64_t first_due(std::int64_t period_ns) {
    if (options_.fast) return now_ns();
    constexpr std::int64_t watched_ns = 200'000'000;
    constexpr std::int64_t critical_before_ns = 30'000;
    constexpr std::int64_t critical_after_ns = 10'000;
    const PhaseLoad load = watch_phases(period_ns, watched_ns, now_ns);
    const auto taken_ns = static_cast<double>(std::accumulate(load.begin(), load.end(), std::int64_t{0}));
    record_.scheduling +=
        ", " + tenths(100.0 * taken_ns / static_cast<double>(watched_ns)) + " % CPU time lost to the system";
    const std::int64_t soon = (now_ns() / period_ns + 10) * period_ns;
    return soon + quietest_phase(load, period_ns, critical_before_ns, critical_after_ns);
  }

  // A thread that sleeps until a cycle is due wakes up late and with cold caches. So it wakes up early, warms up, and
  // waits actively for the rest. It sleeps for at least a tenth of every period, since the kernel throttles SCHED_FIFO
  // threads that run for more than 95 % of a second.
  void wake_for(std::int64_t due, std::int64_t period_ns) noexcept {
    const auto early_ns = static_cast<std::int64_t>(std::llround(1e3 * config_.wake_early_us));
    const std::int64_t rested = now_ns() + period_ns / 10;
    if (rested < due) sleep_until(std::max(due - early_ns, rested));
    while (now_ns() < due - 3000) {
      for (auto& arm : arms_) arm->warm_up();
    }
    while (now_ns() < due) {
    }
  }

  void note(std::int64_t k, std::int64_t wakeup_ns) noexcept {
    double update = 0.0, worst = 0.0;
    for (const auto& arm : arms_) {
      update += arm->last_update_ns();
      worst = larger_error(arm->worst_error(), worst);
    }
    record_.update_ns[k] = static_cast<float>(update);
    record_.wakeup_ns[k] = static_cast<float>(wakeup_ns);
    ++record_.cycles;
    view_.time_s.store(static_cast<double>(k) / config_.rate_hz, std::memory_order_relaxed);
    view_.worst_error.store(worst, std::memory_order_relaxed);
    view_.update_ns.store(update, std::memory_order_relaxed);
    if (update > view_.worst_update_ns.load(std::memory_order_relaxed)) {
      view_.worst_update_ns.store(update, std::memory_order_relaxed);
    }
  }

  // The next cycle begins late.
  std::int64_t overrun(std::int64_t due, std::int64_t period_ns) noexcept {
    ++record_.overruns;
    view_.overruns.store(record_.overruns, std::memory_order_relaxed);
    return due_after_overrun(due, now_ns(), period_ns);
  }

  const RunConfig& config_;
  const RunOptions& options_;
  RunRecord& record_;
  LiveView& view_;
  std::int64_t cycles_ = 0, planned_cycles_ = 0;
  int failed_arm_ = -1;  // the first
  std::atomic<bool> give_up_{false};
  bool asked_again_ = false;
  std::vector<std::unique_ptr<ArmLoop>> arms_;
};

// How long the main thread waits for a loop that was asked to end: until the arms are at rest, which takes 0.8 s of
// simulated time, but not if even a quarter of that takes more than 2 s.
class Patience {
 public:
  [[nodiscard]] bool is_over(double time_s) {
    const Clock::time_point now = Clock::now();
    if (!since_) {
      since_ = now;
      began_s_ = time_s;
    }
    const bool slow = now - *since_ > std::chrono::seconds(2) && time_s - began_s_ < 0.2;
    return slow || now - *since_ > std::chrono::seconds(20);
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> since_;
  double began_s_ = 0.0;
};

}  // namespace

RunRecord run_closed_loop(const RunConfig& config, const RunOptions& options) {
  RunRecord record;
  record.config = &config;
  LiveView view;
  Loop loop(config, options, record, view);
  std::promise<void> end;
  const std::future<void> ended = end.get_future();
  std::thread thread([&] {
    loop.run();
    end.set_value();
  });
  Patience patience;
  while (ended.wait_for(std::chrono::milliseconds(100)) == std::future_status::timeout) {
    const int asked = options.stop != nullptr ? options.stop->load() : 0;
    if (asked > 1 || (asked > 0 && patience.is_over(view.time_s.load()))) loop.give_up(asked > 1);
    if (options.watch) options.watch(view);
  }
  thread.join();
  loop.finish();
  return record;
}

}  // namespace dyn::sim
