// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The simulated arm in place of the real one. A plant has its own model, which may differ from the controller's, and
// its own payloads: attaching to the plant and attaching to the controller's model are separate events.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dyn_core/model/joint_changes.hpp"
#include "dyn_core/model/model.hpp"
#include "dyn_core/model/payload.hpp"
#include "dyn_sim/state_fault.hpp"

namespace dyn::sim {

struct NoiseSettings {
  double position = 0.0, velocity = 0.0;  // standard deviations, rad or m and rates
  double torque = 0.0;                    // the same of the torque sensors, N m or N
  double position_resolution = 0.0;       // of the encoders; 0: exact
  double torque_resolution = 0.0;
};

struct LinkOverride {  // the plant's link differs from the model's
  std::string link;
  double mass_scale = 1.0;
  Vec3d com_shift_m = Vec3d::Zero();
  double inertia_scale = 1.0;
};

struct JointOverride {  // the plant's joint differs from the model's
  std::string joint;
  // Damping and friction hold in both directions.
  std::optional<double> damping, friction, armature, stribeck{}, stribeck_velocity{}, offset{};
  double friction_scale = 1.0;  // times damping and friction, in each direction
};

// The half-space behind a plane, which a sphere about the origin of a link touches. Nothing else collides.
struct Wall {
  std::string link;
  Vec3d point_m = Vec3d::Zero(), normal = Vec3d::UnitZ();  // base frame; the unit normal points away from the wall
  double radius_m = 0.01;                                  // of the sphere
  double friction = 0.0;                                   // coefficient
  double time_constant_s = 0.005;                          // of the contact, a spring with a damper; at least two steps
  double damping_ratio = 1.0;
};

// A force on a link at a point of the link.
struct Push {
  std::string link;
  Vec3d force_N = Vec3d::Zero(), point_m = Vec3d::Zero();  // frame of the base; of the link
};

constexpr double shortest_step_s = 1e-9;

struct PlantSettings {
  std::string engine = "native";   // or mujoco
  double step_s = 0.0;             // largest integration step, at least 1 ns; 0: chosen by the engine
  double tolerance = 1e-10;        // of the native engine's adaptive steps; 0: fixed steps
  std::string integrator = "rk4";  // of MuJoCo: rk4, implicitfast
  bool friction = true;            // damping, Coulomb friction, stiction of the joints
  double stiction_ratio = 1.0;     // static over Coulomb friction
  bool armature = true;
  bool allow_impossible_inertia = false;  // bodies that break the triangle inequality (ModelOptions); not by MuJoCo
  bool limits = true;                     // position end stops and effort limits
  int delay_cycles = 0;                   // from command to torque
  NoiseSettings noise;
  // Another description of the robot: the plant takes the inertials and <dynamics> of its links and joints with the
  // same names.
  std::shared_ptr<const RobotDescription> robot{};
  std::vector<LinkOverride> overrides;
  std::vector<JointOverride> joint_overrides;
  std::vector<Wall> walls{};  // by MuJoCo only
  StateFault state_fault{};   // of the sensors, played by the loop: measure()
  unsigned seed = 1;
  const std::atomic<bool>* give_up = nullptr;  // set from outside: advance() returns before the end of its period
};

class Plant {
 public:
  virtual ~Plant() = default;

  [[nodiscard]] virtual const Model& model() const = 0;  // the present one, payloads included
  virtual void reset(std::span<const double> q, std::span<const double> v) = 0;

  // The true state and the sensors' readings, in the model's coordinates.
  [[nodiscard]] virtual std::span<const double> q() const = 0;
  [[nodiscard]] virtual std::span<const double> v() const = 0;
  virtual void measure(std::span<double> q, std::span<double> v) = 0;
  // The true acceleration under the torques that the drives hold.
  virtual void acceleration(std::span<double> a) = 0;
  // Readings of torque sensors between drive and link: the drive's effort less friction and the rotor's inertial
  // torque.
  virtual void measure_torque(std::span<double> tau) = 0;

  // On the loop's thread, before the loop: does everything that allocates memory in a thread's first step.
  virtual void preallocate() {}
  // The drives take a torque, and hold it for a period. Neither allocates.
  virtual void command(std::span<const double> effort) = 0;
  virtual void hold(double period_s) = 0;
  void advance(std::span<const double> effort, double period_s) {
    command(effort);
    hold(period_s);
  }

  // Continues from the state of another plant of the same settings, whose robot may have other payloads or joints:
  // coordinate i starts with the state of coordinate from[i], or at rest at 0 if that is -1. Also takes over torques
  // and readings delayed in drives and sensors, but not the pushes. Allocates nothing, so that a plant built beside the
  // loop can replace the previous one between two cycles.
  virtual void take_over(const Plant& before, std::span<const int> from) noexcept = 0;

  // The force of all walls on the arm under the torques that the drives hold, base frame, N.
  virtual Vec3d wall_force() { return Vec3d::Zero(); }

  // Between cycles; velocities stay continuous.
  virtual void attach(const Payload& payload) = 0;
  virtual void detach(const std::string& name) = 0;
  // Forces that add up, until others take the place of all of them. Throws ModelError, and changes nothing, where the
  // robot does not have the link of one.
  virtual void set_pushes(std::span<const Push> pushes) = 0;
  // One alone, until it is set to zero.
  void push(const std::string& link, const Vec3d& force_N, const Vec3d& point_in_link_m) {
    const Push one{link, force_N, point_in_link_m};
    set_pushes({&one, 1});
  }
};

// These throw ModelError naming what the engine cannot do, or that the engine is missing.
std::unique_ptr<Plant> make_native_plant(const RobotDescription& robot, const PlantSettings& settings,
                                         const Vec3d& gravity_mps2);
std::unique_ptr<Plant> make_mujoco_plant(const RobotDescription& robot, const PlantSettings& settings,
                                         const Vec3d& gravity_mps2);
// The argument of take_over() for the same robot: the coordinate of the same name, or -1.
std::vector<int> same_coordinates(const Model& before, const Model& now);
// The same for a robot with other joints; payloads' coordinates by name. Throws ModelError as carried_coordinates()
// does.
std::vector<int> carried_through(const Model& before, const Model& after, const CoordinateMap& map);
// A robot and what is attached to it, as the models of plants are.
RobotDescription with_payloads(RobotDescription robot, const std::vector<Payload>& payloads);

std::unique_ptr<Plant> make_plant(const RobotDescription& robot, const PlantSettings& settings,
                                  const Vec3d& gravity_mps2);  // by settings.engine

// Why the engine mujoco cannot be used here; empty if it can.
std::string mujoco_missing();

}  // namespace dyn::sim
