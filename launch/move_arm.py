#!/usr/bin/env python3
# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Moves an arm by FollowJointTrajectory goals between positions within its limits, and finally prints the tracking error
of the controller. Ends by itself after --duration seconds; exit code 1 if it could not move the arm."""
import math
import statistics
import sys
import time
import xml.etree.ElementTree as ElementTree

import mover
import rclpy
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTrajectoryControllerState
from dyn_msgs.msg import ControllerState
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectoryPoint

MOVE_S = 2.0  # from one position to the next
PATIENCE_S = 20.0  # for a goal of two moves, by the arm's clock
ANSWER_S = 10.0    # for an answer of joint_trajectory_controller, by wall time


def reach(joint):
    """The centre of a joint's motion (0, or the middle of its range if 0 is outside) and its amplitude."""
    limit = joint.find('limit')
    lower, upper = -1.0, 1.0
    if joint.get('type') != 'continuous' and limit is not None:
        lower, upper = float(limit.get('lower', '-1')), float(limit.get('upper', '1'))
    velocity = float(limit.get('velocity', '1')) if limit is not None else 1.0
    middle = 0.0 if lower < 0.0 < upper else 0.5 * (lower + upper)
    # The velocity of a quintic is at most 15/8 of the average one.
    size = min(0.6 * (upper - middle), 0.6 * (middle - lower), 0.4 * velocity * MOVE_S * 8.0 / 15.0 / 2.0, 1.0)
    return middle, size


class Mover(Node):
    def __init__(self, controller):
        super().__init__('move_arm')
        self.ranges = {}
        self.squares, self.count, self.torque = 0.0, 0, 0.0
        self.largest = []  # of the joints' errors, by sample
        self.behind, self.way = 0.0, 0.0  # sums of error times velocity, and of velocity squared
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.create_subscription(String, 'robot_description', self.read_robot, latched)
        self.create_subscription(ControllerState, f'/{controller}/controller_state', self.measure, 10)
        self.create_subscription(JointTrajectoryControllerState, '/joint_trajectory_controller/controller_state',
                                 self.measure_lag, 10)
        self.client = ActionClient(self, FollowJointTrajectory, '/joint_trajectory_controller/follow_joint_trajectory')

    def read_robot(self, message):
        robot = ElementTree.fromstring(message.data)
        self.ranges = {joint.get('name'): reach(joint) for joint in robot.findall('joint')
                       if joint.get('type') in ('revolute', 'continuous', 'prismatic')
                       and joint.find('mimic') is None}

    def measure(self, message):
        self.squares += sum(error * error for error in message.position_error)
        self.count += len(message.position_error)
        self.largest.append(max(abs(error) for error in message.position_error))
        self.torque = max([self.torque] + [abs(tau) for tau in message.effort_applied])

    def measure_lag(self, message):
        """By joint_trajectory_controller, which has the trajectory."""
        for error, velocity in zip(message.error.positions, message.reference.velocities):
            self.behind += error * velocity
            self.way += velocity * velocity

    def goal(self, turn):
        goal = FollowJointTrajectory.Goal()
        goal.trajectory.joint_names = list(self.ranges)
        for k in (1, 2):
            point = JointTrajectoryPoint()
            point.positions = [middle + size * math.sin(1.3 * i + 2.1 * (2 * turn + k))
                               for i, (middle, size) in enumerate(self.ranges.values())]
            point.velocities = [0.0] * len(self.ranges)
            point.accelerations = [0.0] * len(self.ranges)
            point.time_from_start = Duration(sec=int(k * MOVE_S))
            goal.trajectory.points.append(point)
        return goal

    def wait(self, until, patience_s):
        """True once until() is, False after patience_s on the arm's clock, which may stand still while a simulation is
        paused. A clock that has not started within patience_s of wall time is an error."""
        began, begin = time.monotonic(), self.get_clock().now()
        while not until():
            rclpy.spin_once(self, timeout_sec=0.1)
            now = self.get_clock().now()
            if (now - begin).nanoseconds > patience_s * 1e9:
                return False
            if now.nanoseconds == 0 and time.monotonic() - began > patience_s:
                raise TimeoutError(f'no time was published on /clock for {patience_s:g} s')
        return True

    def answer(self, ask):
        """The answer to the request sent by ask(), which is sent again once if it was lost. None if there is none."""
        for _ in range(2):
            future = ask()
            rclpy.spin_until_future_complete(self, future, timeout_sec=ANSWER_S)
            if future.done():
                return future.result()
        return None

    def run(self, duration):
        if not self.wait(lambda: self.ranges and self.client.server_is_ready(), 120.0):
            return 'there is no robot_description, or joint_trajectory_controller is not active'
        begin, turn = self.get_clock().now(), 0
        while duration <= 0.0 or (self.get_clock().now() - begin).nanoseconds < duration * 1e9:
            fault = self.move(turn)
            if fault:
                return fault
            turn += 1
        return ''

    def move(self, turn):
        """Plays one goal of two moves; returns '' or what went wrong."""
        accepted = self.answer(lambda: self.client.send_goal_async(self.goal(turn)))
        if accepted is None:
            return f'joint_trajectory_controller did not answer within {2 * ANSWER_S:g} s'
        if not accepted.accepted:
            return 'joint_trajectory_controller refused the goal'
        done = accepted.get_result_async()
        if not self.wait(done.done, PATIENCE_S):
            return f'the arm did not come to rest at a goal within {PATIENCE_S:g} s'
        if done.result().result.error_code != FollowJointTrajectory.Result.SUCCESSFUL:
            return f'the goal failed: {done.result().result.error_string}'
        return ''

    def summary(self):
        if not self.count:
            return '0 samples'
        lag = f', {1e3 * self.behind / self.way:.3f} ms behind the trajectory' if self.way > 0.0 else ''
        return (f'{len(self.largest)} samples, tracking error rms {math.sqrt(self.squares / self.count):.3g} rad, '
                f'largest {max(self.largest):.3g} rad, largest torque {self.torque:.3g} N m{lag}; in half of the samples '
                f'every error was below {statistics.median(self.largest):.2g} rad')


if __name__ == '__main__':
    sys.exit(mover.main('move_arm', __doc__, 'computed_torque_controller', Mover))
