#!/usr/bin/env python3
# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""load_driver.py FOLDER: a robot's driver as a process of its own, whose service /driver/load takes a payload. What it
carries is in FOLDER/carried; it starts with nothing, as a robot does that was switched on. The first word of
FOLDER/behaviour says how it answers: agree, refuse, or late, which takes the load, but answers after 3 s."""
import os
import sys
import time

import rclpy
from ur_msgs.srv import SetPayload

LATE_S = 3.0


def main():
    folder = sys.argv[1]

    def carry(mass):
        with open(os.path.join(folder, 'carried.new'), 'w', encoding='utf-8') as stream:
            stream.write(repr(mass))
        os.replace(stream.name, os.path.join(folder, 'carried'))

    def take(request, response):
        with open(os.path.join(folder, 'behaviour'), encoding='utf-8') as stream:
            behaviour = stream.read().strip()
        response.success = behaviour != 'refuse'
        if response.success:
            carry(request.mass)
        if behaviour == 'late':
            time.sleep(LATE_S)
        return response

    carry(0.0)
    rclpy.init()
    node = rclpy.create_node('load_driver')
    node.create_service(SetPayload, '/driver/load', take)
    rclpy.spin(node)


if __name__ == '__main__':
    main()
