# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""A configuration of `dyn run`, played on ros2_control: the same robot, plant, controller, trajectory and events, with
controller_manager, joint_trajectory_controller and services. Each of several arms gets its own controller manager, in a
namespace of the arm's name. Ends by itself with a summary. `scenario` is the name of a shipped scenario or a file:

    ros2 launch dyn_control scenario.launch.py scenario:=payload_pick_and_drop
"""
import os
import sys
import xml.etree.ElementTree as ElementTree

import yaml
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

sys.path.append(os.path.dirname(os.path.realpath(__file__)))
import arm_bringup as bringup  # noqa: E402

ARGUMENTS = [
    ('scenario', 'arm7_computed_torque', 'name of a scenario in config/scenarios, or a .yaml file'),
    ('plant', '', 'engine of the simulated arm, native or mujoco, instead of the scenario\'s'),
    ('out', '', 'folder for the files that `dyn run` writes, log.mcap included'),
    ('stay', 'false', 'true: the arms keep running when the scenario is over'),
    ('use_sim_time', 'false', 'take the time from /clock, published by a simulator of your own'),
    ('rviz', 'false', 'start RViz'),
]
# `type` of a configuration: the controller, and its parameter `law`.
CONTROLLERS = {'computed_torque': ('computed_torque', 'computed_torque'),
               'passivity': ('computed_torque', 'passivity'),
               'adaptive': ('computed_torque', 'adaptive'),
               'feedforward': ('feedforward', 'computed_torque'),
               'task_space': ('task_space', '')}  # which has one law
NUMBERS_OF_GAINS = {'p': 400.0, 'd': 40.0, 'i': 0.0, 'i_clamp': 0.0}
MOST_PAYLOAD_DOFS = 6
STATES_HZ = 200.0


def scenario_file(scenario):
    shipped = bringup.share('config', 'scenarios', scenario + '.yaml')
    file = shipped if os.path.exists(shipped) else scenario
    if not os.path.exists(file):
        raise RuntimeError(f"scenario: '{scenario}' is neither a file nor a scenario in {os.path.dirname(shipped)}")
    return os.path.abspath(file)


def payload_joints(events, folder):
    """PAYLOAD/JOINT of every chain that the events attach."""
    names = []
    for event in events:
        payload = event.get('attach', {})
        if 'urdf' in payload:
            beside = os.path.join(folder, payload['urdf'])
            file = beside if os.path.isfile(beside) else bringup.robot_file(payload['urdf'])
            chain = ElementTree.fromstring(bringup.urdf_text(file))
            names += [f"{payload['name']}/{joint}" for joint in bringup.driven_joints(chain)]
    return names


def as_floats(value):
    """Integers as floats, since ROS refuses 100 for a parameter that is a double."""
    if isinstance(value, dict):
        return {name: as_floats(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [as_floats(entry) for entry in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def by_joint(value, joints):
    """A number for all joints, or numbers by joint and `default` for the others, as a number for each joint."""
    if not isinstance(value, dict):
        return {joint: value for joint in joints}
    return {joint: value.get(joint, value.get('default', 0.0)) for joint in joints}


def controller_parameters(arm, joints, sensed):
    """The ROS parameters of a configuration's `controller`: the same names, with the default gains written out for each
    joint."""
    own = {name: value for name, value in arm.get('controller', {}).items()
           if name not in ('type', 'gains', 'armature')}
    kind = arm.get('controller', {}).get('type', 'computed_torque')
    if kind not in CONTROLLERS:
        raise RuntimeError(f"controller: a trajectory cannot be played on type '{kind}'")
    controller, law = CONTROLLERS[kind]
    if law:
        own['law'] = law
    gains = arm.get('controller', {}).get('gains', {})
    default = {**NUMBERS_OF_GAINS, **gains.get('default', {})}
    own['gains'] = {joint: {**default, **gains.get(joint, {})} for joint in joints}
    for name in ('effort_limit', 'acceleration_limit'):
        if name in own:
            own[name] = by_joint(own[name], joints)
    own.setdefault('validation', {'mode': 'off'})
    own['passive_joints'] = own.get('passive_joints', []) + sensed
    own.setdefault('max_payload_dofs', MOST_PAYLOAD_DOFS)
    own['state_publish_rate'] = STATES_HZ
    own['allow_impossible_inertia'] = arm.get('allow_impossible_inertia', False)
    own['gravity'] = [float(value) for value in arm.get('gravity', (0.0, 0.0, -9.81))]
    return controller, {name: value if name == 'max_payload_dofs' else as_floats(value)
                        for name, value in own.items() if value != []}


def arm_name(arm):
    """The name that `dyn run` uses: the given one, else the robot's, which for a path is the file's name."""
    robot = arm['robot']
    return arm.get('name', os.path.splitext(os.path.basename(robot))[0] if '/' in robot else robot)


def bring_up_arm(arm, file, rate, several, values):
    name = arm_name(arm)
    beside = os.path.join(os.path.dirname(file), arm['robot'])
    robot = ElementTree.fromstring(bringup.urdf_text(
        beside if os.path.isfile(beside) else bringup.robot_file(arm['robot'])))
    sensed = payload_joints(arm.get('events', []), os.path.dirname(file))
    undriven = arm.get('controller', {}).get('passive_joints', [])
    all_joints = bringup.driven_joints(robot)
    joints = [joint for joint in all_joints if joint not in undriven]
    hardware = {'scenario': file, 'scenario_arm': name}
    if values['plant']:
        hardware['engine'] = values['plant']
    bringup.add_simulated_arm(robot, all_joints, hardware, sensed, undriven)
    controller, own = controller_parameters(arm, joints, sensed)
    use_sim_time = values['use_sim_time'] == 'true'
    space = '/' + name if several else ''
    parameters = bringup.parameters_file(joints, controller, own, rate, space, use_sim_time)
    nodes = bringup.arm_nodes(robot, controller, parameters, space, use_sim_time)
    if values['rviz'] == 'true':
        nodes.insert(0, bringup.rviz_node(robot, use_sim_time))
    return nodes


def bring_up(context):
    values = {name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS}
    file = scenario_file(values['scenario'])
    with open(file, encoding='utf-8') as stream:
        run = yaml.safe_load(stream)
    arms = run.get('arms', [run])
    nodes, spawners = bringup.clock_watch(values['use_sim_time'] == 'true'), []
    for arm in arms:
        nodes += bring_up_arm(arm, file, int(run.get('rate_hz', 1000)), len(arms) > 1, values)
        spawners.append(nodes[-1])
    player = Node(package='dyn_controllers', executable='play_scenario', output='screen',
                  arguments=[file] + [os.path.abspath(values['out'])] * bool(values['out']),
                  parameters=[{'use_sim_time': values['use_sim_time'] == 'true'}])

    # A trajectory is refused by a joint_trajectory_controller that is not active yet.
    waited_for = list(spawners)

    def when_spawned():
        waited_for.pop()
        return [] if waited_for else [player]

    def when_played():
        return [] if values['stay'] == 'true' else [Shutdown(reason='the scenario is over')]

    nodes += [bringup.after(spawner, 'the spawner of the controllers', when_spawned) for spawner in spawners]
    nodes.append(bringup.after(player, 'play_scenario', when_played))
    return nodes


def generate_launch_description():
    return LaunchDescription([DeclareLaunchArgument(name, default_value=default, description=text)
                              for name, default, text in ARGUMENTS] + [OpaqueFunction(function=bring_up)])
