// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Paper 000 (Wang and Ju), section 7.2, Table 3 and Fig. 6: the left rear rocker arm of the lunar rover, a tree of two
// branches, with q_i = 5 sin t for 10 s in steps of 0.01 s.
#include <cmath>
#include <map>

#include "algorithm_families.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "output.hpp"
#include "study/helpers.hpp"
#include "study/second_library.hpp"
#include "study/studies.hpp"

namespace dyn::study {
namespace {

using cli::number;

constexpr int steps = 1000;
constexpr double step_s = 0.01;

std::vector<std::vector<double>> positions() {
  std::vector<std::vector<double>> all;
  for (int k = 0; k <= steps; ++k) all.emplace_back(5, 5.0 * std::sin(k * step_s));
  return all;
}

// M over the whole motion by one algorithm.
std::vector<MatX<double>> history(Dynamics& dynamics, std::string_view algorithm) {
  dynamics.set_algorithms({.jsim = AlgorithmIndex::find_jsim(algorithm)});
  std::vector<MatX<double>> all;
  for (const std::vector<double>& q : positions()) {
    demand(dynamics.update(q, std::vector<double>(5, 0.0)), dynamics.model());
    all.emplace_back(dynamics.M());
  }
  return all;
}

double largest_across_branches(const std::vector<MatX<double>>& all) {
  double largest = 0.0;
  for (const MatX<double>& M : all) largest = larger_error(largest, largest_entry(M.block(1, 3, 2, 2)));
  return largest;
}

void table_3(Record& record, const Model& model) {
  Grid grid{{"link", "mass, kg", "centre of mass, m", "Ixx, Iyy, Izz, kg m^2"}, {}, "table_3"};
  for (const LinkDescription& link : model.description().links) {
    if (!link.inertial) continue;
    const Vec3d c = link.inertial->com_m, I = link.inertial->inertia_com_kgm2.diagonal();
    const auto three = [](const Vec3d& x) {
      return "(" + number(x.x()) + ", " + number(x.y()) + ", " + number(x.z()) + ")";
    };
    grid.rows.push_back({link.name, number(link.inertial->mass_kg), three(c), three(I)});
  }
  record.table(
      "The links of the rocker arm", grid,
      {"Table 3", "r_2II and r_4II printed with two entries, inertias as lists of nine and eight",
       "read as (0, 0, -0.04) and as diagonal matrices; then links 3 and 5 have no inertia about their own axes"});
}

// Returns the largest difference of M21 from the second library's.
double figure_6(Record& record, const Model& model, const std::vector<MatX<double>>& ours,
                const std::vector<MatX<double>>& momentum) {
  const std::string library = second_library();
  const std::vector<MatX<double>> theirs = second_mass_matrices(model, positions());
  Figure motion{"fig_6a", "M21 over the motion", "t, s", "kg m^2", {}, {{"explicit", {}}}};
  Figure error{"fig_6b", "explicit less the others, M21", "t, s", "kg m^2", {}, {{"less momentum", {}}}};
  if (!theirs.empty()) {
    motion.series.push_back({library, {}});
    error.series.push_back({"less " + library, {}});
  }
  double apart = 0.0, from_momentum = 0.0;
  for (size_t k = 0; k < ours.size(); ++k) {
    motion.x.push_back(static_cast<double>(k) * step_s);
    motion.series[0].y.push_back(ours[k](1, 0));
    error.series[0].y.push_back(ours[k](1, 0) - momentum[k](1, 0));
    from_momentum = larger_error(from_momentum, std::abs(error.series[0].y.back()));
    if (theirs.empty()) continue;
    motion.series[1].y.push_back(theirs[k](1, 0));
    error.series[1].y.push_back(ours[k](1, 0) - theirs[k](1, 0));
    apart = larger_error(apart, std::abs(error.series[1].y.back()));
  }
  error.x = motion.x;
  const std::string beside = theirs.empty() ? "no second library: this program was built without RBDL and Pinocchio"
                                            : "on " + library + "'s: " + number(apart, 2) + " apart at most";
  motion.item = {"Fig. 6a", "the explicit method's M21 lies on RBDL's", beside};
  error.item = {"Fig. 6b", "explicit and generalized momentum differ by about 1e-18",
                number(from_momentum, 2) + " at most; " + beside};
  record.figure(motion);
  record.figure(error);
  return apart;
}

std::string what_forward_dynamics_says(Dynamics& dynamics) {
  std::vector<double> qdd(5);
  try {
    demand(dynamics.forward(std::vector<double>(5, 0.0), qdd), dynamics.model());
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

void rover_arm(Record& record) {
  Dynamics dynamics(load_model("rover_arm"));
  record.say("Paper 000 (Wang and Ju), section 7.2: left rear rocker arm of the lunar rover (Table 3), q_i = 5 sin t.");
  std::map<std::string_view, std::vector<MatX<double>>> all;
  for (const std::string_view name : cli::family_of("jsim_algorithm").names) all[name] = history(dynamics, name);
  const auto& ours = all.at("explicit");
  table_3(record, dynamics.model());
  const std::string library = second_library().empty() ? "a second library" : second_library();
  record.check("explicit against " + library + ", M21, kg m^2",
               figure_6(record, dynamics.model(), ours, all.at("momentum")), 1e-15);
  Grid grid{{"jsim_algorithm", "largest |dM_ij| from explicit, kg m^2", "of which M21", "largest across branches"}, {}};
  double worst = 0.0, across = 0.0;
  for (const auto& [name, matrices] : all) {
    double whole = 0.0, m21 = 0.0;
    for (size_t k = 0; k < ours.size(); ++k) {
      whole = larger_error(whole, largest_entry(matrices[k] - ours[k]));
      m21 = larger_error(m21, std::abs(matrices[k](1, 0) - ours[k](1, 0)));
    }
    worst = larger_error(worst, whole);
    across = larger_error(across, largest_across_branches(matrices));
    grid.rows.push_back(
        {std::string(name), number(whole, 3), number(m21, 3), number(largest_across_branches(matrices))});
    if (name == "momentum") record.compare("M21, explicit against momentum, kg m^2", "about 1e-18", number(m21, 2));
  }
  record.table("The nine algorithms over 1001 states", grid);
  const std::string singular = what_forward_dynamics_says(dynamics);
  record.compare("links 3 and 5 have no inertia about their own axes", "not mentioned",
                 "forward dynamics: " + singular);
  record.check("largest difference between two algorithms, kg m^2", worst, 1e-15);
  record.check("M24, M25, M34, M35 and their mirror images", across, 0.0);
  record.check("forward dynamics gives numbers though M is singular (1: yes)", singular.empty() ? 1.0 : 0.0, 0.0);
}

}  // namespace dyn::study
