# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Comparison of a model with a recorded motion, and identification from it: `dyn replay` and `dyn identify`."""
from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence

from . import _core
from ._core import Model, ModelError


def _robot(robot: str | os.PathLike | Model) -> str:
    return robot.source if isinstance(robot, Model) else os.fspath(robot)


def _gravity(robot: str | os.PathLike | Model, given: Sequence[float] | None) -> str | None:
    """As an option; that of a model unless another is given."""
    gravity = robot.gravity if given is None and isinstance(robot, Model) else given
    return None if gravity is None else ",".join(format(float(g), ".17g") for g in gravity)


def _options(at: Mapping[str, float] | None, allow_impossible_inertia: bool, **options) -> list[str]:
    words = [f"--at={joint}={value!r}" for joint, value in (at or {}).items()]
    if allow_impossible_inertia:
        words.append("--allow-impossible-inertia")
    for name, value in options.items():
        if value is not None:
            words.append(f"--{name.replace('_', '-')}={value if isinstance(value, str) else format(value, '.17g')}")
    return words


def _call(command: str, words: list[str]) -> dict:
    printed, said = getattr(_core, command)([*words, "--json"])
    for line in said.splitlines():
        warnings.warn(line.removeprefix("warning: "), stacklevel=3)
    return json.loads(printed)


def replay(robot: str | os.PathLike | Model, log: str | os.PathLike, *, hold_out: float | None = None,
           cutoff: float | None = None, effort: str | None = None, at: Mapping[str, float] | None = None,
           topic: str | None = None, gravity: Sequence[float] | None = None, allow_impossible_inertia: bool = False,
           out: str | os.PathLike | None = None) -> dict:
    """Torques that the model predicts for a recorded motion, beside the measured ones.

    robot     a file or a name, as for load()
    log       CSV with time_s, q.JOINT, v.JOINT, effort.JOINT, a log of run(), or a rosbag2 (its folder or file)
    hold_out  judge only this share at the end of the log: 0.4 for 40 %
    cutoff    Hz of the zero-phase low-pass applied to both torques; chosen from the spectrum unless given
    effort    for a log of run(): sensed or applied
    at        positions of joints that are not in the log, rad or m
    topic     for a rosbag2: topic of its JointState messages
    gravity   m/s^2 in the base frame; that of the model, or (0, 0, -9.81), unless given
    allow_impossible_inertia  as for load()
    out       a folder for report.html

    Returns samples, joints, cutoff_hz, rms and torque_rms by joint (N m or N), and relative: the norm of the torque's error over
    the norm of the torque. Raises ModelError with one sentence; a doubtful log gives a UserWarning.
    """
    words = [_robot(robot), os.fspath(log)]
    return _call("replay", words + _options(
        at, allow_impossible_inertia, hold_out=hold_out, cutoff=cutoff, effort=effort, topic=topic,
        gravity=_gravity(robot, gravity), out=None if out is None else os.fspath(out)))


def identify(robot: str | os.PathLike | Model, logs: str | os.PathLike | Iterable[str | os.PathLike], *,
             hold_out: float | None = None, validate: str | os.PathLike | None = None, cutoff: float | None = None,
             friction: str | None = None, prior_weight: float | None = None, effort: str | None = None,
             at: Mapping[str, float] | None = None, topic: str | None = None, gravity: Sequence[float] | None = None,
             allow_impossible_inertia: bool = False, out: str | os.PathLike = "identified") -> dict:
    """The robot's parameters from logs of its motion: physically possible bodies, friction, armature, offsets.

    hold_out      share at the end of each log that is held out for judging: 0.4 unless given
    validate      judge with this log instead
    friction      viscous, coulomb, stribeck or asymmetric; chosen by cross-validation unless given
    prior_weight  weight of the maker's values; chosen by cross-validation unless given
    out           a folder for identified.urdf (the user's file with inertials and <dynamics> replaced), report.html
    The others as in replay().

    Returns what `dyn identify --json` prints: before, train, validation (relative, rms), joints, links, urdf, report, ...
    """
    files = [logs] if isinstance(logs, (str, os.PathLike)) else list(logs)
    if not files:
        raise ModelError("identify: there are no logs")
    words = [_robot(robot), *map(os.fspath, files)]
    return _call("identify", words + _options(
        at, allow_impossible_inertia, hold_out=hold_out, validate=None if validate is None else os.fspath(validate),
        cutoff=cutoff, friction=friction, prior_weight=prior_weight, effort=effort, topic=topic,
        gravity=_gravity(robot, gravity), out=os.fspath(out)))
