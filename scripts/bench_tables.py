#!/usr/bin/env python3
# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Sections of docs/benchmarks.md, each measured by calls of `dyn bench` on one core: bench_tables.py PROGRAM_DYN"""
import json
import statistics
import subprocess
import sys

# task of `dyn bench`, aims to Pinocchio by g++ and by clang on arm7
AIMS = [("inverse derivatives", 10, 6), ("forward derivatives", 6, 4), ("regressor", 10, 6), ("frame", 6, 5), ("J", 8, 6),
        ("J+Jdot v", 10, 7), ("Lambda", 4, 4), ("M^-1", 4.5, 3.6)]
BATCHES = [7, 20, 32, 36, 48, 64, 80, 100]
INVERSES = [7, 20, 50, 100]


def results(dyn, robot, only, rounds, *more):
    """The rows of a call; robot: a name, or the number of joints of a chain (7: arm7)."""
    which = ["arm7"] if robot == 7 else ["--chain", str(robot)] if isinstance(robot, int) else [robot]
    done = subprocess.run([dyn, "bench", *which, "--only", only, "--rounds", str(rounds), *more, "--json"], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)["results"]


def own(rows, algorithm="fused"):
    return next(row for row in rows if row["library"] == "dyn_control" and row["algorithm"] == algorithm)


def times(row, which="times_faster"):
    """To Pinocchio by g++ / by clang, as text; empty in a build without it."""
    found = [[value for peer, value in row[which].items() if "Pinocchio" in peer and compiler in peer]
             for compiler in ("g++", "clang")]
    return " / ".join(f"{min(values):.3g}" for values in found if values)


def duration(ns):
    return f"{ns:.3g} ns" if ns < 1000 else f"{ns / 1000:.3g} us"


def tasks(dyn):
    print("## Frames, derivatives, regressor, M^-1\n\nEach alone from q and v: time, and times faster than Pinocchio by g++ / clang "
          "at its faster way\n(`dyn bench ROBOT --only \"TASK:fused\" --rounds 300`).\n")
    print("| task | aim on arm7 | arm7 | talos_reduced |\n|---|---|---|---|")
    for task, gcc, clang in AIMS:
        cells = []
        for robot in ("arm7", "talos_reduced"):
            row = own(results(dyn, robot, f"{task}:fused", 300))
            cells.append(f"{duration(row['ns'])}, {times(row)}")
        print(f"| {task} | {gcc} / {clang} | {' | '.join(cells)} |", flush=True)


def batches(dyn):
    print("\n## Batches by the number of joints\n\n`dyn bench --chain N --only M+C+g --rounds 30` (arm7 for 7), ns a state. Up to 45 "
          "joints states stand side by side in the lanes; from\nthere on they are made one after the other by the kernel of a single "
          "call, which overwrites the same matrices each time where a\nbatch writes new ones: that is the difference.\n")
    print("| joints | single calls | batch | batch over single |\n|---|---|---|---|")
    for joints in BATCHES:
        rows = results(dyn, joints, "M+C+g", 30)
        single, batch = own(rows)["ns"], own(rows, "fused, batch")["ns"]
        print(f"| {joints} | {single:.0f} | {batch:.0f} | {batch / single:.2f} |", flush=True)


def inverses(dyn):
    print("\n## M^-1 by the number of joints\n\n`dyn bench --chain N --only \"M^-1:fused\"` (arm7 for 7), beside Pinocchio by g++ / "
          "clang at its faster way.\n")
    print("| joints | ns | times faster |\n|---|---|---|")
    for joints in INVERSES:
        row = own(results(dyn, joints, "M^-1:fused", 100))
        print(f"| {joints} | {row['ns']:.0f} | {times(row)} |", flush=True)


def cold(dyn):
    print("\n## First calls after a pause\n\nM+C+g of arm7 after 96 MB of other data, in six runs, the middle one of each column "
          "(`dyn bench arm7 --only M+C+g:fused --cold 96 --rounds 20`).\nWhat leads to the library's call is fetched before, "
          "its own code and data and the state are not. Aims: 4.5 / 3.8.\n")
    print("| ns | times faster than Pinocchio by g++ / clang |\n|---|---|")
    rows = [own(results(dyn, 7, "M+C+g:fused", 20, "--cold", "96")) for _ in range(6)]
    ratios = [[float(part) for part in times(row, "times_faster_cold").split(" / ") if part] for row in rows]
    middle = " / ".join(f"{statistics.median(column):.3g}" for column in zip(*ratios))
    print(f"| {statistics.median(row['ns_cold'] for row in rows):.0f} | {middle} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for section in (tasks, batches, inverses, cold):
        section(sys.argv[1])
