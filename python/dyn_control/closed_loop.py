# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Closed loops of a controller and a simulated arm: run(config), as `dyn run` does it."""
from __future__ import annotations

import importlib.util
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from . import _core
from ._core import ModelError

SIGNALS: tuple[str, ...] = _core.SIGNALS


class RunFailed(RuntimeError):
    """A run that was made and failed by its own criteria: str() is the causes, `run` is the Run with everything recorded."""

    def __init__(self, run: "Run"):
        super().__init__("; ".join(run.failures))
        self.run = run


class Arm:
    """The record of one arm: arrays of (rows, n), one row per recorded cycle, in the memory of the run itself.

    time_s          (rows,), s
    q, v            true state of the plant, rad or m, and rates
    q_reference, v_reference, a_reference    the reference
    position_error, velocity_error           reference minus state
    inertia, coriolis, gravity, friction, feedback    terms of the controller's torque, N m or N
    applied         torque that was applied; external: the observer's estimate; sensed: torque sensors' readings
    """

    time_s: np.ndarray
    q: np.ndarray
    v: np.ndarray
    q_reference: np.ndarray
    v_reference: np.ndarray
    a_reference: np.ndarray
    position_error: np.ndarray
    velocity_error: np.ndarray
    inertia: np.ndarray
    coriolis: np.ndarray
    gravity: np.ndarray
    friction: np.ndarray
    feedback: np.ndarray
    applied: np.ndarray
    external: np.ndarray
    sensed: np.ndarray

    def __init__(self, data: _core.RunData, index: int, name: str):
        self.name = name
        self.joints: list[str] = data.coordinates(index)
        self.time_s = data.time(index)
        for which, signal in enumerate(SIGNALS):
            setattr(self, signal, data.signal(index, which))
        self._data, self._index = data, index

    @property
    def jsim(self) -> list[str]:
        """The algorithm that computed M, by row."""
        return self._data.jsim(self._index)

    @property
    def saturated(self) -> np.ndarray:
        """Whether an effort was at its limit, by row."""
        return (self._data.flags(self._index) & 1).astype(bool)

    def frame_error(self, link: str) -> np.ndarray:
        """Distance of a link's frame from its reference, by row, m; NaN where a position is not finite.

        Under the law task_space only the controlled frame has one, its target. Raises ModelError for another link, for
        one that the robot does not have without its payloads, and if events change the robot.
        """
        return self._data.frame_error(self._index, link)

    def __repr__(self) -> str:
        return f"<dyn_control.Arm '{self.name}': {len(self.time_s)} rows of {len(self.joints)} joints>"


class Run:
    """A closed loop that has ended: `results` as in results.json, `arms` by name; with one arm also what that has: run.q."""

    def __init__(self, data: _core.RunData):
        self._data = data
        self.results: dict = json.loads(data.results())
        self.failures: list[str] = data.failures()  # why the run failed, a sentence each; empty where it did not
        self.arms: dict[str, Arm] = {name: Arm(data, i, name) for i, name in enumerate(data.arms())}

    def write(self, folder: str | os.PathLike) -> None:
        """results.json, log.csv, log.mcap and report.html, all of them or none, as `dyn run --out` writes them."""
        self._data.write(os.fspath(folder))

    def __getattr__(self, name: str):
        if name in SIGNALS or name in ("time_s", "joints", "jsim", "saturated", "frame_error"):
            if len(self.arms) == 1:
                return getattr(next(iter(self.arms.values())), name)
            raise AttributeError(f"there are {len(self.arms)} arms: run.arms[NAME].{name}")
        raise AttributeError(f"a Run has no '{name}'")

    def __repr__(self) -> str:
        return (f"<dyn_control.Run '{self.results['title']}': {self.results['duration_s']:g} s, "
                f"tracking rms {self.results['tracking']['rms']!r}>")


def plain(value, path: str = ""):
    """The value in types that JSON has: numpy's numbers and arrays, tuples and paths become Python's own. Errors name the place."""
    here = path or "the configuration"
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise ModelError(f"{here}: the key {key!r} is not a string")
        return {key: plain(entry, f"{path}.{key}" if path else key) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple)):
        return [plain(entry, f"{path}[{i}]") for i, entry in enumerate(value)]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ModelError(f"{here} is {value}, not a finite number")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ModelError(f"{here} is a {type(value).__name__}, not what a configuration can hold")


def _find_beside(config, folder: Path):
    """Makes names of files beside the configuration absolute paths, so that it may be read from anywhere."""
    if isinstance(config, list):
        return [_find_beside(entry, folder) for entry in config]
    if not isinstance(config, dict):
        return config
    found = {}
    for key, value in config.items():
        is_file = key in ("robot", "urdf", "path") and isinstance(value, str) and (folder / value).is_file()
        found[key] = str((folder / value).resolve()) if is_file else _find_beside(value, folder)
    return found


def load_config(config: str | os.PathLike) -> dict:
    """A configuration of `dyn run`, a YAML file or the name of a shipped scenario, as a dict to change and pass to run()."""
    tree, file = _core.read_configuration(os.fspath(config))
    if not isinstance(tree, dict):
        raise ModelError(f"{file}: the document is not a map of names and values")
    tree.setdefault("title", Path(file).stem)
    return _find_beside(tree, Path(file).parent)


def _offer_mujoco() -> None:
    """Selects the library of this Python's package mujoco for the engine mujoco, unless the user has chosen another."""
    if os.environ.get("DYN_MUJOCO_LIBRARY"):
        return
    package = importlib.util.find_spec("mujoco")
    for folder in (package.submodule_search_locations or []) if package else []:
        for file in sorted(Path(folder).glob("libmujoco.so.*")):
            os.environ["DYN_MUJOCO_LIBRARY"] = str(file)


def run(config: str | os.PathLike | Mapping, *, real_time: bool = False, duration: float | None = None,
        engine: str | None = None, out: str | os.PathLike | None = None, check: bool = True) -> Run:
    """Runs a controller and a simulated arm in a closed loop; returns the recorded signals as arrays.

    config     a YAML file, the name of a shipped scenario, or a dict with the same keys (docs/run.md)
    real_time  in real time, on the last core, with SCHED_FIFO and locked memory if the system allows it;
               else as fast as possible
    duration   s, instead of the configuration's duration_s
    engine     native or mujoco (the package of that name, pip install mujoco), instead of the configuration's
    out        a folder for results.json, log.csv, log.mcap and report.html
    check      raise RunFailed, which has the Run, if the run failed by its own criteria

    Raises ModelError if the run cannot start. The GIL is released during the run; Ctrl-C brings the arms to rest.
    """
    tree = plain(config) if isinstance(config, Mapping) else load_config(config)
    if duration is not None and not 1e-3 <= duration <= 3600.0:
        raise ModelError(f"duration: {duration} is not from 0.001 to 3600 s")
    if engine not in (None, "native", "mujoco"):
        raise ModelError(f"engine: '{engine}' must be native or mujoco")
    _offer_mujoco()
    name = "config" if isinstance(config, Mapping) else os.fspath(config)
    finished = Run(_core.run_configuration(json.dumps(tree, ensure_ascii=False), name, real_time, duration or 0.0,
                                           engine or ""))
    if out is not None:
        finished.write(out)
    if check and finished.failures:
        raise RunFailed(finished)
    return finished
