# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Workers on this machine: each a process, with a thread that sends it one run after another and reads its rows."""
from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from .play import given_up

ATTEMPTS = 3  # how often a run may end its worker before it is given up


class _WorkerEnded(Exception):
    """The process has ended; str() says how."""


class _Worker:
    def __init__(self):
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen([sys.executable, "-m", "dyn_control.sweeps.worker"], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, env=environment)
        self._rest = b""

    def configure(self, config: dict, frame: str | None) -> None:
        self._send({"config": config, "frame": frame})

    def _send(self, task: dict) -> None:
        try:
            self._process.stdin.write(json.dumps(task).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise _WorkerEnded(self._how()) from None

    def _how(self) -> str:
        code = self._process.wait()
        return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"

    def row(self, task: dict, limit_s: float) -> dict:
        self._send(task)
        out = self._process.stdout.fileno()
        while b"\n" not in self._rest:
            if not select.select([out], [], [], limit_s)[0]:
                self.kill()
                raise _WorkerEnded(f"was ended after {limit_s:g} s without a result")
            chunk = os.read(out, 1 << 16)
            if not chunk:
                raise _WorkerEnded(self._how())
            self._rest += chunk
        line, self._rest = self._rest.split(b"\n", 1)
        return json.loads(line)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(BrokenPipeError):  # a task that was not sent
            self._process.stdin.close()
        self._process.stdout.close()


def run_all(config: dict, frame: str | None, batches, workers: int, limit_s: float) -> None:
    """Every run of `batches` (store.Batches), whose rows are kept batch by batch."""
    stop = threading.Event()

    def row_of(task: dict, worker: list) -> dict:
        how = ""
        for _ in range(ATTEMPTS):
            try:
                if worker[0] is None:
                    worker[0] = _Worker()
                    worker[0].configure(config, frame)
                return worker[0].row(task, limit_s)
            except _WorkerEnded as ended:
                worker[0].kill()
                worker[0], how = None, str(ended)
        return given_up(task, f"the worker process {how}, {ATTEMPTS} times")

    def work() -> None:
        worker: list = [None]
        try:
            while not stop.is_set() and (tasks := batches.take()):
                rows = []
                try:
                    for task in tasks:
                        if stop.is_set():
                            break
                        rows.append(row_of(task, worker))
                        batches.tick()
                finally:
                    batches.keep(rows)
        finally:
            if worker[0] is not None:
                worker[0].kill()

    with ThreadPoolExecutor(max_workers=workers) as pool:
        futures = [pool.submit(work) for _ in range(workers)]
        try:
            for future in futures:
                future.result()
        except BaseException:
            stop.set()
            raise
