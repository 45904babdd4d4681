# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""What is doubtful about a robot is said on standard error, once, by every command that loads one; and inertias that no
body has are taken where the user insists on them."""
import json
import tempfile
import unittest
from pathlib import Path

from dyn_process import BRANCH, TIP, evaluate, fails, run

CORE_DATA = Path(__file__).parents[2] / "dyn_core" / "test" / "data"
PUMA = str(CORE_DATA / "puma560.urdf")
SIA10 = str(CORE_DATA / "sia10.urdf")
ALLOW = "--allow-impossible-inertia"
CALLS = {
    "eval": [],
    "validate": ["--states", "2", "--json"],
    "bench": ["--calls", "1"],
    "count": ["--json"],
}
CONFIG = """
robot: %s
%s
duration_s: 0.2
plant: {friction: false}
controller: {type: computed_torque, gains: {default: {p: 100, d: 20}}, validation: {mode: "off"}}
trajectory: {type: sinusoid, centre: %s, amplitude: %s, frequency_hz: 0.5}
"""


def run_config(robot, joints, more="", **keywords):
    with tempfile.TemporaryDirectory() as directory:
        config = Path(directory) / "run.yaml"
        config.write_text(CONFIG % (robot, more, [0.0] * joints, [0.1] * joints))
        return run("run", config, "--fast", "--json", "--out", directory, **keywords)


class Warnings(unittest.TestCase):
    def expect_once(self, done, *words):
        self.assertEqual(done.returncode, 0, done.error)
        self.assertEqual(done.error.count("\n"), 1, done.error)
        self.assertTrue(done.error.startswith("warning: "), done.error)
        for word in words:
            self.assertIn(word, done.error)

    def without_pinocchio(self, command, done):
        return command == "validate" and "built without Pinocchio" in done.error

    def test_every_command_says_them_once(self):
        for command, options in CALLS.items():
            with self.subTest(command):
                done = run(command, TIP, *options, lines=[{}, {}] if command == "eval" else [])
                if not self.without_pinocchio(command, done):
                    self.expect_once(done, "weightless_tip.urdf", "'spin'", "no inertia about one of its axes")
                done = run(command, BRANCH, *options)
                if not self.without_pinocchio(command, done):
                    self.assertEqual((done.returncode, done.error), (0, ""))

    def test_run_says_them(self):
        self.expect_once(run_config(SIA10, 7, "allow_impossible_inertia: true"), "'joint7'", "impossible inertia")

    def test_a_limit_of_zero(self):
        text = Path(TIP).read_text().replace('effort="50"', 'effort="0"')
        with tempfile.TemporaryDirectory() as directory:
            robot = Path(directory) / "feeble.urdf"
            robot.write_text(text)
            done = run("eval", robot, lines=[{}])
        self.assertEqual(done.error.count("\n"), 2, done.error)
        self.assertIn('effort="0"', done.error)

    def test_what_a_payload_brings_is_said_when_it_comes(self):
        hook = {"attach": {"name": "hook", "link": "left", "urdf": TIP}}
        done = run("eval", BRANCH, lines=[{}, hook, {"detach": "hook"}, hook, {"jsim": "crba"}])
        self.expect_once(done, "hook/spin")

    def test_info_has_them_in_its_answer(self):
        done = run("info", TIP, "--json")
        self.assertEqual(done.error, "")
        self.assertEqual(len(json.loads(done.text)["warnings"]), 1)


class ImpossibleInertia(unittest.TestCase):
    def test_refused_unless_allowed(self):
        for command, options in CALLS.items():
            for robot, joint in ((PUMA, "joint3"), (SIA10, "joint7")):
                with self.subTest(command=command, robot=robot):
                    done = run(command, robot, *options)
                    if "built without Pinocchio" in done.error:
                        continue
                    fails(self, done, 1, joint, "exceeds the sum of the others")
                    done = run(command, robot, ALLOW, *options)
                    self.assertEqual(done.returncode, 0, done.error)
                    self.assertEqual(done.error.count("impossible inertia"), 1, done.error)
                    self.assertIn(joint, done.error)
        fails(self, run("info", PUMA), 1, "joint3")
        info = json.loads(run("info", PUMA, ALLOW, "--json").text)
        self.assertTrue(any("impossible inertia" in w for w in info["warnings"]), info["warnings"])

    def test_run_has_it_as_a_key_of_the_arm(self):
        fails(self, run_config(SIA10, 7), 1, "joint7")
        done = run_config(SIA10, 7, "allow_impossible_inertia: true")
        self.assertEqual(done.returncode, 0, done.error)
        self.assertLess(json.loads(done.text)["tracking"]["max"], 0.1)
        fails(self, run_config(SIA10, 7, "allow_impossible_inertia: perhaps"), 1, "allow_impossible_inertia", "perhaps")

    def test_nothing_else_is_relaxed(self):
        good = Path(SIA10).read_text()
        for wrong, right, word in (
            ('izz="-0.1"', 'izz="0.1"', "indefinite"), ('<mass value="-1"/>', '<mass value="1"/>', "negative"),
            ('izz="nan"', 'izz="0.1"', "nan"),
        ):
            with self.subTest(word), tempfile.TemporaryDirectory() as directory:
                robot = Path(directory) / "wrong.urdf"
                before, after = good.rsplit(right, 1)
                robot.write_text(before + wrong + after)
                fails(self, run("eval", robot, ALLOW), 1, word)

    def test_a_payload_is_held_to_it(self):
        box = {"name": "box", "link": "link7", "mass": 1.0, "inertia": [0.1, 0, 0, 0.1, 0, 0.5]}
        (answer,) = evaluate(SIA10, {"attach": box}, options=[ALLOW])
        self.assertFalse(answer["ok"])
        self.assertIn("impossible", answer["error"])

    def test_payloads_and_commands_go_on(self):
        box = {"name": "box", "link": "link7", "mass": 1.0, "inertia": [0.1, 0, 0, 0.1, 0, 0.1]}
        first, ok, _, back, last = evaluate(SIA10, {}, {"attach": box}, {}, {"detach": "box"}, {}, options=[ALLOW])
        self.assertTrue(ok["ok"] and back["ok"])
        self.assertEqual(first, last)

    # Corke's PUMA at rest: its gravity torques are those of the Robotics Toolbox in the same posture.
    def test_corkes_puma_feels_gravity(self):
        (r,) = evaluate(PUMA, {"q": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]}, options=[ALLOW, "--gravity", "0,0,-9.81"])
        for x, expected in zip(r["g"], [0.0, 37.4837, 0.2489, 0.0, 0.0, 0.0]):
            self.assertAlmostEqual(x, expected, delta=5e-4)


if __name__ == "__main__":
    unittest.main()
