// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Mass and inertia of the moving bodies. With principal moments A <= B <= C a physical body has A >= 0 and
// C <= A + B. Files have rounded numbers, hence tolerances relative to the trace; and a body whose radius of gyration
// is below 1e-6 m is a point mass, whatever the last digits of its inertia are. Bodies without mass are hubs or rotors,
// of which only the inertia about the joint's axis may be given: C <= A + B is not required.
#include <Eigen/Eigenvalues>
#include <cmath>

#include "complain.hpp"
#include "dyn_core/model/model.hpp"
#include "dyn_core/model/validate.hpp"

namespace dyn {
namespace {

constexpr double indefinite_tolerance = 1e-6;  // of the trace
constexpr double triangle_tolerance = 1e-3;    // of the trace: four printed digits
constexpr double semidefinite_tolerance = 1e-9;
constexpr double smallest_gyration_m2 = 1e-12;  // radius of gyration 1e-6 m

std::string moments_text(const Vec3d& moments) {
  return "(" + number_text(moments[0]) + ", " + number_text(moments[1]) + ", " + number_text(moments[2]) + ")";
}

// "link 'a'", or "link 'a' with the 2 links fixed to it"
std::string links_text(const Model& model, const std::vector<std::vector<size_t>>& links_of, int body) {
  const auto& links = links_of[body];
  if (links.empty()) return "nothing";
  std::string first = link_text(model.links()[links.front()].name);
  if (links.size() == 1) return first;
  return first + " with " + std::to_string(links.size() - 1) + (links.size() == 2 ? " link" : " links") +
         " fixed to it";
}

// By body: is it a rotor, and does it carry one whose inertia was taken out of it (model/rotors.hpp)?
struct Rotors {
  explicit Rotors(const Model& model) : is(model.bodies(), false), carries(model.bodies(), false) {
    for (const JointDescription& joint : model.description().joints) {
      if (joint.is_rotor) is[model.find_link(joint.child_link)->body] = true;
      const bool taken = joint.rotor && joint.rotor->is_body;
      const int carrier = taken ? model.find_link(joint.parent_link)->body : -1;
      if (carrier >= 0) carries[carrier] = true;
    }
  }
  std::vector<bool> is, carries;
};

std::vector<std::vector<size_t>> links_of_bodies(const Model& model) {
  std::vector<std::vector<size_t>> result(model.bodies());
  for (size_t i = 0; i < model.links().size(); ++i) {
    const int body = model.links()[i].body;
    if (body >= 0) result[body].push_back(i);
  }
  return result;
}

}  // namespace

InertiaJudgement judge_inertia(double mass_kg, const Mat3d& I) {
  if (!std::isfinite(mass_kg) || !I.allFinite()) return {"has a mass or inertia beyond the range of numbers", {}};
  if (mass_kg < 0.0) return {"has the negative mass " + number_text(mass_kg) + " kg", {}};
  const Vec3d moments = Eigen::SelfAdjointEigenSolver<Mat3d>(I, Eigen::EigenvaluesOnly).eigenvalues();
  const double size = moments.cwiseAbs().sum();
  if (!std::isfinite(size)) return {"has an inertia beyond the range of numbers", {}};
  const double floor = smallest_gyration_m2 * mass_kg;
  const double excess = moments[2] - moments[0] - moments[1];
  if (moments[0] < -(indefinite_tolerance * size + floor)) {
    return {"has an indefinite inertia, with principal moments " + moments_text(moments) + " kg m^2", {}};
  }
  if (mass_kg == 0.0) return {{}, size > 0.0 ? "has inertia but no mass" : "has neither mass nor inertia"};
  if (excess > triangle_tolerance * size + floor) {
    return {"has an impossible inertia: of its principal moments " + moments_text(moments) +
                " kg m^2 the largest exceeds the sum of the others",
            {},
            true};
  }
  if (size <= floor) return {{}, "has mass but no inertia about its centre of mass"};
  if (moments[0] <= semidefinite_tolerance * size + floor) {
    return {{}, "has no inertia about one of its axes: principal moments " + moments_text(moments) + " kg m^2"};
  }
  if (excess > semidefinite_tolerance * size + floor) {
    return {{}, "has a slightly impossible inertia (rounded?): principal moments " + moments_text(moments) + " kg m^2"};
  }
  return {};
}

std::vector<std::string> validate_bodies(const Model& model) {
  const Tree& tree = model.tree();
  const auto links_of = links_of_bodies(model);
  const Rotors rotors(model);
  std::vector<std::string> warnings;
  for (int i = 0; i < tree.size; ++i) {
    if (rotors.is[i]) continue;  // inertia about one axis and no mass, as it should be
    // Inside a joint of several degrees of freedom bodies are massless by construction.
    if (i + 1 < tree.size && model.body_joint(i) == model.body_joint(i + 1)) continue;
    const std::string where = joint_text(model.body_joint(i)) + ": the body it moves (" +
                              links_text(model, links_of, i) + ")" +
                              (rotors.carries[i] ? " without the rotors that it carries " : " ");
    if (!tree.com[i].allFinite()) fail(model.description(), where + "has a centre of mass beyond the range of numbers");
    const InertiaJudgement judgement = judge_inertia(tree.mass[i], tree.inertia_com[i]);
    if (judgement.only_triangle && model.options().allow_impossible_inertia) {
      warnings.push_back(where + judgement.fault);
      continue;
    }
    if (!judgement.fault.empty()) {
      fail(model.description(),
           where + judgement.fault + (judgement.only_triangle ? " (accepted with allow_impossible_inertia)" : ""));
    }
    if (!judgement.doubt.empty()) warnings.push_back(where + judgement.doubt);
  }
  return warnings;
}

}  // namespace dyn
