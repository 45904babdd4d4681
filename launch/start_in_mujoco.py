#!/usr/bin/env python3
# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Puts the arm of mujoco_ros2_control back to where it began and activates controllers at once: a simulation begins
before its controllers are loaded, and an arm without torque falls meanwhile. Exit code 1 if either is refused.

    start_in_mujoco.py joint_state_broadcaster computed_torque_controller joint_trajectory_controller
"""
import argparse
import sys

import rclpy
from builtin_interfaces.msg import Duration
from controller_manager_msgs.srv import SwitchController
from mujoco_ros2_control_msgs.srv import ResetWorld

RESET, SWITCH = '/mujoco_ros2_control_node/reset_world', '/controller_manager/switch_controller'
PATIENCE_S = 60.0


def ask(node, client, request):
    """The answer; TimeoutError if there is none."""
    future = client.call_async(request)
    rclpy.spin_until_future_complete(node, future, timeout_sec=PATIENCE_S)
    if not future.done():
        raise TimeoutError(f'{client.srv_name} did not answer within {PATIENCE_S:g} s')
    return future.result()


def start(node, controllers):
    """Returns '' or what was refused."""
    reset = node.create_client(ResetWorld, RESET)
    switch = node.create_client(SwitchController, SWITCH)
    for client in (reset, switch):
        if not client.wait_for_service(PATIENCE_S):
            raise TimeoutError(f'{client.srv_name} is not there')
    back = ask(node, reset, ResetWorld.Request())
    if not back.success:
        return 'the arm was not put back: ' + back.message
    active = ask(node, switch, SwitchController.Request(
        activate_controllers=controllers, strictness=SwitchController.Request.STRICT, activate_asap=True,
        timeout=Duration(sec=10)))
    return '' if active.ok else 'the controllers were not activated: ' + active.message


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('controllers', nargs='+')
    arguments = parser.parse_args(rclpy.utilities.remove_ros_args(sys.argv)[1:])
    rclpy.init()
    try:
        fault = start(rclpy.create_node('start_in_mujoco'), arguments.controllers)
    except TimeoutError as error:
        fault = str(error)
    if fault:
        print('start_in_mujoco: ' + fault, file=sys.stderr)
    return 1 if fault else 0


if __name__ == '__main__':
    sys.exit(main())
