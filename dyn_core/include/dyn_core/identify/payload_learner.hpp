// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The inertia that a link carries, learnt during any motion. From the momentum, so without accelerations
// (regressor.hpp); p0: parameters of the model without the rigid payloads attached to the link; pi: those of the load:
//   W pi = y,  W = d/dt Y_momentum - Y_rate (ten columns),  y = tau - friction - (d/dt Y_momentum - Y_rate) p0
// tau is what the drives are commanded, which is as good as what is known of friction, or what sensors behind the
// drives read, which feel neither friction nor rotor but have noise. Where there are sensors both count, each by what
// the fit leaves of it, if the bodies that each tells by itself agree; else only the sensors.
// The loop takes differences over a period (Y_rate at its middle), passes W and y through the same low-pass, a
// Butterworth of second order from rest, which leaves the equation exact, and sums up [W y]^T [W y] by joint in blocks.
// Another thread adds up the blocks and solves for a physically consistent body (consistent_fit.hpp); the joints' noise
// is the residual of the fit. The prior is a ball of twice the density of water, with the weight of one observation.
//
//   loop         add() every cycle: nothing allocated, no lock; a block goes through a Ring
//   off the loop collect(), then solve() and propose(), one thread
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dyn_core/identify/consistent_fit.hpp"
#include "dyn_core/lockfree/ring.hpp"
#include "dyn_core/model/joint_friction.hpp"
#include "dyn_core/model/payload.hpp"
#include "dyn_core/regressor.hpp"

namespace dyn::identify {

struct LearnerSettings {
  std::string link;                     // the one that carries the load
  double period_s = 1e-3;               // of the loop
  double duration_s = 2.0;              // at most; then add() does nothing any more
  double cutoff_hz = 10.0;              // of the low-pass, below a quarter of the loop's rate
  std::vector<JointFriction> friction;  // by coordinate, of the robot's; empty: none in what is commanded
  std::vector<bool> known;              // by coordinate: its torque is known; entries that are missing: unknown
  std::optional<Vec3d> gravity_mps2;    // in place of the model's
  bool sensors = false;                 // add() is given the readings of torque sensors behind the drives, too
};

// In the frame of the link.
struct LearntPayload {
  double time_s = 0.0;  // duration of the motion used
  Inertial inertial;    // always physically consistent
  BodySigmas sigma;
  std::vector<double> noise;  // by known torque, those of the drives first: rms of the residual, N m or N
  bool of_drives = true, of_sensors = false;  // the torques that it is learnt from
  bool converged = false;
  std::string why_not;  // the reason where it has not
};

enum class Proposal : std::uint8_t { none, attach, keep, detach };
[[nodiscard]] const char* to_string(Proposal proposal) noexcept;

struct PayloadProposal {
  Proposal what = Proposal::none;
  std::string text;                     // a sentence
  std::vector<std::string> payloads{};  // to be detached, or kept
};

class PayloadLearner {
 public:
  // `model` as the loop has it, payloads included. `attached`: LiveModel::payloads(); the rigid ones on the link are
  // what propose() compares the load with. Throws ModelError where the link does not exist or does not move, where an
  // articulated payload is attached to it, or a setting is out of range.
  PayloadLearner(const std::shared_ptr<const Model>& model, const std::vector<Payload>& attached,
                 LearnerSettings settings);

  // --- The loop ---------------------------------------------------------------------------------------------------
  // State of this cycle and the torque that acts from now to the next one, in the model's coordinates; `sensed`: the
  // sensors' readings while it already acts, empty unless settings.sensors. `generation`: of the live model; one that
  // differs from the first call's ends the learning. Nothing is summed up during a ramp.
  DYN_REALTIME void add(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                        std::span<const double> sensed, std::uint64_t generation, bool ramping) noexcept;
  // Ends the learning with what was summed up so far. If not over() afterwards, no block was free: call it again.
  DYN_REALTIME void finish() noexcept;
  // All of its duration was summed up, or the model changed.
  [[nodiscard]] DYN_REALTIME bool over() const noexcept { return over_; }

  // --- Off the loop -----------------------------------------------------------------------------------------------
  // Takes the oldest block that the loop has summed up; false where there is none.
  bool collect();
  // The last block was collected.
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  [[nodiscard]] double collected_s() const noexcept { return collected_s_; }
  // If the load changed during the motion, only the samples after the change count.
  [[nodiscard]] LearntPayload solve();
  [[nodiscard]] PayloadProposal propose(const LearntPayload& learnt) const;
  [[nodiscard]] const std::string& link() const noexcept { return settings_.link; }

 private:
  static constexpr std::size_t columns = regressor::parameters_per_body + 1;  // of the body, and y
  static constexpr std::size_t sums = columns * (columns + 1) / 2;
  struct Torque {
    std::size_t coordinate = 0;
    bool sensed = false;
  };
  struct Block {
    explicit Block(std::size_t known) : sum(known * sums, 0.0), count(known, 0.0) {}
    std::vector<double> sum;    // by known torque: upper triangle of [W y]^T [W y]
    std::vector<double> count;  // by known torque
    double duration_s = 0.0;
    bool last = false, model_changed = false;
  };
  struct Filtered {
    double before = 0.0, between = 0.0;  // state of the low-pass
  };
  struct Fitted {
    LearntPayload learnt;
    Parameters10 p;
    Eigen::Matrix<double, 10, 10> covariance;
  };

  [[nodiscard]] static std::vector<Torque> known_torques(const LearnerSettings& settings, const Model& model);
  void take_state(std::span<const double> v) noexcept;
  void halve_period(std::span<const double> v) noexcept;
  void sum_up(std::size_t k, double v, double mean_torque) noexcept;
  [[nodiscard]] double low_pass(Filtered& memory, double x) const noexcept;
  [[nodiscard]] bool has_all() const noexcept { return summed_s_ >= settings_.duration_s - 1.5 * settings_.period_s; }
  void end_block(bool last, bool model_changed) noexcept;

  [[nodiscard]] Fitted fit(std::size_t first_block, bool drives, bool sensors) const;
  [[nodiscard]] LearntPayload fit(std::size_t first_block) const;
  void judge(LearntPayload& learnt, const LearntPayload& newest) const;

  LearnerSettings settings_;
  Regressor regressor_;
  std::vector<Torque> known_;
  std::vector<double> p0_;        // of the model without the payloads told_
  std::vector<double> armature_;  // by coordinate, on M's diagonal
  std::vector<double> rotor_;     // by coordinate: the drive's whole reflected inertia
  int column_ = 0;                // of the body in the regressors
  Pose link_T_moved_;             // from the regressor's frame of the body
  std::vector<std::string> told_names_;
  Inertial told_;                         // rigid payloads attached to the link, summed; frame of the link
  double b_ = 0.0, a1_ = 0.0, a2_ = 0.0;  // of the low-pass
  double independent_ = 1.0;              // share of its samples

  // The loop's own.
  std::vector<double> momentum_, rate_, momentum_before_, rate_before_;  // by known torque: ten columns, and p0's
  std::vector<double> v_before_, tau_before_, sensed_before_, sensed_mean_, friction_before_;  // by coordinate
  std::vector<Filtered> memory_;  // by known torque, by column
  Block block_;
  std::uint64_t generation_ = 0;
  bool has_before_ = false, has_friction_ = false, has_generation_ = false, over_ = false;
  double summed_s_ = 0.0;

  lockfree::Ring<Block> ring_;

  // Off the loop.
  std::deque<Block> blocks_;
  double collected_s_ = 0.0;
  bool complete_ = false, model_changed_ = false;
};

}  // namespace dyn::identify
