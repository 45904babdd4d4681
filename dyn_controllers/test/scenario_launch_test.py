# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""ros2 launch dyn_control scenario.launch.py scenario:=$DYN_SCENARIO: every event is accepted, the arms are followed,
and it ends by itself with a report. Real time, on a machine that may be busy: how exact it is, is measured elsewhere."""
import atexit
import csv
import json
import os
import re
import shutil
import tempfile
import unittest

import launch
import launch_testing
import launch_testing.actions
import launch_testing.asserts
import yaml
from ament_index_python.packages import get_package_share_directory
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

SHARE = get_package_share_directory('dyn_control')
SCENARIO = os.environ['DYN_SCENARIO']
with open(os.path.join(SHARE, 'config', 'scenarios', SCENARIO + '.yaml'), encoding='utf-8') as stream:
    RUN = yaml.safe_load(stream)
ARMS = RUN.get('arms', [RUN])
OUT = tempfile.mkdtemp(prefix='dyn_scenario_')
atexit.register(shutil.rmtree, OUT, ignore_errors=True)


def generate_test_description():
    file = os.path.join(SHARE, 'launch', 'scenario.launch.py')
    return launch.LaunchDescription([
        IncludeLaunchDescription(PythonLaunchDescriptionSource(file),
                                 launch_arguments={
            'scenario': SCENARIO, 'out': OUT, 'stay': 'true'}.items()),
        launch_testing.actions.ReadyToTest(),
    ])


def text_of(proc_output):
    return ''.join(line.text.decode() for process in proc_output.processes() for line in proc_output[process])


def acceptances(proc_output):
    """When each event was accepted, s."""
    found = re.findall(r'\[INFO\].*\[play_scenario\]: ([0-9.]+) s: ', text_of(proc_output))
    return [float(at) for at in found]


class TheScenario(unittest.TestCase):

    def test_is_played_to_its_end(self, proc_output, proc_info):
        proc_output.assertWaitFor('summary: ', timeout=150, stream='stdout')
        proc_info.assertWaitForShutdown(process='play_scenario', timeout=60)
        launch_testing.asserts.assertExitCodes(proc_info, process='play_scenario')
        found = re.findall(r'summary: (\S+): (\d+) samples, tracking error rms ([0-9.e+-]+), largest', text_of(proc_output))
        self.assertEqual([arm.get('name', arm['robot']) for arm in ARMS], [name for name, _, _ in found])
        for arm, (_, samples, rms) in zip(ARMS, found):
            self.assertGreater(int(samples), 20 * RUN['duration_s'])  # at 50 a second
            alone = arm['controller'].get('gains', {}).get('default', {}).get('p') == 0  # nothing brings it back
            self.assertLess(float(rms), 1.0 if alone else 0.05)

    def test_every_event_is_accepted(self, proc_output):
        proc_output.assertWaitFor('summary: ', timeout=150, stream='stdout')
        self.assertEqual(sum(len(arm.get('events', [])) for arm in ARMS), len(acceptances(proc_output)))

    def test_leaves_a_report_and_a_log(self, proc_output):
        proc_output.assertWaitFor('report: ', timeout=150, stream='stdout')
        with open(os.path.join(OUT, 'results.json'), encoding='utf-8') as file:
            results = json.load(file)
        self.assertEqual([], results['failures'])
        self.assertEqual(len(ARMS), len(results['arms']))
        with open(os.path.join(OUT, 'report.html'), encoding='utf-8') as report:
            self.assertIn(RUN['title'], report.read())
        logs = [name for name in os.listdir(OUT) if name.endswith('.csv')]
        self.assertEqual(len(logs), len(ARMS))
        for name in logs:
            with open(os.path.join(OUT, name), encoding='utf-8', newline='') as log:
                rows = list(csv.DictReader(log))
            self.assertGreater(len(rows), 20 * RUN['duration_s'])
            first = next(column for column in rows[0] if column.startswith('q.'))
            moved = [float(row[first]) for row in rows]
            self.assertGreater(max(moved) - min(moved), 0.1)

    def test_pushes_are_seen(self, proc_output):
        """Between the request, which may come late, and 0.3 s after its acceptance, by the stamps of the states."""
        proc_output.assertWaitFor('summary: ', timeout=150, stream='stdout')
        seen = [float(at) for at in re.findall(r'collision at ([0-9.]+) s', text_of(proc_output))]
        for event, accepted in zip(RUN.get('events', []), acceptances(proc_output)):
            if 'push' in event and 'collision_threshold' in RUN['controller']:
                self.assertTrue(any(event['at'] <= at < accepted + 0.3 for at in seen), (event, accepted, seen))

    def test_path_and_forces_of_a_frame_are_in_log_and_results(self, proc_output):
        if RUN.get('controller', {}).get('type') != 'task_space':
            return
        proc_output.assertWaitFor('report: ', timeout=150, stream='stdout')
        with open(os.path.join(OUT, 'log.csv'), encoding='utf-8', newline='') as log:
            rows = list(csv.DictReader(log))
        goals = RUN['trajectory']['poses']
        for axis, name in enumerate(('frame.x', 'frame.y', 'frame.z')):
            moves = [goal.get('by', [0.0, 0.0, 0.0])[axis] for goal in goals]
            seen = [float(row[name]) for row in rows]
            path = [seen[0] + sum(moves[:k]) for k in range(len(moves) + 1)]
            self.assertAlmostEqual(max(seen), max(path), delta=0.02)
            self.assertAlmostEqual(min(seen), min(path), delta=0.02)
        pressed = next(goal for goal in goals if goal.get('wrench', [0.0] * 6)[2] < 0.0)
        lifted = next(goal for goal in goals if goal['at'] > pressed['at'] and 'wrench' in goal)
        forces = [float(row['wall_force.z']) for row in rows
                  if pressed['at'] + 0.6 < float(row['time_s']) < lifted['at'] - 0.6]
        self.assertAlmostEqual(sum(forces) / len(forces), -pressed['wrench'][2], delta=1.0)
        with open(os.path.join(OUT, 'results.json'), encoding='utf-8') as file:
            frame = json.load(file)['arms'][0]['frame']
        self.assertEqual(frame['name'], RUN['controller']['frame'])
        self.assertGreater(frame['wall_force']['max'], 10.0)
        self.assertLess(frame['distance']['rms'], 0.01)
        self.assertEqual(frame['wall_force']['end'], [0.0, 0.0, 0.0])
        self.assertGreater(frame['angle']['rms'], 0.01 * frame['angle']['max'])
        self.assertLess(frame['angle']['rms'], frame['angle']['max'])
