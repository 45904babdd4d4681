# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Random trees as URDF text, with joints of every type: for comparison with readers that are not ours."""
import numpy as np

TYPES = ["revolute", "floating", "prismatic", "planar", "continuous", "mimic", "fixed"]


def triple(values):
    return " ".join(repr(float(x)) for x in values)


def inertial(rng):
    """Principal moments of a solid box in a frame that is turned."""
    mass, sides = rng.uniform(0.3, 4.0), rng.uniform(0.05, 0.4, 3)
    ixx, iyy, izz = (float(mass / 12 * (sides @ sides - side * side)) for side in sides)
    return (
        f'<inertial><origin xyz="{triple(rng.uniform(-0.2, 0.2, 3))}" rpy="{triple(rng.uniform(-3, 3, 3))}"/>'
        f'<mass value="{mass!r}"/>'
        f'<inertia ixx="{ixx!r}" iyy="{iyy!r}" izz="{izz!r}" ixy="0" ixz="0" iyz="0"/></inertial>')


def random_urdf(rng, joints):
    """Joint k moves link k; parents are any link before it, types take turns, so that all of them occur."""
    parts = [f'<robot name="random"><link name="link0">{inertial(rng)}</link>']
    followed = []
    for k in range(1, joints + 1):
        kind = TYPES[(k - 1) % len(TYPES)]
        mimic = ""
        if kind == "mimic":
            leader = followed[rng.integers(len(followed))]
            mimic = f'<mimic joint="{leader}" multiplier="{rng.uniform(-2, 2)!r}" offset="{rng.uniform(-1, 1)!r}"/>'
        axis = (0, 0, 1) if kind == "planar" else rng.normal(size=3)  # Pinocchio's planar joints are in x and y only
        axis = np.array(axis) / np.linalg.norm(axis)
        limit = '<limit lower="-9" upper="9" effort="99" velocity="9"/>'
        parts.append(
            f'<link name="link{k}">{inertial(rng)}</link>'
            f'<joint name="joint{k}" type="{"revolute" if mimic else kind}">'
            f'<parent link="link{rng.integers(max(0, k - 3), k)}"/><child link="link{k}"/>'
            f'<origin xyz="{triple(rng.uniform(-0.5, 0.5, 3))}" rpy="{triple(rng.uniform(-3, 3, 3))}"/>'
            f'<axis xyz="{triple(axis)}"/>{limit if kind in ("revolute", "prismatic", "mimic") else ""}{mimic}</joint>')
        if kind in ("revolute", "prismatic"):
            followed.append(f"joint{k}")
    return "".join(parts) + "</robot>"
