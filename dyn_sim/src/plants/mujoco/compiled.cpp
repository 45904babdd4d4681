// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "compiled.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/error.hpp"
#include "dyn_core/numeric/residual.hpp"

namespace dyn::sim::mujoco {
namespace {

constexpr double least = 1e-15;  // MuJoCo's mjMINVAL: mass and principal moments of moving bodies must exceed it

// Messages begin with the robot, the joint that moves the body, and a link of that body.
std::string who(const Model& model, int body) {
  std::string text = model.name() + ": joint '" + model.body_joint(body) + "'";
  for (const Link& link : model.links()) {
    if (link.body == body) return text + ", link '" + link.name + "'";
  }
  return text;
}

// The principal moments of a body in kg m^2. For a plate or a rod rounding may break A + B >= C, which MuJoCo refuses.
Vec3d moments(const PrincipalInertia& inertia) {
  const double scale = inertia.mass_kg > 0.0 ? inertia.mass_kg : 1.0;
  Vec3d I = scale * inertia.radii.cwiseAbs2();
  for (int k = 0; k < 3; ++k) {
    const double others = I[(k + 1) % 3] + I[(k + 2) % 3];
    if (I[k] > others && I[k] < others * (1.0 + 1e-9)) I[k] = others;
  }
  return I;
}

bool massless(const Tree& tree, int body) { return tree.mass[body] == 0.0 && tree.inertia_com[body].isZero(0.0); }

// A body without mass that carries one other body becomes an additional joint of that one (so for floating and planar
// joints).
bool joins_its_child(const Tree& tree, int body) {
  const int child = body + 1;
  return massless(tree, body) && child < tree.size && tree.parent[child] == body &&
         tree.subtree_end[child] == tree.subtree_end[body];
}

void check_body(const Model& model, int body) {
  const PrincipalInertia& inertia = model.tree().principal[body];
  if (inertia.mass_kg < least) {
    throw ModelError(who(model, body) + " moves no mass; MuJoCo cannot simulate that, the native engine can");
  }
  const Vec3d I = moments(inertia);
  for (int k = 0; k < 3; ++k) {
    if (I[k] < least) {
      throw ModelError(who(model, body) + " has no inertia about one of its axes (" + std::to_string(I[k]) +
                       " kg m^2); MuJoCo cannot simulate that, the native engine can");
    }
    if (I[k] > I[(k + 1) % 3] + I[(k + 2) % 3]) {
      throw ModelError(who(model, body) + " has an impossible inertia (" + std::to_string(I[k]) + " > " +
                       std::to_string(I[(k + 1) % 3]) + " + " + std::to_string(I[(k + 2) % 3]) +
                       " kg m^2); MuJoCo refuses it");
    }
  }
}

void copy(const Vec3d& from, double* to) { std::copy_n(from.data(), 3, to); }
void copy(const Mat3d& from, double* to) {
  const Eigen::Quaterniond q(from);
  const std::array<double, 4> wxyz{q.w(), q.x(), q.y(), q.z()};
  std::copy_n(wxyz.begin(), 4, to);
}

// The first body of our tree that is moved by each coordinate itself.
std::vector<int> leads(const Model& model) {
  std::vector<int> lead;
  for (const Joint& joint : model.joints()) {
    for (int k = 0; k < joint.degrees; ++k) lead.push_back(joint.body - joint.degrees + 1 + k);
  }
  return lead;
}

class Writer {
 public:
  Writer(const Model& model, const PlantSettings& settings)
      : model_(model),
        tree_(model.tree()),
        settings_(settings),
        mj_(library()),
        spec_(mj_.make_spec()),
        bodies_(tree_.size),
        joints_(tree_.size),
        lead_(leads(model)) {}

  Compiled compile() {
    refuse_rotors();
    options();
    for (int i = 0; i < tree_.size;) i = add(i);
    for (int i = 0; i < tree_.size; ++i) follow(i);
    Compiled result;
    result.model.reset(mj_.compile(spec_.get(), nullptr));
    if (!result.model) {
      throw ModelError(model_.name() + ": MuJoCo refuses it: " + std::string(mj_.get_error(spec_.get())));
    }
    result.data.reset(mj_.make_data(result.model.get()));
    for (int i = 0; i < tree_.size; ++i) {
      const int joint = mj_.get_id(joints_[i]->element);
      result.dof.push_back(result.model->jnt_dofadr[joint]);
      result.body.push_back(bodies_[i] != nullptr ? mj_.get_id(bodies_[i]->element) : -1);
    }
    result.lead = lead_;
    return result;
  }

