// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Parameters of a robot from logs of its motion; docs/identification.md. Every identified body is physically possible.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dyn_sim/identify/replay.hpp"

namespace dyn::sim {

enum class Friction : std::uint8_t { viscous, coulomb, stribeck, asymmetric };
inline constexpr std::array<const char*, 4> friction_names{"viscous", "coulomb", "stribeck", "asymmetric"};

struct IdentifyOptions {
  double hold_out = 0.4;               // the last part of each log, not used
  std::optional<Friction> friction;    // by cross-validation unless given
  std::optional<double> prior_weight;  // likewise
};

struct IdentifiedJoint {
  std::string name;
  bool fitted = false;  // else the following values are the maker's
  bool has_rotor = false;
  double viscous = 0.0, coulomb = 0.0, offset = 0.0, armature = 0.0;
  double stribeck = 0.0, stribeck_velocity = 1e-2;
  std::optional<double> viscous_negative, coulomb_negative;
  double sigma_viscous = 0.0, sigma_coulomb = 0.0, sigma_offset = 0.0, sigma_armature = 0.0;
  double noise = 0.0;  // rms of the residual, after the low-pass
};

struct IdentifiedLink {
  std::string name, joint;
  bool fitted = false;
  Inertial inertial, maker;  // of the whole body, in the frame of the link
  double sigma_mass = 0.0;
  Vec3d sigma_com = Vec3d::Zero();
  std::array<double, 6> sigma_inertia{};  // ixx, ixy, ixz, iyy, iyz, izz about the centre of mass
  std::vector<std::string> untold;  // of mass, com, inertia: those that the log determines at most in sums with others
};

struct BaseParameter {
  std::string sum;  // as text: link2.mx + 0.31 link3.m
  double value = 0.0, maker = 0.0, sigma = 0.0;
  bool told = false;
};

struct CrossValidation {
  Friction friction = Friction::coulomb;
  double prior_weight = 0.0, error = 0.0;  // error: of blocks left out, in multiples of the noise, squared
};

struct Identified {
  Eigen::Index samples = 0;
  Friction friction = Friction::coulomb;
  double prior_weight = 0.0;
  int rank = 0;
  std::vector<IdentifiedJoint> joints;
  std::vector<IdentifiedLink> links;
  std::vector<BaseParameter> base;
  std::vector<CrossValidation> tried;
  std::vector<std::string> warnings;
};

// `model` with its armature. Throws ModelError with one sentence if a log cannot be used.
[[nodiscard]] Identified identify_robot(const std::shared_ptr<const Model>& model, const std::vector<Motion>& motions,
                                        const IdentifyOptions& options);

// The user's file with the identified inertials of the moving links and <dynamics> of the joints, and every other
// character unchanged.
[[nodiscard]] std::string identified_urdf(const std::string& urdf_text, const std::shared_ptr<const Model>& model,
                                          const Identified& identified);

}  // namespace dyn::sim
