# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Common main function of the programs that move an arm: move_arm.py and move_hand.py."""
import argparse
import sys

import rclpy


def main(program, description, controller, make):
    """Runs make(controller).run(duration), which returns what went wrong or '', and prints its summary(). Returns the
    exit code of the program."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument('--controller', default=controller)
    parser.add_argument('--duration', type=float, default=0.0)
    arguments, _ = parser.parse_known_args()
    rclpy.init()
    mover = make(arguments.controller)
    try:
        fault = mover.run(arguments.duration)
    except KeyboardInterrupt:
        fault = ''
    except TimeoutError as error:
        fault = str(error)
    if fault:
        print(f'{program}: {fault}', file=sys.stderr)
        return 1
    print('summary: ' + mover.summary(), flush=True)
    return 0
