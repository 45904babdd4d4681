# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Signals to `dyn run`, also where one cycle of the plant takes seconds."""
import json
import signal
import unittest

from run_process import FILES, SCENARIO, RunTest, arm7


class Signals(RunTest):
    def slow(self, tolerance):
        """The plant takes steps of a nanosecond: a second of it would last days."""
        return self.start(self.config(arm7(plant=f"{{step: 1.0e-9, tolerance: {tolerance}}}", duration_s="100")),
                          "--fast", "--out", self.out, "--json")

    def test_a_hangup_brings_the_arm_to_rest(self):
        process = self.start(SCENARIO, "--duration", "600", "--out", self.out, "--json")
        process.send_signal(signal.SIGHUP)
        code, output, error = self.end(process)
        self.assertEqual((code, error), (0, ""))
        self.assertTrue(json.loads(output)["interrupted"])
        for name in FILES:
            self.assertGreater((self.out / name).stat().st_size, 1000, name)

    def test_a_hangup_that_is_ignored_stays_so(self):
        process = self.start(SCENARIO, "--duration", "600", "--out", self.out, "--json",
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
            ignored = [int(line.split()[1], 16) for line in status if line.startswith("SigIgn")][0]
        self.assertTrue(ignored >> (signal.SIGHUP - 1) & 1)

    def test_one_signal_ends_a_plant_that_takes_for_ever(self):
        for tolerance in ("0", "1.0e-10"):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                with self.subTest(tolerance=tolerance, number=number):
                    process = self.slow(tolerance)
                    process.send_signal(number)
                    code, output, error = self.end(process)
                    self.assertEqual(code, 3, error)
                    self.assertIn("too slow", error)
                    self.assertTrue(json.loads(output)["interrupted"])
                    for name in FILES:
                        self.assertTrue((self.out / name).is_file(), name)

    def test_a_second_signal_ends_it_at_once(self):
        process = self.slow("0")
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        code, _, error = self.end(process)
        self.assertEqual(code, 3, error)
        self.assertIn("not brought to rest", error)

    def test_without_a_timeout_of_the_reference_it_comes_to_rest_too(self):
        text = SCENARIO.read_text().replace("type: computed_torque\n", "type: computed_torque\n  reference_timeout: 0\n")
        process = self.start(self.config(text), "--duration", "600", "--out", self.out, "--json")
        process.send_signal(signal.SIGINT)
        code, _, error = self.end(process)
        self.assertEqual((code, error), (0, ""))
        rows = (self.out / "log.csv").read_text().splitlines()
        columns = [k for k, name in enumerate(rows[0].split(",")) if name.startswith("v.")]
        speed = [max(abs(float(row.split(",")[k])) for k in columns) for row in rows[1:]]
        self.assertLess(speed[-1], max(0.02 * max(speed), 1e-3))


if __name__ == "__main__":
    unittest.main()
