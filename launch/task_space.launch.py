# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""computed_torque.launch.py with the task-space controller; the same arguments."""
import os

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource


def generate_launch_description():
    file = os.path.join(get_package_share_directory('dyn_control'), 'launch', 'computed_torque.launch.py')
    return LaunchDescription([IncludeLaunchDescription(
        PythonLaunchDescriptionSource(file), launch_arguments={'controller': 'task_space'}.items())])
