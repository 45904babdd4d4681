# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""The configuration of every run of a sweep: each parameter is written to the path that it names.

A parameter is a path into the configuration: `controller.gains.default.p`, `plant.delay`, `events[0].attach.mass`,
`arms[1].trajectory.seed`; missing keys are added. Further parameters make the plant differ from the model:

    plant.mass_scale.LINK       times mass and inertia of that link
    plant.friction_scale.JOINT  times viscous and Coulomb friction of that joint, in each direction
    plant.mass_scale, plant.friction_scale        one factor for all links, for all joints
    plant.mass_scale.*, plant.friction_scale.*    one each, drawn independently

They multiply what the plant has without them: masses and friction of plant.robot if that is given, and plant_overrides.
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


def _plant_of(arm: dict) -> Model:
    """The robot whose masses and friction the plant has. Read once per process, and again if the file has changed."""
    robot = str((arm.get("plant") or {}).get("robot") or arm.get("robot") or "")
    changed_ns = os.stat(robot).st_mtime_ns if os.path.isfile(robot) else 0
    return _load(robot, bool(arm.get("allow_impossible_inertia")), changed_ns)


def owners_of(config: dict, match) -> list[str]:
    plant = _plant_of(_arm(config, match))
    owners = list(plant.masses if match["what"] == "mass_scale" else plant.joint_friction)
    if not owners:
        what = "link with a mass that moves" if match["what"] == "mass_scale" else "joint with friction"
        raise ModelError(f"space: '{match[0]}': the robot has no {what}")
    if match["whose"] not in (None, "*") and match["whose"] not in owners:
        raise ModelError(f"space: '{match[0]}': must be one of {', '.join(owners)}")
    return owners


def _scale(arm: dict, what: str, owner: str, factor: float) -> None:
    """Adds to plant_overrides, after the entries that are there, a factor of mass and inertia or of friction."""
    scaled = ({"link": owner, "mass_scale": factor, "inertia_scale": factor} if what == "mass_scale"
              else {"joint": owner, "friction_scale": factor})
    plant = arm["plant"]
    plant["plant_overrides"] = [*(plant.get("plant_overrides") or []), scaled]


def configuration(config: dict, parameters: dict, seed: int) -> dict:
    """The configuration of one run. Raises ModelError if the path of a parameter does not fit it."""
    run = copy.deepcopy(config)
    for arm in run.get("arms") or [run]:
        plant = arm.get("plant") or {}
        arm["plant"] = {**plant, "seed": seed}
    scales = {path: match for path in parameters if (match := SCALE.match(path))}
    for path, value in parameters.items():
        if path not in scales:
            put(run, path, value)
    for path, match in scales.items():  # of the plant that the other parameters have made
        for owner in [match["whose"]] if match["whose"] else owners_of(run, match):
            _scale(_arm(run, match), match["what"], owner, parameters[path])
    return run
