# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""The configuration of every run of a sweep: each parameter is written to the path that it names.

A parameter is a path into the configuration: `controller.gains.default.p`, `plant.delay`, `events[0].attach.mass`,
`arms[1].trajectory.seed`; missing keys are added. Further parameters make the plant differ from the model:

    plant.mass_scale.LINK       times mass and inertia of that link
    plant.friction_scale.JOINT  times viscous and Coulomb friction of that joint
    plant.mass_scale, plant.friction_scale        one factor for all links, for all joints
    plant.mass_scale.*, plant.friction_scale.*    one each, drawn independently
"""
from __future__ import annotations

import copy
import functools
import os
import re
import warnings

from .._core import Model, ModelError, load

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
SCALE = re.compile(r"^(?P<arm>arms\[\d+\]\.)?plant\.(?P<what>mass_scale|friction_scale)(\.(?P<whose>.+))?$")


def steps_of(path: str) -> list:
    steps, rest = [], path
    while rest:
        match = _STEP.match(rest)
        if not match:
            raise ModelError(f"space: '{path}' is not a path like controller.gains.default.p or events[0].attach.mass")
        steps.append(match[1] if match[1] is not None else int(match[2]))
        rest = rest[match.end():]
        rest = rest[1:] if rest.startswith(".") else rest
    return steps


def put(config: dict, path: str, value) -> None:
    """config[path] = value; missing maps on the way are created, entries of lists must exist."""
    node, steps = config, steps_of(path)
    for k, step in enumerate(steps):
        last = k + 1 == len(steps)
        if isinstance(step, int):
            if not isinstance(node, list) or step >= len(node):
                raise ModelError(f"space: '{path}': the configuration has no entry [{step}] there")
        elif not isinstance(node, dict):
            raise ModelError(f"space: '{path}': '{step}' is not in a map")
        elif not last and node.get(step) is None:
            node[step] = {}
        if last:
            node[step] = value
        else:
            node = node[step]


def _arm(config: dict, match) -> dict:
    if not match["arm"]:
        return config
    index = int(match["arm"][5:-2])
    if index >= len(config.get("arms") or []):
        raise ModelError(f"space: '{match[0]}': the configuration has no arms[{index}]")
    return config["arms"][index]


@functools.lru_cache(maxsize=16)
def _load(robot: str, allow_impossible_inertia: bool, changed_ns: int) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load(robot, allow_impossible_inertia=allow_impossible_inertia)


def _model_of(arm: dict) -> Model:
    """Read once per process, and again if the file has changed."""
    robot = str(arm.get("robot") or "")
    changed_ns = os.stat(robot).st_mtime_ns if os.path.isfile(robot) else 0
    return _load(robot, bool(arm.get("allow_impossible_inertia")), changed_ns)


def owners_of(config: dict, match) -> list[str]:
    model = _model_of(_arm(config, match))
    owners = list(model.masses if match["what"] == "mass_scale" else model.joint_friction)
    if not owners:
        what = "link with a mass that moves" if match["what"] == "mass_scale" else "joint with friction"
        raise ModelError(f"space: '{match[0]}': the robot has no {what}")
    if match["whose"] not in (None, "*") and match["whose"] not in owners:
        raise ModelError(f"space: '{match[0]}': must be one of {', '.join(owners)}")
    return owners


class _Scales:
    """plant_overrides from factors: mass and inertia of links, friction of joints."""

    def __init__(self, arm: dict):
        self.arm, self.model = arm, _model_of(arm)
        plant = arm.setdefault("plant", {}) or {}
        arm["plant"] = plant
        self.entries = plant.setdefault("plant_overrides", []) or []
        plant["plant_overrides"] = self.entries

    def _entry(self, kind: str, name: str) -> dict:
        for entry in self.entries:
            if entry.get(kind) == name:
                return entry
        self.entries.append({kind: name})
        return self.entries[-1]

    def mass_scale(self, link: str, factor: float) -> None:
        entry = self._entry("link", link)
        entry["mass_scale"] = entry.get("mass_scale", 1.0) * factor
        entry["inertia_scale"] = entry.get("inertia_scale", 1.0) * factor

    def friction_scale(self, joint: str, factor: float) -> None:
        damping, friction = self.model.joint_friction[joint]
        entry = self._entry("joint", joint)
        entry["damping"] = entry.get("damping", damping) * factor
        entry["friction"] = entry.get("friction", friction) * factor


def configuration(config: dict, parameters: dict, seed: int) -> dict:
    """The configuration of one run. Raises ModelError if the path of a parameter does not fit it."""
    run = copy.deepcopy(config)
    for arm in run.get("arms") or [run]:
        plant = arm.get("plant") or {}
        arm["plant"] = {**plant, "seed": seed}
    scales: dict[int, _Scales] = {}
    for path, value in parameters.items():
        match = SCALE.match(path)
        if not match:
            put(run, path, value)
            continue
        arm = _arm(run, match)
        scale = scales.setdefault(id(arm), _Scales(arm))
        owners = [match["whose"]] if match["whose"] else owners_of(run, match)
        for owner in owners:
            getattr(scale, match["what"])(owner, value)
    return run
