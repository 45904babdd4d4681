// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Paper 000 (Wang and Ju), section 7.1: the planar arm with three joints, its joint-space inertia matrix in closed
// form.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "algorithm_families.hpp"
#include "closed_forms.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "output.hpp"
#include "study/helpers.hpp"
#include "study/studies.hpp"

namespace dyn::study {
namespace {

using cli::number;

closed_forms::Planar3Form form_of(const RobotDescription& robot) {
  closed_forms::Planar3Form p;
  p.l1 = joint_of(robot, "joint2").parent_T_joint.p_m.x();
  p.l2 = joint_of(robot, "joint3").parent_T_joint.p_m.x();
  const Inertial &link1 = inertial_of(robot, "link1"), &link2 = inertial_of(robot, "link2");
  const Inertial& link3 = inertial_of(robot, "link3");
  p.l1I = link1.com_m.x(), p.m1 = link1.mass_kg, p.I1 = link1.inertia_com_kgm2(2, 2);
  p.l2I = link2.com_m.x(), p.m2 = link2.mass_kg, p.I2 = link2.inertia_com_kgm2(2, 2);
  p.l3I = link3.com_m.x(), p.m3 = link3.mass_kg, p.I3 = link3.inertia_com_kgm2(2, 2);
  return p;
}

// M11 as the paper prints it: l1I for l1, l2I for l2, and joint angles that belong to other elements.
double printed_m11(const closed_forms::Planar3Form& p, double q1, double q2, double q3) {
  return p.I1 + p.I2 + p.I3 + p.m1 * p.l1I * p.l1I +
         p.m2 * (p.l1I * p.l1I + p.l1 * p.l2I * std::cos(q1) + p.l2I * p.l2I) +
         p.m3 * (p.l1I * p.l1I + p.l2I * p.l2I + p.l3I * p.l3I + 2.0 * p.l1 * p.l2I * std::cos(q1) +
                 2.0 * p.l1 * p.l3I * std::cos(q3) + 2.0 * p.l2 * p.l3I * std::cos(q2));
}

void elements(Record& record, Dynamics& dynamics, const closed_forms::Planar3Form& form) {
  const std::vector<double> q{0.3, 0.7, -0.5};
  demand(dynamics.update(q, std::vector<double>(3, 0.0)), dynamics.model());
  const Mat3d expected = form.mass_matrix(q[1], q[2]);
  Grid grid{{"element", "closed form", "element(u, k) alone", "difference"}, {}};
  for (int u = 0; u < 3; ++u) {
    for (int k = u; k < 3; ++k) {
      const double alone = dynamics.element(u, k);
      grid.rows.push_back({"M" + std::to_string(u + 1) + std::to_string(k + 1), number(expected(u, k), 12),
                           number(alone, 12), number(alone - expected(u, k), 2)});
    }
  }
  record.table(
      "the planar arm drawn there: its six elements at q = (0.3, 0.7, -0.5) rad, kg m^2", grid,
      {"Fig. 4", "closed forms of the elements (section 7.1), with l1I for l1, l2I for l2, and angles exchanged",
       "with l1, l2 and the angles q2, q2 + q3, q3 they are what each element gives by itself"});
  record.compare("M11 at that state, kg m^2", number(printed_m11(form, q[0], q[1], q[2])) + " as printed",
                 number(expected(0, 0)) + " with l1, l2 for l1I, l2I and the angles q2, q2 + q3, q3");
}

void sweep(Record& record, Dynamics& dynamics) {
  Figure figure{"fig_4_elements",
                "the planar arm drawn there: elements of M while joint 2 turns, q3 = -0.5 rad",
                "q2, rad",
                "kg m^2",
                {},
                {}};
  figure.item = {"Fig. 4", "no figure of the elements", "each by element(u, k) alone"};
  for (const char* name : {"M11", "M12", "M13", "M22", "M23", "M33"}) figure.series.push_back({name, {}});
  for (int step = -100; step <= 100; ++step) {
    const double q2 = step * std::numbers::pi / 100.0;
    demand(dynamics.update(std::vector<double>{0.3, q2, -0.5}, std::vector<double>(3, 0.0)), dynamics.model());
    figure.x.push_back(q2);
    size_t series = 0;
    for (int u = 0; u < 3; ++u) {
      for (int k = u; k < 3; ++k) figure.series[series++].y.push_back(dynamics.element(u, k));
    }
  }
  record.figure(figure);
}

// The bias by eqs 13 and 14 alone. Where all axes are parallel, as on planar3, nothing is missing; elsewhere it is.
void printed_bias(Record& record) {
  constexpr size_t states = 1000;
  const auto percent = [](double x) { return number(100.0 * x, 3) + " %"; };
  Grid grid{{"robot", "least", "median", "largest"}, {}};
  double parallel = 0.0, largest = 0.0;
  std::vector<double> medians;
  for (const char* name : {"planar3", "three_link", "puma", "arm7"}) {
    Dynamics dynamics(load_model(name));
    std::mt19937_64 rng(7);
    std::vector<double> errors;
    for (size_t k = 0; k < states; ++k) {
      const int n = dynamics.model().coordinates();
      const std::vector<double> q = random_values(rng, n, std::numbers::pi), v = random_values(rng, n, 2.0);
      demand(dynamics.update(q, v), dynamics.model());
      const VecX<double> Cv = dynamics.C() * ConstVectorRef<double>(v.data(), n);
      errors.push_back(relative_error(bias_as_printed(dynamics.model(), q, v), Cv));
    }
    std::sort(errors.begin(), errors.end());
    grid.rows.push_back({name, percent(errors.front()), percent(errors[states / 2]), percent(errors.back())});
    if (std::string_view(name) == "planar3") {
      parallel = errors.back();
      continue;
    }
    medians.push_back(errors[states / 2]);
    largest = larger_error(largest, errors.back());
  }
  record.table("C v by eqs 13 and 14 alone: largest error over its largest entry, 1000 random states", grid);
  const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
  record.compare("the bias is eqs 13 and 14", "no more is said",
                 "off by " + percent(*low) + " to " + percent(*high) + " in the median, up to " + percent(largest) +
                     ", unless all axes are parallel: the products of angular velocities in 11 and 12 belong to it");
  record.check("error of eqs 13 and 14 where all axes are parallel, relative", parallel, 1e-11);
}

}  // namespace

void planar3(Record& record) {
  const RobotDescription robot = load_robot("planar3");
  const closed_forms::Planar3Form form = form_of(robot);
  Dynamics dynamics(Model::build(robot));
  record.say(
      "Paper 000 (Wang and Ju), section 7.1: every algorithm for M against the closed form, corrected where the "
      "printed equation is wrong, at 1000 random states of the robot planar3.");
  elements(record, dynamics, form);
  sweep(record, dynamics);
  printed_bias(record);
  Grid grid{{"jsim_algorithm", "largest error"}, {}};
  double worst_of_all = 0.0;
  for (const std::string_view name : cli::family_of("jsim_algorithm").names) {
    std::mt19937_64 rng(7);
    double worst = 0.0;
    dynamics.set_algorithms({.jsim = AlgorithmIndex::find_jsim(name)});
    for (int k = 0; k < 1000; ++k) {
      const std::vector<double> q = random_values(rng, 3, std::numbers::pi);
      demand(dynamics.update(q, std::vector<double>(3, 0.0)), dynamics.model());
      worst = larger_error(worst, mass_matrix_error(dynamics.M(), form.mass_matrix(q[1], q[2])));
    }
    grid.rows.push_back({std::string(name), number(worst, 3)});
    worst_of_all = larger_error(worst_of_all, worst);
  }
  record.table("|dM_ij| / sqrt(M_ii M_jj) against the closed form", grid);
  record.check("largest error of all algorithms", worst_of_all, 1e-12);
}

}  // namespace dyn::study
