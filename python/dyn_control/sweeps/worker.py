# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""A worker process: reads one JSON line per run and answers with its row as one JSON line. Ends when its input ends."""
import json
import os
import signal
import sys

from dyn_control.sweeps.play import play


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what else is printed does not come between the rows
    config, frame = None, None
    for line in sys.stdin:
        task = json.loads(line)
        if "config" in task:
            config, frame = task["config"], task["frame"]
            continue
        row = play(config, task["run"], task["seed"], task["parameters"], frame)
        try:
            print(json.dumps(row), file=answers, flush=True)
        except BrokenPipeError:
            return


if __name__ == "__main__":
    main()
