# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""An arm under torque control: robot_state_publisher, controller_manager with the simulated arm, joint states, one of
this package's controllers with joint_trajectory_controller above it, and something that moves it.

    ros2 launch dyn_control computed_torque.launch.py robot:=arm7 jsim_algorithm:=gdahj duration:=20
"""
import json
import os
import tempfile
import xml.etree.ElementTree as ElementTree

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, RegisterEventHandler, Shutdown, TimerAction
from launch.event_handlers import OnProcessExit
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

ARGUMENTS = [
    ('robot', 'arm7', 'name of a robot in config/robots, or a .urdf or .xacro file'),
    ('controller', 'computed_torque', 'computed_torque, feedforward or gravity_compensation'),
    ('jsim_algorithm', 'fused', 'algorithm of the joint-space inertia matrix'),
    ('coriolis_algorithm', 'fused', 'algorithm of the Coriolis matrix'),
    ('plant', 'native', 'engine of the simulated arm'),
    ('rate', '1000', 'Hz of the control loop'),
    ('validation', 'off', 'off, monitor or gate: Pinocchio beside the loop'),
    ('move', 'true', 'move the arm; false: it waits for goals'),
    ('duration', '0', 's after which everything ends with a summary; 0: never'),
    ('rviz', 'false', 'RViz as well'),
]
GAINS = {'computed_torque': (400.0, 40.0), 'feedforward': (0.0, 0.0), 'gravity_compensation': (0.0, 0.5)}
TYPES = {'computed_torque': 'ComputedTorqueController', 'feedforward': 'FeedforwardController',
         'gravity_compensation': 'GravityCompensationController'}


def robot_file(robot):
    shipped = os.path.join(get_package_share_directory('dyn_control'), 'config', 'robots', robot + '.urdf')
    file = shipped if os.path.exists(shipped) else robot
    if not os.path.exists(file):
        raise RuntimeError(f"robot: '{robot}' is neither a file nor a robot in {os.path.dirname(shipped)}")
    return file


def urdf_text(file):
    if not file.endswith('.xacro'):
        with open(file, encoding='utf-8') as stream:
            return stream.read()
    import xacro
    return xacro.process_file(file).toxml()


def driven_joints(robot):
    """Joints of one degree of freedom that mimic no other, in the order of the file."""
    return [joint.get('name') for joint in robot.findall('joint')
            if joint.get('type') in ('revolute', 'continuous', 'prismatic') and joint.find('mimic') is None]


def root_link(robot):
    children = {joint.find('child').get('link') for joint in robot.findall('joint')}
    return next(link.get('name') for link in robot.findall('link') if link.get('name') not in children)


def add_simulated_arm(robot, joints, engine):
    """The <ros2_control> tag, where the description has none."""
    if robot.find('ros2_control') is not None:
        return
    system = ElementTree.SubElement(robot, 'ros2_control', name='simulated_arm', type='system')
    hardware = ElementTree.SubElement(system, 'hardware')
    ElementTree.SubElement(hardware, 'plugin').text = 'dyn_controllers/SimulatedArm'
    for name, value in (('engine', engine), ('friction', 'false')):
        ElementTree.SubElement(hardware, 'param', name=name).text = value
    for name in joints:
        joint = ElementTree.SubElement(system, 'joint', name=name)
        for interface in ('position', 'velocity', 'effort'):
            ElementTree.SubElement(joint, 'command_interface', name=interface)
        for interface in ('position', 'velocity', 'effort'):
            ElementTree.SubElement(joint, 'state_interface', name=interface)


def controller_parameters(joints, controller, values):
    name = controller + '_controller'
    p, d = GAINS[controller]
    own = {'joints': joints,
           'jsim_algorithm': values['jsim_algorithm'],
           'coriolis_algorithm': values['coriolis_algorithm'],
           'validation': {'mode': values['validation']},
           'gains': {joint: {'p': p, 'd': d} for joint in joints}}
    trajectory = {'joints': joints,
                  'command_joints': [f'{name}/{joint}' for joint in joints],
                  'command_interfaces': ['position', 'velocity', 'acceleration'],
                  'state_interfaces': ['position', 'velocity'],
                  'allow_nonzero_velocity_at_trajectory_end': True}
    return {'controller_manager': {'ros__parameters': {
                'update_rate': int(values['rate']),
                name: {'type': 'dyn_controllers/' + TYPES[controller]},
                'joint_state_broadcaster': {'type': 'joint_state_broadcaster/JointStateBroadcaster'},
                'joint_trajectory_controller': {'type': 'joint_trajectory_controller/JointTrajectoryController'}}},
            name: {'ros__parameters': own},
            'joint_trajectory_controller': {'ros__parameters': trajectory}}


def bring_up(context):
    values = {name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS}
    controller = values['controller']
    if controller not in TYPES:
        raise RuntimeError(f"controller: '{controller}' is none of {', '.join(TYPES)}")
    robot = ElementTree.fromstring(urdf_text(robot_file(values['robot'])))
    joints = driven_joints(robot)
    add_simulated_arm(robot, joints, values['plant'])
    description = {'robot_description': ElementTree.tostring(robot, encoding='unicode')}
    folder = tempfile.mkdtemp(prefix='dyn_control_')
    parameters = os.path.join(folder, 'controllers.yaml')
    with open(parameters, 'w', encoding='utf-8') as stream:
        json.dump(controller_parameters(joints, controller, values), stream)  # YAML too, and without aliases

    chained = controller != 'gravity_compensation'
    names = ['joint_state_broadcaster', controller + '_controller'] + ['joint_trajectory_controller'] * chained
    spawner = Node(package='controller_manager', executable='spawner', output='screen',
                   arguments=names + ['--param-file', parameters, '--controller-manager-timeout', '60'])
    nodes = [
        Node(package='robot_state_publisher', executable='robot_state_publisher', parameters=[description]),
        Node(package='controller_manager', executable='ros2_control_node', parameters=[parameters], output='screen',
             on_exit=Shutdown(reason='the controller manager ended')),
        spawner,
    ]
    if values['rviz'] == 'true':
        layout = os.path.join(get_package_share_directory('dyn_control'), 'config', 'ros', 'arm.rviz')
        nodes.append(Node(package='rviz2', executable='rviz2', arguments=['-d', layout, '-f', root_link(robot)]))
    duration = float(values['duration'])
    moved = chained and values['move'] == 'true'
    mover = Node(package='dyn_control', executable='move_arm.py', output='screen',
                 arguments=['--controller', controller + '_controller', '--duration', str(duration)])

    def when_spawned(event, _):
        if event.returncode != 0:
            return [Shutdown(reason='the controllers could not be started')]
        if moved:
            return [mover]
        return [TimerAction(period=duration, actions=[over])] if duration > 0.0 else []

    over = Shutdown(reason='the duration is over')
    nodes.append(RegisterEventHandler(OnProcessExit(target_action=spawner, on_exit=when_spawned)))
    if moved and duration > 0.0:
        nodes.append(RegisterEventHandler(OnProcessExit(target_action=mover, on_exit=[over])))
    return nodes


def generate_launch_description():
    return LaunchDescription([DeclareLaunchArgument(name, default_value=default, description=text)
                              for name, default, text in ARGUMENTS] + [OpaqueFunction(function=bring_up)])
