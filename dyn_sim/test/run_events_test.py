# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""What a configuration says acts when and as it says: pushes that overlap, phases of sinusoids."""
import csv
import math
import unittest

from dyn_process import SWING, evaluate, fails
from run_process import RunTest, arm7

PLACES = {"a": {"xyz": [0.2, 0, 0.1], "rpy": [0, 0, 0]}, "b": {"xyz": [0, 0.3, 0], "rpy": [0.4, 0.7, 0]}}


class Events(RunTest):
    def rows(self, text):
        done = self.run_fast(text)
        self.assertEqual(done.returncode, 0, done.error)
        with open(self.out / "log.csv", encoding="utf-8") as file:
            return [{name: float(value) for name, value in row.items() if name not in ("jsim", "flags")}
                    for row in csv.DictReader(file)]

    def external(self, events, at):
        rows = self.rows(arm7(events=events, duration_s="1",
                              trajectory="{type: sinusoid, centre: [0, 0.5, 0, 1, 0, 0.5, 0], amplitude: 0}"))
        return [next(row for row in rows if row["time_s"] >= t)["external.joint2"] for t in at]

    def test_pushes_add_up_and_each_ends_at_its_time(self):
        push = "{at: %s, push: {link: tool0, force: [%s, 0, 0], duration: %s}}"
        one = push % (0.2, 10, 0.6)  # ends at 0.8
        two = push % (0.4, -5, 0.2)  # begins and ends meanwhile
        at = (0.15, 0.39, 0.59, 0.79, 0.99)
        first, second, both = self.external(f"[{one}]", at), self.external(f"[{two}]", at), self.external(f"[{one}, {two}]", at)
        self.assertLess(abs(both[0]), 0.1)
        self.assertGreater(min(abs(first[1]), abs(first[3])), 1.0)
        self.assertGreater(abs(second[2]), 0.5)
        for k in (1, 2, 3):
            self.assertAlmostEqual(both[k], first[k] + second[k], delta=0.05 * abs(first[k]))
        self.assertLess(abs(both[4]), 0.2, "both have ended")

    def gravity(self, row, chains):
        """Of arm7 with these chains, at the position of a row of the log; a chain that the plant lacks hangs at 0."""
        names = [f"joint{k}" for k in range(1, 8)] + [f"{chain}/swing_{axis}" for chain in chains for axis in "xy"]
        q = [row.get(f"q.{name}", math.nan) for name in names]
        q = [0.0 if math.isnan(x) else x for x in q]
        attach = [{"attach": {"name": chain, "link": "tool0", "urdf": SWING, **PLACES[chain]}} for chain in chains]
        return evaluate("arm7", *attach, {"q": q})[-1]["g"][:7]

    def test_the_controller_reads_the_joints_of_its_own_payloads(self):
        steps = [(0.2, "a", "plant"), (0.3, "b", "both"), (0.4, "a", "model")]
        events = ["{at: %s, 'on': %s, attach: {name: %s, link: tool0, urdf: %s, xyz: %s, rpy: %s}}" %
                  (at, on, name, SWING, PLACES[name]["xyz"], PLACES[name]["rpy"]) for at, name, on in steps]
        events += ["{at: 0.5, detach: a, 'on': model}", "{at: 0.6, detach: b, 'on': plant}"]
        rows = self.rows(arm7(events=f"[{', '.join(events)}]", expect="{tracking_rms: 9, tracking_max: 9, saturation: 1}",
                              controller="{gains: {default: {p: 400, d: 40}}, prediction: 0, validation: {mode: 'off'}}"))
        for at, chains in ((0.15, ""), (0.25, ""), (0.35, "b"), (0.45, "ba"), (0.55, "b"), (0.65, "b")):
            with self.subTest(at):
                row = next(row for row in rows if row["time_s"] >= at)
                for k, g in enumerate(self.gravity(row, chains), 1):
                    self.assertAlmostEqual(row[f"gravity.joint{k}"], g, delta=1e-9)

    def test_phases_are_degrees_and_each_joints_own(self):
        phases = [0, 30, 90, -90, 180, -45, 360]
        rows = self.rows(arm7(duration_s="0.3", expect="{tracking_rms: 9, tracking_max: 9, saturation: 1}", trajectory=(
            "{type: sinusoid, centre: [0, 0.1, 0, 0.2, 0, 0, 0], amplitude: 0.3, frequency_hz: 0.5, phase_deg: %s}" % phases)))
        for row in (rows[0], rows[150]):
            for k, (centre, phase) in enumerate(zip((0, 0.1, 0, 0.2, 0, 0, 0), phases), 1):
                angle = math.pi * row["time_s"] + math.radians(phase)
                self.assertAlmostEqual(row[f"q_reference.joint{k}"], centre + 0.3 * math.sin(angle), delta=1e-9)
                self.assertAlmostEqual(row[f"v_reference.joint{k}"], 0.3 * math.pi * math.cos(angle), delta=1e-9)

    def test_every_joint_has_its_own_phase_of_minus_90_degrees_unless_told(self):
        (row, *_) = self.rows(arm7(duration_s="0.1", trajectory="{type: sinusoid, amplitude: 0.3, frequency_hz: 0.5}"))
        for k in range(1, 8):
            self.assertAlmostEqual(row[f"q_reference.joint{k}"], -0.3, delta=1e-12)

    def refusal_of(self, event):
        done = self.run_fast(arm7(events=f"[{event}]", duration_s="0.3"))
        self.assertEqual(done.returncode, 3, done.error)
        return done.error

    def test_other_joints_without_a_word_on_what_becomes_of_them_are_refused_by_name(self):
        self.assertIn("joint 'joint4' is gone", self.refusal_of("{at: 0.1, robot: planar3}"))
        self.assertIn("joint 'joint9'", self.refusal_of("{at: 0.1, robot: arm7_module, map: {joint9: joint8}}"))
        self.assertIn("max_payload_dofs leaves room for 7", self.refusal_of_room())

    def test_what_is_known_to_be_wrong_is_refused_before_the_run(self):
        box = "{at: 0.1, attach: {name: box, link: tool0, mass: 1}}"
        for events, *words in (
                ("{at: 0.1, set: {foo: 1}}", "events[0].set.foo: there is no such parameter"),
                ("{at: 0.1, set: {jsim_algorithm: best}}", "events[0].set.jsim_algorithm: unknown algorithm 'best'"),
                ("{at: 0.1, set: {gains.joint9.p: 1}}", "events[0].set.gains.joint9.p: the robot has no joint 'joint9'"),
                ("{at: 0.1, set: {gains.joint1.k: 1}}", "events[0].set.gains.joint1.k: there is no gain 'k'"),
                ("{at: 0.1, set: {prediction: 20}}", "events[0].set.prediction: 20 is not from 0 to 8"),
                ("{at: 0.1, set: {type: task_space}}", "events[0].set.type: the law task_space cannot be chosen"),
                ("{at: 0.1, attach: {name: box, link: hand, mass: 1}}", "events[0].attach.link: the robot has no link 'hand'"),
                ("{at: 0.1, push: {link: hand, force: [1, 0, 0]}}", "events[0].push.link: the robot has no link 'hand'"),
                ("{at: 0.1, estimate: {link: hand}}", "events[0].estimate.link: the robot has no link 'hand'"),
                (f"{box}, {{at: 0.2, detach: bag}}", "events[1].detach: no event before attaches 'bag'"),
                (f"{{at: 0.05, detach: box}}, {box}", "events[0].detach: no event before attaches 'box'"),
                ("{at: 9, set: {type: feedforward}}", "events[0].at: is after the end of the run, duration_s")):
            with self.subTest(events):
                fails(self, self.run_fast(arm7(events=f"[{events}]", duration_s="0.3")), 1, "config.yaml:6: ", *words)
        module = "{at: 0.1, robot: arm7_module}, {at: 0.2, set: {gains.joint8.p: 300}}, {at: 0.3, set: {type: passivity}}"
        self.assertEqual(self.run_fast(arm7(events=f"[{module}]", duration_s="0.3")).returncode, 0)

    def refusal_of_room(self):
        done = self.run_fast(arm7(events="[{at: 0.1, robot: arm7_module}]", duration_s="0.3",
                                  controller="{max_payload_dofs: 0}"))
        self.assertEqual(done.returncode, 3, done.error)
        return done.error


if __name__ == "__main__":
    unittest.main()
