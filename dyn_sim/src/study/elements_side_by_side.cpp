// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "study/elements_side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "count/chain.hpp"
#include "dyn_core/jsim/explicit.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "output.hpp"
#include "study/helpers.hpp"

namespace dyn::study {
namespace {

using cli::number;
using Clock = std::chrono::steady_clock;

// The elements of M's lower triangle in rows; every second pair of rows (first and last, second and last but one, ..)
// belongs to the other thread, so that both have the same work.
class Elements {
 public:
  Elements(const Model& model, const std::vector<double>& q)
      : tree_(model.tree()), ws_(tree_.size), elements_(tree_.size), M_(tree_.size, tree_.size) {
    spread_positions(tree_, q.data(), ws_);
    update_kinematics(tree_, ws_, needs_all);
    M_.setZero();
  }

  void rows(int half, int halves) {
    const int n = tree_.size;
    for (int pair = half; 2 * pair < n; pair += halves) {
      row(pair);
      if (n - 1 - pair != pair) row(n - 1 - pair);
    }
  }
  [[nodiscard]] const MatX<double>& M() const { return M_; }

 private:
  void row(int u) {
    for (int k = 0; k <= u; ++k) M_(u, k) = elements_.element(tree_, ws_, u, k);
  }

  const Tree& tree_;
  Workspace<double> ws_;
  jsim::Explicit<double> elements_;
  MatX<double> M_;
};

// A second thread that does its half when it is called, and sleeps in between.
class Helper {
 public:
  explicit Helper(std::function<void()> work)
      : thread_([this, work = std::move(work)] {
          for (int done = 0;;) {
            called_.wait(done);
            if (ends_) return;
            work();
            finished_ = ++done;
            finished_.notify_one();
          }
        }) {}
  ~Helper() {
    ends_ = true;
    ++called_;
    called_.notify_one();
    thread_.join();
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;
  Helper(Helper&&) = delete;
  Helper& operator=(Helper&&) = delete;

  void call() {
    ++called_;
    called_.notify_one();
  }
  void await() {
    const int wanted = called_;
    for (int have = finished_; have != wanted; have = finished_) finished_.wait(have);
  }

 private:
  std::atomic<int> called_{0}, finished_{0};
  std::atomic<bool> ends_{false};
  std::thread thread_;  // last: it begins at once
};

double lowest_us(int rounds, const std::function<void()>& work) {
  double lowest = INFINITY;
  for (int k = 0; k < rounds; ++k) {
    const auto start = Clock::now();
    work();
    lowest = std::min(lowest, std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  return lowest;
}

struct Times {  // us; the least of all rounds, since the machine may have other work
  double one = 0.0, two = 0.0, lanes = 0.0, difference = 0.0;
};

Times measure(int n) {
  const Model model = Model::build(cli::generic_chain(n));
  std::mt19937_64 rng(3);
  const std::vector<double> q = random_values(rng, n, 3.0), still(n, 0.0);
  Elements elements(model, q);
  const int rounds = std::clamp(4'000'000 / (n * n * n), 15, 400);
  Times times;
  times.one = lowest_us(rounds, [&] { elements.rows(0, 1); });
  const MatX<double> alone = elements.M();
  {
    Helper helper([&] { elements.rows(1, 2); });
    times.two = lowest_us(rounds, [&] {
      helper.call();
      elements.rows(0, 2);
      helper.await();
    });
  }
  times.difference = largest_entry(elements.M() - alone);
  Dynamics dynamics(model, {.jsim = "explicit"});
  times.lanes =
      lowest_us(rounds, [&] { demand(dynamics.update_terms(std::span(q), std::span(still), term_M), model); });
  return times;
}

}  // namespace

void elements_side_by_side(Record& record) {
  Grid grid{
      {"n", "one after the other, us", "two threads, us", "threads, times faster", "lanes, us", "lanes, times faster"},
      {}};
  Figure figure{"side_by_side",
                "Elements of M side by side: how many times faster than one after the other",
                "joints",
                "times faster",
                {},
                {{"two threads", {}}, {"lanes of a vector", {}}}};
  int pays_from = 0;  // the least n from which on two threads are a tenth faster
  double difference = 0.0;
  for (const int n : {7, 14, 20, 30, 50, 100, 200, 300}) {
    record.progress("explicit-complexity: elements side by side, " + std::to_string(n) + " joints");
    const Times t = measure(n);
    difference = larger_error(difference, t.difference);
    grid.rows.push_back({std::to_string(n), number(t.one, 3), number(t.two, 3), number(t.one / t.two, 3),
                         number(t.lanes, 3), number(t.one / t.lanes, 3)});
    figure.x.push_back(n);
    figure.series[0].y.push_back(t.one / t.two);
    figure.series[1].y.push_back(t.one / t.lanes);
    if (t.one < 1.1 * t.two)
      pays_from = 0;
    else if (pays_from == 0)
      pays_from = n;
  }
  const std::string threads_pay =
      pays_from == 0 ? "at none of these n" : "from n = " + std::to_string(pays_from) + " on";
  figure.item = {"", "elements can be computed simultaneously; a parallel algorithm is future work",
                 "two threads pay " + threads_pay +
                     "; below that waking the second one costs more than its half of M. Lanes (the kinematics are in "
                     "their time, not in the others') pay everywhere."};
  record.figure(figure);
  grid.file = "side_by_side_times";
  record.table("Elements of M side by side, least time of a call on this machine", grid,
               {"", "not measured", "two threads, " + threads_pay});
  record.check("elements by two threads against one after the other, kg m^2", difference, 0.0);
}

}  // namespace dyn::study
