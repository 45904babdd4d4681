# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""config/ros/arms: the files of real arms, as dyn info ROBOT --check-control reads them."""
import json
import re
import tempfile
import unittest
from pathlib import Path

from control_check import ARMS
from dyn_process import run


def known(robot):
    return any(r["name"] == robot for r in json.loads(run("robots", "--json").text)["robots"])


class Arms(unittest.TestCase):
    """config/ros/arms beside the robots that example-robot-data has of them, or of their kin."""

    def test_every_file_is_read(self):
        files = sorted(ARMS.glob("*.yaml"))
        self.assertEqual([f.stem for f in files], ["fr3", "gen3", "iiwa14", "panda", "ur10e", "ur5e", "xarm7"])
        for file in files:
            text = file.read_text()
            for word in ("brakes:", "adds_gravity:", "adds_friction:", "Not tested on the real arm"):
                self.assertIn(word, text, file.name)
            done = run("info", "arm7", "--check-control", file, "--json")
            self.assertEqual(done.returncode, 3, file.name)  # another robot
            wrong = {f["check"] for f in json.loads(done.text)["findings"] if f["severity"] == "error"}
            self.assertIn("limits" if file.stem == "xarm7" else "joints", wrong)  # its joints are named as arm7's
            self.assertEqual("accepts no efforts" in done.text, file.stem in ("gen3", "xarm7"), file.name)

    def test_every_fact_has_its_source(self):
        fact = re.compile(r'^    (\w+): *([^ #].*)?$')
        source = re.compile(r'^      (\w+): "(.+)"$')
        for file in sorted(ARMS.glob("*.yaml")):
            lines = file.read_text().split("drive_facts:")[1].splitlines()
            facts = [m[1] for m in map(fact.match, lines) if m]
            self.assertEqual(facts[0::len(facts) - 1], ["robot", "sources"], file.name)
            sources = [m for m in map(source.match, lines) if m]
            self.assertEqual([m[1] for m in sources], facts[1:-1], file.name)
            for name, text in (m.groups() for m in sources):
                self.assertRegex(text, r"\.\w+/|^the same|^no source found", f"{file.name}: {name}")

    def errors_of_a_file_with(self, joint, arm):
        text = (ARMS / (arm + ".yaml")).read_text()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "arm.yaml"
            file.write_text(text.replace("    joints: [", f"    joints: [{joint}, ", 1))
            done = run("info", "arm7", "--check-control", file, "--json")
        return [(f["check"], f["joint"]) for f in json.loads(done.text)["findings"]]

    def errors(self, arm, robot):
        done = run("info", robot, "--check-control", ARMS / (arm + ".yaml"), "--json")
        return sorted({(f["check"], f["joint"]) for f in json.loads(done.text)["findings"] if f["severity"] == "error"},
                      key=str)

    def test_on_their_robots(self):
        for arm, robot in (("panda", "panda"), ("ur5e", "ur5"), ("ur10e", "ur10"), ("xarm7", "xarm7")):
            if not known(robot):  # without the package there is only our own: the check refuses it by its joints
                self.assertIn(("joints", "nowhere"), self.errors_of_a_file_with("nowhere", arm))
                return
        self.assertEqual(self.errors("panda", "panda"), [])
        self.assertEqual(self.errors("ur5e", "ur5"), [])
        # The older UR10 is faster than the UR10e: its description must not be used for that.
        self.assertEqual(self.errors("ur10e", "ur10"), [("limits", "shoulder_lift_joint"), ("limits", "shoulder_pan_joint")])
        self.assertEqual(self.errors("xarm7", "xarm7"), [("drive", None)])


if __name__ == "__main__":
    unittest.main()
