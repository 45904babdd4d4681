# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn run`: a short closed loop, what it leaves behind, and configurations that are invalid."""
import json
import tempfile
import unittest
from pathlib import Path

from dyn_process import fails, run

SCENARIO = Path(__file__).parents[2] / "config" / "scenarios" / "arm7_computed_torque.yaml"


class Run(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.out = Path(self.directory.name)

    def test_tracks_through_swaps_and_a_payload(self):
        done = run("run", SCENARIO, "--fast", "--duration", "4", "--out", self.out, "--json")
        self.assertEqual(done.returncode, 0, done.error)
        results = json.loads(done.text)
        self.assertEqual(results["cycles"], 4000)
        self.assertLess(results["tracking"]["max"], 1e-4)
        self.assertGreater(results["tracking"]["max"], 0.0)
        applied = [event["label"] for event in results["events"] if event["applied_s"] is not None and event["applied_s"] >= 0]
        self.assertEqual(applied, ["jsim_algorithm = explicit", "jsim_algorithm = gdahj", "attach box"])
        self.assertEqual(results["validation"]["breaches"], 0)
        self.assertEqual(results["validation"]["skipped"], 0)
        for name in ("results.json", "log.csv", "log.mcap", "report.html"):
            self.assertGreater((self.out / name).stat().st_size, 1000, name)

    def test_a_payload_that_the_model_does_not_know_is_felt(self):
        text = SCENARIO.read_text().replace("- {at: 3.0, attach:", "- {at: 3.0, on: plant, attach:")
        text = text[: text.index("  - {at: 5.0")]
        config = self.out / "unknown_payload.yaml"
        config.write_text(text)
        done = run("run", config, "--fast", "--duration", "4", "--out", self.out, "--json")
        self.assertEqual(done.returncode, 0, done.error)
        self.assertGreater(json.loads(done.text)["tracking"]["max"], 1e-3)

    def test_without_pinocchio_monitor_goes_on_and_gate_does_not_begin(self):
        config = self.out / "watched.yaml"
        for mode in ("monitor", "gate"):
            config.write_text(SCENARIO.read_text().replace("mode: monitor", f"mode: {mode}"))
            done = run("run", config, "--fast", "--duration", "0.5", "--out", self.out)
            results = json.loads((self.out / "results.json").read_text())["validation"]
            if results["available"]:
                self.assertEqual(done.returncode, 0, done.error)
                self.assertGreater(results["samples"], 10)
            elif mode == "monitor":
                self.assertEqual(done.returncode, 0, done.error)
                self.assertIn("not compared with Pinocchio: this program was built without Pinocchio", done.text)
            else:
                fails(self, done, 1, "'gate' needs a build with Pinocchio")

    def test_bad_configurations_are_refused(self):
        good = SCENARIO.read_text()
        for wrong, right, words in (
            ("rate_hz: fast", "rate_hz: 1000", ("rate_hz", "fast")),
            ("speed: 1", "rate_hz: 1000", ("speed",)),
            ("robot: arm8", "robot: arm7", ("arm8",)),
            ("type: magic", "type: computed_torque", ("magic",)),
            ("jsim_algorithm: best", "jsim_algorithm: fused", ("best",)),
            ("[0.9, 0.5]", "[0.9, 0.5, -0.6, 0.9, 0.7, -0.5, 1.0]", ("way_points", "7")),
            ("link: hand", "link: tool0", ("events[2].attach.link", "'hand'")),
        ):
            with self.subTest(wrong=wrong):
                config = self.out / "bad.yaml"
                config.write_text(good.replace(right, wrong, 1))
                done = run("run", config, "--fast", "--duration", "3.1", "--out", self.out, "--json")
                fails(self, done, 1, *words)


if __name__ == "__main__":
    unittest.main()
