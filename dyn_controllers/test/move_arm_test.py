# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""launch/move_arm.py by itself: it waits for nothing for ever, its patience is the arm's time and not wall time, and its
summary counts messages."""
import threading
import time
import unittest

import rclpy
from control_msgs.msg import JointTrajectoryControllerState
from dyn_msgs.msg import ControllerState
from program_test import ProgramTest
from rclpy.parameter import Parameter
from rclpy.task import Future
from rosgraph_msgs.msg import Clock


class MoveArm(ProgramTest):

    PROGRAM = 'move_arm.py'

    def setUp(self):
        self.mover = self.program.Mover('nobody_controller')
        self.addCleanup(self.mover.destroy_node)

    def test_a_goal_that_nobody_accepts_is_given_up(self):
        self.program.ANSWER_S = 0.3
        asked = []
        self.mover.client.send_goal_async = lambda goal: asked.append(goal) or Future()
        begin = time.monotonic()
        self.assertIn('did not answer within', self.mover.move(0))
        self.assertLess(time.monotonic() - begin, 20.0)
        self.assertEqual(len(asked), 2)  # once more, where the answer was lost

    def use_clock(self):
        self.mover.set_parameters([Parameter('use_sim_time', value=True)])
        helper = rclpy.create_node('clock_of_the_test')
        self.addCleanup(helper.destroy_node)
        return helper.create_publisher(Clock, '/clock', 10)

    def tick(self, clock, seconds):
        message = Clock()
        message.clock.sec = seconds
        end = time.monotonic() + 30.0
        while self.mover.get_clock().now().nanoseconds != seconds * 10**9 and time.monotonic() < end:
            clock.publish(message)
            rclpy.spin_once(self.mover, timeout_sec=0.05)
        self.assertEqual(self.mover.get_clock().now().nanoseconds, seconds * 10**9)

    def test_patience_is_by_the_arms_clock(self):
        clock = self.use_clock()
        self.tick(clock, 100)
        paused = time.monotonic()  # for longer than the patience
        self.assertTrue(self.mover.wait(lambda: time.monotonic() - paused > 1.5, 1.0))
        message = Clock()
        message.clock.sec = 200
        timer = threading.Timer(0.3, lambda: clock.publish(message))
        timer.start()
        self.assertFalse(self.mover.wait(lambda: False, 60.0))  # a minute of the arm's time, at once
        timer.join()

    def test_a_clock_that_never_starts_is_an_error(self):
        self.use_clock()
        with self.assertRaisesRegex(TimeoutError, 'no time was published on /clock'):
            self.mover.wait(lambda: False, 0.5)

    def test_the_summary_counts_messages(self):
        message = ControllerState()
        message.position_error = [0.1] * 7
        message.effort_applied = [3.0] * 7
        for _ in range(5):
            self.mover.measure(message)
        self.assertRegex(self.mover.summary(), r'^5 samples, tracking error rms 0.1 rad, .* below 0.1 rad$')

    def test_the_lag_is_the_time_that_explains_the_errors(self):
        self.mover.measure(ControllerState(position_error=[0.0], effort_applied=[0.0]))
        for velocity in (0.0, 0.5, -0.2):
            message = JointTrajectoryControllerState()
            message.reference.velocities = [velocity, 2.0 * velocity]
            message.error.positions = [0.004 * velocity, 0.008 * velocity]
            self.mover.measure_lag(message)
        self.assertIn('4.000 ms behind the trajectory', self.mover.summary())


if __name__ == '__main__':
    unittest.main()
