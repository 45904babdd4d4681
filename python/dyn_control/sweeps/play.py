# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""One run of a sweep, which gives one row. An error becomes the row's reason; nothing is raised."""
from __future__ import annotations

import time

import numpy as np

from ..closed_loop import Run, run
from .apply import configuration

METRICS = ("tracking_rms", "tracking_max", "torque_max", "frame_error_rms", "frame_error_max", "saturation")


def _largest(values) -> float | None:
    values = [v for v in values if v is not None]
    return max(values) if values else None


def metrics(done: Run, frame: str | None) -> dict:
    """The figures of a run: those of its worst arm."""
    figures = {"tracking_rms": done.results["tracking"]["rms"], "tracking_max": done.results["tracking"]["max"],
               "torque_max": done.results["torque"]["max"],
               "saturation": _largest(float(np.mean(arm.saturated)) for arm in done.arms.values())}
    if frame:
        errors = [arm.frame_error(frame) for arm in done.arms.values()]
        figures["frame_error_max"] = float(np.max([e.max() for e in errors]))  # NaN if one of them is
        figures["frame_error_rms"] = float(np.max([np.sqrt(np.mean(e * e)) for e in errors]))
    return {key: value if value is None or np.isfinite(value) else None for key, value in figures.items()}


def given_up(task: dict, reason: str) -> dict:
    """The row of a run that did not finish."""
    return {"run": task["run"], "seed": task["seed"], **task["parameters"], "status": "failed", "reason": reason,
            **dict.fromkeys(METRICS), "wall_s": None}


def play(config: dict, number: int, seed: int, parameters: dict, frame: str | None) -> dict:
    """The row of run `number`: parameters, status ok or failed, the reason, figures, wall-clock seconds."""
    row = {"run": number, "seed": seed, **parameters, "status": "failed", "reason": "", **dict.fromkeys(METRICS)}
    began = time.perf_counter()
    try:
        done = run(configuration(config, parameters, seed), check=False)
        row.update(metrics(done, frame))
        row["status"] = "failed" if done.failures else "ok"
        row["reason"] = "; ".join(done.failures)
    except Exception as error:  # a row says why: ModelError's sentence, or what else it was
        text = " ".join(str(error).split())
        row["reason"] = text if isinstance(error, ValueError) else f"{type(error).__name__}: {text}"
    row["wall_s"] = time.perf_counter() - began
    return row
