# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn run` against the clock: what it shows on a terminal, what Ctrl-C does, rates, and what the system allowed."""
import csv
import json
import os
import pty
import re
import select
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from dyn_process import DYN, PATIENCE, fails, run

SCENARIO = Path(__file__).parents[2] / "config" / "scenarios" / "arm7_computed_torque.yaml"
FILES = ("results.json", "log.csv", "log.mcap", "metadata.yaml", "report.html")


LIMIT_S = 120.0  # nothing here takes as long; what does has hung, and the program is ended


class Terminal:
    """`dyn` with a terminal for its standard error."""

    def __init__(self, *arguments, command="run"):
        self.screen, inside = pty.openpty()
        self.process = subprocess.Popen([DYN, command, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=inside)
        os.close(inside)
        self.text = ""

    def read(self, deadline):
        """One piece more; False at the end."""
        if not select.select([self.screen], [], [], max(0.0, deadline - time.monotonic()))[0]:
            self.process.kill()
            self.process.communicate()
            os.close(self.screen)
            raise AssertionError(f"hung for {LIMIT_S} s after:\n{self.text[-2000:]}")
        try:
            piece = os.read(self.screen, 65536).decode()
        except OSError:  # the other end is closed
            piece = ""
        self.text += piece
        return piece != ""

    def read_until(self, pattern):
        deadline = time.monotonic() + LIMIT_S
        while not re.search(pattern, self.text):
            if not self.read(deadline):
                raise AssertionError(f"ended before it showed {pattern}:\n{self.text}")

    def end(self):
        deadline = time.monotonic() + LIMIT_S
        while self.read(deadline):
            pass
        try:
            output = self.process.communicate(timeout=LIMIT_S * PATIENCE)[0].decode()
        finally:
            self.process.kill()
            os.close(self.screen)
        return self.process.returncode, output


class Live(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.out = Path(self.directory.name)

    def results(self):
        return json.loads((self.out / "results.json").read_text())

    def rows(self):
        with open(self.out / "log.csv", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_interrupt_brings_the_arm_to_rest_and_writes_everything(self):
        terminal = Terminal(SCENARIO, "--duration", "600", "--out", self.out)
        terminal.read_until(r"\] (?!0\.[0-3])\d+\.\d\d of 600\.00 s")  # it is under way
        terminal.process.send_signal(signal.SIGINT)
        code, output = terminal.end()
        self.assertEqual(code, 0, output)
        self.assertIn("brought to rest", output)
        results = self.results()
        self.assertTrue(results["interrupted"])
        self.assertTrue(results["real_time"])
        self.assertLess(results["duration_s"], 60.0)
        for name in FILES:
            self.assertGreater((self.out / name).stat().st_size, 1000, name)
        rows = self.rows()
        speed = [max(abs(float(row[f"v.joint{k}"])) for k in range(1, 8)) for row in rows]
        self.assertGreater(max(speed), 0.1)
        self.assertLess(speed[-1], 0.02 * max(speed))
        self.assertEqual(int(rows[-1]["flags"]) & 8, 8, "it holds")
        self.assertLess(results["tracking"]["max"], 1e-3, "what comes after the interrupt is no tracking error")

    def test_a_second_interrupt_ends_at_once_and_writes_everything(self):
        terminal = Terminal(SCENARIO, "--duration", "600", "--out", self.out)
        terminal.read_until(r"\] (?!0\.[0-3])\d+\.\d\d of 600\.00 s")
        terminal.process.send_signal(signal.SIGINT)
        terminal.read_until("coming to rest")
        terminal.process.send_signal(signal.SIGINT)
        self.assertEqual(terminal.end()[0], 3)
        (failure,) = self.results()["failures"]
        self.assertIn("not brought to rest", failure["cause"])
        for name in FILES:
            self.assertGreater((self.out / name).stat().st_size, 1000, name)

    def test_the_terminal_shows_joints_algorithm_payloads_and_timing(self):
        terminal = Terminal(SCENARIO, "--duration", "3.6", "--out", self.out)
        code, output = terminal.end()
        self.assertEqual(code, 0, output)
        for word in ("joint1", "joint7", "M: fused", "M: gdahj", "payloads: 0", "payloads: 1", "1000 Hz", "overruns",
                     "residual", "\033["):
            self.assertIn(word, terminal.text)

    def test_it_says_what_the_system_allowed(self):
        self.assertEqual(run("run", SCENARIO, "--duration", "0.2", "--out", self.out).returncode, 0)
        results = self.results()
        for word in ("core", "SCHED_FIFO", "memory"):
            self.assertIn(word, results["scheduling"])
        self.assertGreater(results["wakeup_ns"]["p50"], 0.0)
        self.assertEqual(results["cycles"], 200)

    def test_rates(self):
        for rate in (100, 10000):
            config = self.out / "rate.yaml"
            config.write_text(SCENARIO.read_text().replace("rate_hz: 1000", f"rate_hz: {rate}"))
            done = run("run", config, "--fast", "--duration", "2", "--out", self.out, "--json")
            self.assertEqual(done.returncode, 0, done.error)
            results = json.loads(done.text)
            self.assertEqual(results["cycles"], 2 * rate)
            self.assertLess(results["tracking"]["max"], 1e-2 if rate == 100 else 1e-5)
        for rate in (99, 10001):
            config.write_text(SCENARIO.read_text().replace("rate_hz: 1000", f"rate_hz: {rate}"))
            fails(self, run("run", config, "--fast", "--out", self.out), 1, "rate_hz", "100 to 10000")


if __name__ == "__main__":
    unittest.main()
