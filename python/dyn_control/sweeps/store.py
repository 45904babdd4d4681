# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""A sweep's folder: its definition (sweep.json), the parameters of every run (plan.parquet), the rows of every finished batch
(parts/), all rows (results.parquet). Files appear completely or not at all, so that a sweep that was killed can be continued."""
from __future__ import annotations

import fcntl
import hashlib
import json
import os
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from .._core import ModelError
from .play import METRICS

BATCH_S = 2.0      # a batch takes about this long
MOST_RUNS = 1000   # of one batch


def _whole(file: Path, write) -> None:
    unfinished = file.with_name(f".{file.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        write(unfinished)
        with open(unfinished, "rb") as written:
            os.fsync(written.fileno())
        os.replace(unfinished, file)
    finally:
        unfinished.unlink(missing_ok=True)


def identity(definition: dict) -> str:
    """A short hash of the sweep's definition: of configuration, robot files, space, n and seed."""
    return hashlib.sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()[:12]


def plan_table(plan: dict[str, list]) -> pa.Table:
    """run, seed, and the parameters of every run as JSON: values of any kind."""
    names = [name for name in plan if name not in ("run", "seed")]
    parameters = [json.dumps({name: plan[name][k] for name in names}) for k in range(len(plan["run"]))]
    return pa.table({"run": plan["run"], "seed": plan["seed"], "parameters": parameters})


def read_plan(file: Path) -> dict[str, list]:
    table = pq.read_table(file).to_pydict()
    parameters = [json.loads(text) for text in table["parameters"]]
    return {"run": table["run"], "seed": table["seed"],
            **{name: [p[name] for p in parameters] for name in (parameters[0] if parameters else {})}}


def _column_type(values: list) -> pa.DataType:
    kinds = {type(v) for v in values}
    if kinds <= {int}:
        return pa.int64()
    if kinds <= {int, float}:
        return pa.float64()
    return pa.bool_() if kinds <= {bool} else pa.string()


class Store:
    """The folder of one sweep, locked while it is written to."""

    def __init__(self, folder: Path, definition: dict, plan: dict[str, list]):
        self.folder, self.definition, self.plan = folder, definition, plan
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "parts").mkdir(exist_ok=True)
        self._lock = open(folder / ".lock", "w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ModelError(f"{folder}: another sweep is writing there") from None
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        head = self.folder / "sweep.json"
        definition = {"identity": identity(self.definition), **self.definition}
        if head.exists():
            try:
                there = json.loads(head.read_text())["identity"]
            except (ValueError, KeyError, OSError) as error:
                raise ModelError(f"{head}: cannot be read: {error}") from None
            if there != definition["identity"]:
                raise ModelError(f"{self.folder}: holds another sweep (other configuration, files, space, n, seed or "
                                 "sampler); give this one another folder by out=..")
            self.plan = read_plan(self.folder / "plan.parquet")
        else:
            _whole(self.folder / "plan.parquet", lambda f: pq.write_table(plan_table(self.plan), f))
            _whole(head, lambda f: f.write_text(json.dumps(definition, indent=1)))
        types = {"run": pa.int64(), "seed": pa.int64()}
        types.update({name: _column_type(values) for name, values in self.plan.items() if name not in types})
        types.update({"status": pa.string(), "reason": pa.string()})
        types.update({name: pa.float64() for name in (*METRICS, "wall_s")})
        self.schema = pa.schema(list(types.items()))
        self.parameters = [name for name in self.plan if name not in ("run", "seed")]

    def close(self) -> None:
        self._lock.close()

    def tasks(self) -> list[dict]:
        """The runs that are not done yet."""
        done = set(self.rows().column("run").to_pylist())
        return [{"run": run, "seed": self.plan["seed"][k], "parameters": {p: self.plan[p][k] for p in self.parameters}}
                for k, run in enumerate(self.plan["run"]) if run not in done]

    def keep(self, rows: list[dict]) -> None:
        text = [f.name for f in self.schema if f.type == pa.string()]
        for row in rows:
            for name in text:
                row[name] = row[name] if isinstance(row[name], str) else json.dumps(row[name])
        table = pa.Table.from_pylist(rows, schema=self.schema)
        _whole(self.folder / "parts" / f"{rows[0]['run']:08d}-{rows[-1]['run']:08d}-{len(rows)}.parquet",
               lambda f: pq.write_table(table, f))

    def rows(self) -> pa.Table:
        """All finished rows, sorted by run, each run once."""
        parts = [pq.read_table(f, schema=self.schema) for f in sorted((self.folder / "parts").glob("[0-9]*.parquet"))]
        table = pa.concat_tables(parts) if parts else self.schema.empty_table()
        table = table.sort_by("run")
        runs = table.column("run").to_pylist()
        once = [k for k, run in enumerate(runs) if k == 0 or run != runs[k - 1]]
        return table if len(once) == len(runs) else table.take(once)

    def finish(self) -> pa.Table:
        table = self.rows()
        _whole(self.folder / "results.parquet", lambda f: pq.write_table(table, f))
        return table


class Batches:
    """Hands out the runs that are not done yet in batches of a few seconds, and takes back their rows. For any thread."""

    def __init__(self, store: Store, tasks: list[dict], shares: int, tick):
        self._store, self._tasks, self._next, self._shares = store, tasks, 0, shares
        self._lock = threading.Lock()
        self._wall_s, self._timed = 0.0, 0
        self._tick = tick

    def take(self) -> list[dict]:
        with self._lock:
            size = 1
            if self._timed:
                left = -(-(len(self._tasks) - self._next) // (2 * self._shares))  # the last ones end together
                size = max(1, min(int(BATCH_S * self._timed / max(self._wall_s, 1e-9)), MOST_RUNS, left))
            taken = self._tasks[self._next:self._next + size]
            self._next += len(taken)
            return taken

    def tick(self, count: int = 1) -> None:
        with self._lock:
            self._tick(count)

    def keep(self, rows: list[dict]) -> None:
        if not rows:
            return
        with self._lock:
            timed = [row["wall_s"] for row in rows if row["wall_s"] is not None]
            self._wall_s += sum(timed)
            self._timed += len(timed)
            self._store.keep(rows)
