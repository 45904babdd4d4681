#!/usr/bin/env python3
# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Warns while no time is published on /clock although use_sim_time is set, since all other nodes then wait silently. Ends
when the first time has come."""
import sys
import time

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock

FIRST_S, THEN_S = 5.0, 30.0


def main():
    rclpy.init()
    node = rclpy.create_node('watch_clock')
    times = []
    node.create_subscription(Clock, '/clock', times.append, qos_profile_sensor_data)
    say_at = time.monotonic() + FIRST_S
    try:
        while not times:
            rclpy.spin_once(node, timeout_sec=0.5)
            if times or time.monotonic() < say_at:
                continue
            print('watch_clock: there is no time on /clock. use_sim_time:=true needs a simulator that publishes it; '
                  'nothing moves before that.', file=sys.stderr, flush=True)
            say_at = time.monotonic() + THEN_S
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    return 0


if __name__ == '__main__':
    sys.exit(main())
