# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Controllers that come and go on a running robot, by the controller manager's services: to a position controller and
back, killed and loaded again, taken down by a hardware that fails. The arm never jumps."""
import atexit
import os
import shutil
import subprocess
import tempfile
import time
import unittest

import launch
import launch_testing
import launch_testing.actions
import rclpy
from ament_index_python.packages import get_package_share_directory
from controller_manager_msgs.srv import (ConfigureController, ListControllers, ListHardwareComponents, LoadController,
                                         SetHardwareComponentState, SwitchController, UnloadController)
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

SHARE = get_package_share_directory('dyn_control')
JOINTS = [f'joint{k}' for k in range(1, 8)]
ABOVE, BELOW, OTHER = 'joint_trajectory_controller', 'computed_torque_controller', 'position_controller'
FAILS_AFTER_S = 45.0  # of motion; the other tests are over then
FASTEST = 4.0         # rad/s of a joint in joint_states: more is a jump


def folder():
    made = tempfile.mkdtemp(prefix='dyn_switching_')
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def failing_robot():
    import xacro
    text = xacro.process_file(os.path.join(SHARE, 'config', 'ros', 'arm7.urdf.xacro')).toxml()
    fails = f'<param name="fail_after">{FAILS_AFTER_S}</param></hardware>'
    file = os.path.join(folder(), 'failing.urdf')
    with open(file, 'w', encoding='utf-8') as stream:
        stream.write(text.replace('</hardware>', fails))
    return file


def generate_test_description():
    file = os.path.join(SHARE, 'launch', 'computed_torque.launch.py')
    return launch.LaunchDescription([
        IncludeLaunchDescription(PythonLaunchDescriptionSource(file), launch_arguments={
            'robot': failing_robot(), 'rate': '500', 'move': 'false'}.items()),
        launch_testing.actions.ReadyToTest(),
    ])


class Switching(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node('switcher')
        cls.states = []
        cls.asked_again = []
        cls.node.create_subscription(JointState, '/joint_states', cls.states.append, 200)
        cls.positions = cls.node.create_publisher(Float64MultiArray, f'/{OTHER}/commands', 10)
        cls.wait_for(lambda: cls.active(BELOW) and cls.active(ABOVE) and cls.states, 'the controllers', 120.0)

    @classmethod
    def tearDownClass(cls):
        cls.node.destroy_node()
        rclpy.shutdown()

    @classmethod
    def call(cls, kind, name, request):
        """Asks again where an answer was lost, as it is now and then by whoever has just found the service. What asked
        for a change is then answered by what is so: see done()."""
        client = cls.node.create_client(kind, f'/controller_manager/{name}')
        if not client.wait_for_service(timeout_sec=60.0):
            raise AssertionError(f'{name} is not there')
        try:
            for _ in range(6):
                answer = client.call_async(request)
                rclpy.spin_until_future_complete(cls.node, answer, timeout_sec=10.0)
                if answer.done():
                    return answer.result()
                cls.asked_again.append(name)
        finally:
            cls.node.destroy_client(client)
        raise AssertionError(f'{name} does not answer')

    @classmethod
    def done(cls, kind, name, request, so):
        """A change: its answer, or, where that was lost and the change is refused the second time, what has become."""
        before = len(cls.asked_again)
        ok = cls.call(kind, name, request).ok
        return ok or (len(cls.asked_again) > before and so())

    @classmethod
    def states_of_controllers(cls):
        listed = cls.call(ListControllers, 'list_controllers', ListControllers.Request()).controller
        return {controller.name: controller.state for controller in listed}

    @classmethod
    def active(cls, name):
        return cls.states_of_controllers().get(name) == 'active'

    @classmethod
    def wait_for(cls, condition, what, at_most_s):
        end = time.monotonic() + at_most_s
        while time.monotonic() < end:
            rclpy.spin_once(cls.node, timeout_sec=0.2)
            if condition():
                return
        raise AssertionError(f'waited in vain: {what}')

    def spin(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.05)

    def switch(self, on, off):
        request = SwitchController.Request(activate_controllers=on, deactivate_controllers=off,
                                           strictness=SwitchController.Request.STRICT)
        self.assertTrue(self.done(SwitchController, 'switch_controller', request,
                                  lambda: all(map(self.active, on)) and not any(map(self.active, off))), (on, off))

    def where(self):
        self.spin(0.3)
        last = self.states[-1]
        return [last.position[last.name.index(joint)] for joint in JOINTS]

    def assert_still(self, begin, tolerance):
        self.spin(1.0)
        for joint, before, now in zip(JOINTS, begin, self.where()):
            self.assertAlmostEqual(before, now, delta=tolerance, msg=joint)
        self.assertLess(max(abs(v) for state in self.states for v in state.velocity), FASTEST)

    def test_1_to_a_position_controller_and_back(self):
        file = os.path.join(folder(), 'position.yaml')
        with open(file, 'w', encoding='utf-8') as stream:
            stream.write(f'{OTHER}:\n  ros__parameters:\n    type: forward_command_controller/ForwardCommandController\n'
                         f'    joints: {JOINTS}\n    interface_name: position\n')
        spawner = subprocess.run(['ros2', 'run', 'controller_manager', 'spawner', OTHER, '--inactive', '--param-file',
                                  file], timeout=60, check=False)
        self.assertEqual(spawner.returncode, 0)
        begin = self.where()
        self.switch([OTHER], [ABOVE, BELOW])
        self.assert_still(begin, 1e-3)  # braked: it has not been told where to
        moved = list(begin)
        for _ in range(100):
            moved[0] += 0.002
            self.positions.publish(Float64MultiArray(data=moved))
            self.spin(0.02)
        self.assert_still(moved, 1e-2)
        there = self.where()
        self.switch([BELOW, ABOVE], [OTHER])
        self.assert_still(there, 1e-3)

    def test_2_killed_and_loaded_again(self):
        begin = self.where()
        self.switch([], [ABOVE, BELOW])
        self.assertTrue(self.done(UnloadController, 'unload_controller', UnloadController.Request(name=BELOW),
                                  lambda: BELOW not in self.states_of_controllers()))
        self.assert_still(begin, 1e-3)  # the hardware brakes
        self.assertTrue(self.done(LoadController, 'load_controller', LoadController.Request(name=BELOW),
                                  lambda: BELOW in self.states_of_controllers()))
        self.assertTrue(self.done(ConfigureController, 'configure_controller', ConfigureController.Request(name=BELOW),
                                  lambda: self.states_of_controllers()[BELOW] == 'inactive'))
        self.switch([BELOW, ABOVE], [])
        self.assert_still(begin, 1e-3)

    def test_3_a_hardware_that_fails_and_comes_back(self):
        self.assertTrue(self.active(BELOW), 'the hardware failed before its time')
        self.wait_for(lambda: not self.active(BELOW), 'the failure', 2.0 * FAILS_AFTER_S)
        self.assertFalse(self.active(ABOVE))
        parts = self.call(ListHardwareComponents, 'list_hardware_components', ListHardwareComponents.Request()).component
        self.assertEqual([part.state.label for part in parts], ['unconfigured'])
        request = SetHardwareComponentState.Request(name='simulated_arm')
        request.target_state.id, request.target_state.label = 3, 'active'
        self.assertTrue(self.done(
            SetHardwareComponentState, 'set_hardware_component_state', request,
            lambda: [part.state.label for part in self.call(ListHardwareComponents, 'list_hardware_components',
                                                            ListHardwareComponents.Request()).component] == ['active']))
        if not self.active('joint_state_broadcaster'):
            self.switch(['joint_state_broadcaster'], [])
        started = self.where()
        self.switch([BELOW, ABOVE], [])
        self.assert_still(started, 1e-3)
