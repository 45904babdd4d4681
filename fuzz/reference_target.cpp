// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "bytes.hpp"
#include "dyn_core/control/controller.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "targets.hpp"

namespace dyn::fuzz {
namespace {

constexpr double period_s = 1e-3;
constexpr int most_messages = 24;

control::Parameters parameters(const Model& model) {
  control::Parameters p;
  p.gains.assign(model.coordinates(), {400.0, 40.0, 0.0, 0.0});
  p.prediction = 0.0;
  return p;
}

// An arm on its own model, under a controller that gets whatever references and states the bytes say.
class Arm {
 public:
  Arm()
      : live_(load_robot("arm7"), {}),
        plant_(live_.newest_model()),
        limits_(control::Actuation::from_model(plant_.model(), {})),
        controller_(live_, limits_, parameters(plant_.model()), period_s) {
    const size_t n = plant_.model().coordinates();
    for (auto* x : {&q_, &v_, &a_, &effort_, &reference_q, &reference_v, &reference_a}) x->assign(n, 0.0);
    controller_.activate({q_, v_});
  }
  [[nodiscard]] size_t joints() const { return q_.size(); }

  // `fault`: what the sensor of joint k says in this cycle in place of its position.
  void cycle(bool fresh, const double* fault, size_t k) {
    std::vector<double> measured = q_;
    if (fault != nullptr) measured[k] = *fault;
    faulty_ = faulty_ || fault != nullptr;
    (void)controller_.step({measured, v_}, {reference_q, reference_v, reference_a, fresh}, effort_);
    const control::FollowedReference followed = controller_.reference();
    for (size_t i = 0; i < joints(); ++i) {
      require(std::abs(effort_[i]) <= limits_.effort_limit[i], "an effort is above its limit, or not a number");
      require(std::isfinite(followed.q[i] + followed.v[i] + followed.a[i]), "a followed reference is not finite");
    }
    move();
  }

  std::vector<double> reference_q, reference_v, reference_a;

 private:
  // One period under the effort, semi-implicit.
  void move() {
    require(plant_.update(q_, v_).ok() && plant_.forward(effort_, a_).ok(), "the arm has no accelerations");
    for (size_t i = 0; i < joints(); ++i) {
      v_[i] += period_s * a_[i];
      q_[i] += period_s * v_[i];
      if (faulty_) continue;  // what a wrong sensor leads to is bounded by the effort alone
      require(std::abs(v_[i]) <= 1.05 * limits_.velocity_limit[i], "a joint is faster than its limit");
      require(q_[i] >= limits_.lower[i] - 0.01 && q_[i] <= limits_.upper[i] + 0.01, "a joint is beyond its stops");
    }
  }

  live::LiveModel live_;
  Dynamics plant_;
  control::Actuation limits_;
  control::Controller controller_;
  std::vector<double> q_, v_, a_, effort_;
  bool faulty_ = false;
};

}  // namespace

void reference(std::string_view bytes) {
  Arm arm;
  Bytes from(bytes);
  for (int message = 0; message < most_messages && !from.empty(); ++message) {
    const unsigned char what = from.byte();
    const size_t k = what % arm.joints();
    std::vector<double>& entries = what < 128 ? arm.reference_q : what < 192 ? arm.reference_v : arm.reference_a;
    const bool fault = what >= 240;
    const double number = from.number();
    if (!fault) entries[k] = number;
    const int cycles = from.byte() % 64;  // the message again in each, or once and then none
    const bool repeated = from.byte() % 2 == 0;
    for (int i = 0; i <= cycles; ++i) arm.cycle(repeated || i == 0, fault ? &number : nullptr, k);
  }
}

}  // namespace dyn::fuzz
