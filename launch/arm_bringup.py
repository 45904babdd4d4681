# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Common functions of the launch files: a robot's description with the simulated arm added to it, parameters of the
controllers, and the nodes that run them."""
import atexit
import json
import math
import os
import re
import shutil
import signal
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch.actions import EmitEvent, RegisterEventHandler
from launch.event_handlers import OnProcessExit, OnProcessIO
from launch.events import matches_action
from launch.events.process import SignalProcess
from launch_ros.actions import Node

TYPES = {'computed_torque': 'ComputedTorqueController', 'feedforward': 'FeedforwardController',
         'gravity_compensation': 'GravityCompensationController', 'task_space': 'TaskSpaceController'}
MUJOCO = 'mujoco_ros2_control'  # a package with a hardware of its own, a controller manager for it, and /clock
MUJOCO_LARGEST_STEP_S = 2e-3
# Its physics thread sleeps for 1 ms and then makes all steps that are due. So that it makes no two at once, of which the
# controllers would see one, a step takes longer than that.
MUJOCO_SHORTEST_REAL_STEP_S = 1.25e-3
CHAINED = ('computed_torque', 'feedforward')  # with joint_trajectory_controller
# Log texts of ros2_control if a hardware cannot be loaded. The controller manager then waits for another description.
NO_HARDWARE = ('Could not load and initialize hardware', 'Exception caught while loading and initializing components')


def share(*path):
    return os.path.join(get_package_share_directory('dyn_control'), *path)


def robot_file(robot):
    """The file itself, or that of the robot that `dyn` lists by this name."""
    if os.path.isfile(robot):
        return robot
    program = shutil.which('dyn')
    if program:
        answer = subprocess.run([program, 'robots', '--json'], capture_output=True, text=True, check=False)
        for known in json.loads(answer.stdout or '{}').get('robots', []):
            if known['name'] == robot:
                return known['file']
    raise RuntimeError(f"robot: '{robot}' is neither a file nor a robot that `dyn robots` lists")


def urdf_text(file, arguments=None):
    if not file.endswith('.xacro'):
        with open(file, encoding='utf-8') as stream:
            return stream.read()
    import xacro
    return xacro.process_file(file, mappings=arguments or {}).toxml()


def driven_joints(robot):
    """Joints of one degree of freedom that mimic no other, in the order of the file."""
    return [joint.get('name') for joint in robot.findall('joint')
            if joint.get('type') in ('revolute', 'continuous', 'prismatic') and joint.find('mimic') is None]


def gains(robot, joint, controller):
    """Gains for a simulated arm of any size: on accelerations, or on torques in proportion to the joint's effort limit."""
    if controller == 'computed_torque':
        return {'p': 400.0, 'd': 40.0}
    if controller in ('gravity_compensation', 'task_space'):
        return {'p': 0.0, 'd': 0.5}
    limit = robot.find(f"joint[@name='{joint}']/limit")
    effort = float(limit.get('effort', '0')) if limit is not None else 0.0
    return {'p': 3.0 * (effort or 30.0), 'd': 0.3 * (effort or 30.0)}


def root_link(robot):
    children = {joint.find('child').get('link') for joint in robot.findall('joint')}
    return next(link.get('name') for link in robot.findall('link') if link.get('name') not in children)


def hand_link(robot):
    """The last link of the longest chain of joints."""
    above = {joint.find('child').get('link'): joint.find('parent').get('link') for joint in robot.findall('joint')}

    def depth(link):
        return 1 + depth(above[link]) if link in above else 0

    return max((link.get('name') for link in robot.findall('link')), key=depth)


def bent(robot, joints):
    """Positions at which most arms are neither stretched nor at their limits."""
    shape = (0.0, 0.5, 0.3, -1.5, 0.4, 1.1, 0.3)
    start = {}
    for k, joint in enumerate(joints):
        position = shape[k] if k < len(shape) else 0.0
        limit = robot.find(f"joint[@name='{joint}']/limit")
        lower = float(limit.get('lower', '-3')) if limit is not None else -3.0
        upper = float(limit.get('upper', '3')) if limit is not None else 3.0
        room = 0.1 * (upper - lower)
        start[joint] = position if lower >= upper else min(max(position, lower + room), upper - room)
    return start


def add_system(robot, name, plugin, parameters, joints, commands, start=None):
    """The <ros2_control> tag of a hardware. `commands`: a joint's command interfaces, by joint; `start`: positions by
    joint."""
    system = ElementTree.SubElement(robot, 'ros2_control', name=name, type='system')
    hardware = ElementTree.SubElement(system, 'hardware')
    ElementTree.SubElement(hardware, 'plugin').text = plugin
    for key, value in parameters.items():
        ElementTree.SubElement(hardware, 'param', name=key).text = value
    for joint_name in joints:
        joint = ElementTree.SubElement(system, 'joint', name=joint_name)
        for interface in commands[joint_name]:
            ElementTree.SubElement(joint, 'command_interface', name=interface)
        for interface in ('position', 'velocity', 'effort'):
            state = ElementTree.SubElement(joint, 'state_interface', name=interface)
            if interface == 'position' and joint_name in (start or {}):
                ElementTree.SubElement(state, 'param', name='initial_value').text = repr(start[joint_name])
    return system


