#!/usr/bin/env python3
# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Moves the frame of a TaskSpaceController on a circle through its present position, by ~/target_pose and
~/target_twist, and finally prints the tracking error and the largest external force. Ends by itself after --duration
seconds; exit code 1 if there was nothing to move."""
import math
import sys
import time

import mover
import rclpy
from dyn_msgs.msg import TaskState
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.node import Node

RADIUS_M = 0.05
TURN_S = 4.0
RAMP_S = 1.0    # until the full speed
RATE_HZ = 200.0
PATIENCE_S = 120.0


def angle(t):
    """The angle on the circle and its rate, which rises from 0 to a constant."""
    rate = 2.0 * math.pi / TURN_S
    if t >= RAMP_S:
        return rate * (t - 0.5 * RAMP_S), rate
    x = t / RAMP_S
    return rate * RAMP_S * (x ** 3 - 0.5 * x ** 4), rate * (3.0 * x * x - 2.0 * x ** 3)


class Mover(Node):
    def __init__(self, controller):
        super().__init__('move_hand')
        self.start, self.moving = None, False
        self.squares, self.samples, self.largest, self.force, self.singular = 0.0, 0, 0.0, 0.0, math.inf
        self.create_subscription(TaskState, f'/{controller}/task_state', self.measure, 10)
        self.pose = self.create_publisher(PoseStamped, f'/{controller}/target_pose', 1)
        self.twist = self.create_publisher(TwistStamped, f'/{controller}/target_twist', 1)

    def measure(self, message):
        if self.start is None:
            self.start = message.pose
        if not self.moving:
            return
        error = message.error.linear
        length = math.sqrt(error.x ** 2 + error.y ** 2 + error.z ** 2)
        push = message.external.force
        self.samples += 1
        self.squares += length * length
        self.largest = max(self.largest, length)
        self.force = max(self.force, math.sqrt(push.x ** 2 + push.y ** 2 + push.z ** 2))
        self.singular = min(self.singular, message.smallest_singular_value)

    def send(self, t):
        s, rate = angle(t)
        pose, twist = PoseStamped(), TwistStamped()
        pose.header.stamp = twist.header.stamp = self.get_clock().now().to_msg()
        pose.pose.orientation = self.start.orientation
        at = self.start.position
        pose.pose.position.x = at.x
        pose.pose.position.y = at.y + RADIUS_M * math.sin(s)
        pose.pose.position.z = at.z + RADIUS_M * (1.0 - math.cos(s))
        twist.twist.linear.y = RADIUS_M * rate * math.cos(s)
        twist.twist.linear.z = RADIUS_M * rate * math.sin(s)
        self.pose.publish(pose)
        self.twist.publish(twist)

    def run(self, duration):
        began = time.monotonic()
        while self.start is None or self.pose.get_subscription_count() == 0:
            rclpy.spin_once(self, timeout_sec=0.1)
            if time.monotonic() - began > PATIENCE_S:
                return 'no message on ~/task_state: the controller is not active, or state_publish_rate is 0'
        begin = self.get_clock().now()
        self.moving = True
        self.create_timer(1.0 / RATE_HZ, lambda: self.send((self.get_clock().now() - begin).nanoseconds * 1e-9))
        while duration <= 0.0 or (self.get_clock().now() - begin).nanoseconds < duration * 1e9:
            rclpy.spin_once(self, timeout_sec=0.1)
        return '' if self.samples else 'no message on ~/task_state while the frame moved'

    def summary(self):
        rms = math.sqrt(self.squares / self.samples) if self.samples else float('nan')
        return (f'{self.samples} samples, distance from the target rms {rms:.3g} m, largest {self.largest:.3g} m, '
                f'largest external force {self.force:.3g} N, smallest singular value {self.singular:.3g}')


if __name__ == '__main__':
    sys.exit(mover.main('move_hand', __doc__, 'task_space_controller', Mover))
