# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Sweeps on Ray, where it is installed (pip install .[sweep]; scripts/python does not, for it is large)."""
import os
import signal
import threading
import time
from pathlib import Path

import pytest

import dyn_control as dyn
from conftest import short_run

ray = pytest.importorskip("ray", reason="Ray is not installed here: sweeps on it are not tested")

SPACE = {"controller.gains.default.p": {"log_uniform": [100, 1000]}, "plant.delay": {"integers": [1, 3]}}


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture
def config():
    return short_run(0.3)


def _descendants(pid):
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield int(child)
            yield from _descendants(int(child))


def _workers_at_work():
    """Those that play a batch just now; of this process's own cluster."""
    found = []
    try:
        for pid in _descendants(os.getpid()):
            if Path(f"/proc/{pid}/cmdline").read_text().startswith("ray::_play_all"):
                found.append(pid)
    except (FileNotFoundError, ProcessLookupError):
        pass
    return found


def test_a_killed_worker_loses_no_run(config, tmp_path):
    killed, done = [], threading.Event()

    def kill():
        while not done.is_set() and len(killed) < 2:
            for pid in _workers_at_work():
                if pid not in killed:
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
                    time.sleep(1.0)
                    break
            time.sleep(0.02)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        there = dyn.sweep(config, SPACE, 200, "ray", out=tmp_path / "ray", progress=False).table
    finally:
        done.set()
        thread.join()
    assert killed, "no worker was killed"
    here = dyn.sweep(config, SPACE, 200, out=tmp_path / "here", progress=False).table
    assert there.drop_columns(["wall_s"]).equals(here.drop_columns(["wall_s"]))


def test_a_run_that_ends_its_worker_is_a_row(config, tmp_path, monkeypatch):
    from dyn_control.sweeps import on_ray
    whole = on_ray.play

    def play(c, number, *rest):
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return whole(c, number, *rest)

    monkeypatch.setattr(on_ray, "RETRIES", 1)
    monkeypatch.setattr(on_ray, "_play_all", lambda c, frame, tasks: [
        play(c, t["run"], t["seed"], t["parameters"], frame) for t in tasks])
    table = dyn.sweep(config, SPACE, 8, "ray", out=tmp_path / "s", progress=False).table.to_pylist()
    assert [r["run"] for r in table if r["status"] == "failed"] == [3]
    assert "the worker was lost 2 times" in table[3]["reason"]
