// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The interface of `dyn bench` to another library: plain numbers only, in a separate shared object (hidden visibility,
// loaded locally), since it is compiled with other vector flags than the program.
#pragma once

#include <memory>

namespace dyn::bench {

// A tree of bodies, as in dyn_core's Tree; matrices row by row, 9 numbers per body, vectors 3.
struct PeerTree {
  int bodies;
  const int* parent;
  const unsigned char* prismatic;
  const double *R, *p, *mass, *com, *inertia;
  double gravity[3];
  // One frame: its pose in a body's frame.
  int frame_body;
  double frame_R[9], frame_p[3];
};

enum PeerTask : int {
  task_M,
  task_C,
  task_g,
  task_h,
  task_cycle,
  task_inverse,
  task_forward,
  task_M_and_h,
  task_inverse_derivatives,  // read: dtau/dq, dtau/dv
  task_forward_derivatives,  // read: dqdd/dq, dqdd/dv, M^-1
  task_regressor,            // read: the regressor times the bodies' parameters
  task_frame,                // read: origin, then the axes
  task_J,                    // read: 6 x bodies; linear, then angular, base axes, of the frame's origin
  task_J_and_rate,           // read: J, then Jdot v
  task_lambda,               // read: (J M^-1 J^T)^-1
  task_inverse_M
};

struct Peer {
  const char* name;                // library, version, compiler
  void* (*make)(const PeerTree&);  // null: robots like this are not supported
  void (*free)(void*);
  // One call of the task; x is a or tau. The result is kept for `read`.
  void (*run)(void*, int task, const double* q, const double* v, const double* x);
  // M (bodies x bodies, column-major), or the torques or accelerations, of the last run; at most
  // 3 bodies^2 + 6 bodies + 36 numbers.
  void (*read)(void*, int task, double* to);
};

// For Peer::free: deletes what make() released from a unique_ptr.
template <class Robot>
void free_robot(void* robot) {
  const std::unique_ptr<Robot> last_owner(static_cast<Robot*>(robot));
}

using PeerEntry = const Peer* (*)();  // exported as dyn_bench_peer
// Exported as dyn_bench_peer_tasks: a bit for each PeerTask; all tasks if it is missing.
using PeerTasks = unsigned (*)();

}  // namespace dyn::bench
