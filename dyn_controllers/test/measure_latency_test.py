# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""ros2 run dyn_control measure_latency.py beside a launch: times of every controller and of the hardware."""
import json
import signal
import subprocess
import unittest


class MeasureLatency(unittest.TestCase):

    def test_every_controller_and_the_hardware_is_timed(self):
        launch = subprocess.Popen(['ros2', 'launch', 'dyn_control', 'computed_torque.launch.py', 'move:=false'],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            for line in launch.stdout:
                if 'Configured and activated' in line and 'joint_trajectory_controller' in line:
                    break
            measured = subprocess.run(['ros2', 'run', 'dyn_control', 'measure_latency.py', '--json', '--duration', '2'],
                                      capture_output=True, text=True, timeout=60, check=False)
        finally:
            launch.send_signal(signal.SIGINT)
            launch.communicate(timeout=60)
        self.assertEqual(measured.returncode, 0, measured.stderr)
        rows = {row['name']: row for row in json.loads(measured.stdout)['rows']}
        for name in ('computed_torque_controller', 'joint_trajectory_controller', 'joint_state_broadcaster',
                     'simulated_arm/read_cycle', 'simulated_arm/write_cycle'):
            self.assertGreater(rows[name]['samples'], 100)
            self.assertLessEqual(rows[name]['p50'], rows[name]['p99'])
            self.assertLessEqual(rows[name]['p99'], rows[name]['max'])


if __name__ == '__main__':
    unittest.main()
