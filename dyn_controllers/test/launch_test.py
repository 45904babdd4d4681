# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""ros2 launch dyn_control $DYN_CONTROLLER.launch.py robot:=$DYN_ROBOT: it moves the arm, or its hand, ends by itself, and
says how well it went."""
import os
import re
import unittest

import launch
import launch_testing
import launch_testing.actions
import launch_testing.asserts
from ament_index_python.packages import get_package_share_directory
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource


CONTROLLER = os.environ.get('DYN_CONTROLLER', 'computed_torque')
PLANT = os.environ.get('DYN_PLANT', 'native')
# What is measured and moves: joints, or the hand.
SUMMARY = {'computed_torque': r'summary: (\d+) samples, tracking error rms ([0-9.e+-]+) rad, largest ([0-9.e+-]+) rad, '
                              r'largest torque ([0-9.e+-]+) N m',
           'task_space': r'summary: (\d+) samples, distance from the target rms ([0-9.e+-]+) m, '
                         r'largest ([0-9.e+-]+) m, largest external force ([0-9.e+-]+) N'}


def generate_test_description():
    file = os.path.join(get_package_share_directory('dyn_control'), 'launch', CONTROLLER + '.launch.py')
    arguments = {'robot': os.environ['DYN_ROBOT'], 'plant': PLANT,
                 'jsim_algorithm': 'gdahj', 'duration': '6', 'rate': '500'}
    return launch.LaunchDescription([
        IncludeLaunchDescription(PythonLaunchDescriptionSource(file), launch_arguments=arguments.items()),
        launch_testing.actions.ReadyToTest(),
    ])


class TheArm(unittest.TestCase):

    def test_moves_and_is_followed(self, proc_output):
        proc_output.assertWaitFor('summary: ', timeout=180, stream='stdout')
        text = ''.join(line.text.decode() for process in proc_output.processes() for line in proc_output[process])
        found = re.search(SUMMARY[CONTROLLER], text)
        self.assertTrue(found, text)
        self.assertGreater(int(found.group(1)), 100)
        self.assertLess(float(found.group(2)), 1e-2)  # in real time on a machine that may be busy
        if CONTROLLER == 'computed_torque':
            self.assertGreater(float(found.group(4)), 1.0)
        else:
            self.assertLess(float(found.group(4)), 5.0)  # nothing pushes
        if PLANT == 'mujoco_ros2_control':  # it fell until then
            self.assertRegex(text, r'(?s)reset the MuJoCo world to the initial state.*Successfully switched controllers')
