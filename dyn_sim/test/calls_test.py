# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Commands, exit codes and what is printed."""
import json
import tempfile
import unittest
from pathlib import Path

from dyn_process import BRANCH, FLOATING, TIP, fails, run

COMMANDS = ("info", "eval", "count", "robots", "algorithms")


class WrongCalls(unittest.TestCase):
    def test_exit_code_2_and_one_line(self):
        calls = [
            [], ["nonsense"], ["--nonsense"], ["info"], ["info", BRANCH, "more"], ["info", BRANCH, "--nonsense"],
            ["eval"], ["eval", BRANCH, "--jsim"], ["eval", BRANCH, "--jsim", "nonsense"],
            ["eval", BRANCH, "--coriolis", "crba"], ["eval", BRANCH, "--fd", "rnea"], ["eval", BRANCH, "--id", "aba"],
            ["eval", BRANCH, "--gravity", "0,0"], ["eval", BRANCH, "--gravity", "0,0,x"],
            ["eval", BRANCH, "--gravity", "0,0,nan"], ["eval", BRANCH, "--gravity", "0,0,-9.81,1"],
            ["eval", BRANCH, "--gravity", ""], ["eval", BRANCH, "--gravity", "0,0,1e999"],
            ["count"], ["count", BRANCH, "--chain", "3"], ["count", "--chain", "x"], ["count", "--chain", "0"],
            ["count", "--chain", "-3"], ["count", "--chain", "2.5"], ["count", "--chain"],
            ["run", "x.yaml", "--duration", "nan"], ["run", "x.yaml", "--duration", "0"], ["run", "x.yaml", "--duration", "1e9"],
            ["robots", "more"], ["algorithms", "--nonsense"],
        ]
        for call in calls:
            with self.subTest(call):
                done = run(*call)
                fails(self, done, 2)
                self.assertEqual(done.text, "")

    def test_the_line_names_what_is_wrong(self):
        fails(self, run("eval", BRANCH, "--jsim", "nonsense"), 2, "dyn eval", "--jsim", "nonsense", "fused")
        fails(self, run("eval", BRANCH, "--gravity", "0,0,x"), 2, "--gravity", "0,0,x")
        fails(self, run("count", "--chain", "many"), 2, "dyn count", "--chain", "many")
        fails(self, run("nonsense"), 2, "dyn: there is no command 'nonsense'; commands: info, eval, run, ")
        done = run("bench", BRANCH, "--only", "nonsense")
        fails(self, done, 1, "dyn bench: --only: there is no task or algorithm 'nonsense'; tasks: ", "M+C+g, ", "plant")


