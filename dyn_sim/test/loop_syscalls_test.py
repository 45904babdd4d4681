# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""The loop's thread of `dyn run` under strace: no system call but clock_nanosleep, no allocation, whatever changes."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

SWAPS = 1000  # of models (and of what the arm carries), of algorithms and of gains
HEAD = """
robot: arm7
rate_hz: 1000
duration_s: {duration}
plant: {{engine: {engine}, friction: false}}
controller:
  gains: {{default: {{p: 400, d: 40}}}}
  validation: {{mode: monitor, rate: 100}}
trajectory:
  type: quintic
  velocity_scale: 0.5
  way_points: [[0, 0, 0, 0, 0, 0, 0], [0.9, 0.5, -0.6, 0.9, 0.7, -0.5, 1.0], [0, 0, 0, 0, 0, 0, 0]]
events:
"""
BOX = "{name: box, link: tool0, mass: 3.0, com: [0, 0, 0.06], inertia: [0.0072, 0, 0, 0.0072, 0, 0.006]}"
JSIM = ("explicit", "denoc", "screw", "gdahj", "crba", "momentum", "pseudo_inertia", "unit_acceleration", "fused")


def configuration(swaps, engine):
    lines = []
    for k in range(swaps):
        at = 0.1 + 0.003 * k
        ramp = ", transition_time: 0.002" if k % 4 == 0 else ""
        lines.append(f"  - {{at: {at:.3f}, attach: {BOX}{ramp}}}" if k % 2 == 0 else f"  - {{at: {at:.3f}, detach: box}}")
        lines.append(f"  - {{at: {at + 0.001:.3f}, set: {{jsim_algorithm: {JSIM[k % len(JSIM)]}}}}}")
        lines.append(f"  - {{at: {at + 0.002:.3f}, set: {{gains.joint1.p: {400 + k % 7}}}}}")
    lines.append(f"  - {{at: {at:.3f}, push: {{link: tool0, force: [5, 0, 0], duration: 0.05}}}}")
    return HEAD.format(engine=engine, duration=0.2 + 0.003 * swaps) + "\n".join(lines) + "\n"


def calls_of_the_loop(trace):
    """Names of the system calls between the two names that the loop gives its thread."""
    text = trace.read_text()
    thread = re.search(r'^(\d+) +prctl\(PR_SET_NAME, "dyn loop"', text, re.M)
    names = []
    inside = False
    for line in text.splitlines():
        if thread is None or not re.match(thread.group(1) + " ", line):
            continue
        if '"dyn loop ends"' in line:
            return names
        call = re.match(r"\d+ +(\w+)\(", line)  # where one begins, not where it is told to go on
        if inside and call:
            names.append(call.group(1))
        inside = inside or '"dyn loop"' in line
    raise AssertionError("the loop's thread was not found in the trace")


class LoopSyscalls(unittest.TestCase):
    def run_traced(self, engine, *options):
        with tempfile.TemporaryDirectory() as directory:
            here = Path(directory)
            (here / "churn.yaml").write_text(configuration(SWAPS, engine))
            done = subprocess.run(
                ["strace", "-f", "-o", here / "trace", os.environ["DYN"], "run", here / "churn.yaml", "--json",
                 "--out", here / "out", *options], capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout), calls_of_the_loop(here / "trace")

    def test_nothing_but_clock_nanosleep_through_a_thousand_swaps(self):
        for engine in os.environ["DYN_ENGINES"].split(","):
            with self.subTest(engine):
                results, calls = self.run_traced(engine, "--fast")
                self.assertEqual(set(calls) - {"clock_nanosleep"}, set())
                self.assertEqual(results["allocations_in_loop"], 0)
                self.assertEqual(len(results["events"]), 3 * SWAPS + 1)
                for event in results["events"]:
                    self.assertTrue(event["ok"], event)
                    self.assertLess(abs(event["applied_s"] - event["planned_s"]), 1e-6, event)

    def test_in_real_time_too(self):
        results, calls = self.run_traced("native")
        self.assertTrue(results["real_time"])
        self.assertEqual(set(calls), {"clock_nanosleep"})
        self.assertEqual(results["allocations_in_loop"], 0)
        self.assertEqual(len(results["events"]), 3 * SWAPS + 1)
        for event in results["events"]:  # traced, the writer may be too slow for the next boundary; then it is a later one
            self.assertTrue(event["ok"], event)
            self.assertGreaterEqual(event["applied_s"], event["planned_s"] - 1e-6, event)


if __name__ == "__main__":
    unittest.main()
