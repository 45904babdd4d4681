# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""A model made true to its arm, from end to end: a simulated arm that is not what its URDF says is excited, recorded and
identified, and the computed-torque controller takes the identified description over while it holds the arm. What the
model leaves unexplained of the torque, and how far the arm is from its reference, before and after, is printed.

    ros2 launch dyn_control make_model_true.launch.py robot:=arm7
"""
import json
import os
import sys
import xml.etree.ElementTree as ElementTree

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

sys.path.append(os.path.dirname(os.path.realpath(__file__)))
import arm_bringup as bringup  # noqa: E402

ARGUMENTS = [
    ('robot', 'arm7', 'name of a robot that `dyn robots` lists, or a .urdf or .xacro file: what the controller believes'),
    ('true_robot', '', 'URDF of what the simulated arm is; empty: masses off by 20 %, centres of mass by 2 cm, more friction'),
    ('plant', 'native', 'engine of the simulated arm: native or mujoco'),
    ('duration', '10', 's of the exciting motion'),
    ('floor', '', 'm above the base below which the motion does not come; empty: none'),
    ('rate', '500', 'Hz of the control loop'),
    ('out', 'model', 'folder for the motion, the log, the descriptions and the report'),
    ('stay', 'true', 'false: everything ends when the model is made true'),
]
NOISE = {'position': 1e-5, 'velocity': 1e-4, 'torque': 0.05}
CONTROLLER = 'computed_torque'


def errors_of(robot, joints):
    """plant_overrides that make another arm of it: links that joints move, and friction of these joints."""
    moved = {joint.find('child').get('link') for joint in robot.findall('joint') if joint.get('name') in joints}
    links = [link.get('name') for link in robot.findall('link')
             if link.get('name') in moved and link.find('inertial') is not None]
    heavier = [{'link': name, 'mass_scale': 1.2 if k % 2 == 0 else 0.8, 'inertia_scale': 1.1 if k % 2 == 0 else 0.9,
                'com_shift': [0.012, -0.008, 0.014]} for k, name in enumerate(links)]
    rougher = []
    for name in joints:
        joint = robot.find(f"joint[@name='{name}']")
        given = joint.find('dynamics')
        damping, friction = (float(given.get(key, '0')) if given is not None else 0.0 for key in ('damping', 'friction'))
        rougher.append({'joint': name, 'damping': 1.5 * damping + 0.1, 'friction': 1.5 * friction + 0.1})
    return heavier + rougher


def plant_file(robot, file, joints, values):
    """A configuration of `dyn run` that says what the simulated arm is, and where it starts."""
    plant = {'engine': values['plant'], 'friction': True, 'noise': NOISE}
    if values['true_robot']:
        plant['robot'] = os.path.abspath(values['true_robot'])
    else:
        plant['plant_overrides'] = errors_of(robot, joints)
    start = bringup.bent(robot, joints)
    # JSON is YAML
    text = json.dumps({'title': 'what the arm is', 'robot': file, 'rate_hz': int(values['rate']), 'duration_s': 1,
                       'plant': plant,
                       'controller': {'type': 'computed_torque', 'gains': {'default': {'p': 400, 'd': 40}}},
                       'trajectory': {'type': 'sinusoid', 'amplitude': 0, 'centre': [start[name] for name in joints]}})
    path = os.path.join(bringup.temporary_folder(), 'arm.yaml')
    with open(path, 'w', encoding='utf-8') as stream:
        stream.write(text)
    return path


def bring_up(context):
    values = {name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS}
    file = os.path.abspath(bringup.robot_file(values['robot']))
    robot = ElementTree.fromstring(bringup.urdf_text(file, {'engine': values['plant']}))
    if robot.find('ros2_control') is not None:
        raise RuntimeError(f"robot: {file} has a <ros2_control> tag; this launch brings its own simulated arm")
    joints = bringup.driven_joints(robot)
    bringup.add_simulated_arm(robot, joints, {'scenario': plant_file(robot, file, joints, values)})
    own = {'friction_compensation': True,
           'gains': {joint: bringup.gains(robot, joint, CONTROLLER) for joint in joints}}
    nodes = bringup.arm_nodes(robot, CONTROLLER, bringup.parameters_file(joints, CONTROLLER, own, int(values['rate'])))
    spawner = nodes[-1]
    arguments = ['--controller', CONTROLLER + '_controller', '--duration', values['duration'], '--out', values['out']]
    arguments += ['--floor', values['floor']] * bool(values['floor']) + ['--stay'] * (values['stay'] == 'true')
    maker = Node(package='dyn_control', executable='make_model_true.py', output='screen', arguments=arguments)

    over = Shutdown(reason='the model is made true')
    return nodes + [bringup.after(spawner, 'the spawner of the controllers', lambda: [maker]),
                    bringup.after(maker, 'make_model_true.py', lambda: [over])]


def generate_launch_description():
    return LaunchDescription([DeclareLaunchArgument(name, default_value=default, description=text)
                              for name, default, text in ARGUMENTS] + [OpaqueFunction(function=bring_up)])
