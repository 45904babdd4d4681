# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""sweep(): many closed loops with drawn plants, payloads, delays, gains and trajectories."""
from __future__ import annotations

import contextlib
import hashlib
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from tqdm import tqdm

from .._core import ModelError, _urdf_text, robots
from ..closed_loop import load_config, plain
from . import report
from .apply import configuration
from .play import METRICS
from .space import draw, expand, read_space, seeds
from .store import Batches, Store, identity

ENGINES = (None, "ray")


@dataclass(frozen=True)
class Sweep:
    """The results of a sweep, in its folder."""

    folder: Path
    table: pa.Table  # a row a run: run, seed, its parameters, status, reason, figures, wall_s

    @property
    def report(self) -> Path:
        """The page with distributions, worst cases and sensitivities."""
        return self.folder / "report.html"

    def share(self, metric: str, limit: float) -> tuple[float, float, float]:
        """The share of runs that did not fail and whose metric is at most `limit`, and its 95 % interval (Wilson)."""
        if metric not in METRICS:
            raise ModelError(f"metric: '{metric}' must be one of {', '.join(METRICS)}")
        return report.share(self.table, metric, limit)

    def __repr__(self) -> str:
        failed = self.table.column("status").to_pylist().count("failed")
        return f"<dyn_control.Sweep in '{self.folder}': {len(self.table)} runs, {failed} failed>"


def _hash_of(file: Path) -> str:
    """Of what a file says; of a xacro file its expansion, to which files that it includes belong."""
    if file.suffix == ".xacro":
        with contextlib.suppress(ModelError):  # the runs will say why it cannot be expanded
            return hashlib.sha256(_urdf_text(str(file)).encode()).hexdigest()
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _files_of(config) -> dict[str, str]:
    """Robots, payloads and trajectories that a configuration reads, with a hash of each: a changed file makes another sweep."""
    found = {}
    if isinstance(config, list):
        for entry in config:
            found.update(_files_of(entry))
    elif isinstance(config, dict):
        for key, value in config.items():
            if key in ("robot", "urdf", "path") and isinstance(value, str):
                file = Path(robots().get(value, value))
                if file.is_file():
                    found[value] = _hash_of(file)
            else:
                found.update(_files_of(value))
    return found


def _definition(config: dict, distributions, n: int, seed: int, sampler: str, frame: str | None) -> dict:
    choices = [{d.name.rpartition(".")[2]: value} for d in distributions if d.kind == "choice" for value in d.values]
    return {"config": config, "space": {d.name: d.spec() for d in distributions}, "n": n, "seed": seed,
            "sampler": sampler, "frame": frame, "files": _files_of([config, *choices])}


def _whole_number(name: str, value, least: int, most: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or not least <= value.__index__() <= most:
        raise ModelError(f"{name}: {value!r} is not a whole number from {least} to {most}")
    return value.__index__()


def sweep(config: str | os.PathLike | Mapping, space: Mapping, n: int, engine: str | None = None, *,
          out: str | os.PathLike | None = None, seed: int = 1, sampler: str = "latin", frame: str | None = None,
          limits: Mapping[str, float] | None = None, workers: int | None = None, run_limit_s: float = 600.0,
          progress: bool = True) -> Sweep:
    """Runs n closed loops whose parameters are drawn from `space`; returns a table and writes a report.

    config   as for run(): a file, a scenario's name, or a dict
    space    distributions by parameter, such as
                 {"controller.gains.default.p": {"log_uniform": [100, 2000]},   paths into the configuration
                  "plant.delay": {"integers": [1, 3]},                          both ends included
                  "trajectory.velocity_scale": [0.3, 0.8],                      uniform
                  "plant.noise.position": {"normal": [1e-5, 1e-6]},
                  "controller.type": {"choice": ["computed_torque", "feedforward"]},
                  "plant.mass_scale.*": [0.8, 1.2],                             a separate factor for each moving link
                  "plant.friction_scale": [0.5, 1.5]}                           one factor for all joints
    n        how many runs
    engine   None: processes on this machine; "ray": the cluster that Ray is connected to (pip install .[sweep])
    out      the folder: sweep.json, plan.parquet, parts/, results.parquet, report.html [sweeps/TITLE-IDENTITY]
    seed     of the draws, and of the noise of every run; sampler: latin (hypercube) or sobol
    frame    a link: frame_error_rms and frame_error_max are its distance from its reference, m
    limits   metric: largest value, for the report's shares of runs within it
    workers  processes [as many as cores]; run_limit_s: how long one run may take

    A sweep that was interrupted or killed continues when it is called again; no run is counted twice. A run that
    fails, or whose configuration is refused, or that kills its worker, is a row with status `failed` and the reason. Raises
    ModelError if the sweep cannot start.
    """
    tree = plain(config) if isinstance(config, Mapping) else load_config(config)
    n = _whole_number("n", n, 1, 100_000_000)
    seed = _whole_number("seed", seed, 0, 2 ** 31 - 1)
    cores = len(os.sched_getaffinity(0))
    workers = cores if workers is None else _whole_number("workers", workers, 1, 4096)
    if engine not in ENGINES:
        raise ModelError(f"engine: '{engine}' must be None or ray")
    for metric in limits or {}:
        if metric not in METRICS:
            raise ModelError(f"limits: '{metric}' must be one of {', '.join(METRICS)}")
    distributions = expand(tree, read_space(space))
    definition = _definition(tree, distributions, n, seed, sampler, frame)
    plan = {"run": list(range(n)), "seed": seeds(n, seed), **draw(distributions, n, seed, sampler)}
    configuration(tree, {d.name: plan[d.name][0] for d in distributions}, 1)  # every parameter has its place
    folder = Path(out) if out is not None else Path("sweeps") / f"{tree.get('title', 'sweep')}-{identity(definition)}"
    store = Store(folder, definition, plan)
    try:
        _play_rest(store, tree, frame, engine, workers, run_limit_s, progress)
        done = Sweep(folder, store.finish())
        report.write(done.report, done.table, store.definition, store.parameters, dict(limits or {}))
    finally:
        store.close()
    return done


def _play_rest(store: Store, config: dict, frame: str | None, engine: str | None, workers: int, run_limit_s: float,
               progress: bool) -> None:
    tasks = store.tasks()
    if not tasks:
        return
    total = store.definition["n"]
    with tqdm(total=total, initial=total - len(tasks), unit="run", disable=not progress, dynamic_ncols=True) as bar:
        batches = Batches(store, tasks, workers, bar.update)
        if engine == "ray":
            from .on_ray import run_all
            run_all(config, frame, batches, workers)
        else:
            from .local import run_all
            run_all(config, frame, batches, min(workers, len(tasks)), run_limit_s)


def play_again(folder: str | os.PathLike, run: int, out: str | os.PathLike | None = None):
    """Repeats run number `run` of the sweep in `folder`; returns its Run, and writes its files to `out`."""
    from ..closed_loop import run as run_config
    definition, plan = report.read(Path(folder))
    run = _whole_number("run", run, 0, len(plan["run"]) - 1)
    parameters = {name: values[run] for name, values in plan.items() if name not in ("run", "seed")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run_config(configuration(definition["config"], parameters, plan["seed"][run]), out=out, check=False)
