# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""What a controller finds out about the arm outside of it, on the real controller manager: a push at the hand, a torque
that acts a period late, and a driver in a process of its own that is told what the robot carries. With ur_msgs; where
that is not found the driver's cases are skipped."""
import atexit
import importlib.util
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

import launch
import launch_testing
import launch_testing.actions
import rclpy
from ament_index_python.packages import get_package_share_directory
from builtin_interfaces.msg import Duration
from dyn_msgs.msg import Contact, ControllerState, Payload
from dyn_msgs.srv import AttachPayload, DetachPayload, ListPayloads, Push
from geometry_msgs.msg import Inertia, Vector3, WrenchStamped

sys.path.append(os.path.join(get_package_share_directory('dyn_control'), 'launch'))
import arm_bringup as bringup  # noqa: E402

CONTROLLER = '/computed_torque_controller'
RATE_HZ = 200  # so that few cycles are late on a machine that is busy: the delay is not measured across them
DELAY = 1      # periods by which the drives are late
FORCE_N = 20.0
TOOL_KG, BOX_KG = 0.5, 2.0
TIMEOUT_S = 1.0  # of the driver's answer
HAS_UR_MSGS = importlib.util.find_spec('ur_msgs') is not None
FOLDER = tempfile.mkdtemp(prefix='dyn_outside_')
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def generate_test_description():
    robot = ElementTree.fromstring(bringup.urdf_text(bringup.robot_file('arm7')))
    joints = bringup.driven_joints(robot)
    bringup.add_simulated_arm(robot, joints, {'friction': 'false', 'delay': str(DELAY)},
                              start=bringup.bent(robot, joints))
    own = {'gains': {joint: {'p': 400.0, 'd': 40.0} for joint in joints},
           'prediction': 0.5 + DELAY,
           'external_wrench': {'frame': 'tool0', 'force_threshold': 5.0}}
    if HAS_UR_MSGS:
        own['driver_load'] = {'type': 'ur_msgs/srv/SetPayload', 'name': '/driver/load', 'link': 'tool0',
                              'timeout': TIMEOUT_S, 'mass': TOOL_KG}
    parameters = bringup.parameters_file(joints, 'computed_torque', own, RATE_HZ)
    return launch.LaunchDescription(bringup.arm_nodes(robot, 'computed_torque', parameters)
                                    + [launch_testing.actions.ReadyToTest()])


class Driver:
    """The process of load_driver.py."""

    def __init__(self):
        self.behave('agree')
        self.process = None
        self.start()
        atexit.register(self.kill)

    def start(self):
        program = os.path.join(os.path.dirname(os.path.realpath(__file__)), 'load_driver.py')
        self.process = subprocess.Popen([sys.executable, program, FOLDER])

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=30.0)
        if os.path.exists(os.path.join(FOLDER, 'carried')):
            os.remove(os.path.join(FOLDER, 'carried'))

    @staticmethod
    def behave(how):
        with open(os.path.join(FOLDER, 'behaviour'), 'w', encoding='utf-8') as stream:
            stream.write(how)

    @staticmethod
    def carried():
        """kg; None while it is off."""
        try:
            with open(os.path.join(FOLDER, 'carried'), encoding='utf-8') as stream:
                return float(stream.read())
        except FileNotFoundError:
            return None


