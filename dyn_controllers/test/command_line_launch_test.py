# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""What docs/ros2.md has a user type while the arm moves: `ros2 param set`, `ros2 service call`, `ros2 topic echo`."""
import os
import subprocess
import time
import unittest

import launch
import launch_testing
import launch_testing.actions
import rclpy
from ament_index_python.packages import get_package_share_directory
from dyn_msgs.msg import ControllerState
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

CONTROLLER = '/computed_torque_controller'
BOX = ('{payload: {name: box, link: tool0, inertia: {m: 2.0, com: {z: 0.06}, ixx: 0.006, iyy: 0.006, izz: 0.006}}, '
       'transition_time: {nanosec: 500000000}}')


def generate_test_description():
    file = os.path.join(get_package_share_directory('dyn_control'), 'launch', 'computed_torque.launch.py')
    return launch.LaunchDescription([
        IncludeLaunchDescription(PythonLaunchDescriptionSource(file), launch_arguments={'rate': '500'}.items()),
        launch_testing.actions.ReadyToTest(),
    ])


def ros2(*arguments):
    """Without ros2's daemon, which would go on when the test is over; it has to look around by itself then."""
    alone = ['--no-daemon', '--timeout', '20'] if arguments[0] == 'param' else []
    answer = subprocess.run(['ros2', *arguments, *alone], capture_output=True, text=True, timeout=60, check=False)
    return answer.stdout + answer.stderr


def daemons():
    """Process ids of daemons of ros2 in this test's domain."""
    found = []
    for process in os.listdir('/proc'):
        try:
            with open(f'/proc/{process}/cmdline', encoding='utf-8', errors='replace') as stream:
                words = stream.read().split('\0')
        except OSError:
            continue
        if 'ros2-daemon' in words and os.environ['ROS_DOMAIN_ID'] in words:
            found.append(process)
    return found


class TypedWhileItMoves(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node('typist')
        cls.states = []
        cls.node.create_subscription(ControllerState, CONTROLLER + '/controller_state', cls.states.append, 50)
        cls.wait(cls, lambda: any(abs(v) > 0.05 for v in cls.states[-1].velocity), 'the arm does not move', 120.0)
        del cls.states[:-1]  # before, nobody gave references

    @classmethod
    def tearDownClass(cls):
        cls.node.destroy_node()
        rclpy.shutdown()
        assert not daemons(), f'a daemon of ros2 goes on: {daemons()}'

    def wait(self, until, otherwise, at_most_s=30.0):
        end = time.monotonic() + at_most_s
        while time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.2)
            if self.states and until():
                return
        raise AssertionError(otherwise)

    def test_algorithm_is_swapped(self):
        for name in ('gdahj', 'explicit', 'fused'):
            self.assertIn('successful', ros2('param', 'set', CONTROLLER, 'jsim_algorithm', name))
            self.wait(lambda wanted=name: self.states[-1].jsim_algorithm == wanted, f'{name} was not taken')

    def test_an_unknown_algorithm_is_refused_with_the_reason(self):
        answer = ros2('param', 'set', CONTROLLER, 'jsim_algorithm', 'best')
        self.assertIn("'best'", answer)
        self.assertIn('gdahj', answer)  # what there is
        self.assertIn('ailed', answer)
        self.assertNotIn('best', ros2('param', 'get', CONTROLLER, 'jsim_algorithm'))

    def test_gains_change_and_bad_ones_are_refused(self):
        self.assertIn('successful', ros2('param', 'set', CONTROLLER, 'gains.joint1.p', '900.0'))
        self.assertNotIn('successful', ros2('param', 'set', CONTROLLER, 'gains.joint1.p', '-1.0'))
        self.assertIn('900', ros2('param', 'get', CONTROLLER, 'gains.joint1.p'))

    def test_payload_is_attached_and_detached(self):
        generation = self.states[-1].generation
        for node in ('/simulated_arm', CONTROLLER):
            answer = ros2('service', 'call', node + '/attach_payload', 'dyn_msgs/srv/AttachPayload', BOX)
            self.assertIn('success=True', answer)
        self.wait(lambda: self.states[-1].generation > generation, 'the model is the same as before')
        self.assertIn("name='box'", ros2('service', 'call', CONTROLLER + '/list_payloads', 'dyn_msgs/srv/ListPayloads'))
        again = ros2('service', 'call', CONTROLLER + '/attach_payload', 'dyn_msgs/srv/AttachPayload', BOX)
        self.assertIn('success=False', again)
        self.assertIn('box', again)
        for node in ('/simulated_arm', CONTROLLER):
            answer = ros2('service', 'call', node + '/detach_payload', 'dyn_msgs/srv/DetachPayload', '{name: box}')
            self.assertIn('success=True', answer)

    def test_nothing_went_wrong_on_the_way(self):
        self.wait(lambda: len(self.states) > 100, 'states do not come')
        self.assertEqual({state.mode for state in self.states}, {ControllerState.TRACKING})
        self.assertLess(max(abs(e) for state in self.states for e in state.position_error), 0.2)
