# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""dyn info ROBOT --check-control CONFIG: what the tests of it share."""
import json
import tempfile
import unittest
from pathlib import Path

from dyn_process import run

ARMS = Path(__file__).resolve().parents[2] / "config" / "ros" / "arms"
JOINTS = [f"joint{i}" for i in range(1, 8)]
ARM7 = (ARMS.parents[1] / "robots" / "arm7.urdf").read_text()
EFFORT = [180.0, 180.0, 110.0, 110.0, 70.0, 40.0, 30.0]


def good():
    """A careful configuration of arm7."""
    own = {"joints": list(JOINTS), "gravity_compensation": "full", "ramp_in": 1.0,
           "gains": {joint: {"p": 100.0, "d": 20.0} for joint in JOINTS}}
    return {"controller_manager": {"ros__parameters": {
                "update_rate": 1000, "arm": {"type": "dyn_controllers/ComputedTorqueController"},
                "states": {"type": "joint_state_broadcaster/JointStateBroadcaster"}}},
            "arm": {"ros__parameters": own},
            "drive_facts": {"ros__parameters": {"adds_gravity": False, "adds_friction": False, "rate": 1000,
                                                "effort_limit": dict(zip(JOINTS, EFFORT)),
                                                "velocity_limit": {joint: 10.0 for joint in JOINTS}}}}


class ControlCheck(unittest.TestCase):
    def check(self, config, robot="arm7"):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "control.yaml"
            file.write_text(config if isinstance(config, str) else json.dumps(config))
            done = run("info", robot, "--check-control", file, "--json")
        return done, json.loads(done.text) if done.text else None

    def finds(self, change, check, joint, *words, severity="error", robot="arm7"):
        """`change` makes exactly one finding of that severity."""
        config = good()
        change(config["arm"]["ros__parameters"], config["drive_facts"]["ros__parameters"],
               config["controller_manager"]["ros__parameters"])
        done, answer = self.check(config, robot)
        found = [f for f in answer["findings"] if f["severity"] == severity]
        self.assertEqual(len(found), 1, answer)
        self.assertEqual((found[0]["check"], found[0]["joint"]), (check, joint), found)
        for word in words:
            self.assertIn(word, found[0]["sentence"])
        self.assertEqual(done.returncode, 3 if severity == "error" else 0, done.error)
        self.assertEqual(answer["ok"], severity != "error")
        if severity == "error":
            self.assertEqual(done.error.strip().count("\n"), 0)
            self.assertIn(found[0]["sentence"], done.error)