def add_simulated_arm(robot, joints, hardware, sensed=(), undriven=(), start=None):
    """Adds the <ros2_control> tag if the description has none. `hardware`: parameters of dyn_controllers/SimulatedArm;
    `sensed`: PAYLOAD/JOINT, joints of chains that will be attached; `undriven`: joints without a motor; `start`:
    positions by joint."""
    if robot.find('ros2_control') is not None:
        return
    commands = {name: () if name in undriven else ('position', 'velocity', 'effort') for name in joints}
    system = add_system(robot, 'simulated_arm', 'dyn_controllers/SimulatedArm', hardware, joints, commands, start)
    for name in sensed:
        sensor = ElementTree.SubElement(system, 'sensor', name=name)
        for interface in ('position', 'velocity'):
            ElementTree.SubElement(sensor, 'state_interface', name=interface)


def mujoco_step_s(rate):
    """A whole part of the control period, so that the clock, which ticks with the steps, has every cycle's time."""
    return 1.0 / (rate * math.ceil(1.0 / (rate * MUJOCO_LARGEST_STEP_S)))


def mujoco_speed(given, step_s):
    """Simulated time over real time; for '0' the largest at which no step goes unseen, at most 1."""
    if not re.fullmatch(r'[0-9]*\.?[0-9]+', given):
        raise RuntimeError(f"speed: '{given}' is not a number that is 0 or positive")
    return float(given) or min(1.0, step_s / MUJOCO_SHORTEST_REAL_STEP_S)


