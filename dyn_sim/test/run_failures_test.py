# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn run` that fails: exit code 3, with arm, time and cause on standard error, in results.json and in the report."""
import csv
import json
import unittest

from dyn_process import DATA
from run_process import BOX, FILES, MOVES, RunTest, arm7

SINGULAR = DATA / "singular_tip.urdf"
BAD = f"""robot: {SINGULAR}
duration_s: 2
controller: {{validation: {{mode: 'off'}}}}
trajectory: {{type: sinusoid, amplitude: 0.5}}
"""
GOOD_AND_BAD = f"""duration_s: 4
arms:
  - {{name: good, robot: arm7, plant: {{friction: false}}, trajectory: {MOVES}}}
  - {{name: bad, robot: {SINGULAR}, trajectory: {{type: sinusoid, amplitude: 0.5}}}}
"""


class Failures(RunTest):
    def fails(self, text, *options):
        """A run that fails; its results.json."""
        done = self.run_fast(text, "--json", *options)
        self.assertEqual(done.returncode, 3, done.error)
        results = self.results()
        self.assertEqual(results, json.loads(done.text), "--json prints what was written")
        self.assertGreaterEqual(len(results["failures"]), 1)
        causes = [line for line in done.error.splitlines() if not line.startswith("warning: ")]
        self.assertEqual(len(causes), len(results["failures"]), done.error)
        page = (self.out / "report.html").read_text()
        for line, failure in zip(causes, results["failures"]):
            self.assertTrue(line.startswith("dyn run: arm '" + failure["arm"] + "' at "), line)
            self.assertIn(failure["cause"], line)
            self.assertIn(json.dumps(failure["cause"])[1:-1], page)
        return results

    def test_a_run_that_goes_well_has_no_failures(self):
        done = self.run_fast(arm7(), "--json")
        self.assertEqual((done.returncode, done.error), (0, ""))
        self.assertEqual(self.results()["failures"], [])

    def test_a_controller_that_fails(self):
        results = self.fails(BAD)
        self.assertFalse(results["interrupted"])
        self.assertLess(results["duration_s"], 1.0, "nothing comes after it")
        self.assertIsNone(results["tracking"]["rms"], "no figure stands for what was lost")
        self.assertIsNone(results["tracking"]["max"])
        causes = [failure["cause"] for failure in results["failures"]]
        self.assertTrue(any("is not finite" in cause and "'" in cause for cause in causes), causes)
        self.assertTrue(any("controller failed" in cause for cause in causes), causes)
        for failure in results["failures"]:
            self.assertLess(failure["time_s"], 1.0)
        self.assertNotIn("tracking error, largest         0", results)

    def test_a_run_that_ends_before_the_controller_has_given_up_fails_too(self):
        results = self.fails(BAD, "--duration", "0.1")
        self.assertEqual(results["cycles"], 100)

    def test_the_other_arms_are_brought_to_rest(self):
        results = self.fails(GOOD_AND_BAD)
        self.assertLess(results["duration_s"], 2.0)
        good, bad = results["arms"]
        self.assertGreater(good["recorded_cycles"], bad["recorded_cycles"] + 500)
        self.assertLess(good["tracking"]["rms"], 1e-3, "its figures are its own")
        (told,) = [f for f in results["failures"] if f["arm"] == "good"]
        self.assertIn("'bad' failed", told["cause"])
        with open(self.out / "log.good.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        speed = [max(abs(float(row[f"v.joint{k}"])) for k in range(1, 8)) for row in rows]
        self.assertGreater(max(speed), 0.1)
        self.assertLess(speed[-1], 0.02 * max(speed))

    def test_everything_is_written_all_the_same(self):
        self.fails(BAD)
        for name in FILES:
            self.assertGreater((self.out / name).stat().st_size, 1000, name)

    def test_text_has_the_causes_on_standard_error(self):
        done = self.run_fast(BAD)
        self.assertEqual(done.returncode, 3, done.error)
        self.assertIn("report:", done.text)
        self.assertIn("controller failed", done.error)

    def test_an_event_that_is_refused(self):
        events = f"[{{at: 0.2, attach: {BOX}}}, {{at: 0.4, attach: {BOX}}}]"
        results = self.fails(arm7(events=events))
        (failure,) = results["failures"]
        self.assertEqual((failure["arm"], failure["time_s"]), ("arm7", 0.4))
        for word in ("attach box", "refused", "already"):
            self.assertIn(word, failure["cause"])
        self.assertEqual(results["cycles"], 1000, "the run goes on")

    def test_an_event_that_the_run_does_not_reach_is_no_failure(self):
        done = self.run_fast(arm7(events=f"[{{at: 0.2, attach: {BOX}}}, {{at: 0.8, attach: {BOX}}}]"), "--duration", "0.5")
        self.assertEqual(done.returncode, 0, done.error)
        self.assertIn("0.8 s  attach box  (not reached)", done.text)

    def test_steps_that_cannot_be_integrated_show(self):
        # 1e9 N on a lever of 100 km: no step of the plant is small enough.
        push = "{link: tool0, force: [0, 0, 1.0e+9], point: [1.0e+5, 0, 0], duration: 0.5}"
        results = self.fails(arm7(events=f"[{{at: 0.1, push: {push}}}]", duration_s="0.2"))
        self.assertIn("not finite", results["failures"][0]["cause"])


if __name__ == "__main__":
    unittest.main()
