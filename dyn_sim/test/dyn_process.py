# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""The program `dyn` as a process: what the tests beside this file share. DYN names the program."""
import json
import os
import subprocess
from pathlib import Path

DYN = os.environ["DYN"]
PATIENCE = 15.0 if "DYN_SANITIZED" in os.environ else 1.0  # by how much longer than usual a program may take
DATA = Path(__file__).parent / "data"
BRANCH = str(DATA / "branch.urdf")
SWING = str(DATA / "swing.urdf")
TIP = str(DATA / "weightless_tip.urdf")
FLOATING = str(DATA / "floating.urdf")


def run(*arguments, lines=(), stdin=None, timeout=60, cwd=None, environment=None, preexec_fn=None):
    """Runs `dyn ARGUMENTS` with the lines (text, or objects to be written as JSON) on its standard input."""
    if stdin is None:
        stdin = "".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines)
    if isinstance(stdin, str):
        stdin = stdin.encode()
    done = subprocess.run([DYN, *map(str, arguments)], input=stdin, capture_output=True, timeout=timeout * PATIENCE, check=False,
                          cwd=cwd, env=environment, preexec_fn=preexec_fn)
    done.text = done.stdout.decode()
    done.error = done.stderr.decode()
    return done


def evaluate(robot, *lines, options=()):
    """The answers of `dyn eval`, one for each line; it has to succeed."""
    done = run("eval", robot, *options, lines=lines)
    assert done.returncode == 0, done.error
    answers = [json.loads(x) for x in done.text.splitlines()]
    assert len(answers) == len(lines), (len(answers), len(lines))
    return answers


def with_and_without(robot, state, payload, options=()):
    """Answers for a state without the payload, with it, and without it again."""
    bare, _, loaded, _, again = evaluate(robot, state, {"attach": payload}, state, {"detach": payload["name"]}, state,
                                         options=options)
    return bare, loaded, again


def fails(case, done, code, *words):
    """The exit code, nothing but one line on standard error, and every word in it."""
    case.assertEqual(done.returncode, code, done.error)
    case.assertEqual(done.error.count("\n"), 1, done.error)
    case.assertTrue(done.error.endswith("\n"))
    for word in words:
        case.assertIn(word, done.error)


def times(matrix, vector):
    return [sum(m * x for m, x in zip(row, vector, strict=True)) for row in matrix]


def near(case, a, b, tolerance=1e-11):
    """Two lists of numbers, entry by entry."""
    case.assertEqual(len(a), len(b))
    for x, y in zip(a, b):
        case.assertAlmostEqual(x, y, delta=tolerance)
