# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn precision`: the tables have the figures of --json, and these are as docs/control.md describes them."""
import json
import re
import unittest

from dyn_process import run


class Precision(unittest.TestCase):
    def test_the_tables_are_the_figures(self):
        done = run("precision", "--json")
        self.assertEqual(done.returncode, 0, done.error)
        figures = json.loads(done.text)
        sampled, payload, continuous = figures["sampled"], figures["payload"], figures["continuous"]
        self.assertEqual([row["rate_hz"] for row in sampled], [1000, 2000, 5000, 10000])
        for row in sampled:
            self.assertGreater(row["prediction_0"]["rms"], 100 * row["prediction_0.5"]["rms"])
            self.assertGreater(row["prediction_0.5"]["max"], row["prediction_0.5"]["rms"])
        errors = {row["attached_to_the_model"]: row["error"]["rms"] for row in payload}
        order = sorted(errors, key=errors.get)
        self.assertEqual(set(order[:2]), {"from the start", "same cycle"})
        self.assertEqual(order[-1], "never")
        self.assertLess(max(row["error"]["rms"] for row in continuous), 1e-8)

        text = run("precision")
        self.assertEqual(text.returncode, 0, text.error)
        numbers = [[float(x) for x in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])", line)]
                   for line in text.text.splitlines()]
        expected = [[row["rate_hz"], row["prediction_0.5"]["rms"], row["prediction_0.5"]["max"], row["prediction_0"]["rms"],
                     row["prediction_0"]["rms"] / row["prediction_0.5"]["rms"]] for row in sampled]
        expected += [[row["error"]["rms"], row["error"]["max"], row["error"]["rms"] / payload[0]["error"]["rms"]] for row in payload]
        expected += [[row["error"]["rms"], row["error"]["max"]] for row in continuous]
        for row in expected:
            same = [line for line in numbers if len(line) >= len(row) and
                    all(abs(a - b) <= 6e-3 * abs(b) for a, b in zip(line[-len(row):], row))]
            self.assertTrue(same, (row, text.text))


if __name__ == "__main__":
    unittest.main()
