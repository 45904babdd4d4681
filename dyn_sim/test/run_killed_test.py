# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn run` that gets a signal at any time of its life: the files are whole or absent, never half with a good exit code,
and it ends by no signal that it was not sent."""
import csv
import json
import os
import random
import signal
import subprocess
import time
import unittest

from dyn_process import DYN, PATIENCE
from run_process import FILES, RunTest, arm7

TIMES = int(os.environ.get("DYN_KILLS", "4"))  # of each signal


class Killed(RunTest):
    def whole(self):
        """The number of cycles of the run whose files are all there, and none of another; None: there are none."""
        there = [name for name in FILES if (self.out / name).exists()]
        if "results.json" not in there:
            return None
        self.assertEqual(sorted(there), sorted(FILES))
        results = self.results()
        with open(self.out / "log.csv", encoding="utf-8") as file:
            self.assertEqual(len(list(csv.reader(file))), results["arms"][0]["recorded_cycles"] + 1)
        self.assertEqual((self.out / "log.mcap").read_bytes()[-8:], b"\x89MCAP0\r\n")
        self.assertTrue((self.out / "report.html").read_text(encoding="utf-8").rstrip().endswith("</html>"))
        return results["cycles"]

    def at_random_times(self, number, codes):
        chance = random.Random(int(number))
        config = self.config(arm7(duration_s="0.4"))
        self.assertEqual(self.run_fast(arm7(duration_s="0.3")).returncode, 0)
        self.assertEqual(self.whole(), 300)
        for _ in range(TIMES):
            process = subprocess.Popen([DYN, "run", config, "--out", self.out, "--json"], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(chance.uniform(0.0, 1.2))
            before = process.poll()
            process.send_signal(number)
            process.communicate(timeout=60 * PATIENCE)
            self.assertIn(process.returncode, codes if before is None else (0,))
            cycles = self.whole()
            if process.returncode == 0:
                self.assertIsNotNone(cycles)
            left = [name for name in os.listdir(self.out) if name not in FILES]
            if number != signal.SIGKILL:
                self.assertEqual(left, [], "nothing else is left")

    def test_sigint(self):  # before it listens, a signal ends it as it ends every program
        self.at_random_times(signal.SIGINT, (0, 3, -signal.SIGINT))

    def test_sigterm(self):
        self.at_random_times(signal.SIGTERM, (0, 3, -signal.SIGTERM))

    def test_sighup(self):
        self.at_random_times(signal.SIGHUP, (0, 3, -signal.SIGHUP))

    def test_sigpipe_is_none_of_its_business(self):
        self.at_random_times(signal.SIGPIPE, (0, -signal.SIGPIPE))

    def test_sigkill(self):
        self.at_random_times(signal.SIGKILL, (-signal.SIGKILL,))
        self.assertEqual(self.run_fast(arm7(duration_s="0.3")).returncode, 0)
        self.assertEqual(self.whole(), 300)
        self.assertEqual(sorted(os.listdir(self.out)), sorted(FILES), "what killed ones left is cleared away")


if __name__ == "__main__":
    unittest.main()
