# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn run`: limits of effort, references beyond the limits, payloads beyond what the arm can carry."""
import csv
import unittest

from dyn_process import fails, run
from run_process import RunTest, arm7

FREE = """<robot name="free"><link name="base"/><link name="arm"><inertial><origin xyz="0.3 0 0"/><mass value="1"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""
HEAVY = "{name: anvil, link: tool0, mass: %s, com: [0, 0, 0.05], inertia: [%s, 0, 0, %s, 0, %s]}"


STRETCHED = "{type: sinusoid, centre: [0, 1.2, 0, 0.3, 0, 0, 0], amplitude: 0.1, frequency_hz: 0.5}"


REACHING = "{type: sinusoid, centre: [0, 0.6, 0, 1.2, 0, 0.6, 0], amplitude: 0.2, frequency_hz: 0.5}"
ARM7_VELOCITIES = tuple(enumerate((1.9, 1.9, 2.2, 2.2, 2.8, 3.3, 3.5), 1))  # rad/s, config/robots/arm7.urdf


def anvil(mass):
    return HEAVY % ((mass,) + (mass * 1e-3,) * 3)


class Limits(RunTest):
    def test_a_joint_without_an_effort_limit_is_refused_by_name(self):
        robot = self.folder / "free.urdf"
        robot.write_text(FREE)
        text = f"robot: {robot}\nduration_s: 0.2\ncontroller: {{LIMIT validation: {{mode: 'off'}}}}\n"
        text += "trajectory: {type: sinusoid, amplitude: 0.5}\n"
        fails(self, self.run_fast(text.replace("LIMIT", "")), 1, "joint 'turn'", "effort_limit.turn", "<limit")
        done = self.run_fast(text.replace("LIMIT", "effort_limit: {turn: 3},"), "--json")
        self.assertEqual(done.returncode, 0, done.error)
        self.assertLessEqual(self.results()["torque"]["max"], 3.0)
        done = self.run_fast(text.replace("LIMIT", "effort_limit: 4, acceleration_limit: {default: 9, turn: 5},"), "--json")
        self.assertEqual(done.returncode, 0, done.error)
        self.assertLessEqual(self.results()["torque"]["max"], 4.0)
        fails(self, self.run_fast(text.replace("LIMIT", "effort_limit: {bend: 3},")), 1, "effort_limit", "bend")
        fails(self, self.run_fast(text.replace("LIMIT", "effort_limit_scale: 1.5, effort_limit: 3,")), 1, "effort_limit_scale")

    def test_references_beyond_the_limits_are_told_of(self):
        far = "{tracking_rms: 2, tracking_max: 3}"  # it cannot follow, and is not asked to
        fast = "{type: sinusoid, centre: [0, 0, 0, 0, 0, 0, 0], amplitude: [1.5, 0, 0, 0, 0, 0, 0], frequency_hz: 1}"
        done = self.run_fast(arm7(trajectory=fast, expect=far))
        self.assertEqual(done.returncode, 0, done.error)
        reference = self.results()["arms"][0]["reference"]
        self.assertGreater(reference["limited_cycles"], 100)
        cut = reference["cuts"][0]
        self.assertEqual(cut["joint"], "joint1")
        self.assertIn("the reference of joint 'joint1' ", cut["text"])
        self.assertIn(cut["text"], done.text)
        done = self.run_fast(arm7())
        self.assertEqual(self.results()["arms"][0]["reference"], {"limited_cycles": 0, "cuts": []})
        self.assertNotIn("the reference of", done.text)

    def test_limits_are_set_while_it_runs(self):
        events = "[{at: 0.3, set: {effort_limit.joint2: 1}}, {at: 0.4, set: {acceleration_limit.joint1: 2.5}}]"
        done = self.run_fast(arm7(events=events, expect="{saturation: 1}"), "--json")
        self.assertEqual(done.returncode, 0, done.error)
        self.assertEqual([event["ok"] for event in self.results()["events"]], [True, True])
        done = self.run_fast(arm7(events="[{at: 0.3, set: {effort_limit.joint9: 1}}]"), "--json")
        fails(self, done, 1, "events[0].set.effort_limit.joint9: the robot has no joint 'joint9'")

    def test_pushes_leave_the_velocity_limits_nearly_kept_also_where_torques_act_later_than_told(self):
        """A push that takes joints to their velocity limits, with torques that act 0 to 3 periods after the prediction."""
        for force in ("[260, 0, 0]", "[0, 260, 0]"):
            for delay, bound in ((0, 1.15), (1, 1.15), (2, 1.2), (3, 1.4)):
                with self.subTest(force=force, delay=delay):
                    done = self.run_fast(arm7(duration_s="1.5", plant="{engine: native, delay: %d}" % delay,
                                              trajectory=REACHING, events="[{at: 0.5, push: {link: link7, force: %s, duration: 0.5}}]" % force,
                                              expect="{tracking_rms: 2, tracking_max: 9, saturation: 1}"))
                    self.assertEqual(done.returncode, 0, done.error)
                    with open(self.out / "log.csv", encoding="utf-8", newline="") as log:
                        rows = list(csv.DictReader(log))
                    fastest = max(abs(float(row["v.joint%d" % i])) / limit for row in rows for i, limit in ARM7_VELOCITIES)
                    self.assertGreater(fastest, 0.95)
                    self.assertLess(fastest, bound)

    def test_payloads_too_heavy_for_the_arm_are_refused(self):
        for mass in ("60", "1.0e+300"):
            with self.subTest(mass=mass):
                done = self.run_fast(arm7(trajectory=STRETCHED, events="[{at: 0.3, attach: %s}]" % anvil(float(mass))), "--json")
                self.assertEqual(done.returncode, 3, done.error)
                (event,) = self.results()["events"]
                self.assertFalse(event["ok"])
                for word in ("anvil", "allow_heavy_payloads"):
                    self.assertIn(word, event["error"])

    def test_heavy_payloads_may_be_insisted_on_and_warned_of(self):
        events = "[{at: 0.3, on: model, attach: %s}]" % anvil(60.0)
        done = self.run_fast(arm7(trajectory=STRETCHED, controller="{allow_heavy_payloads: true}", events=events), "--json")
        (event,) = self.results()["events"]
        self.assertTrue(event["ok"], done.error)
        self.assertEqual(len(event["warnings"]), 2)
        for warning in event["warnings"]:
            self.assertIn("payload 'anvil'", warning)

    def test_a_payload_out_of_reach_is_refused(self):
        far = "{name: star, link: tool0, mass: 1.0e-3, com: [0, 0, 1.0e+6], inertia: [1.0e-6, 0, 0, 1.0e-6, 0, 1.0e-6]}"
        done = self.run_fast(arm7(controller="{allow_heavy_payloads: true}", events="[{at: 0.3, attach: %s}]" % far))
        self.assertEqual(done.returncode, 3, done.error)
        self.assertIn("twice the arm's length", done.error)

    def test_a_robot_without_mass_is_refused(self):
        robot = self.folder / "ghost.urdf"
        start, end = FREE.index("<inertial>"), FREE.index("</inertial>") + len("</inertial>")
        robot.write_text(FREE[:start] + FREE[end:])
        text = f"robot: {robot}\nduration_s: 0.2\ncontroller: {{effort_limit: 1}}\ntrajectory: {{type: sinusoid, amplitude: 0.5}}\n"
        fails(self, self.run_fast(text), 1, "robot 'free'", "mass")

    def test_names_of_a_megabyte_are_refused(self):
        done = run("eval", "arm7", lines=[{"attach": {"name": "x" * 1000000, "link": "tool0", "mass": 1, "com": [0, 0, 0],
                                                      "inertia": [1e-3, 0, 0, 1e-3, 0, 1e-3]}}])
        self.assertIn("1000000 bytes", done.text)
        self.assertLess(len(done.text), 1000)


if __name__ == "__main__":
    unittest.main()
