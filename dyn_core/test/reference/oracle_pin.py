# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn eval` against Pinocchio with its own URDF reader: M, C v, g, tau at random states.

oracle_pin.py DYN ROBOT...   (names of example-robot-data; exit code 1 and the largest errors where they disagree)
"""
import json
import subprocess
import sys

import example_robot_data
import numpy as np
import pinocchio

STATES = 5
TOLERANCE = {"M": 1e-12, "Cv": 1e-11, "g": 1e-11, "h": 1e-11, "tau": 1e-11}


def run(dyn, *arguments, text=None):
    done = subprocess.run([dyn, *arguments], input=text, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"dyn {' '.join(arguments)}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def file_of(dyn, robot):
    """The file that `dyn` itself reads, so that both see the same robot."""
    for known in json.loads(run(dyn, "robots", "--json"))["robots"]:
        if known["name"] == robot:
            return known["file"]
    sys.exit(f"dyn robots does not list {robot}")


def full_state(model, joints, q, v, a):
    """The user's order to Pinocchio's, by joint names; a continuous joint is cos, sin there."""
    pq, pv, pa = pinocchio.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    index = []
    for i, name in enumerate(joints):
        joint = model.joints[model.getJointId(name)]
        if joint.nv != 1:
            sys.exit(f"{name}: a joint of {joint.nv} degrees of freedom is not compared here")
        pq[joint.idx_q : joint.idx_q + joint.nq] = [q[i]] if joint.nq == 1 else [np.cos(q[i]), np.sin(q[i])]
        pv[joint.idx_v], pa[joint.idx_v] = v[i], a[i]
        index.append(joint.idx_v)
    return pq, pv, pa, index


def relative(x, reference):
    return np.abs(x - reference).max() / np.abs(reference).max()


def compare(dyn, robot, rng):
    model = pinocchio.buildModelFromUrdf(file_of(dyn, robot))
    data = model.createData()
    joints = json.loads(run(dyn, "info", robot, "--json"))["joints"]
    joints = [joint if isinstance(joint, str) else joint["name"] for joint in joints]
    if len(joints) != model.nv:
        sys.exit(f"{robot}: {len(joints)} joints here, {model.nv} in Pinocchio")
    states = [{k: rng.uniform(-1.5, 1.5, len(joints)).tolist() for k in ("q", "v", "a")} for _ in range(STATES)]
    answers = run(dyn, "eval", robot, text="".join(json.dumps(s) + "\n" for s in states)).splitlines()
    worst = dict.fromkeys(TOLERANCE, 0.0)
    for state, line in zip(states, answers, strict=True):
        answer = json.loads(line)
        q, v, a, index = full_state(model, joints, state["q"], state["v"], state["a"])
        M = pinocchio.crba(model, data, q)
        M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(index, index)]
        C = pinocchio.computeCoriolisMatrix(model, data, q, v)[np.ix_(index, index)]
        g = pinocchio.computeGeneralizedGravity(model, data, q)[index]
        tau = pinocchio.rnea(model, data, q, v, a)[index]
        rates = np.array(state["v"])
        scale = np.sqrt(np.outer(np.diag(M), np.diag(M)))
        errors = {
            "M": (np.abs(np.array(answer["M"]) - M) / scale).max(),
            "Cv": relative(np.array(answer["C"]) @ rates, C @ rates),
            "g": relative(np.array(answer["g"]), g),
            "h": relative(np.array(answer["h"]), C @ rates + g),
            "tau": relative(np.array(answer["tau"]), tau),
        }
        worst = {k: max(worst[k], e) for k, e in errors.items()}
    print(robot, f"n = {len(joints)}", *(f"{k} {e:.1e}" for k, e in worst.items()))
    return all(worst[k] < TOLERANCE[k] for k in TOLERANCE)


def main():
    dyn, robots = sys.argv[1], sys.argv[2:]
    rng = np.random.default_rng(1)
    print(f"Pinocchio {pinocchio.__version__}, example-robot-data {example_robot_data.__file__}")
    if not all([compare(dyn, robot, rng) for robot in robots]):
        sys.exit("dyn eval and Pinocchio's own reading disagree")


if __name__ == "__main__":
    main()
