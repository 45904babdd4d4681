# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn eval` against Pinocchio with its own URDF reader: M, C v, g, tau at random states.

oracle_pin.py DYN ROBOT...   (names that `dyn robots` lists; exit code 1 and the largest errors where they disagree)
"""
import json
import subprocess
import sys
from xml.etree import ElementTree

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


def followers(file):
    """Mimic joints: name -> (leader, multiplier, offset). Those of fixed joints mean nothing."""
    found = {}
    for joint in ElementTree.parse(file).getroot().findall("joint"):
        mimic = joint.find("mimic")
        if mimic is not None and joint.get("type") != "fixed":
            found[joint.get("name")] = (
                mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0)))
    return found


def mapping(model, joints, mimics):
    """G and b with (one angle or length a joint of Pinocchio's, in the order of its v) = G q + b."""
    G, b = np.zeros((model.nv, len(joints))), np.zeros(model.nv)
    for joint_id in range(1, model.njoints):
        joint, name = model.joints[joint_id], model.names[joint_id]
        if joint.nv != 1:
            sys.exit(f"{name}: a joint of {joint.nv} degrees of freedom is not compared here")
        ratio, offset = 1.0, 0.0
        while name in mimics:
            name, multiplier, shift = mimics[name]
            offset += ratio * shift
            ratio *= multiplier
        G[joint.idx_v, joints.index(name)], b[joint.idx_v] = ratio, offset
    return G, b


def configuration(model, angles):
    """Pinocchio's q: a continuous joint is cos, sin there."""
    q = pinocchio.neutral(model)
    for joint in list(model.joints)[1:]:
        x = angles[joint.idx_v]
        q[joint.idx_q : joint.idx_q + joint.nq] = [x] if joint.nq == 1 else [np.cos(x), np.sin(x)]
    return q


def relative(x, reference):
    return np.abs(x - reference).max() / np.abs(reference).max()


def compare(dyn, robot, rng):
    file = file_of(dyn, robot)
    model = pinocchio.buildModelFromUrdf(file)
    data = model.createData()
    joints = json.loads(run(dyn, "info", robot, "--json"))["joints"]
    G, b = mapping(model, joints, followers(file))
    states = [{k: rng.uniform(-1.5, 1.5, len(joints)).tolist() for k in ("q", "v", "a")} for _ in range(STATES)]
    answers = run(dyn, "eval", robot, text="".join(json.dumps(s) + "\n" for s in states)).splitlines()
    worst = dict.fromkeys(TOLERANCE, 0.0)
    for state, line in zip(states, answers, strict=True):
        answer = json.loads(line)
        q, v, a = configuration(model, G @ state["q"] + b), G @ state["v"], G @ state["a"]
        M = pinocchio.crba(model, data, q)
        M = G.T @ (np.triu(M) + np.triu(M, 1).T) @ G
        C = G.T @ pinocchio.computeCoriolisMatrix(model, data, q, v) @ G
        g = G.T @ pinocchio.computeGeneralizedGravity(model, data, q)
        tau = G.T @ pinocchio.rnea(model, data, q, v, a)
        rates = np.array(state["v"])
        diagonal = np.diag(M).clip(0.0)
        both = np.minimum.outer(diagonal, diagonal) > 1e-15 * diagonal.max()  # romeo's last fingers have no inertia
        scale = np.where(both, np.sqrt(np.outer(diagonal, diagonal)), diagonal.max())
        errors = {
            "M": (np.abs(np.array(answer["M"]) - M) / scale).max(),
            "Cv": relative(np.array(answer["C"]) @ rates, C @ rates),
            "g": relative(np.array(answer["g"]), g),
            "h": relative(np.array(answer["h"]), C @ rates + g),
            "tau": relative(np.array(answer["tau"]), tau),
        }
        worst = {k: worst[k] if e <= worst[k] else e for k, e in errors.items()}  # NaN stays
    print(robot, f"n = {len(joints)}", *(f"{k} {e:.1e}" for k, e in worst.items()))
    return all(worst[k] < TOLERANCE[k] for k in TOLERANCE)


def main():
    dyn, robots = sys.argv[1], sys.argv[2:]
    rng = np.random.default_rng(1)
    print(f"Pinocchio {pinocchio.__version__}")
    if not all([compare(dyn, robot, rng) for robot in robots]):
        sys.exit("dyn eval and Pinocchio's own reading disagree")


if __name__ == "__main__":
    main()
