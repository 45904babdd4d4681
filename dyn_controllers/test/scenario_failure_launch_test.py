# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""A scenario played on ros2_control that goes wrong says so as `dyn run` does: the player ends with exit code 3, each
cause is on standard error, in results.json and in the report, and the launch has failed."""
import json
import os
import subprocess
import tempfile
import unittest

# The arm weighs three times what its controller believes, and nothing is fed back: it falls away from its trajectory.
CONFIG = """robot: arm7
rate_hz: 500
duration_s: 4
plant: {friction: false, plant_overrides: [{link: link4, mass_scale: 3, inertia_scale: 3}]}
controller: {type: feedforward, gains: {default: {p: 0, d: 0}}}
trajectory: {type: sinusoid, centre: [0, 0.8, 0, 0.8, 0, 0.4, 0], amplitude: 0.2, frequency_hz: 0.25}
"""


class TheScenario(unittest.TestCase):

    def test_fails_with_its_causes(self):
        with tempfile.TemporaryDirectory() as folder:
            config, out = os.path.join(folder, 'config.yaml'), os.path.join(folder, 'out')
            with open(config, 'w', encoding='utf-8') as text:
                text.write(CONFIG)
            end = subprocess.run(['ros2', 'launch', 'dyn_control', 'scenario.launch.py', 'scenario:=' + config, 'out:=' + out],
                                 capture_output=True, text=True, timeout=150, check=False)
            text = end.stdout + end.stderr
            self.assertEqual(end.returncode, 1, text)
            self.assertIn('exit code 3', text)
            with open(os.path.join(out, 'results.json'), encoding='utf-8') as file:
                causes = [failure['cause'] for failure in json.load(file)['failures']]
            self.assertTrue(any('away from its reference' in cause for cause in causes), causes)
            with open(os.path.join(out, 'report.html'), encoding='utf-8') as file:
                page = file.read()
            for cause in causes:
                self.assertIn(json.dumps(cause)[1:-1], page)
                self.assertIn(cause, text)


if __name__ == '__main__':
    unittest.main()
