// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "spec_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "dyn_core/error.hpp"
#include "dyn_sim/mjcf.hpp"

namespace dyn::sim::mujoco {
namespace {

constexpr double least = 1e-15;  // MuJoCo's mjMINVAL: mass and principal moments of moving bodies must exceed it

constexpr double hard = 0.9999;  // impedance of a constraint that joins mimic joints, below 1

const Link* link_of(const Model& model, int body) {
  const auto found =
      std::find_if(model.links().begin(), model.links().end(), [body](const Link& link) { return link.body == body; });
  return found == model.links().end() ? nullptr : &*found;
}

// The principal moments of a body in kg m^2. For a plate or a rod rounding may break A + B >= C with the largest C,
// which MuJoCo refuses.
Vec3d moments(const PrincipalInertia& inertia) {
  const double scale = inertia.mass_kg > 0.0 ? inertia.mass_kg : 1.0;
  Vec3d I = scale * inertia.radii.cwiseAbs2();
  Eigen::Index k = 0;
  const double largest = I.maxCoeff(&k), others = I[(k + 1) % 3] + I[(k + 2) % 3];
  if (largest > others && largest < others * (1.0 + 1e-9)) I[k] = others;
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

}  // namespace

std::string who(const Model& model, int body) {
  const std::string text = model.name() + ": joint '" + model.body_joint(body) + "'";
  const Link* const link = link_of(model, body);
  return link == nullptr ? text : text + ", link '" + link->name + "'";
}

SpecWriter::SpecWriter(const Model& model, const PlantSettings& settings)
    : model_(model),
      tree_(model.tree()),
      settings_(settings),
      mj_(library()),
      spec_(mj_.make_spec()),
      bodies_(tree_.size),
      joints_(tree_.size),
      lead_(leads(model)),
      frictions_(body_frictions(model)) {}

void SpecWriter::write() {
  refuse_rotors();
  options();
  for (int i = 0; i < tree_.size;) i = add(i);
  for (int i = 0; i < tree_.size; ++i) follow(i);
  for (size_t k = 0; k < settings_.walls.size(); ++k) wall(settings_.walls[k], std::to_string(k));
}

Compiled SpecWriter::compile() {
  write();
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

void SpecWriter::refuse_rotors() const {
  for (const JointDescription& joint : model_.description().joints) {
    if (!joint.is_rotor) continue;
    throw ModelError(model_.name() + ": joint '" + joint.mimic->joint +
                     "' has a rotor with a gear_ratio; MuJoCo has the inertia of drives on the diagonal of M only, "
                     "the native engine has rotors too");
  }
}

void SpecWriter::options() {
  spec_->compiler.degree = 0;
  spec_->compiler.usethread = 0;
  mjOption& option = spec_->option;
  copy(tree_.gravity, option.gravity);
  option.integrator = settings_.integrator == "rk4" ? mjINT_RK4 : mjINT_IMPLICITFAST;
  option.disableflags |= mjDSBL_AUTORESET;  // an invalid state must not be reset silently
  if (settings_.walls.empty()) {
    option.disableflags |= mjDSBL_CONTACT;
  } else {
    option.cone = mjCONE_ELLIPTIC;
  }
  option.tolerance = 1e-12;
  if (!settings_.limits) option.disableflags |= mjDSBL_LIMIT;
}

// Body i with those before it that have no mass; returns the next one.
int SpecWriter::add(int i) {
  const int first = i;
  while (joins_its_child(tree_, i)) ++i;
  const int parent = tree_.parent[first];
  mjsBody* const body = mj_.add_body(parent < 0 ? mj_.find_body(spec_.get(), "world") : bodies_[parent], nullptr);
  bodies_[i] = body;
  const Link* const link = named_ ? link_of(model_, i) : nullptr;
  if (link != nullptr) mj_.set_name(body->element, link->name.c_str());
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

void SpecWriter::inertia(int i, mjsBody& body) {
  check_body(model_, i);
  const PrincipalInertia& inertia = tree_.principal[i];
  body.explicitinertial = 1;
  body.mass = inertia.mass_kg;
  copy(inertia.com_m, body.ipos);
  copy(inertia.axes, body.iquat);
  copy(moments(inertia), body.inertia);
}

// About or along z of frame k, which at q = 0 is placed in the frame of body i by the joints between them.
void SpecWriter::joint(int k, int i, mjsBody& body) {
  Pose k_T_body;
  for (int m = k + 1; m <= i; ++m) k_T_body = k_T_body * Pose{tree_.parent_R_joint[m], tree_.parent_p_joint[m]};
  mjsJoint* const joint = mj_.add_joint(&body, nullptr);
  joints_[k] = joint;
  mj_.set_name(joint->element, joint_name(k).c_str());
  joint->type = tree_.motion[k] == Motion::revolute ? mjJNT_HINGE : mjJNT_SLIDE;
  copy(Vec3d(k_T_body.R.transpose() * Vec3d::UnitZ()), joint->axis);
  copy(Vec3d(-(k_T_body.R.transpose() * k_T_body.p_m)), joint->pos);
  joint->limited = mjLIMITED_FALSE;
  friction(k, *joint);
  const int coordinate = tree_.coordinate[k];
  if (lead_[coordinate] != k) return;
  joint->armature = tree_.armature[coordinate];
  for (const Joint& own : model_.joints()) {
    if (coordinate >= own.first_coordinate && coordinate < own.first_coordinate + own.degrees) stops(own, *joint);
  }
}

// Damping and Coulomb friction of the joint that moves body k. MuJoCo's Coulomb friction is the softer the less the
// joint moves by itself; that of a mimic joint has to hold the joints that it moves with.
void SpecWriter::friction(int k, mjsJoint& joint) const {
  if (!settings_.friction) return;
  const JointFriction& own = frictions_[k].joint;
  joint.damping[0] = own.damping;
  joint.frictionloss = own.coulomb;
  if (frictions_[k].mimics) joint.solimp_friction[0] = joint.solimp_friction[1] = hard;
}

// End stops of the description.
void SpecWriter::stops(const Joint& own, mjsJoint& joint) const {
  const JointDescription& d = own.description;
  if (!settings_.limits || !d.limits || !d.limits->has_position || own.degrees != 1) return;
  joint.limited = mjLIMITED_TRUE;
  joint.range[0] = d.limits->lower;
  joint.range[1] = d.limits->upper;
  joint.solref_limit[0] = 0.005;  // s; stiffer than MuJoCo's 0.02
}

// A mimic joint: held to offset + ratio q of its lead by a constraint, since MuJoCo has no such joint.
void SpecWriter::follow(int i) {
  const int lead = lead_[tree_.coordinate[i]];
  if (lead == i) return;
  mjsEquality* const equality = mj_.add_equality(spec_.get(), nullptr);
  equality->type = mjEQ_JOINT;
  equality->objtype = mjOBJ_JOINT;
  mj_.set_string(equality->name1, joint_name(i).c_str());
  mj_.set_string(equality->name2, joint_name(lead).c_str());
  std::fill(std::begin(equality->data), std::end(equality->data), 0.0);
  equality->data[0] = tree_.offset[i];
  equality->data[1] = tree_.ratio[i];
  equality->solref[0] = 0.002;  // s
  equality->solimp[0] = equality->solimp[1] = hard;
}

// A plane of the world and a sphere of the link, which collide with each other only.
void SpecWriter::wall(const Wall& wall, const std::string& number) {
  const std::string whose = model_.name() + ": plant: walls: link '" + wall.link + "'";
  const Link* const link = model_.find_link(wall.link);
  if (link == nullptr) throw ModelError(whose + " does not exist");
  if (link->body < 0) throw ModelError(whose + " does not move");
  if (bodies_[link->body] == nullptr) throw ModelError(whose + " has no mass of its own in MuJoCo");
  mjsGeom* const plane = geom(mj_.find_body(spec_.get(), "world"), mjGEOM_PLANE, "wall " + number);
  copy(wall.point_m, plane->pos);
  copy(Eigen::Quaterniond::FromTwoVectors(Vec3d::UnitZ(), wall.normal).toRotationMatrix(), plane->quat);
  plane->size[2] = 1.0;  // of its picture; the plane itself is infinite
  mjsGeom* const sphere = geom(bodies_[link->body], mjGEOM_SPHERE, "sphere " + number);
  copy(link->body_T_link.p_m, sphere->pos);
  sphere->size[0] = wall.radius_m;

  mjsPair* const pair = mj_.add_pair(spec_.get(), nullptr);
  mj_.set_string(pair->geomname1, ("wall " + number).c_str());
  mj_.set_string(pair->geomname2, ("sphere " + number).c_str());
  pair->solref[0] = wall.time_constant_s;
  pair->solref[1] = wall.damping_ratio;
  pair->condim = 1;
  if (wall.friction > 0.0) rough(*pair, wall.friction);
}

// Coulomb friction. In MuJoCo's convex model the damping b of a slip with speed v asks for mu b v away from the wall,
// too. The wall's softness holds a force f of a mass m by the acceleration f (1 - d) / (d m); where mu b v is more, a
// sliding sphere loses the wall in every other step. So b and d are low, and a high impratio keeps a sphere that sticks
// from creeping.
void SpecWriter::rough(mjsPair& pair, double friction) {
  constexpr double impedance_d = 0.5, slip_damping_1_s = 5.0, friction_to_normal_impedance = 1000.0;
  pair.condim = 3;
  pair.friction[0] = pair.friction[1] = friction;
  pair.solimp[0] = pair.solimp[1] = impedance_d;
  pair.solreffriction[0] = -1e-3;  // 1/s^2, of no effect: friction has no position; but MuJoCo takes 0 for "as solref"
  pair.solreffriction[1] = -slip_damping_1_s;
  spec_->option.impratio = friction_to_normal_impedance;
}

mjsGeom* SpecWriter::geom(mjsBody* body, mjtGeom type, const std::string& name) {
  mjsGeom* const geom = mj_.add_geom(body, nullptr);
  if (!name.empty()) mj_.set_name(geom->element, name.c_str());
  geom->type = type;
  geom->contype = geom->conaffinity = 0;
  return geom;
}

// Its number; in a file the name of the coordinate, a follower's own.
std::string SpecWriter::joint_name(int k) const {
  if (!named_) return std::to_string(k);
  const int coordinate = tree_.coordinate[k];
  return lead_[coordinate] == k ? model_.coordinate_names()[coordinate] : model_.body_joint(k);
}

// --- As a file for other programs -----------------------------------------------------------------------------------

std::string SpecWriter::mjcf() {
  named_ = true;
  write();
  spec_->option.disableflags = 0;  // whoever adds objects wants contacts
  if (settings_.step_s > 0.0) spec_->option.timestep = settings_.step_s;
  mj_.set_string(spec_->modelname, model_.name().c_str());
  motors();
  for (int i = 0; i < tree_.size; ++i) shapes(i);
  const ModelPointer compiled(mj_.compile(spec_.get(), nullptr));
  if (!compiled) throw ModelError(model_.name() + ": MuJoCo refuses it: " + std::string(mj_.get_error(spec_.get())));
  std::array<char, 1000> reason{};
  std::string text(1, '\0');
  int size = mj_.save_xml(spec_.get(), text.data(), 1, reason.data(), static_cast<int>(reason.size()));
  if (size > 0) {
    text.assign(static_cast<size_t>(size) + 1, '\0');
    size = mj_.save_xml(spec_.get(), text.data(), size + 1, reason.data(), static_cast<int>(reason.size()));
  }
  if (size != 0) throw ModelError(model_.name() + ": MuJoCo cannot write it: " + reason.data());
  text.resize(text.find('\0'));
  return text;
}

// Each takes an effort in N m or N, within the limits of the description.
void SpecWriter::motors() {
  for (const Joint& own : model_.joints()) {
    if (own.degrees != 1) continue;
    mjsActuator* const motor = mj_.add_actuator(spec_.get(), nullptr);
    const std::string& name = model_.coordinate_names()[own.first_coordinate];
    mj_.set_name(motor->element, name.c_str());
    mj_.set_string(motor->target, name.c_str());
    motor->trntype = mjTRN_JOINT;
    motor->gear[0] = 1.0;
    (void)mj_.set_to_motor(motor);
    const auto& limits = own.description.limits;
    if (!settings_.limits || !limits || !std::isfinite(limits->effort)) continue;
    motor->ctrllimited = mjLIMITED_TRUE;
    motor->ctrlrange[0] = -limits->effort;
    motor->ctrlrange[1] = limits->effort;
  }
}

// To be looked at, not to collide: the primitives of the description, for a body without any capsules to the joints it
// carries.
void SpecWriter::shapes(int i) {
  if (bodies_[i] == nullptr) return;
  bool any = false;
  for (const Link& link : model_.links()) {
    if (link.body != i) continue;
    for (const LinkDescription& of : model_.description().links) {
      if (of.name != link.name) continue;
      for (const Visual& visual : of.visuals) shape(bodies_[i], link, visual);
      any = any || !of.visuals.empty();
    }
  }
  constexpr double radius_m = 0.03;
  for (int child = i + 1; child < tree_.size && !any; ++child) {
    if (tree_.parent[child] != i || tree_.parent_p_joint[child].norm() < radius_m) continue;
    mjsGeom* const capsule = geom(bodies_[i], mjGEOM_CAPSULE, "");
    std::fill_n(capsule->fromto, 3, 0.0);
    copy(tree_.parent_p_joint[child], capsule->fromto + 3);
    capsule->size[0] = radius_m;
  }
}

void SpecWriter::shape(mjsBody* body, const Link& link, const Visual& visual) {
  using Shape = Visual::Shape;
  const Pose body_T_visual = link.body_T_link * visual.link_T_visual;
  const mjtGeom type = visual.shape == Shape::box        ? mjGEOM_BOX
                       : visual.shape == Shape::cylinder ? mjGEOM_CYLINDER
                                                         : mjGEOM_SPHERE;
  mjsGeom* const drawn = geom(body, type, "");
  copy(body_T_visual.p_m, drawn->pos);
  copy(body_T_visual.R, drawn->quat);
  const Vec3d& size = visual.size_m;  // MuJoCo's are halves of lengths
  copy(visual.shape == Shape::box ? Vec3d(0.5 * size) : Vec3d(size.x(), 0.5 * size.y(), 0.0), drawn->size);
  for (int k = 0; k < 3 && visual.color; ++k) drawn->rgba[k] = static_cast<float>((*visual.color)[k]);
}

}  // namespace dyn::sim::mujoco

namespace dyn::sim {

std::string mjcf_of(const Model& model, const PlantSettings& settings) {
  return mujoco::SpecWriter(model, settings).mjcf();
}

}  // namespace dyn::sim
