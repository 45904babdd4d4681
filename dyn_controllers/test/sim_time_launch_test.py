# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""computed_torque.launch.py with use_sim_time and a simulator's /clock that is slow, fast, paused, and jumps either way.
The simulator waits for the arm after every tick, so that no cycle is left out on a machine that is busy."""
import os
import threading
import time
import unittest

import launch
import launch_testing.actions
import rclpy
from ament_index_python.packages import get_package_share_directory
from dyn_msgs.msg import ControllerState
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

RATE_HZ = 200
LARGEST_ERROR_RAD = 2e-5
VELOCITY_LIMIT = 2.175  # rad/s, the lowest of arm7's


def generate_test_description():
    file = os.path.join(get_package_share_directory('dyn_control'), 'launch', 'computed_torque.launch.py')
    arguments = {'robot': 'arm7', 'rate': str(RATE_HZ), 'use_sim_time': 'true'}
    return launch.LaunchDescription([
        IncludeLaunchDescription(PythonLaunchDescriptionSource(file), launch_arguments=arguments.items()),
        launch_testing.actions.ReadyToTest(),
    ])


class Simulator(threading.Thread):
    """Publishes a tick of one control period after the other, at most `speed` times as fast as time goes by; 0: paused.
    Once joint_states come, the next tick waits for those of the last one."""

    def __init__(self, node):
        super().__init__(daemon=True)
        self.clock = node.create_publisher(Clock, '/clock', 10)
        self.speed, self.now_ns, self.arm_ns, self.ended = 1.0, 10**9, None, False
        self.done = threading.Condition()

    def note(self, state):
        with self.done:
            self.arm_ns = state.header.stamp.sec * 10**9 + state.header.stamp.nanosec
            self.done.notify()

    def run(self):
        while not self.ended:
            if self.speed == 0.0:
                time.sleep(0.01)
                continue
            next_tick = time.monotonic() + 1.0 / RATE_HZ / self.speed
            self.tick(self.advance(10**9 // RATE_HZ))
            time.sleep(max(0.0, next_tick - time.monotonic()))

    def tick(self, now_ns):
        """Twice where it may have been lost; then the time goes on, since joint_states may be left out of a cycle. After
        a jump back the arm's time is ahead, and the arm waits for the clock."""
        message = Clock()
        message.clock.sec, message.clock.nanosec = divmod(now_ns, 10**9)
        for _ in range(2):
            self.clock.publish(message)
            with self.done:
                if self.arm_ns is None or self.done.wait_for(lambda: self.ended or self.arm_ns >= now_ns, 0.5):
                    return

    def advance(self, by_ns):
        with self.done:
            self.now_ns += by_ns
            return self.now_ns

    def jump(self, seconds):
        self.advance(int(seconds * 1e9))


class SimTime(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node('simulator')
        cls.states = []
        cls.node.create_subscription(ControllerState, '/computed_torque_controller/controller_state', cls.states.append, 100)
        cls.simulator = Simulator(cls.node)
        cls.node.create_subscription(JointState, '/joint_states', cls.simulator.note, 10)
        cls.simulator.start()
        cls.spin_until(lambda: cls.states and max(map(abs, cls.states[-1].velocity)) > 0.1, 'a moving arm')

    @classmethod
    def tearDownClass(cls):
        cls.simulator.ended = True
        cls.simulator.join()
        cls.node.destroy_node()
        rclpy.shutdown()

    @classmethod
    def spin_until(cls, condition, what, at_most_s=240.0):
        end = time.monotonic() + at_most_s
        while not condition():
            rclpy.spin_once(cls.node, timeout_sec=0.05)
            if time.monotonic() > end:
                raise AssertionError(f'{what} was waited for in vain')

    def states_of(self, simulated_s):
        """Those of the next seconds on the simulator's clock."""
        self.states.clear()
        end = self.simulator.now_ns + int(simulated_s * 1e9)
        self.spin_until(lambda: self.simulator.now_ns >= end and self.states, f'{simulated_s} s of simulated time')
        return list(self.states)

    def assert_follows(self, states):
        self.assertEqual({state.mode for state in states}, {ControllerState.TRACKING})
        self.assertLess(max(abs(e) for state in states for e in state.position_error), LARGEST_ERROR_RAD)
        self.assertGreater(max(abs(v) for state in states for v in state.velocity), 0.1)

    def test_1_slow_and_fast(self):
        for speed, simulated_s in ((1.0, 2.5), (0.2, 1.5), (3.0, 5.0)):
            self.simulator.speed = speed
            with self.subTest(speed=speed):
                self.assert_follows(self.states_of(simulated_s))
        self.simulator.speed = 1.0

    def test_2_paused(self):
        self.simulator.speed = 0.0
        self.spin_for(1.0)  # what is on its way arrives
        self.states.clear()
        self.spin_for(2.0)
        self.assertEqual(len(self.states), 0)
        self.simulator.speed = 1.0
        self.assert_follows(self.states_of(2.5))

    def spin_for(self, wall_s):
        end = time.monotonic() + wall_s
        self.spin_until(lambda: time.monotonic() >= end, '')

    def test_3_jumps(self):
        for seconds in (0.5, -0.5, 5.0):
            with self.subTest(jump=seconds):
                self.simulator.jump(seconds)
                states = self.states_of(3.0 + max(0.0, -seconds))
                self.assertFalse(any(state.mode == ControllerState.FAILED for state in states))
                if seconds < 1.0:  # over a jump ahead the simulated arm goes on with the torque that it has
                    self.assertLessEqual(max(abs(v) for state in states for v in state.velocity), VELOCITY_LIMIT)
                self.assert_follows(self.states_of(4.5))
