# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""dyn excite: within limits, at rest at both ends, above the floor, playable, and better than a random motion."""
import csv
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

DYN = os.environ["DYN"]


def as_json(*arguments):
    done = subprocess.run([DYN, *map(str, arguments), "--json"], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Excite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        cls.found = as_json("excite", "arm7", "--duration", 6, "--floor", 0.05, "--trials", 300, "--out", cls.path / "e")
        with open(cls.found["trajectory"], newline="") as text:
            rows = list(csv.reader(text))
        cls.header, cls.rows = rows[0], [[float(x) for x in row] for row in rows[1:]]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_limits(self):
        info = as_json("info", "arm7")
        step = self.rows[1][0] - self.rows[0][0]
        for i, limit in enumerate(info["limits"]):
            q = [row[i + 1] for row in self.rows]
            self.assertGreaterEqual(min(q), limit["lower"])
            self.assertLessEqual(max(q), limit["upper"])
            fastest = max(abs(b - a) / step for a, b in zip(q, q[1:]))
            self.assertLessEqual(fastest, 0.81 * limit["velocity"])
            self.assertGreater(max(q) - min(q), 0.1, "every joint moves")
        self.assertLessEqual(self.found["used_torque"], 0.8)
        self.assertGreaterEqual(self.found["lowest_m"], 0.05)

    def test_at_rest_at_both_ends(self):
        for rows in (self.rows[:3], self.rows[-3:]):
            for column in zip(*[row[1:] for row in rows]):
                self.assertLess(max(column) - min(column), 1e-3)

    def test_search_is_worth_it(self):
        few = as_json("excite", "arm7", "--duration", 6, "--floor", 0.05, "--trials", 50, "--out", self.path / "few")
        self.assertGreater(self.found["log_det"], few["log_det"])
        self.assertLess(self.found["condition"], 1e4)

    def test_played_and_identified(self):
        played = as_json("run", self.found["scenario"], "--fast", "--out", self.path / "run")
        self.assertLess(played["tracking"]["max"], 5e-2)
        self.assertFalse(played["reference"] if isinstance(played.get("reference"), list) else [])
        found = as_json("identify", "arm7", self.path / "run" / "log.csv", "--out", self.path / "identified")
        self.assertEqual(found["rank"], found["base_parameters"])


if __name__ == "__main__":
    unittest.main()