 private:
  void refuse_rotors() const {
    for (const JointDescription& joint : model_.description().joints) {
      if (!joint.is_rotor) continue;
      throw ModelError(model_.name() + ": joint '" + joint.mimic->joint +
                       "' has a rotor with a gear_ratio; MuJoCo has the inertia of drives on the diagonal of M only, "
                       "the native engine has rotors too");
    }
  }

  void options() {
    spec_->compiler.degree = 0;
    spec_->compiler.usethread = 0;
    mjOption& option = spec_->option;
    copy(tree_.gravity, option.gravity);
    option.integrator = settings_.integrator == "rk4" ? mjINT_RK4 : mjINT_IMPLICITFAST;
    option.disableflags |= mjDSBL_CONTACT | mjDSBL_AUTORESET;  // an invalid state must not be reset silently
    option.tolerance = 1e-12;
    if (!settings_.limits) option.disableflags |= mjDSBL_LIMIT;
  }

  // Body i with those before it that have no mass; returns the next one.
  int add(int i) {
    const int first = i;
    while (joins_its_child(tree_, i)) ++i;
    const int parent = tree_.parent[first];
    mjsBody* const body = mj_.add_body(parent < 0 ? mj_.find_body(spec_.get(), "world") : bodies_[parent], nullptr);
    bodies_[i] = body;
    Pose parent_T_body;
    for (int k = first; k <= i; ++k) {
      parent_T_body = parent_T_body * Pose{tree_.parent_R_joint[k], tree_.parent_p_joint[k]};
    }
    copy(parent_T_body.p_m, body->pos);
    copy(parent_T_body.R, body->quat);
    inertia(i, *body);
    for (int k = first; k <= i; ++k) joint(k, i, *body);  // the order in which they act
    return i + 1;
  }

  void inertia(int i, mjsBody& body) {
    check_body(model_, i);
    const PrincipalInertia& inertia = tree_.principal[i];
    body.explicitinertial = 1;
    body.mass = inertia.mass_kg;
    copy(inertia.com_m, body.ipos);
    copy(inertia.axes, body.iquat);
    copy(moments(inertia), body.inertia);
  }

  // About or along z of frame k, which at q = 0 is placed in the frame of body i by the joints between them.
  void joint(int k, int i, mjsBody& body) {
    Pose k_T_body;
    for (int m = k + 1; m <= i; ++m) k_T_body = k_T_body * Pose{tree_.parent_R_joint[m], tree_.parent_p_joint[m]};
    mjsJoint* const joint = mj_.add_joint(&body, nullptr);
    joints_[k] = joint;
    mj_.set_name(joint->element, std::to_string(k).c_str());
    joint->type = tree_.motion[k] == Motion::revolute ? mjJNT_HINGE : mjJNT_SLIDE;
    copy(Vec3d(k_T_body.R.transpose() * Vec3d::UnitZ()), joint->axis);
    copy(Vec3d(-(k_T_body.R.transpose() * k_T_body.p_m)), joint->pos);
    joint->limited = mjLIMITED_FALSE;
    const int coordinate = tree_.coordinate[k];
    if (lead_[coordinate] != k) return;
    joint->armature = tree_.armature[coordinate];
    for (const Joint& own : model_.joints()) {
      if (coordinate >= own.first_coordinate && coordinate < own.first_coordinate + own.degrees) drive(own, *joint);
    }
  }

  // Damping, Coulomb friction and end stops of the description.
  void drive(const Joint& own, mjsJoint& joint) const {
    const JointDescription& d = own.description;
    if (settings_.friction) {
      joint.damping[0] = d.damping;
      joint.frictionloss = d.friction;
    }
    if (!settings_.limits || !d.limits || !d.limits->has_position || own.degrees != 1) return;
    joint.limited = mjLIMITED_TRUE;
    joint.range[0] = d.limits->lower;
    joint.range[1] = d.limits->upper;
    joint.solref_limit[0] = 0.005;  // s; stiffer than MuJoCo's 0.02
  }