def mjcf_file(robot, step_s):
    """The robot as MJCF, written by `dyn mjcf`: a file that is there as long as the launch."""
    program = shutil.which('dyn')
    if not program:
        raise RuntimeError('plant: mujoco_ros2_control needs the program `dyn` in PATH, which writes the MJCF')
    file = os.path.join(temporary_folder(), 'robot.xml')
    done = subprocess.run([program, 'mjcf', robot_file(robot), '--no-friction', '--step', repr(step_s), '--out', file],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError('plant: ' + done.stderr.strip())
    return file


def add_mujoco_system(robot, joints, file, speed, start=None):
    """The hardware of the package mujoco_ros2_control, with the MJCF of this file, in place of the simulated arm.
    `speed`: simulated time over real time."""
    try:
        get_package_share_directory(MUJOCO)
    except PackageNotFoundError as missing:
        raise RuntimeError(f'plant: the package {MUJOCO} is not installed') from missing
    if robot.find('ros2_control') is not None:
        raise RuntimeError(f'plant: {MUJOCO} cannot replace the <ros2_control> tag that the description has')
    parameters = {'mujoco_model': file, 'headless': 'true', 'sim_speed_factor': repr(speed)}
    add_system(robot, 'mujoco', MUJOCO + '/MujocoSystemInterface', parameters, joints,
               {name: ('effort',) for name in joints}, start)


def temporary_folder():
    """Is there as long as the launch."""
    folder = tempfile.mkdtemp(prefix='dyn_control_')
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def parameters_file(joints, controller, own, rate, space='', use_sim_time=False, cpu=''):
    """A file with the parameters of everything that the controller manager loads, in JSON, which is YAML too."""
    name = controller + '_controller'
    chained = {'joints': joints,
               'command_joints': [f'{name}/{joint}' for joint in joints],
               'command_interfaces': ['position', 'velocity', 'acceleration'],
               'state_interfaces': ['position', 'velocity'],
               'allow_nonzero_velocity_at_trajectory_end': True}
    manager = {'update_rate': rate,
               name: {'type': 'dyn_controllers/' + TYPES[controller]},
               'joint_state_broadcaster': {'type': 'joint_state_broadcaster/JointStateBroadcaster'},
               'joint_trajectory_controller': {'type': 'joint_trajectory_controller/JointTrajectoryController'}}
    if cpu:
        manager['cpu_affinity'] = int(cpu)
    nodes = {'controller_manager': manager, name: {'joints': joints, **own}, 'joint_trajectory_controller': chained}
    file = os.path.join(temporary_folder(), 'controllers.yaml')
    with open(file, 'w', encoding='utf-8') as stream:
        json.dump({f'{space}/{node}': {'ros__parameters': {**values, 'use_sim_time': use_sim_time}}
                   for node, values in nodes.items()}, stream)
    return file


def coordinates(robot):
    """Names of the degrees of freedom in the order of `dyn`."""
    program = shutil.which('dyn')
    if not program:
        raise RuntimeError('out: needs the program `dyn` in PATH')
    answer = subprocess.run([program, 'info', robot_file(robot), '--json'], capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise RuntimeError('out: ' + answer.stderr.strip())
    return json.loads(answer.stdout)['joints']


def recorder_node(values, start, use_sim_time):
    """Records from the controller's first state until SIGINT and writes what `dyn run` writes. `values`: arguments of
    computed_torque.launch.py; `start`: positions by joint. The configuration's motion, to stand there, is not played:
    another node moves the arm."""
    stand = [start.get(name, 0.0) for name in coordinates(values['robot'])]
    of_task = values['controller'] == 'task_space'
    robot = values['robot']
    run = {'title': f"{values['controller']} on {os.path.basename(robot)}",
           'robot': os.path.abspath(robot) if os.path.isfile(robot) else robot,
           'rate_hz': int(values['rate']),
           'plant': {'engine': 'native' if values['plant'] == 'native' else 'mujoco'},
           'controller': {'type': values['controller'], **({'frame': values['frame']} if of_task else {}),
                          'jsim_algorithm': values['jsim_algorithm'],
                          'coriolis_algorithm': values['coriolis_algorithm'],
                          'validation': {'mode': values['validation']}},
           'start': stand,
           'trajectory': ({'type': 'poses', 'poses': [{'at': 1.0}]} if of_task
                          else {'type': 'quintic', 'way_points': [stand]})}
    file = os.path.join(temporary_folder(), 'run.yaml')
    with open(file, 'w', encoding='utf-8') as stream:
        json.dump(run, stream)
    return Node(package='dyn_controllers', executable='play_scenario', output='screen',
                arguments=['--record', file, os.path.abspath(values['out'])],
                parameters=[{'use_sim_time': use_sim_time}])


def controller_names(controller):
    return ['joint_state_broadcaster', controller + '_controller'] + ['joint_trajectory_controller'] * (controller in CHAINED)


def arm_nodes(robot, controller, parameters, space='', use_sim_time=False, outside=False):
    """robot_state_publisher, controller manager, the handlers that monitor it, and last the spawner of the
    controllers. `outside`: with the controller manager of mujoco_ros2_control, and controllers that stay inactive."""
    description = {'robot_description': ElementTree.tostring(robot, encoding='unicode'), 'use_sim_time': use_sim_time}
    if space:
        description['frame_prefix'] = space.strip('/') + '/'
    manager = Node(package=MUJOCO if outside else 'controller_manager', executable='ros2_control_node', namespace=space,
                   parameters=[parameters], output='screen')
    return [
        Node(package='robot_state_publisher', executable='robot_state_publisher', namespace=space,
             parameters=[description]),
        manager,
        RegisterEventHandler(OnProcessExit(target_action=manager, on_exit=fail_unless_over)),
        hardware_watch(manager),
        Node(package='controller_manager', executable='spawner', namespace=space, output='screen',
             arguments=controller_names(controller) + ['--inactive'] * outside
             + ['--param-file', parameters, '--controller-manager-timeout', '60']),
    ]


def fail_unless_over(event, context):
    """Nothing works without a controller manager: if one ends before the launch is shut down, the launch has failed."""
    if not context.is_shutdown:
        raise RuntimeError(f'a controller manager ended (exit code {event.returncode}); its log is above')


def hardware_watch(manager):
    """Fails the launch as soon as the controller manager logs that a hardware cannot be loaded."""
    said = ['']

    def read(event):
        said[0] = (said[0] + event.text.decode(errors='replace'))[-4000:]
        if any(text in said[0] for text in NO_HARDWARE):
            errors = [line for line in said[0].splitlines() if 'ERROR' in line]
            raise RuntimeError('the hardware cannot be loaded; the controller manager logged: ' + ' '.join(errors))

    return RegisterEventHandler(OnProcessIO(target_action=manager, on_stdout=read, on_stderr=read))


def clock_watch(use_sim_time):
    """A node that warns if use_sim_time is set and nobody publishes /clock."""
    return [Node(package='dyn_control', executable='watch_clock.py', output='screen')] if use_sim_time else []


def ended(event, program):
    """Fails the launch if a program that it needs has failed; one that was ended by a signal has not."""
    if event.returncode not in (0, -signal.SIGINT, -signal.SIGTERM):
        raise RuntimeError(f'{program} failed; its log is above')


def after(node, program, then):
    """then(), a list of actions, as soon as the program of this node has ended; a failure ends the launch."""
    def when_over(event, _):
        ended(event, program)
        return then()

    return RegisterEventHandler(OnProcessExit(target_action=node, on_exit=when_over))


def interrupt(node):
    """Ends the program of this node as Ctrl-C does."""
    return EmitEvent(event=SignalProcess(signal_number=signal.SIGINT, process_matcher=matches_action(node)))


def rviz_node(robot, use_sim_time=False):
    return Node(package='rviz2', executable='rviz2', parameters=[{'use_sim_time': use_sim_time}],
                arguments=['-d', share('config', 'ros', 'arm.rviz'), '-f', root_link(robot)])
