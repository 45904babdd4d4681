# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""What tests of `dyn run` as a process share: a folder of their own, configurations, runs that are under way."""
import json
import os
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from dyn_process import DYN, PATIENCE, run

SCENARIOS = Path(__file__).parents[2] / "config" / "scenarios"
SCENARIO = SCENARIOS / "arm7_computed_torque.yaml"
FILES = ("results.json", "log.csv", "log.mcap", "metadata.yaml", "report.html")
MOVES = "{type: sinusoid, centre: [0, 0, 0, 0, 0, 0, 0], amplitude: 0.3, frequency_hz: 0.5}"
MIB = 1 << 20
BOX = "{name: box, link: tool0, mass: 1.0, com: [0, 0, 0.06], inertia: [0.002, 0, 0, 0.002, 0, 0.002]}"


CRITERIA = {"saturation": "effort was at a limit", "distance": " away from its ", "angle": "turned by up to",
            "did not follow": "did not follow", "position limits": "beyond its position limits"}


def arm7(**changes):
    """A configuration of arm7 on a slow sinusoid, as YAML; entries of `changes` come instead or besides."""
    entries = {"robot": "arm7", "duration_s": "1", "plant": "{friction: false}",
               "controller": "{gains: {default: {p: 400, d: 40}}, validation: {mode: 'off'}}",
               "trajectory": MOVES, **changes}
    return "".join(f"{key}: {value}\n" for key, value in entries.items())


class RunTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = Path(directory.name)
        self.out = self.folder / "out"

    def config(self, text, name="config.yaml"):
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        return file

    def run_fast(self, text, *options, **more):
        """`dyn run` of a configuration, as fast as it goes, with its files in self.out."""
        return run("run", self.config(text), "--fast", "--out", self.out, *options, **more)

    def results(self):
        return json.loads((self.out / "results.json").read_text())

    def print_row(self, what):
        """The last run as a row of docs/safety.md, by which criteria it failed."""
        results = self.results()
        unit = "m" if "frame" in results["arms"][0] else "rad"
        causes = " ".join(failure["cause"] for failure in results["failures"])
        failed = [name for name, text in CRITERIA.items() if text in causes]
        tracking = results["tracking"]
        print(f"| {what} | {results['duration_s']:.0f} s | {100 * results['saturation']:.0f} % | {tracking['max']:.2g} {unit} | "
              f"{tracking['rms']:.2g} {unit} | {', '.join(failed)} |", flush=True)

    def start(self, *arguments, **more):
        """A `dyn` whose loop is under way."""
        process = subprocess.Popen([DYN, "run", *map(str, arguments)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        self.wait_for(lambda: "dyn loop" in threads_of(process), process)
        return process

    def wait_for(self, condition, process):
        deadline = time.monotonic() + 60.0
        while not condition():
            self.assertIsNone(process.poll(), "it ended")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def end(self, process):
        """Exit code, standard output and standard error of one that is to end."""
        output, error = process.communicate(timeout=60 * PATIENCE)
        return process.returncode, output.decode(), error.decode()


def threads_of(process):
    names = []
    for file in Path(f"/proc/{process.pid}/task").glob("*/comm"):
        try:
            names.append(file.read_text().strip())
        except OSError:  # it has ended
            continue
    return names


class SizeTest(RunTest):
    """Programs that read something large with little memory and in little time."""

    def little(self, arguments, code, *words, stdin=b"", most_mib=512, most_s=5.0):
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
            given.write(stdin)
            given.seek(0)
            process = subprocess.Popen([DYN, *map(str, arguments)], stdin=given, stdout=said, stderr=said)
            too_long = threading.Timer(60.0 * PATIENCE, process.kill)
            too_long.start()
            _, status, used = os.wait4(process.pid, 0)
            too_long.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            text = said.read().decode()
        self.assertEqual(process.returncode, code, text)
        for word in words:
            self.assertIn(word, text)
        if "DYN_SANITIZED" not in os.environ:
            self.assertLess(used.ru_maxrss / 1024, most_mib)
            self.assertLess(used.ru_utime, most_s)

    def text(self, name, text):
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        return file