  // A mimic joint: held to offset + ratio q of its lead by a constraint, since MuJoCo has no such joint.
  void follow(int i) {
    const int lead = lead_[tree_.coordinate[i]];
    if (lead == i) return;
    mjsEquality* const equality = mj_.add_equality(spec_.get(), nullptr);
    equality->type = mjEQ_JOINT;
    equality->objtype = mjOBJ_JOINT;
    mj_.set_string(equality->name1, std::to_string(i).c_str());
    mj_.set_string(equality->name2, std::to_string(lead).c_str());
    std::fill(std::begin(equality->data), std::end(equality->data), 0.0);
    equality->data[0] = tree_.offset[i];
    equality->data[1] = tree_.ratio[i];
    equality->solref[0] = 0.002;  // s
    equality->solimp[0] = equality->solimp[1] = 0.9999;
  }

  const Model& model_;
  const Tree& tree_;
  const PlantSettings& settings_;
  const Library& mj_;
  SpecPointer spec_;
  std::vector<mjsBody*> bodies_;
  std::vector<mjsJoint*> joints_;
  std::vector<int> lead_;
};

[[noreturn]] void differs(const std::string& whose, const char* what, double theirs, double ours) {
  throw ModelError(whose + ": MuJoCo has " + what + " " + std::to_string(theirs) + ", our model " +
                   std::to_string(ours));
}

bool close(double theirs, double ours, double scale) { return std::abs(theirs - ours) <= 1e-9 * scale; }

void compare_bodies(const Model& model, const Compiled& compiled) {
  const Tree& tree = model.tree();
  const mjModel& m = *compiled.model;
  for (int i = 0; i < tree.size; ++i) {
    const int b = compiled.body[i];
    if (b < 0) continue;
    const double mass = tree.mass[i];
    if (!close(m.body_mass[b], mass, mass)) differs(who(model, i), "a mass of", m.body_mass[b], mass);
    for (int k = 0; k < 3; ++k) {
      const double c = m.body_ipos[3 * b + k];
      const double ours = tree.com[i][k];
      if (!close(c, ours, 1.0 + std::abs(ours))) differs(who(model, i), "a centre of mass at", c, ours);
    }
    const double trace = m.body_inertia[3 * b] + m.body_inertia[3 * b + 1] + m.body_inertia[3 * b + 2];
    const double ours = tree.inertia_com[i].trace();
    if (!close(trace, ours, ours)) differs(who(model, i), "a trace of its inertia of", trace, ours);
  }
}

// M at a few states: T^T M T of MuJoCo's bodies, T from coordinates to bodies (mimic joints follow), against ours.
void compare_inertia(const std::shared_ptr<const Model>& model, Compiled& compiled) {
  const Tree& tree = model->tree();
  const Library& mj = library();
  const auto n = tree.coordinates;
  const size_t nv = compiled.model->nv;
  Dynamics dynamics(model, AlgorithmChoice{.jsim = "crba"});
  std::vector<double> q(n), v(n, 0.0), theirs(nv * nv);
  for (int state = 0; state < 3; ++state) {
    for (int i = 0; i < n; ++i) q[i] = 0.7 * state * std::sin(1.0 + 2.3 * static_cast<double>(i) + state);
    for (int i = 0; i < tree.size; ++i) {
      compiled.data->qpos[compiled.dof[i]] = tree.offset[i] + tree.ratio[i] * q[tree.coordinate[i]];
    }
    mj.forward(compiled.model.get(), compiled.data.get());
    mj.full_M(compiled.model.get(), compiled.data.get(), theirs.data());
    if (!dynamics.update(q, v).ok()) continue;
    MatX<double> M = MatX<double>::Zero(tree.coordinates, tree.coordinates);
    for (int i = 0; i < tree.size; ++i) {
      for (int j = 0; j < tree.size; ++j) {
        M(tree.coordinate[i], tree.coordinate[j]) +=
            tree.ratio[i] * tree.ratio[j] * theirs[compiled.dof[i] * nv + compiled.dof[j]];
      }
    }
    const double error = relative_error(M, dynamics.M());
    if (!(error < 1e-9)) {
      throw ModelError(model->name() + ": MuJoCo's joint-space inertia differs from our model's by " +
                       std::to_string(error) + " relative");
    }
  }
}

}  // namespace

Compiled compile(const Model& model, const PlantSettings& settings) {
  Compiled compiled = Writer(model, settings).compile();
  compare_bodies(model, compiled);
  compare_inertia(std::make_shared<const Model>(model), compiled);
  return compiled;
}

}  // namespace dyn::sim::mujoco