class Outside(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node('outside')
        cls.states, cls.contacts, cls.wrenches = [], [], []
        cls.node.create_subscription(ControllerState, CONTROLLER + '/controller_state', cls.states.append, 50)
        cls.node.create_subscription(Contact, CONTROLLER + '/contact', cls.contacts.append, 50)
        cls.node.create_subscription(WrenchStamped, CONTROLLER + '/external_wrench', cls.wrenches.append, 50)
        cls.wait_for(lambda: cls.states and cls.states[-1].mode == ControllerState.TRACKING and cls.contacts
                     and cls.wrenches, 'the controller', 120.0)

    @classmethod
    def tearDownClass(cls):
        cls.node.destroy_node()
        rclpy.shutdown()

    @classmethod
    def wait_for(cls, condition, what, at_most_s=60.0):
        end = time.monotonic() + at_most_s
        while time.monotonic() < end:
            rclpy.spin_once(cls.node, timeout_sec=0.1)
            if condition():
                return
        raise AssertionError(f'waited in vain: {what}')

    def call(self, kind, name, request):
        client = self.node.create_client(kind, name)
        self.assertTrue(client.wait_for_service(timeout_sec=60.0), name)
        answer = client.call_async(request)
        rclpy.spin_until_future_complete(self.node, answer, timeout_sec=30.0)
        self.node.destroy_client(client)
        self.assertTrue(answer.done(), f'{name} does not answer')
        return answer.result()

    def test_1_how_late_a_torque_acts_is_measured(self):
        """First: the model does not explain what a push does, and the estimate remembers 5 s."""
        moved = subprocess.Popen(['ros2', 'run', 'dyn_control', 'move_arm.py', '--duration', '8'])
        atexit.register(moved.kill)
        self.wait_for(lambda: moved.poll() is not None, 'the end of the motion')
        self.assertEqual(moved.returncode, 0)
        known = [state for state in self.states if not math.isnan(state.measured_delay)]
        self.assertTrue(known, 'no delay was measured')
        self.assertAlmostEqual(known[-1].measured_delay, DELAY, delta=0.15)
        self.assertAlmostEqual(known[-1].proposed_prediction, DELAY + 0.5, delta=0.15)

    def test_2_a_push_at_the_hand_is_felt(self):
        self.wait_for(lambda: not self.contacts[-1].contact, 'a hand that nobody touches')
        request = Push.Request(link='tool0', force=Vector3(x=FORCE_N), duration=Duration(sec=3))
        answer = self.call(Push, '/simulated_arm/push', request)
        self.assertTrue(answer.success, answer.message)
        self.wait_for(lambda: self.contacts[-1].contact and self.contacts[-1].direction.x > 0.95
                      and abs(self.contacts[-1].wrench.force.x - FORCE_N) < 0.05 * FORCE_N, 'the contact')
        self.assertEqual(self.contacts[-1].frame, 'tool0')
        self.wait_for(lambda: abs(self.wrenches[-1].wrench.force.x - FORCE_N) < 0.05 * FORCE_N, 'the wrench')
        self.wait_for(lambda: not self.contacts[-1].contact and abs(self.wrenches[-1].wrench.force.x) < 1.0,
                      'the end of the contact')

    def box_in_the_model(self):
        listed = self.call(ListPayloads, CONTROLLER + '/list_payloads', ListPayloads.Request()).payloads
        self.assertIn([payload.name for payload in listed], ([], ['box']))
        return len(listed) == 1

    def agreed(self, box):
        """Robot and controller both carry the box, or both do not."""
        wanted = TOOL_KG + BOX_KG * box
        self.wait_for(lambda: Driver.carried() is not None and abs(Driver.carried() - wanted) < 1e-5,
                      f'a driver that carries {wanted} kg')
        self.assertEqual(box, self.box_in_the_model())

    def attach(self):
        box = Payload(name='box', link='tool0', inertia=Inertia(m=BOX_KG, ixx=0.006, iyy=0.006, izz=0.006))
        return self.call(AttachPayload, CONTROLLER + '/attach_payload', AttachPayload.Request(payload=box))

    def detach(self):
        return self.call(DetachPayload, CONTROLLER + '/detach_payload', DetachPayload.Request(name='box'))

    @unittest.skipUnless(HAS_UR_MSGS, 'the package ur_msgs was not found')
    def test_3_robot_and_controller_carry_the_same(self):
        refused = self.attach()
        self.assertFalse(refused.success)
        self.assertIn('is not there', refused.message)
        driver = Driver()
        self.agreed(box=False)

        driver.behave('refuse')
        self.assertFalse(self.attach().success)
        self.agreed(box=False)

        driver.behave('late')
        late = self.attach()
        self.assertFalse(late.success)
        self.assertIn('has not answered within', late.message)
        self.assertFalse(self.box_in_the_model())
        driver.behave('agree')
        self.agreed(box=False)

        answer = self.attach()
        self.assertTrue(answer.success, answer.message)
        self.agreed(box=True)

        driver.kill()
        driver.start()  # it carries nothing
        self.agreed(box=True)

        driver.kill()
        self.assertFalse(self.detach().success)
        self.assertTrue(self.box_in_the_model())
        driver.start()
        self.agreed(box=True)
        answer = self.detach()
        self.assertTrue(answer.success, answer.message)
        self.agreed(box=False)
