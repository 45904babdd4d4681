# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Workers on a Ray cluster: tasks of a few seconds, repeated if a worker is lost."""
from __future__ import annotations

from .._core import ModelError
from .play import given_up, play

RETRIES = 3  # of a task whose worker process or machine was lost


def _play_all(config: dict, frame: str | None, tasks: list[dict]) -> list[dict]:
    return [play(config, task["run"], task["seed"], task["parameters"], frame) for task in tasks]


def run_all(config: dict, frame: str | None, batches, workers: int | None) -> None:
    """Every run of `batches` (store.Batches), on the cluster that Ray is connected to, or on one of this machine."""
    try:
        import ray
    except ImportError:
        raise ModelError("engine: 'ray' needs the package ray: pip install 'dyn_control[sweep]'") from None
    if not ray.is_initialized():
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    task = ray.remote(num_cpus=1, max_retries=RETRIES)(_play_all)
    shared = ray.put(config)
    at_once = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))  # one runs, one waits
    running: dict = {}
    suspects: list[dict] = []  # of a batch that was lost again and again: one at a time, so that the one is found
    try:
        while True:
            while len(running) < at_once and (tasks := [suspects.pop()] if suspects else batches.take()):
                running[task.remote(shared, frame, tasks)] = tasks
            if not running:
                return
            done, _ = ray.wait(list(running), num_returns=1)
            tasks = running.pop(done[0])
            try:
                rows = ray.get(done[0])
            except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError) as error:
                if len(tasks) > 1:
                    suspects += tasks
                    continue
                rows = [given_up(tasks[0], f"the worker was lost {1 + RETRIES} times: {type(error).__name__}")]
            batches.keep(rows)
            batches.tick(len(rows))
    finally:
        for reference in running:
            ray.cancel(reference, force=True)
