# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Launches that cannot work end by themselves, with exit code 1 and a sentence that says why; and none leaves anything
in the temporary directory."""
import glob
import importlib.util
import os
import signal
import subprocess
import tempfile
import time
import unittest

from ament_index_python.packages import get_package_share_directory


def launched(file, *arguments):
    end = subprocess.run(['ros2', 'launch', 'dyn_control', file, *arguments], capture_output=True, text=True,
                         timeout=100, check=False)
    return end.returncode, end.stdout + end.stderr


def child(parent, name):
    """The process of this name below another one."""
    for process in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{process}/stat', encoding='utf-8') as stream:
                ancestor = stream.read().rsplit(')', 1)[1].split()[1]
            with open(f'/proc/{process}/cmdline', encoding='utf-8') as stream:
                if int(ancestor) == parent and name in stream.read():
                    return int(process)
        except OSError:
            continue
    raise AssertionError(f'{name} does not run')


class ScenarioParameters(unittest.TestCase):

    def test_a_limit_by_joint_has_a_default_for_the_others(self):
        file = os.path.join(get_package_share_directory('dyn_control'), 'launch', 'scenario.launch.py')
        spec = importlib.util.spec_from_file_location('scenario_launch', file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for given, expected in (({'default': 50, 'a': 20}, {'a': 20.0, 'b': 50.0}), ({'a': 20}, {'a': 20.0, 'b': 0.0}),
                                (30, {'a': 30.0, 'b': 30.0})):
            for name in ('effort_limit', 'acceleration_limit'):
                _, own = module.controller_parameters({'controller': {name: given}}, ['a', 'b'], [])
                self.assertEqual(own[name], expected)


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

    def test_a_hardware_that_cannot_be_loaded(self):
        begin = time.monotonic()
        code, text = launched('computed_torque.launch.py', 'plant:=steam', 'duration:=5')
        self.assertEqual(code, 1)
        self.assertIn('the hardware cannot be loaded', text)
        self.assertIn('steam', text)
        self.assertLess(time.monotonic() - begin, 50.0)  # and not the minute that the spawner would wait

    def test_a_description_with_a_hardware_of_its_own_or_no_package(self):
        robot = os.path.join(get_package_share_directory('dyn_control'), 'config', 'ros', 'arm7.urdf.xacro')
        code, text = launched('computed_torque.launch.py', 'plant:=mujoco_ros2_control', 'robot:=' + robot)
        self.assertEqual(code, 1)
        self.assertRegex(text, 'mujoco_ros2_control is not installed|cannot replace the <ros2_control> tag')

    def test_a_speed_that_is_none(self):
        code, text = launched('computed_torque.launch.py', 'plant:=mujoco_ros2_control', 'speed:=fast')
        self.assertEqual(code, 1)
        self.assertIn("speed: 'fast' is not a number that is 0 or positive", text)

    def test_a_controller_manager_that_is_killed(self):
        launch = subprocess.Popen(['ros2', 'launch', 'dyn_control', 'computed_torque.launch.py', 'move:=false'],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = []
        for line in launch.stdout:
            said.append(line)
            if 'Configured and activated' in line and 'joint_trajectory_controller' in line:
                os.kill(child(launch.pid, 'ros2_control_node'), signal.SIGKILL)
                break
        said.append(launch.communicate(timeout=60)[0])
        self.assertEqual(launch.returncode, 1, ''.join(said))
        self.assertIn('a controller manager ended', ''.join(said))

    def test_a_clock_that_nobody_publishes(self):
        launch = subprocess.Popen(['ros2', 'launch', 'dyn_control', 'computed_torque.launch.py', 'use_sim_time:=true'],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = False
        for line in launch.stdout:
            said = 'there is no time on /clock' in line
            if said:
                break
        launch.send_signal(signal.SIGINT)
        launch.communicate(timeout=60)
        self.assertTrue(said)

    def test_no_folder_is_left(self):
        before = set(glob.glob(os.path.join(tempfile.gettempdir(), 'dyn_control_*')))
        launched('computed_torque.launch.py', 'jsim_algorithm:=best', 'duration:=5')
        self.assertEqual(set(glob.glob(os.path.join(tempfile.gettempdir(), 'dyn_control_*'))) - before, set())


if __name__ == '__main__':
    unittest.main()
