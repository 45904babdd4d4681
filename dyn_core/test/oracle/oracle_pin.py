# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn eval` against Pinocchio with its own URDF reader, and xacro's own expansion: M, C v, g, h, tau, the regressor Y
and its parameters p at random states; of robots whose joints have one degree of freedom the derivatives too.

oracle_pin.py DYN ROBOT...   (names that `dyn robots` lists, .urdf files, or random:N for a random tree of N joints of all types;
                              exit code 1 and the largest errors where they disagree)

Pinocchio's q and v of a floating joint are a quaternion and a twist, of a planar joint a unit complex number and a
twist; dyn's are yaw, pitch, roll and their rates. With v_P = G(q) v:
    M = G^T M_P G,  C v = G^T (C_P v_P + M_P Gdot v),  g = G^T g_P,  Y = G^T Y_P
"""
import json
import pathlib
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

import numpy as np
import pinocchio
import xacro

from random_urdf import random_urdf

STATES = 5
TOLERANCE = {"M": 1e-12, "Cv": 1e-11, "g": 1e-11, "h": 1e-11, "tau": 1e-11, "Y": 1e-11, "p": 1e-12,
             "dtau_dq": 1e-11, "dtau_dv": 1e-11, "dqdd_dq": 1e-11, "dqdd_dv": 1e-11, "dqdd_dtau": 1e-11}


def run(dyn, *arguments, text=None):
    done = subprocess.run([dyn, *arguments], input=text, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"dyn {' '.join(arguments)}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def file_of(dyn, robot):
    """The file that `dyn` itself reads, so that both see the same robot."""
    if robot.endswith(".urdf"):
        return robot
    for known in json.loads(run(dyn, "robots", "--json"))["robots"]:
        if known["name"] == robot:
            return known["file"]
    sys.exit(f"dyn robots does not list {robot}")


def urdf_text(file):
    if file.endswith(".xacro"):
        return xacro.process_file(file).toxml()
    return pathlib.Path(file).read_text(encoding="utf-8")


def followers(text):
    """Mimic joints: name -> (leader, multiplier, offset). Those of fixed joints mean nothing."""
    found = {}
    for joint in ElementTree.fromstring(text.encode()).findall("joint"):
        mimic = joint.find("mimic")
        if mimic is not None and joint.get("type") != "fixed":
            found[joint.get("name")] = (
                mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0)))
    return found


def rotation(axis, angle):
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def skew(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def floating(x, v):
    """Pinocchio's q, and S, Sdot of v_P = S v: the twist in the body's frame from the rates of x, y, z, yaw, pitch, roll."""
    yaw, pitch, roll = x[3:]
    R = rotation((0, 0, 1), yaw) @ rotation((0, 1, 0), pitch) @ rotation((1, 0, 0), roll)
    sp, cp, sr, cr = np.sin(pitch), np.cos(pitch), np.sin(roll), np.cos(roll)
    E = np.array([[-sp, 0, 1], [cp * sr, cr, 0], [cp * cr, -sr, 0]])
    dp, dr = v[4], v[5]
    Edot = np.array([
        [-cp * dp, 0, 0],
        [-sp * sr * dp + cp * cr * dr, -sr * dr, 0],
        [-sp * cr * dp - cp * sr * dr, -cr * dr, 0]])
    S, Sdot = np.zeros((6, 6)), np.zeros((6, 6))
    S[:3, :3], S[3:, 3:] = R.T, E
    Sdot[:3, :3], Sdot[3:, 3:] = -skew(E @ v[3:]) @ R.T, Edot
    return [*x[:3], *pinocchio.Quaternion(R).coeffs()], S, Sdot


def planar(x, v):
    c, s = np.cos(x[2]), np.sin(x[2])
    S, Sdot = np.eye(3), np.zeros((3, 3))
    S[:2, :2] = [[c, s], [-s, c]]
    Sdot[:2, :2] = np.array([[-s, c], [-c, -s]]) * v[2]
    return [x[0], x[1], c, s], S, Sdot


class Mapping:
    """From dyn's coordinates to Pinocchio's."""

    def __init__(self, model, coordinates, mimics):
        self.model, self.coordinates, self.mimics = model, coordinates, mimics

    def leader(self, name):
        ratio, offset = 1.0, 0.0
        while name in self.mimics:
            name, multiplier, shift = self.mimics[name]
            offset += ratio * shift
            ratio *= multiplier
        return self.coordinates.index(name), ratio, offset

    def at(self, q, v):
        """Pinocchio's q, and G, Gdot of v_P = G v."""
        model, n = self.model, len(self.coordinates)
        q_P, G, Gdot = pinocchio.neutral(model), np.zeros((model.nv, n)), np.zeros((model.nv, n))
        for joint, name in zip(list(model.joints)[1:], list(model.names)[1:], strict=True):
            rows, own = slice(joint.idx_v, joint.idx_v + joint.nv), slice(joint.idx_q, joint.idx_q + joint.nq)
            if joint.nv == 1:
                column, ratio, offset = self.leader(name)
                x = ratio * q[column] + offset
                q_P[own] = [x] if joint.nq == 1 else [np.cos(x), np.sin(x)]  # continuous: cos, sin
                G[rows, column] = ratio
                continue
            first = self.coordinates.index(name + ".x")
            columns = slice(first, first + joint.nv)
            convert = {6: floating, 3: planar}[joint.nv]
            q_P[own], G[rows, columns], Gdot[rows, columns] = convert(q[columns], v[columns])
        return q_P, G, Gdot


