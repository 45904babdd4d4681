# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""python -m dyn_control play FOLDER RUN [--out DIR]: repeats one run of a sweep, with its report."""
import argparse
import sys

from . import ModelError
from .sweeps.sweep import play_again


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m dyn_control")
    commands = parser.add_subparsers(dest="command", required=True)
    play = commands.add_parser("play", help="repeat one run of a sweep")
    play.add_argument("folder", help="the folder of the sweep, with its sweep.json and plan.parquet")
    play.add_argument("run", type=int, help="the run's number")
    play.add_argument("--out", help="a folder for results.json, log.csv, log.mcap and report.html")
    call = parser.parse_args()
    try:
        done = play_again(call.folder, call.run, call.out)
    except ModelError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    tracking, torque = done.results["tracking"], done.results["torque"]
    print(f"tracking rms {tracking['rms']!r}, largest {tracking['max']!r}; largest torque {torque['max']!r}")
    for failure in done.failures:
        print(f"failed: {failure}", file=sys.stderr)
    return 3 if done.failures else 0


if __name__ == "__main__":
    sys.exit(main())