class Newcomers(unittest.TestCase):
    def test_the_way_to_the_demo(self):
        for text in (run().error, run("--help").text, run("run", "--help").text):
            self.assertIn("dyn run arm7_computed_torque", text)

    def test_scenarios_by_name_from_anywhere(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("run", "arm7_computed_torque", "--fast", "--duration", "0.1", cwd=folder)
            self.assertEqual(done.returncode, 0, done.error)
            self.assertIn("report: runs/arm7_computed_torque/report.html", done.text)
            self.assertTrue((Path(folder) / "runs/arm7_computed_torque/report.html").is_file())
            fails(self, run("run", "arm8", cwd=folder), 1, "'arm8'", "no such file", "arm7_computed_torque, ", "two_arms")

    def test_an_unknown_key_is_answered_with_those_there_are(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write("robot: arm7\ntrajectory: {type: sinusoid, frequenzy_hz: 1}\n")
            config.flush()
            fails(self, run("run", config.name), 1, ":2: trajectory.frequenzy_hz", "amplitude, centre, frequency_hz")


class BadRobots(unittest.TestCase):
    def test_exit_code_1_and_one_line(self):
        for command in ("info", "eval", "count"):
            for robot in ("no_such_robot", "/no/such/file.urdf", "/", ""):
                with self.subTest(command=command, robot=robot):
                    done = run(command, robot)
                    fails(self, done, 1, "dyn " + command)
                    self.assertEqual(done.text, "")

    def test_a_line_feed_in_a_name_stays_in_one_line(self):
        fails(self, run("info", "no\nsuch\nrobot"), 1, "no such robot")


class Help(unittest.TestCase):
    def test_everywhere(self):
        for call in [["--help"], ["-h"], *[[c, "--help"] for c in COMMANDS]]:
            with self.subTest(call):
                done = run(*call)
                self.assertEqual((done.returncode, done.error), (0, ""))
                self.assertIn("Usage", done.text)

    def test_lists_every_command(self):
        text = run("--help").text
        for command in COMMANDS:
            self.assertIn("\n  " + command + " ", text)

    def test_version(self):
        self.assertRegex(run("--version").text, r"^dyn \d+\.\d+\.\d+\n$")


class Info(unittest.TestCase):
    def info(self, robot):
        done = run("info", robot, "--json")
        self.assertEqual(done.returncode, 0, done.error)
        self.assertEqual(done.error, "")
        self.assertEqual(done.text.count("\n"), 1)
        return json.loads(done.text)

    def test_order_types_parents_limits_masses(self):
        info = self.info(BRANCH)
        self.assertEqual(info["name"], "branch")
        self.assertEqual(info["joints"], ["turn", "left_a", "left_b", "right_a"])
        self.assertEqual(info["types"], ["continuous", "revolute", "prismatic", "revolute"])
        self.assertEqual(info["parents"], ["base", "trunk", "left", "trunk"])
        self.assertEqual(info["limits"][1], {"lower": -2.0, "upper": 2.0, "velocity": 3.0, "effort": 50.0})
        self.assertEqual(info["masses"]["left"], 2.0)
        self.assertAlmostEqual(info["total_mass"], 8.7, 12)
        self.assertEqual(info["damping"][0], 0.5)
        self.assertEqual([m["joint"] for m in info["mimic"]], ["finger_a"])
        self.assertEqual(info["mimic"][0]["follows"], "right_a")

    def test_the_table_has_the_limits_that_there_are(self):
        rows = {words[1]: words[6:] for words in map(str.split, run("info", BRANCH).text.splitlines()) if len(words) == 10}
        self.assertEqual(rows["turn"], ["-", "-", "-", "-"])
        self.assertEqual(rows["left_a"], ["-2", "2", "3", "50"])
        with tempfile.TemporaryDirectory() as folder:
            robot = Path(folder) / "robot.urdf"
            robot.write_text(Path(BRANCH).read_text().replace(' type="revolute"', ' type="continuous"'))
            rows = {words[1]: words[6:] for words in map(str.split, run("info", robot).text.splitlines()) if len(words) == 10}
        self.assertEqual(rows["left_a"], ["-", "-", "3", "50"])

    def test_algorithms_that_apply(self):
        info = self.info(BRANCH)
        listed = json.loads(run("algorithms", "--json").text)
        for parameter, algorithms in listed.items():
            self.assertEqual(info["algorithms"][parameter], [a["name"] for a in algorithms])
        self.assertEqual(info["does_not_apply"], [])

    def test_forward_dynamics_does_not_apply_where_m_is_singular(self):
        info = self.info(TIP)
        self.assertEqual(info["algorithms"]["forward_dynamics"], [])
        self.assertGreaterEqual(len(info["algorithms"]["jsim_algorithm"]), 1)
        for entry in info["does_not_apply"]:
            self.assertIn("spin", entry["reason"])
        self.assertTrue(any("spin" in w or "tip" in w for w in info["warnings"]), info["warnings"])

    def test_a_floating_joint_is_one_joint_of_six_coordinates(self):
        info = self.info(FLOATING)
        self.assertEqual(info["joints"], ["free"])
        self.assertEqual(info["coordinates"], 6)
        self.assertEqual(info["coordinate_names"], ["free." + c for c in ("x", "y", "z", "yaw", "pitch", "roll")])

    def test_text_is_plain_and_has_every_joint(self):
        text = run("info", BRANCH).text
        self.assertNotIn("\033", text)
        for word in ("turn", "left_a", "left_b", "right_a", "finger_a", "prismatic", "trunk", "fused"):
            self.assertIn(word, text)


class Lists(unittest.TestCase):
    def test_robots(self):
        done = run("robots", "--json")
        self.assertEqual(done.returncode, 0, done.error)
        robots = json.loads(done.text)["robots"]
        for robot in robots:
            self.assertTrue(Path(robot["file"]).is_file(), robot)
        text = run("robots").text
        for robot in robots:
            self.assertIn(robot["name"], text)

    def test_algorithms(self):
        families = json.loads(run("algorithms", "--json").text)
        self.assertEqual(list(families),
                         ["jsim_algorithm", "coriolis_algorithm", "forward_dynamics", "inverse_dynamics"])
        for algorithms in families.values():
            self.assertGreaterEqual(len(algorithms), 1)
            for algorithm in algorithms:
                self.assertTrue(algorithm["source"])


if __name__ == "__main__":
    unittest.main()
