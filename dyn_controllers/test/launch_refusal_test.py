# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Launches that cannot work end by themselves, with exit code 1 and a sentence that says why."""
import subprocess
import unittest


def launched(file, *arguments):
    end = subprocess.run(['ros2', 'launch', 'dyn_control', file, *arguments], capture_output=True, text=True,
                         timeout=100, check=False)
    return end.returncode, end.stdout + end.stderr


class Refused(unittest.TestCase):

    def test_a_robot_that_is_not_there(self):
        code, text = launched('computed_torque.launch.py', 'robot:=nobody')
        self.assertEqual(code, 1)
        self.assertIn("robot: 'nobody' is neither a file nor a robot", text)

    def test_a_scenario_that_is_not_there(self):
        code, text = launched('scenario.launch.py', 'scenario:=nothing')
        self.assertEqual(code, 1)
        self.assertIn("scenario: 'nothing' is neither a file nor a scenario", text)

    def test_an_algorithm_that_is_none(self):
        code, text = launched('computed_torque.launch.py', 'jsim_algorithm:=best', 'duration:=5')
        self.assertEqual(code, 1)
        self.assertIn("jsim_algorithm: unknown algorithm 'best'", text)


if __name__ == '__main__':
    unittest.main()
