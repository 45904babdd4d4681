// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The same robot in Pinocchio, as an independent oracle: built from the description by Pinocchio's own joint and
// inertia calls (nothing comes from Tree), with results in the user's coordinates. Needs the library dyn_oracle, which
// exists where Pinocchio was found. Not for the control loop: it allocates.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"

namespace dyn::oracle {

class PinocchioModel {
 public:
  // The description is taken as valid (Model::build has judged it); throws ModelError if it is no tree.
  explicit PinocchioModel(const RobotDescription& description, const ModelOptions& options = {});
  explicit PinocchioModel(const Model& model) : PinocchioModel(model.description(), model.options()) {}
  PinocchioModel(PinocchioModel&&) noexcept;
  PinocchioModel& operator=(PinocchioModel&&) noexcept;
  PinocchioModel(const PinocchioModel&) = delete;
  PinocchioModel& operator=(const PinocchioModel&) = delete;
  ~PinocchioModel();

  static std::string version();  // of Pinocchio, as compiled
  [[nodiscard]] int coordinates() const noexcept;
  [[nodiscard]] const std::vector<std::string>& coordinate_names() const noexcept;
  [[nodiscard]] bool has_mimic() const noexcept;
  void set_gravity(const Vec3d& gravity_mps2);

  // While a payload is being ramped: the body that the `degree`-th degree of freedom of `joint` moves gets the weighted
  // sum of its inertias in the parts (mass, first and second moments about the joint, as they were built). False, and
  // nothing has changed, where one of the parts has no such joint with the same axis.
  struct Part {
    const PinocchioModel* model = nullptr;
    double weight = 0.0;
  };
  [[nodiscard]] bool blend_inertia(const std::string& joint, int degree, std::span<const Part> parts);
  void restore_inertias();

  // in: q, v, a, tau of coordinates() entries.  out: matrices column-major, coordinates() x coordinates().
  void mass_matrix(std::span<const double> q, std::span<double> M);
  void coriolis_matrix(std::span<const double> q, std::span<const double> v, std::span<double> C);
  void gravity(std::span<const double> q, std::span<double> g);
  void bias(std::span<const double> q, std::span<const double> v, std::span<double> h);
  // C v by RNEA without acceleration and gravity. Not coriolis_matrix() times v, which works in base axes and loses
  // digits far from the base: 1e-10 of C v at a kilometre, 1e-6 at a hundred.
  void velocity_forces(std::span<const double> q, std::span<const double> v, std::span<double> Cv);
  void inverse(std::span<const double> q, std::span<const double> v, std::span<const double> a, std::span<double> tau);
  // By ABA, with mimic joints by a dense solve of the projected equation. False where M is singular.
  [[nodiscard]] bool forward(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                             std::span<double> qdd);

  // The frame of a link as Pinocchio has it, in one of its reference frames. False where there is no link of that name.
  struct Frame {
    Vec3d p = Vec3d::Zero();            // of its origin in the base frame, m
    Mat3d R = Mat3d::Identity();        // frame to base
    std::vector<double> J;              // 6 x coordinates(), column-major
    std::vector<double> twist, Jdot_v;  // 6
  };
  enum class Reference { local_world_aligned, local, world };
  [[nodiscard]] bool frame(const std::string& link, Reference reference, std::span<const double> q,
                           std::span<const double> v, Frame& out);
  // M^-1 by computeMinverse, with mimic joints by a dense inverse of the projected M. False where M is singular.
  [[nodiscard]] bool inverse_mass_matrix(std::span<const double> q, std::span<double> inverse_M);

  // Derivatives of tau at a, and of qdd at tau (false where M is singular); n x n each.
  void inverse_derivatives(std::span<const double> q, std::span<const double> v, std::span<const double> a,
                           std::span<double> dtau_dq, std::span<double> dtau_dv);
  [[nodiscard]] bool forward_derivatives(std::span<const double> q, std::span<const double> v,
                                         std::span<const double> tau, std::span<double> dqdd_dq,
                                         std::span<double> dqdd_dv, std::span<double> dqdd_dtau);
  // Ten columns a link, for links whose own frame is that of the joint that moves them; n x 10 links.
  void regressor(std::span<const double> q, std::span<const double> v, std::span<const double> a,
                 std::span<const std::string> links, std::span<double> Y);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn::oracle
