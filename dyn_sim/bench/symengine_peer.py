#!/usr/bin/env python3
# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""M of a robot by SymEngine, to stand beside `dyn symbolic ROBOT --terms M`: how many terms its entries have, and what
they cost.

    symengine_peer.py ROBOT.urdf

With the Python packages symengine and numpy. M is the sum over the links of J^T (m 1, I) J in the link's axes, expanded
after each product. Twice: with sines and cosines, which SymEngine multiplies out but does not bring to one form, and
with e^{iq}, in which the form is unique. Revolute joints only.
"""
import math
import sys
import time
import xml.etree.ElementTree as xml

import numpy as np
import symengine as se


def numbers(text):
    return [float(x) for x in text.split()]


def right_angles(matrix):
    """Rounding of right angles taken away."""
    nearest = np.round(matrix)
    return np.where(abs(matrix - nearest) < 1e-9, nearest, matrix)


def pose(element):
    origin = element.find("origin") if element is not None else None
    xyz = numbers(origin.get("xyz", "0 0 0")) if origin is not None else [0.0] * 3
    roll, pitch, yaw = numbers(origin.get("rpy", "0 0 0")) if origin is not None else [0.0] * 3
    turn = {axis: np.eye(3) for axis in "xyz"}
    for axis, angle, (a, b) in (("x", roll, (1, 2)), ("y", pitch, (2, 0)), ("z", yaw, (0, 1))):
        c, s = math.cos(angle), math.sin(angle)
        turn[axis][a, a] = turn[axis][b, b] = c
        turn[axis][a, b], turn[axis][b, a] = -s, s
    return right_angles(turn["z"] @ turn["y"] @ turn["x"]), np.array(xyz)


expanded = np.vectorize(se.expand, otypes=[object])


class Robot:
    def __init__(self, file, exponentials):
        root = xml.parse(file).getroot()
        self.exponentials = exponentials
        self.links = {link.get("name"): link for link in root.findall("link")}
        self.joints = root.findall("joint")
        self.angles = 0
        self.bodies = []  # mass, centre of mass, inertia in the link's axes; R, p; axis and point of each joint below
        moved = {joint.find("child").get("link") for joint in self.joints}
        (base,) = set(self.links) - moved
        self.walk(base, np.eye(3).astype(object), np.zeros(3).astype(object), [])

    def sine_and_cosine(self):
        self.angles += 1
        if not self.exponentials:
            q = se.Symbol(f"q{self.angles}")
            return se.sin(q), se.cos(q)
        e = se.Symbol(f"e{self.angles}")
        return (e - 1 / e) / (2 * se.I), (e + 1 / e) / 2

    def walk(self, name, R, p, carried):
        inertial = self.links[name].find("inertial")
        if inertial is not None and carried:
            axes, com = pose(inertial)
            value = {k: float(v) for k, v in inertial.find("inertia").attrib.items()}
            I = np.array([[value["i" + "".join(sorted(a + b))] for b in "xyz"] for a in "xyz"])
            self.bodies.append((float(inertial.find("mass").get("value")), com, axes @ I @ axes.T, R, p, carried))
        for joint in self.joints:
            if joint.find("parent").get("link") != name:
                continue
            axes, xyz = pose(joint)
            at, turned, below = expanded(p + R @ xyz), expanded(R @ axes), carried
            if joint.get("type") in ("revolute", "continuous"):
                x, y, z = axis = np.array(numbers(joint.find("axis").get("xyz")))
                s, c = self.sine_and_cosine()
                K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
                below = carried + [(expanded(turned @ axis), at)]
                turned = expanded(turned @ (np.eye(3) + s * K + (1 - c) * (K @ K)))
            elif joint.get("type") != "fixed":
                raise SystemExit(f"{joint.get('name')}: revolute joints only")
            self.walk(joint.find("child").get("link"), turned, at, below)

    def mass_matrix(self):
        M = np.zeros((self.angles, self.angles), dtype=object)
        for mass, com, I, R, p, carried in self.bodies:
            centre = expanded(p + R @ com)
            v = [expanded(R.T @ np.cross(z, centre - o)) for z, o in carried]
            w = [expanded(R.T @ z) for z, _ in carried]
            for i in range(len(carried)):
                for j in range(i + 1):
                    M[i, j] += se.expand(mass * v[i].dot(v[j]) + w[i].dot(I @ w[j]))
        return expanded(M)


def terms(expression):
    return len(expression.args) if isinstance(expression, se.Add) else int(expression != 0)


def main():
    for exponentials in (False, True):
        start = time.process_time()
        M = Robot(sys.argv[1], exponentials).mass_matrix()
        count = sum(terms(M[i, j]) for i in range(len(M)) for j in range(i + 1))
        print(f"{'e^iq' if exponentials else 'sin, cos'}: {count} terms, {time.process_time() - start:.2f} s of CPU")


if __name__ == "__main__":
    main()
