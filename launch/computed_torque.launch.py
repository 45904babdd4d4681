# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""An arm under torque control: robot_state_publisher, controller_manager with the simulated arm, joint states, one of
this package's controllers chained with joint_trajectory_controller, and a node that moves the arm.

    ros2 launch dyn_control computed_torque.launch.py robot:=arm7 jsim_algorithm:=gdahj duration:=20 out:=moved
"""
import os
import sys
import xml.etree.ElementTree as ElementTree

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown, TimerAction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

sys.path.append(os.path.dirname(os.path.realpath(__file__)))
import arm_bringup as bringup  # noqa: E402

ARGUMENTS = [
    ('robot', 'arm7', 'name of a robot that `dyn robots` lists, or a .urdf or .xacro file'),
    ('controller', 'computed_torque', 'computed_torque, feedforward, gravity_compensation or task_space'),
    ('frame', '', 'for task_space: the link whose pose is controlled; empty: the last one'),
    ('jsim_algorithm', 'fused', 'algorithm of the joint-space inertia matrix'),
    ('coriolis_algorithm', 'fused', 'algorithm of the Coriolis matrix'),
    ('plant', 'native', 'engine of the simulated arm, native or mujoco; or mujoco_ros2_control, the package'),
    ('effort_limit', '0', 'N m or N for every joint, in addition to the limits of the URDF; 0: those alone'),
    ('rate', '1000', 'Hz of the control loop'),
    ('cpu', '', 'number of the core on which the control loop runs; empty: any'),
    ('speed', '0', 'of plant mujoco_ros2_control: simulated time over real time; 0: as fast as every step has its cycle'),
    ('prediction', '0.5', 'periods ahead at which model and reference are evaluated'),
    ('reference_lead', '-1', 'periods by which the reference is ahead; -1: 1 below joint_trajectory_controller, else 0'),
    ('validation', 'off', 'off, monitor or gate: comparison with Pinocchio beside the loop'),
    ('move', 'true', 'move the arm; false: it waits for goals'),
    ('duration', '0', 's after which everything ends with a summary; 0: never'),
    ('out', '', 'folder for the files that `dyn run` writes, report.html and log.mcap included, about what was moved'),
    ('use_sim_time', 'false', 'take the time from /clock, published by a simulator of your own'),
    ('rviz', 'false', 'start RViz'),
]


def controller_parameters(robot, joints, controller, values):
    of_task = {}
    if controller == 'task_space':
        of_task = {'frame': values['frame']}
    return {**of_task,
            'jsim_algorithm': values['jsim_algorithm'],
            'coriolis_algorithm': values['coriolis_algorithm'],
            'prediction': float(values['prediction']),
            'reference_lead': float(values['reference_lead']),
            'validation': {'mode': values['validation']},
            'effort_limit': {joint: float(values['effort_limit']) for joint in joints},
            'gains': {joint: bringup.gains(robot, joint, controller) for joint in joints}}


def bring_up(context):
    values = {name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS}
    controller = values['controller']
    if controller not in bringup.TYPES:
        raise RuntimeError(f"controller: '{controller}' must be one of {', '.join(bringup.TYPES)}")
    robot = ElementTree.fromstring(bringup.urdf_text(bringup.robot_file(values['robot']),
                                                     {'engine': values['plant']}))
    joints = bringup.driven_joints(robot)
    bent = bringup.bent(robot, joints)
    start = bent if controller == 'task_space' else None
    values['frame'] = values['frame'] or bringup.hand_link(robot)
    outside = values['plant'] == bringup.MUJOCO
    if outside:
        step_s = bringup.mujoco_step_s(int(values['rate']))
        bringup.add_mujoco_system(robot, joints, bringup.mjcf_file(values['robot'], step_s),
                                  bringup.mujoco_speed(values['speed'], step_s), start)
    else:
        bringup.add_simulated_arm(robot, joints, {'engine': values['plant'], 'friction': 'false'}, start=start)
    use_sim_time = outside or values['use_sim_time'] == 'true'
    own = controller_parameters(robot, joints, controller, values)
    parameters = bringup.parameters_file(joints, controller, own, int(values['rate']), use_sim_time=use_sim_time,
                                         cpu=values['cpu'])
    nodes = bringup.clock_watch(use_sim_time)
    nodes += bringup.arm_nodes(robot, controller, parameters, use_sim_time=use_sim_time, outside=outside)
    spawner = nodes[-1]
    if values['rviz'] == 'true':
        nodes.append(bringup.rviz_node(robot, use_sim_time))
    duration = float(values['duration'])
    moved = controller != 'gravity_compensation' and values['move'] == 'true'
    program = 'move_hand.py' if controller == 'task_space' else 'move_arm.py'
    mover = Node(package='dyn_control', executable=program, output='screen',
                 parameters=[{'use_sim_time': use_sim_time}],
                 arguments=['--controller', controller + '_controller', '--duration', str(duration)])
    over = Shutdown(reason='the duration is over')
    recorder = [bringup.recorder_node(values, bent, use_sim_time)] if values['out'] else []
    starter = Node(package='dyn_control', executable='start_in_mujoco.py', output='screen',
                   arguments=bringup.controller_names(controller))

    def when_active():
        if moved:
            return [mover]
        return [TimerAction(period=duration, actions=when_over())] if duration > 0.0 else []

    def when_over():
        return [bringup.interrupt(node) for node in recorder] or [over]

    nodes.append(bringup.after(spawner, 'the spawner of the controllers',
                               lambda: [starter] if outside else when_active()))
    if outside:
        nodes.append(bringup.after(starter, 'start_in_mujoco.py', when_active))
    if moved:
        nodes.append(bringup.after(mover, program, when_over))
    nodes += recorder + [bringup.after(node, 'play_scenario', lambda: [over]) for node in recorder]
    return nodes


def generate_launch_description():
    return LaunchDescription([DeclareLaunchArgument(name, default_value=default, description=text)
                              for name, default, text in ARGUMENTS] + [OpaqueFunction(function=bring_up)])
