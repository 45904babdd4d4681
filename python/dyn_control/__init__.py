# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Real-time robot dynamics: M, C, g, inverse and forward dynamics of any URDF, batches, closed loops and sweeps.

    import dyn_control as dyn
    robot = dyn.Dynamics(dyn.load("arm7"))
    robot.update(q, v)
    tau = robot.M @ a + robot.C @ v + robot.g      # robot.inverse(a) gives the same, faster

All units are SI: m, rad, s, kg, N, N m. Invalid input raises ModelError, a ValueError, with one sentence.
"""
import sys as _sys
from pathlib import Path as _Path
from typing import TYPE_CHECKING

from ._core import Batch, Dynamics, Model, ModelError, algorithms, batch, load, parse, robots
from ._core import _add_example_robots, _use_python_for_xacro
from .closed_loop import Arm, Run, RunFailed, load_config, run
from .logs import identify, replay

if TYPE_CHECKING:
    from .sweeps.sweep import Sweep, sweep

_use_python_for_xacro(_sys.executable or "")
for _place in dict.fromkeys(_sys.path):  # the package example-robot-data keeps its robots beside Python packages
    _robots = _Path(_place) / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
    if _place and _robots.is_dir():
        _add_example_robots(str(_robots))

__all__ = [
    "Arm", "Batch", "Dynamics", "Model", "ModelError", "Run", "RunFailed", "Sweep", "algorithms", "batch", "identify",
    "load", "load_config", "parse", "replay", "robots", "run", "sweep",
]
__version__ = "0.1.0"


def __getattr__(name: str):
    if name in ("Sweep", "sweep"):  # with SciPy and Arrow: only where somebody sweeps
        from .sweeps import sweep as _sweeps
        return getattr(_sweeps, name)
    raise AttributeError(f"module 'dyn_control' has no attribute '{name}'")
