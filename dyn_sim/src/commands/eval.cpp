// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn eval: states and commands in, one JSON object per line; each answer is one line, written at once.
#include <unistd.h>

#include <memory>
#include <string>

#include "algorithm_families.hpp"
#include "command.hpp"
#include "dh_yaml.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "eval/frame_answer.hpp"
#include "eval/json_line.hpp"
#include "eval/line_reader.hpp"
#include "eval/session.hpp"
#include "options.hpp"
#include "output.hpp"

namespace dyn::cli {
namespace {

constexpr const char* lines_help = R"(Reads one JSON object per line and answers each with one line.

A state, all entries optional and 0 by default, one number for each coordinate:
  {"q":[..],"v":[..],"a":[..],"tau":[..]}
gives
  {"M":[[..]],"C":[[..]],"g":[..],"h":[..],"tau":[..],"qdd":[..]}
h = C v + g; tau = M a + h; qdd solves M qdd = tau - h for the given tau. If M is singular, qdd is null and
qdd_error names the joint. A floating joint is x, y, z, yaw, pitch, roll; mimic joints have no entry.

Commands, answered {"ok":true,"joints":[..]}, or {"ok":false,"error":".."} with the model as before:
  {"attach":{"name":"box","link":"tool0","mass":2.0,"com":[x,y,z],"inertia":[ixx,ixy,ixz,iyy,iyz,izz],
             "xyz":[..],"rpy":[..]}}        rigid; inertia about its centre of mass; pose of its frame in the link
  {"attach":{"name":"arm","link":"link2","urdf":"FILE","xyz":[..],"rpy":[..]}}
                                            a chain; its joints come last in the order
com, inertia, xyz and rpy are zero if they are missing.
  {"detach":"box"}  {"jsim":NAME}  {"coriolis":NAME}  {"fd":NAME}  {"id":NAME}  {"gravity":[x,y,z]}
  {"robot":"FILE or name","map":{"OLD":"NEW","GONE":null}}
                                            another robot; payloads stay. map: joints that continue under another name,
                                            and those that end. The answer also has "from": for each joint of the new
                                            robot the one that it continues, null for a new one

With --friction, tau includes damping v + friction sign(v) (0 at v = 0), and qdd accounts for it; h does not include it.

With --regressor the answer has "Y" (one row per coordinate, ten columns per body), "bodies" (the links that joints move) and
"p", their parameters: m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the origin and in the axes of that link's frame,
including the links fixed to it. Y p = tau; --friction adds Y_friction p_friction (two columns per body: v, sign(v)) to it,
--armature adds Y_armature p_armature (diag(a)).

With --derivatives it has "dtau_dq" and "dtau_dv" at q, v, a and "dqdd_dq", "dqdd_dv", "dqdd_dtau" at q, v, tau: row i is
joint i's torque or acceleration, column j the derivative with respect to joint j. Those of qdd are null where qdd is.

With --frame LINK it has "frame": "p" and "R" (its origin and axes in the base frame), "J" (6 x n: v to the origin's velocity,
then the angular velocity, in base axes), "Jdot_v" and "Lambda", (J M^-1 J^T)^-1: null with "Lambda_error" if J is singular.
LINK may be a payload that a later line attaches; after its detach, "frame" is null with "frame_error". With --minv it has
"Minv", M^-1: null where qdd is.

A line that is neither a state nor a command ends the program with exit code 1.)";

struct Arguments {
  RobotCall robot;
  std::string jsim = "fused", coriolis = "fused", forward = "fused", inverse = "fused";
  std::string gravity = "0,0,-9.81";
  bool friction = false, armature = false, regressor = false, derivatives = false;
  bool minv = false;
  std::string frame;
};

EvalOptions options_from(const Arguments& arguments) {
  EvalOptions options;
  options.model = model_options(arguments.robot);
  options.model.gravity_mps2 = parse_vector(arguments.gravity);
  options.model.armature = arguments.armature;
  options.friction = arguments.friction;
  options.regressor = arguments.regressor;
  options.derivatives = arguments.derivatives;
  options.minv = arguments.minv;
  options.frame = arguments.frame;
  options.algorithms = {
      registered_name("jsim_algorithm", arguments.jsim), registered_name("coriolis_algorithm", arguments.coriolis),
      registered_name("forward_dynamics", arguments.forward), registered_name("inverse_dynamics", arguments.inverse)};
  return options;
}

void evaluate_lines(const Arguments& arguments) {
  EvalSession session(sim::load_any_robot(arguments.robot.name), options_from(arguments));
  LineReader reader(STDIN_FILENO);
  std::string line;
  while (reader.next(line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      print_json(session.answer(parse_json_line(line)));
    } catch (const NoSuchFrame&) {
      throw;  // not a fault of the line
    } catch (const ModelError& error) {
      throw ModelError("line " + std::to_string(reader.line_number()) + ": " + error.what());
    }
    flush_output();
  }
}

}  // namespace

Action declare_eval(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  app.footer(lines_help);
  add_robot(app, arguments->robot);
  add_algorithm(app, "--jsim", arguments->jsim, "jsim_algorithm");
  add_algorithm(app, "--coriolis", arguments->coriolis, "coriolis_algorithm");
  add_algorithm(app, "--fd", arguments->forward, "forward_dynamics");
  add_algorithm(app, "--id", arguments->inverse, "inverse_dynamics");
  app.add_option("--gravity", arguments->gravity, "Gravity vector in the base frame, m/s^2")
      ->type_name("X,Y,Z")
      ->check(is_vector())
      ->capture_default_str();
  app.add_flag("--friction", arguments->friction, "Include viscous damping and Coulomb friction of the joints in tau");
  app.add_flag("--armature", arguments->armature,
               "The drives' reflected inertia in M: on its diagonal, and by rotors that have a gear_ratio");
  app.add_flag("--regressor", arguments->regressor, "Add Y, bodies and p: Y p = tau, ten columns per body");
  app.add_flag("--derivatives", arguments->derivatives,
               "Add dtau_dq, dtau_dv of the inverse dynamics and dqdd_dq, dqdd_dv, dqdd_dtau of the forward dynamics");
  app.add_option("--frame", arguments->frame, "Add p, R, J, Jdot_v and Lambda of a link's or attached payload's frame")
      ->type_name("LINK");
  app.add_flag("--minv", arguments->minv, "Add Minv, the inverse of M");
  return [arguments] { evaluate_lines(*arguments); };
}

}  // namespace dyn::cli
