#!/usr/bin/env python3
# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Makes the model of a running arm true to it: excites the arm through joint_trajectory_controller, records
/joint_states, identifies, and has robot_state_publisher publish the identified description, which the torque
controller takes over. Not unless the error on the part of the log that was held out became smaller and the arm stands
still; the controller ramps the change in (its parameter description_transition). The description before stays in
--out; `ros2 service call /make_model_true/restore std_srvs/srv/Trigger` brings it back."""
import argparse
import csv
import json
import math
import os
import subprocess
import sys
import time

import rclpy
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from dyn_msgs.msg import ControllerState
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectoryPoint

TO_START_S = 4.0
ANSWER_S = 20.0
AT_REST = 0.02    # rad/s or m/s, of every joint,
REST_S = 0.3      # for as long
EVERY = 10        # of the exciting motion's rows is a point of the goal


class Failure(Exception):
    """One sentence for the user."""


def dyn(*arguments):
    """What `dyn ... --json` prints; its own sentence where it fails."""
    done = subprocess.run(['dyn', *arguments, '--json'], capture_output=True, text=True, check=False)
    for line in done.stderr.splitlines():
        print('  ' + line, flush=True)
    if done.returncode != 0:
        raise Failure(f"dyn {arguments[0]} failed with exit code {done.returncode}")
    return json.loads(done.stdout)


def read_motion(file):
    """Names of the joints, and rows of time and positions."""
    with open(file, newline='', encoding='utf-8') as stream:
        rows = list(csv.reader(stream))
    return rows[0][1:], [[float(x) for x in row] for row in rows[1:]]


def duration(seconds):
    whole = int(seconds)
    return Duration(sec=whole, nanosec=int((seconds - whole) * 1e9))


def points_of(motion):
    """Positions, velocities and accelerations by central differences, at rest at both ends, TO_START_S later."""
    points = []
    kept = sorted({*range(0, len(motion), EVERY), len(motion) - 1})
    for k in kept:
        point = JointTrajectoryPoint()
        now = motion[k]
        point.positions = now[1:]
        point.velocities = point.accelerations = [0.0] * (len(now) - 1)
        if 0 < k < len(motion) - 1:
            before, after = motion[k - 1], motion[k + 1]
            half = 0.5 * (after[0] - before[0])
            point.velocities = [(b - a) / (2.0 * half) for a, b in zip(before[1:], after[1:])]
            point.accelerations = [(b - 2.0 * x + a) / (half * half)
                                   for a, x, b in zip(before[1:], now[1:], after[1:])]
        point.time_from_start = duration(TO_START_S + now[0] - motion[0][0])
        points.append(point)
    return points


class Maker(Node):
    def __init__(self, wanted):
        super().__init__('make_model_true')
        self.wanted = wanted
        self.description, self.before, self.text_before = '', '', ''
        self.states, self.recorded, self.recording = None, [], False
        self.squares, self.errors, self.still_since = 0.0, 0, None
        self.largest_step, self.effort = 0.0, None
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.create_subscription(String, 'robot_description', self.take_description, latched)
        self.create_subscription(JointState, 'joint_states', self.record, 10000)
        self.create_subscription(ControllerState, f'{wanted.controller}/controller_state', self.measure, 1000)
        self.player = ActionClient(self, FollowJointTrajectory, 'joint_trajectory_controller/follow_joint_trajectory')
        self.publisher = self.create_client(SetParameters, 'robot_state_publisher/set_parameters')
        self.create_service(Trigger, '~/restore', self.restore)
        self.replaced = self.restore_asked = False

    # --- What comes in ---------------------------------------------------------------------------------------------

    def take_description(self, message):
        self.description = message.data

    def record(self, message):
        if self.recording:
            self.recorded.append(message)

    def measure(self, message):
        self.states = message
        if self.effort is not None:
            self.largest_step = max([self.largest_step] +
                                    [abs(a - b) for a, b in zip(message.effort_applied, self.effort)])
        self.effort = message.effort_applied
        if self.recording:
            self.squares += sum(error * error for error in message.position_error)
            self.errors += len(message.position_error)
        moves = any(abs(v) > AT_REST for v in (*message.velocity, *message.reference_velocity))
        now = time.monotonic()
        self.still_since = None if moves else (self.still_since or now)

    def wait(self, until, patience_s, otherwise):
        end = time.monotonic() + patience_s
        while not until():
            if time.monotonic() > end:
                raise Failure(otherwise)
            rclpy.spin_once(self, timeout_sec=0.1)

    def answer(self, future, who):
        self.wait(future.done, ANSWER_S, f'{who} did not answer within {ANSWER_S:g} s')
        return future.result()

    def stands_still(self):
        return self.still_since is not None and time.monotonic() - self.still_since > REST_S

    # --- What is done ----------------------------------------------------------------------------------------------

    def file(self, *names):
        return os.path.join(self.wanted.out, *names)

    def play(self, joints, motion):
        """The motion from a start that is gone to first; rms of the tracking error, and the joint states."""
        goal = FollowJointTrajectory.Goal()
        goal.trajectory.joint_names = joints
        goal.trajectory.points = points_of(motion)
        accepted = self.answer(self.player.send_goal_async(goal), 'joint_trajectory_controller')
        if not accepted.accepted:
            raise Failure('joint_trajectory_controller refused the exciting motion')
        self.recorded, self.squares, self.errors = [], 0.0, 0
        done = accepted.get_result_async()
        length = TO_START_S + motion[-1][0] - motion[0][0]
        begin = time.monotonic()
        self.wait(lambda: time.monotonic() - begin > TO_START_S, 2 * TO_START_S, '')
        self.recording = True
        try:
            self.wait(done.done, 3.0 * length + ANSWER_S, 'the exciting motion did not come to its end')
        finally:
            self.recording = False
        result = done.result().result
        if result.error_code != FollowJointTrajectory.Result.SUCCESSFUL:
            raise Failure(f'the exciting motion failed: {result.error_string}')
        if not self.recorded or not self.errors:
            raise Failure('nothing came on joint_states or controller_state while the arm moved')
        return math.sqrt(self.squares / self.errors)

    def write_log(self, file):
        names = list(self.recorded[0].name)
        header = ['time_s'] + [f'{what}.{name}' for what in ('q', 'v', 'effort') for name in names]
        first = self.recorded[0].header.stamp
        with open(file, 'w', newline='', encoding='utf-8') as stream:
            writer = csv.writer(stream)
            writer.writerow(header)
            for state in self.recorded:
                stamp = state.header.stamp
                at = (stamp.sec - first.sec) + 1e-9 * (stamp.nanosec - first.nanosec)
                writer.writerow([repr(x) for x in (at, *state.position, *state.velocity, *state.effort)])

    def publish(self, text):
        """Has robot_state_publisher publish a description, and waits until the controller has it."""
        self.wait(self.stands_still, ANSWER_S, 'the arm does not come to rest: the description stays as it is')
        generation = self.states.generation
        self.effort, self.largest_step = None, 0.0
        request = SetParameters.Request(parameters=[Parameter(
            name='robot_description', value=ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=text))])
        self.wait(self.publisher.service_is_ready, ANSWER_S, 'there is no robot_state_publisher')
        result = self.answer(self.publisher.call_async(request), 'robot_state_publisher').results[0]
        if not result.successful:
            raise Failure(f'robot_state_publisher refused the description: {result.reason}')
        self.replaced = text != self.text_before
        self.wait(lambda: self.states.generation > generation and not self.states.ramping, ANSWER_S,
                  'the controller did not take the description over; its log says why')
        self.wait(self.stands_still, ANSWER_S, 'the arm does not come to rest with the new description')
        print(f'taken over at rest: the largest change of torque within {self.period_text()} was '
              f'{self.largest_step:.3g} N m', flush=True)

    def period_text(self):
        return f'{1e3 / self.wanted.state_rate:.0f} ms'

    def identify(self):
        self.write_log(self.file('log.csv'))
        found = dyn('identify', self.file('before.urdf'), self.file('log.csv'), '--out', self.file('identified'))
        before, after = found['before']['relative'], found['validation']['relative']
        print(f'torque error on the part of the log that was held out: {100 * before:.2f} % before, '
              f'{100 * after:.2f} % after ({found["samples"]} rows, report: {found["report"]})', flush=True)
        if not after < before:
            raise Failure('the identified model is no better on what was held out: the description stays as it is')
        with open(found['urdf'], encoding='utf-8') as stream:
            return stream.read()

    def run(self):
        self.wait(lambda: self.description and self.states and self.player.server_is_ready(), 120.0,
                  'there is no robot_description, no controller_state or no joint_trajectory_controller')
        os.makedirs(self.wanted.out, exist_ok=True)
        self.text_before = self.description
        with open(self.file('before.urdf'), 'w', encoding='utf-8') as stream:
            stream.write(self.text_before)
        floor = ['--floor', self.wanted.floor] if self.wanted.floor else []
        dyn('excite', self.file('before.urdf'), '--duration', self.wanted.duration, *floor, '--out', self.file('excitation'))
        joints, motion = read_motion(self.file('excitation', 'trajectory.csv'))
        print(f'the arm moves for {self.wanted.duration} s; whether links touch each other was not checked', flush=True)
        error_before = self.play(joints, motion)
        identified = self.identify()
        self.publish(identified)
        error_after = self.play(joints, motion)
        print(f'tracking error of that motion: rms {error_before:.3g} rad before, {error_after:.3g} rad after', flush=True)
        if self.restore_asked:
            self.bring_back()

    def restore(self, _, response):
        """Answers at once; run_restore() does it, since a callback cannot wait for callbacks."""
        response.success = self.replaced
        response.message = 'the description before comes back as soon as the arm stands still' if response.success \
            else 'the description is the one before'
        self.restore_asked = response.success
        return response

    def bring_back(self):
        self.restore_asked = False
        self.publish(self.text_before)
        print('the description before is back', flush=True)

    def bring_back_or_say(self):
        try:
            self.bring_back()
        except Failure as failure:
            print(f'make_model_true: {failure}', file=sys.stderr, flush=True)

    def stay(self):
        print('the description before comes back by: '
              'ros2 service call /make_model_true/restore std_srvs/srv/Trigger', flush=True)
        while rclpy.ok():
            rclpy.spin_once(self, timeout_sec=0.2)
            if self.restore_asked:
                self.bring_back_or_say()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--controller', default='computed_torque_controller')
    parser.add_argument('--duration', default='10', help='s of the exciting motion')
    parser.add_argument('--floor', default='', help='m, as of dyn excite')
    parser.add_argument('--out', default='model')
    parser.add_argument('--state-rate', type=float, default=50.0, help='Hz of the controller\'s ~/controller_state')
    parser.add_argument('--stay', action='store_true', help='wait for ~/restore in the end')
    wanted, _ = parser.parse_known_args()
    rclpy.init()
    maker = Maker(wanted)
    try:
        maker.run()
        if wanted.stay:
            maker.stay()
    except Failure as failure:
        print(f'make_model_true: {failure}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == '__main__':
    sys.exit(main())
