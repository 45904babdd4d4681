#!/usr/bin/env python3
# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Time per cycle of every controller and of the hardware, from the controller manager's own statistics
(~/statistics of ros2_control): median, 99th percentile and maximum, in microseconds. Works with any controller manager,
also that of a real robot.

    ros2 run dyn_control measure_latency.py --duration 10
"""
import argparse
import json
import sys
import time

import rclpy
from pal_statistics_msgs.msg import StatisticsNames, StatisticsValues
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

ENDING = '/execution_time/current_value'
PATIENCE_S = 30.0


def percentile(values, share):
    """The smallest value of a sorted list such that at least this share of the list is not above it."""
    return values[min(len(values) - 1, max(0, -(-int(share * len(values) * 1000) // 1000) - 1))]


class Listener(Node):
    def __init__(self, manager):
        super().__init__('measure_latency')
        self.names, self.version, self.samples = [], None, {}
        # Values by best effort, as newer controller managers send them; that takes what a reliable publisher sends too.
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        every = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)
        self.create_subscription(StatisticsNames, f'{manager}/statistics/names', self.take_names, latched)
        self.create_subscription(StatisticsValues, f'{manager}/statistics/values', self.take_values, every)

    def take_names(self, message):
        self.names, self.version = list(message.names), message.names_version

    def take_values(self, message):
        if message.names_version != self.version:
            return
        for name, value in zip(self.names, message.values):
            if name.endswith(ENDING) and value == value:
                self.samples.setdefault(name[:-len(ENDING)].replace('.stats', ''), []).append(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--manager', default='/controller_manager')
    parser.add_argument('--duration', type=float, default=10.0, help='s')
    parser.add_argument('--json', action='store_true')
    arguments, _ = parser.parse_known_args()
    rclpy.init()
    listener = Listener(arguments.manager.rstrip('/'))
    began = time.monotonic()
    while not listener.samples and time.monotonic() - began < PATIENCE_S:
        rclpy.spin_once(listener, timeout_sec=0.1)
    if not listener.samples:
        print(f'measure_latency: no execution times on {arguments.manager}/statistics: is the controller manager '
              'running, with ros2_control of Jazzy or later?', file=sys.stderr)
        return 1
    listener.samples.clear()
    end = time.monotonic() + arguments.duration
    while time.monotonic() < end:
        rclpy.spin_once(listener, timeout_sec=0.1)
    rows = []
    for name, values in sorted(listener.samples.items()):
        values.sort()
        rows.append({'name': name, 'samples': len(values), 'p50': percentile(values, 0.5),
                     'p99': percentile(values, 0.99), 'max': values[-1]})
    if arguments.json:
        print(json.dumps({'unit': 'us', 'rows': rows}))
    else:
        print(f'{"":44}{"samples":>8}{"p50 us":>9}{"p99 us":>9}{"max us":>9}')
        for row in rows:
            print(f'{row["name"]:44}{row["samples"]:8}{row["p50"]:9.1f}{row["p99"]:9.1f}{row["max"]:9.1f}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
