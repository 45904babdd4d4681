# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""make_model_true.launch.py from end to end, one call that brings the model before back, and what is never taken over."""
import argparse
import importlib.util
import io
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
from contextlib import redirect_stderr

import rclpy
from ament_index_python.packages import get_package_share_directory
from builtin_interfaces.msg import Time
from dyn_msgs.msg import ControllerState
from program_test import ProgramTest
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger


class WholeWay(unittest.TestCase):

    def test_the_model_becomes_true_and_one_call_brings_the_one_before_back(self):
        with tempfile.TemporaryDirectory() as folder:
            launch = subprocess.Popen(['ros2', 'launch', 'dyn_control', 'make_model_true.launch.py', 'duration:=6',
                                       f'out:={folder}/model'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            try:
                text = self.read(launch, 'comes back by')
                before, after = map(float, re.search(r'held out: ([\d.e-]+) % before, ([\d.e-]+) % after', text).groups())
                self.assertLess(5.0 * after, before)
                before, after = map(float, re.search(r'rms ([\d.e-]+) rad before, ([\d.e-]+) rad after', text).groups())
                self.assertLess(5.0 * after, before)
                step = float(re.search(r'was ([\d.e-]+) N m', text).group(1))
                self.assertLess(step, 5.0)  # of 0.5 s of ramp the state topic sees 25 samples
                for name in ('before.urdf', 'log.csv', 'identified/identified.urdf', 'identified/report.html'):
                    self.assertTrue(os.path.exists(f'{folder}/model/{name}'), name)
                self.bring_back()
                self.assertIn('the description before is back', self.read(launch, 'is back'))
            finally:
                launch.send_signal(signal.SIGINT)
                launch.communicate(timeout=60)

    def read(self, launch, until):
        said = []
        for line in launch.stdout:
            said.append(line)
            if until in line:
                return ''.join(said)
        self.fail(''.join(said))

    def bring_back(self):
        rclpy.init()
        node = rclpy.create_node('user')
        client = node.create_client(Trigger, '/make_model_true/restore')
        self.assertTrue(client.wait_for_service(30.0))
        answer = client.call_async(Trigger.Request())
        rclpy.spin_until_future_complete(node, answer, timeout_sec=30.0)
        self.assertTrue(answer.done() and answer.result().success)
        node.destroy_node()
        rclpy.shutdown()


class TheArm(unittest.TestCase):

    def test_of_more_than_seven_joints_has_a_start_within_its_limits(self):
        folder = os.path.join(get_package_share_directory('dyn_control'), 'launch')
        spec = importlib.util.spec_from_file_location('launch_file', os.path.join(folder, 'make_model_true.launch.py'))
        launch_file = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(launch_file)
        bringup = launch_file.bringup
        file = bringup.robot_file('arm7_gripper')
        robot = ElementTree.fromstring(bringup.urdf_text(file))
        joints = bringup.driven_joints(robot)
        self.assertEqual(len(joints), 8)
        with open(launch_file.plant_file(robot, file, joints, {'plant': 'native', 'true_robot': '', 'rate': '500'}),
                  encoding='utf-8') as stream:
            centre = json.load(stream)['trajectory']['centre']
        self.assertEqual(len(centre), 8)
        for joint, position in zip(joints, centre):
            limit = robot.find(f"joint[@name='{joint}']/limit")
            self.assertLess(float(limit.get('lower')), position)
            self.assertLess(position, float(limit.get('upper')))


class NeverTakenOver(ProgramTest):

    PROGRAM = 'make_model_true.py'

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        wanted = argparse.Namespace(controller='c', duration='3', floor='', out=folder.name, state_rate=50.0, stay=False)
        self.maker = self.program.Maker(wanted)
        self.addCleanup(self.maker.destroy_node)

    def identified(self, before, after):
        urdf = self.maker.file('identified.urdf')
        with open(urdf, 'w', encoding='utf-8') as stream:
            stream.write('<robot/>')
        self.maker.recorded = [JointState(name=['j'], position=[0.0], velocity=[0.0], effort=[1.0])]
        self.program.dyn = lambda *_: {'before': {'relative': before}, 'validation': {'relative': after}, 'samples': 1,
                                       'report': 'r', 'urdf': urdf}
        return self.maker.identify()

    def test_a_model_that_is_no_better_on_what_was_held_out(self):
        self.assertEqual(self.identified(0.2, 0.1), '<robot/>')
        for after in (0.1, 0.3, float('nan')):
            with self.assertRaisesRegex(self.program.Failure, 'no better on what was held out'):
                self.identified(0.1, after)

    def test_an_arm_that_moves(self):
        self.program.ANSWER_S = 0.5
        self.maker.measure(ControllerState(velocity=[0.3], reference_velocity=[0.3]))
        with self.assertRaisesRegex(self.program.Failure, 'does not come to rest'):
            self.maker.publish('<robot/>')
        self.maker.measure(ControllerState(velocity=[0.0], reference_velocity=[0.0]))
        time.sleep(self.program.REST_S + 0.1)
        with self.assertRaisesRegex(self.program.Failure, 'there is no robot_state_publisher'):
            self.maker.publish('<robot/>')

    def test_what_was_not_replaced_is_not_brought_back(self):
        self.maker.text_before = '<robot/>'
        self.assertFalse(self.maker.restore(None, Trigger.Response()).success)
        self.assertFalse(self.maker.restore_asked)
        self.maker.replaced = True
        self.assertTrue(self.maker.restore(None, Trigger.Response()).success)
        self.assertTrue(self.maker.restore_asked)

    def test_it_may_be_asked_again_where_the_arm_did_not_come_to_rest(self):
        self.program.ANSWER_S = 0.3
        self.maker.measure(ControllerState(velocity=[0.3], reference_velocity=[0.3]))
        self.maker.replaced = self.maker.restore_asked = True
        with redirect_stderr(io.StringIO()) as said:
            self.maker.bring_back_or_say()
        self.assertIn('does not come to rest', said.getvalue())
        self.assertTrue(self.maker.restore(None, Trigger.Response()).success)

    def test_the_goal_is_at_rest_at_both_ends(self):
        motion = [[0.01 * k, 0.3 * k * k] for k in range(101)]
        points = self.program.points_of(motion)
        self.assertEqual((points[0].velocities[0], points[-1].velocities[0]), (0.0, 0.0))
        self.assertAlmostEqual(points[5].velocities[0], 0.6 * 50 / 0.01, places=6)
        self.assertAlmostEqual(points[5].accelerations[0], 0.6 / 1e-4, places=4)
        self.assertEqual(points[0].time_from_start.sec, 4)

    def test_the_log_has_a_row_for_each_joint_state(self):
        self.maker.recorded = [JointState(name=['a', 'b'], position=[1.0, 2.0], velocity=[3.0, 4.0], effort=[5.0, 6.0])
                               for _ in range(2)]
        self.maker.recorded[1].header.stamp = Time(sec=1, nanosec=500_000_000)
        file = self.maker.file('log.csv')
        self.maker.write_log(file)
        with open(file, encoding='utf-8') as stream:
            self.assertEqual(stream.read().split(), ['time_s,q.a,q.b,v.a,v.b,effort.a,effort.b',
                                                     '0.0,1.0,2.0,3.0,4.0,5.0,6.0', '1.5,1.0,2.0,3.0,4.0,5.0,6.0'])


if __name__ == '__main__':
    unittest.main()
