// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Paper 002 (Laus, Simoni and Martins), section 3: the 2R arm takes up a crucible that hangs on a passive joint. Its
// terms M_3, C_3, g_3 are added to the arm's, which stay as they are, and taken away again.
#include <cmath>
#include <filesystem>
#include <numbers>

#include "closed_forms.hpp"
#include "dyn_core/control/passive_joints.hpp"
#include "dyn_core/model/payload.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/progressive/joint_space_sum.hpp"
#include "dyn_sim/dormand_prince.hpp"
#include "dyn_sim/trajectory.hpp"
#include "output.hpp"
#include "study/helpers.hpp"
#include "study/studies.hpp"

namespace dyn::study {
namespace {

using cli::number;
using closed_forms::ClosedForm;

struct Pair {  // the arm, and the same arm with the crucible on its tool
  RobotDescription arm = load_robot("pelican");
  RobotDescription loaded = attach(arm, Payload::articulated("crucible", "tool0", load_robot("crucible")));
};

closed_forms::PelicanForm form_of(const Pair& pair) {
  closed_forms::PelicanForm p;
  const Inertial &link1 = inertial_of(pair.arm, "link1"), &link2 = inertial_of(pair.arm, "link2");
  const Inertial* vessel = nullptr;
  for (const LinkDescription& link : pair.loaded.links) {
    if (link.name.starts_with("crucible/") && link.inertial) vessel = &*link.inertial;
  }
  if (vessel == nullptr) throw ModelError("crucible: no link with an inertia");
  p.a1 = joint_of(pair.arm, "joint2").parent_T_joint.p_m.x();
  p.a2 = joint_of(pair.arm, "flange").parent_T_joint.p_m.x();
  p.l1 = link1.com_m.x(), p.m1 = link1.mass_kg, p.I1 = link1.inertia_com_kgm2(2, 2);
  p.l2 = link2.com_m.x(), p.m2 = link2.mass_kg, p.I2 = link2.inertia_com_kgm2(2, 2);
  p.l3 = vessel->com_m.x(), p.m3 = vessel->mass_kg, p.I3 = vessel->inertia_com_kgm2(2, 2);
  return p;
}

double distance(const LinkTerms<double>& terms, const ClosedForm& exact) {
  double worst = 0.0;
  for (int b = 0; b < terms.size(); ++b) {
    const int j = terms.coordinate(b);
    worst = larger_error(worst, std::abs(terms.g()[b] - exact.g[j]));
    for (int a = 0; a < terms.size(); ++a) {
      const int i = terms.coordinate(a);
      worst = larger_error(worst, std::abs(terms.M()(a, b) - exact.M(i, j)));
      worst = larger_error(worst, std::abs(terms.C()(a, b) - exact.C(i, j)));
    }
  }
  return worst;
}

bool same_bits(const JointSpaceSum<double>& sum, const MatX<double>& M, const MatX<double>& C, const VecX<double>& g) {
  return sum.M() == M && sum.C() == C && sum.g() == g;
}

// The three links' terms against (47) to (61), the sum against the whole model, and the bits after detaching.
void terms(Record& record, const Pair& pair) {
  const Model model = Model::build(pair.loaded);
  const closed_forms::PelicanForm form = form_of(pair);
  record.table("the arm's links, the payload the last one",
               {{"link", "a_i, m", "l_i, m", "mass, kg", "I_zi, kg m^2"},
                {{"1", number(form.a1), number(form.l1), number(form.m1), number(form.I1)},
                 {"2", number(form.a2), number(form.l2), number(form.m2), number(form.I2)},
                 {"3, the crucible", "-", number(form.l3), number(form.m3), number(form.I3)}},
                "table_1"},
               {"Table 1", "symbols only", "the robots pelican and crucible"});
  Dynamics whole(model);
  std::mt19937_64 rng(5);
  std::array<double, 3> errors{};
  double sum_error = 0.0, bits = 0.0;
  for (int k = 0; k < 500; ++k) {
    const std::vector<double> q = random_values(rng, 3, std::numbers::pi), v = random_values(rng, 3, 3.0);
    Workspace<double> ws(model.bodies());
    spread_positions(model.tree(), q.data(), ws);
    spread_rates(model.tree(), v.data(), ws.v);
    update_kinematics(model.tree(), ws, needs_all);
    std::vector<LinkTerms<double>> link(3, LinkTerms<double>(3));
    for (int i = 0; i < 3; ++i) link[i].compute(model.tree(), ws, i);
    errors[0] = larger_error(errors[0], distance(link[0], form.link1(q)));
    errors[1] = larger_error(errors[1], distance(link[1], form.link2(q, v)));
    errors[2] = larger_error(errors[2], distance(link[2], form.crucible(q, v)));
    JointSpaceSum<double> sum(3, 3, 3);
    bool added = sum.add(link[0]) >= 0 && sum.add(link[1]) >= 0;
    const MatX<double> M = sum.M(), C = sum.C();
    const VecX<double> g = sum.g();
    const int handle = sum.add(link[2]);
    demand(whole.update(q, v), model);
    sum_error = larger_error(sum_error, largest_entry(sum.M() - whole.M()));
    added = added && handle >= 0 && sum.remove(handle);
    if (!added || !same_bits(sum, M, C, g)) bits += 1.0;
  }
  record.table("Terms of the links against the paper's closed forms, 500 random states",
               {{"link", "equations", "largest difference (kg m^2, N m s, N m)"},
                {{"1", "47, 48, 51", number(errors[0], 2)},
                 {"2", "47, 48, 52", number(errors[1], 2)},
                 {"3, the crucible", "58, 59, 61 (corrected)", number(errors[2], 2)}}});
  record.check("M_i, C_i, g_i against the closed forms", *std::max_element(errors.begin(), errors.end()), 1e-12);
  record.check("M_1 + M_2 + M_3 against M of the whole model, kg m^2", sum_error, 1e-12);
  record.check("states in which taking the crucible away leaves other bits than before", bits, 0.0);
}

// The arm moves by partial feedback linearisation from one posture to another in 1.5 s while the crucible, 0.25 rad off
// the vertical, swings freely, or is calmed by `damping` (1/s). The gains p = 4, d = 4 make the arm slower than the
// swing (8 rad/s): an arm that is held stiffly cannot give way to it.
struct Swing {
  std::vector<double> t, crucible, arm_error;
  double largest_passive_torque = 0.0, late_swing = 0.0;
};

Swing carry(const Pair& pair, double damping) {
  const Model model = Model::build(pair.loaded);
  Dynamics arm(model);
  control::PassiveJoints passive(3);
  passive.choose({true, true, false}, 2, 3);
  std::vector<double> a(3), tau(3);
  const auto wanted = sim::make_timed_quintic({{-1.2, 0.9}, {-0.4, 0.3}}, 1.5);
  std::vector<double> qr(2), vr(2), ar(2);
  Swing swing;
  const auto motion = [&](double t, const std::vector<double>& x, std::vector<double>& xdot) {
    const std::span<const double> q = std::span(x).first(3), v = std::span(x).subspan(3);
    demand(arm.update_terms(q, v, terms_all), model);
    wanted->sample(t, qr, vr, ar);
    for (size_t i = 0; i < 2; ++i) a[i] = ar[i] + 4.0 * (qr[i] - q[i]) + 4.0 * (vr[i] - v[i]);
    VectorRef<double> acceleration(a.data(), 3);
    if (damping > 0.0) passive.damp_swing(arm.M(), ConstVectorRef<double>(v.data(), 3), damping, acceleration);
    demand(passive.solve_accelerations(arm.M(), arm.h(), acceleration), model);
    VectorRef<double>(tau.data(), 3) = arm.M() * acceleration + arm.h();
    swing.largest_passive_torque = larger_error(swing.largest_passive_torque, std::abs(tau[2]));
    std::copy(v.begin(), v.end(), xdot.begin());
    std::copy(a.begin(), a.end(), xdot.begin() + 3);
  };
  std::vector<double> x{-1.2, 0.9, -0.5 * std::numbers::pi + 0.55, 0.0, 0.0, 0.0};
  sim::DormandPrince integrator;
  integrator.resize(x.size());
  for (int k = 0; k <= 600; ++k) {
    const double t = 0.01 * k;
    wanted->sample(t, qr, vr, ar);
    const double error = larger_error(std::abs(x[0] - qr[0]), std::abs(x[1] - qr[1]));
    const double from_down = x[0] + x[1] + x[2] + 0.5 * std::numbers::pi;
    swing.t.push_back(t);
    swing.crucible.push_back(from_down);
    swing.arm_error.push_back(error);
    if (t > 5.0) swing.late_swing = larger_error(swing.late_swing, std::abs(from_down));
    integrator.adaptive(motion, t, 0.01, 1e-10, 0.0, x);
  }
  return swing;
}

}  // namespace

void crucible(Record& record) {
  const Pair pair;
  record.say(
      "Paper 002 (Laus, Simoni and Martins), section 3: the pelican arm and its crucible on a passive joint. The "
      "paper has symbols only; the figures are those of the robots pelican and crucible.");
  terms(record, pair);
  const Swing free = carry(pair, 0.0), calmed = carry(pair, 4.0);
  Figure figure{"swing", "Crucible from the vertical while the arm moves in 1.5 s", "t, s", "rad", free.t, {}};
  figure.series = {{"left alone", free.crucible}, {"anti-swing", calmed.crucible}};
  record.figure(figure);
  record.figure({"arm_error",
                 "Largest error of the two driven joints",
                 "t, s",
                 "rad",
                 free.t,
                 {{"left alone", free.arm_error}, {"anti-swing", calmed.arm_error}}});
  record.table("The move with the crucible",
               {{"", "largest swing after 5 s, rad", "torque at the passive joint, N m"},
                {{"left alone", number(free.late_swing, 3), number(free.largest_passive_torque, 2)},
                 {"anti-swing", number(calmed.late_swing, 3), number(calmed.largest_passive_torque, 2)}}});
  record.check("torque that the law would need at the passive joint, N m",
               larger_error(free.largest_passive_torque, calmed.largest_passive_torque), 1e-9);
  record.check("error of the driven joints without anti-swing, rad",
               *std::max_element(free.arm_error.begin(), free.arm_error.end()), 1e-6);
  record.check("swing left by anti-swing over swing left alone", calmed.late_swing / free.late_swing, 0.2);
}

}  // namespace dyn::study