def relative(x, reference):
    return np.abs(x - reference).max() / np.abs(reference).max()


def regressor(model, data, links, *state):
    """Pinocchio's columns and parameters of the bodies that carry these links."""
    Y = pinocchio.computeJointTorqueRegressor(model, data, *state)
    joints = [model.frames[model.getFrameId(link, pinocchio.FrameType.BODY)].parentJoint for link in links]
    if sorted(joints) != list(range(1, model.njoints)):
        sys.exit(f"{links} are not the links that the joints of {list(model.names)} move")
    return (np.hstack([Y[:, 10 * (j - 1):10 * j] for j in joints]),
            np.concatenate([model.inertias[j].toDynamicParameters() for j in joints]))


def derivatives(model, data, mimics, answer, G, q_P, v_P, state):
    """Relative errors of the answer's derivatives; those of qdd divided by the condition number of M. None where a joint
    has several degrees of freedom: Pinocchio differentiates by its twist there."""
    if any(joint.nv > 1 for joint in model.joints):
        return {}
    dq, dv, _ = pinocchio.computeRNEADerivatives(model, data, q_P, v_P, G @ np.array(state["a"]))
    errors = {"dtau_dq": relative(np.array(answer["dtau_dq"]), G.T @ dq @ G),
              "dtau_dv": relative(np.array(answer["dtau_dv"]), G.T @ dv @ G)}
    if not mimics and answer["qdd"] is not None:
        condition = np.linalg.cond(np.array(answer["M"]))
        tau = np.zeros(model.nv)
        tau[np.argmax(G, axis=0)] = state["tau"]
        dq, dv, inverse = pinocchio.computeABADerivatives(model, data, q_P, v_P, tau)
        inverse = np.triu(inverse) + np.triu(inverse, 1).T
        for key, x in (("dqdd_dq", dq), ("dqdd_dv", dv), ("dqdd_dtau", inverse)):
            errors[key] = relative(np.array(answer[key]), G.T @ x @ G) / condition
    return errors


def compare(dyn, robot, file, rng):
    text = urdf_text(file)
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()
    options = ["--allow-impossible-inertia"]  # as Pinocchio does; no other robot here has one
    coordinates = json.loads(run(dyn, "info", file, "--json", *options))["coordinate_names"]
    mapping = Mapping(model, coordinates, followers(text))
    states = [{k: rng.uniform(-1.3, 1.3, len(coordinates)).tolist() for k in ("q", "v", "a", "tau")} for _ in range(STATES)]
    lines = "".join(json.dumps(s) + "\n" for s in states)
    answers = run(dyn, "eval", file, "--regressor", "--derivatives", *options, text=lines).splitlines()
    worst = {}  # of what was compared
    for state, line in zip(states, answers, strict=True):
        answer = json.loads(line)
        rates, a = np.array(state["v"]), np.array(state["a"])
        q_P, G, Gdot = mapping.at(np.array(state["q"]), rates)
        M_P = pinocchio.crba(model, data, q_P)
        M_P = np.triu(M_P) + np.triu(M_P, 1).T
        v_P, bent = G @ rates, Gdot @ rates
        M = G.T @ M_P @ G
        Cv = G.T @ (pinocchio.computeCoriolisMatrix(model, data, q_P, v_P) @ v_P + M_P @ bent)
        g = G.T @ pinocchio.computeGeneralizedGravity(model, data, q_P)
        tau = G.T @ pinocchio.rnea(model, data, q_P, v_P, G @ a + bent)
        Y_P, p = regressor(model, data, answer["bodies"], q_P, v_P, G @ a + bent)
        diagonal = np.diag(M).clip(0.0)
        both = np.minimum.outer(diagonal, diagonal) > 1e-15 * diagonal.max()  # romeo's last fingers have no inertia
        scale = np.where(both, np.sqrt(np.outer(diagonal, diagonal)), diagonal.max())
        errors = {
            "M": (np.abs(np.array(answer["M"]) - M) / scale).max(),
            "Cv": relative(np.array(answer["C"]) @ rates, Cv),
            "g": relative(np.array(answer["g"]), g),
            "h": relative(np.array(answer["h"]), Cv + g),
            "tau": relative(np.array(answer["tau"]), tau),
            "Y": relative(np.array(answer["Y"]), G.T @ Y_P),
            "p": relative(np.array(answer["p"]), p),
            **derivatives(model, data, mapping.mimics, answer, G, q_P, v_P, state),
        }
        worst |= {k: worst[k] if e <= worst.get(k, -1.0) else e for k, e in errors.items()}  # NaN stays
    print(robot, f"n = {len(coordinates)}", *(f"{k} {e:.1e}" for k, e in worst.items()))
    return all(worst[k] < TOLERANCE[k] for k in worst)


def main():
    dyn, robots = sys.argv[1], sys.argv[2:]
    rng = np.random.default_rng(1)
    print(f"Pinocchio {pinocchio.__version__}")
    agree = []
    with tempfile.TemporaryDirectory() as directory:
        for robot in robots:
            kind, _, joints = robot.partition(":")
            if kind == "random":
                file = f"{directory}/random{joints}.urdf"
                pathlib.Path(file).write_text(random_urdf(rng, int(joints)), encoding="utf-8")
            else:
                file = file_of(dyn, robot)
            agree.append(compare(dyn, robot, file, rng))
    if not all(agree):
        sys.exit("dyn eval and Pinocchio's own reading disagree")


if __name__ == "__main__":
    main()
