# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn run` judges itself: what went wrong without a word before ends with exit code 3 and a sentence for each cause."""
import json
import unittest

from dyn_process import fails
from run_process import BOX, MOVES, RunTest, arm7

GAINS = "{gains: {default: {p: %s, d: %s}}, validation: {mode: 'off'}%s}"
ANVIL = "{name: anvil, link: tool0, mass: 30, com: [0, 0, 0.05], inertia: [0.03, 0, 0, 0.03, 0, 0.03]}"
PUSH = "{at: 0.3, push: {link: tool0, force: [0, 40, 0], duration: 0.2}}"
SEEN = "{gains: {default: {p: 400, d: 40}}, collision_threshold: 2, validation: {mode: 'off'}}"
COMPARED = "{gains: {default: {p: 400, d: 40}}, validation: {mode: monitor}}"
AXIS = """<robot name="axis"><link name="base"/><link name="slide"><inertial><mass value="2"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link><joint name="axis" type="TYPE">
<parent link="base"/><child link="slide"/><axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="EFFORT" velocity="9"/>
</joint></robot>"""


def overrides(armature):
    return "{friction: false, plant_overrides: [%s]}" % ", ".join(
        "{joint: joint%d, armature: %s}" % (k, armature) for k in range(1, 8))


class JudgedRun(RunTest):
    def judged(self, text, *words):
        """results.json of a run that fails for one cause that has all of `words`, among others."""
        done = self.run_fast(text, "--json")
        self.assertEqual(done.returncode, 3, done.error)
        results = self.results()
        self.assertEqual(results, json.loads(done.text))
        causes = [failure["cause"] for failure in results["failures"]]
        self.assertTrue(any(all(word in cause for word in words) for cause in causes), causes)
        page = (self.out / "report.html").read_text()
        for cause in causes:
            self.assertIn(cause, done.error)
            self.assertIn(json.dumps(cause)[1:-1], page)
        return results

    def passes(self, text):
        done = self.run_fast(text, "--json")
        self.assertEqual((done.returncode, done.error), (0, ""))
        self.assertEqual(self.results()["failures"], [])
        return self.results()


class Judged(JudgedRun):
    def test_a_sensor_too_noisy_to_control_with(self):
        results = self.judged(arm7(plant="{friction: false, noise: {velocity: 5}}"), "effort was at a limit in 9", "10 %")
        self.print_row("sensor noise of 5 rad/s")
        self.assertGreater(results["saturation"], 0.9)
        self.assertEqual(results["saturation"], results["arms"][0]["saturation"])

    def test_a_torque_that_comes_a_hundred_cycles_late(self):
        self.judged(arm7(duration_s="3", plant="{friction: false, delay: 100}"), "effort was at a limit")
        self.judged(arm7(duration_s="3", plant="{friction: false, delay: 100}"), "away from its reference", "1.5708", "rad")
        self.print_row("torque that acts 100 cycles late")

    def test_a_payload_of_30_kg_that_nobody_told_of(self):
        self.judged(arm7(duration_s="2", events="[{at: 0.2, on: plant, attach: %s}]" % ANVIL), "effort was at a limit")
        self.print_row("a payload of 30 kg that is not in the controller's model, attached at 0.2 s")

    def test_gains_beyond_what_the_rate_allows(self):
        self.judged(arm7(controller=GAINS % ("1.0e+6", "2000", "")), "effort was at a limit")
        self.print_row("p = 1e6, d = 2000 at 1 kHz")

    def test_torque_that_may_change_by_1_a_second(self):
        self.judged(arm7(duration_s="2", controller=GAINS % (400, 40, ", effort_rate_limit: 1")), "effort was at a limit")
        self.print_row("`effort_rate_limit: 1`")

    def test_a_sinusoid_of_100_hz(self):
        for amplitude in (0.3, 0.5):
            results = self.judged(arm7(trajectory="{type: sinusoid, amplitude: %s, frequency_hz: 100}" % amplitude),
                                  "did not follow", "of that of its motion")
            (lost,) = [failure for failure in results["failures"] if "did not follow" in failure["cause"]]
            self.assertEqual(lost["time_s"], 0.0, "of the whole run")
            self.print_row(f"a sinusoid of 100 Hz, amplitude {amplitude} rad")

    def test_a_plant_with_another_armature(self):
        self.judged(arm7(duration_s="4", plant=overrides(10)), "did not follow", "and so ")
        self.print_row("drives with an armature of 10 kg m^2 that is not in the model")
        self.judged(arm7(duration_s="4", plant=overrides(1000)), "did not follow")
        self.passes(arm7(plant=overrides(0.01)))

    def test_a_start_outside_the_limits_is_no_run(self):
        fails(self, self.run_fast(arm7(start="[9, 0, 0, 0, 0, 0, 0]")), 1, "joint1", "outside its limits")

    def test_a_joint_beyond_its_stops(self):
        # Without stops of its own the plant goes where the push takes it.
        text = arm7(plant="{friction: false, torque_limits: false}", expect="{tracking_max: 99, tracking_rms: 99, saturation: 1}",
                    controller=GAINS % (1, 1, ""), events="[{at: 0.1, push: {link: tool0, force: [0, 2000, 0], duration: 0.5}}]")
        self.judged(text, "joint 'joint", "beyond its position limits", "rad")

    def test_position_limits_are_those_of_the_robot_that_is_there(self):
        for name, limit in (("narrow", "1"), ("wide", "3")):
            text = AXIS.replace("TYPE", "revolute").replace("EFFORT", "500").replace('"-9"', f'"-{limit}"').replace('"9"', f'"{limit}"', 1)
            (self.folder / f"{name}.urdf").write_text(text)
        run = "robot: %s.urdf\nduration_s: 5\nplant: {torque_limits: false}\ncontroller: {gains: {default: {p: 100, d: 20}}}\n" \
              "trajectory: {type: quintic, move_time: 1, way_points: [[0], [0.9]]}\nexpect: {tracking_rms: 1}\nevents:\n- {at: 1.5, robot: %s.urdf%s}\n"
        farther = ", trajectory: {type: quintic, move_time: 2, way_points: [[0.9], [2]]}"
        push = "- {at: %s, push: {link: slide, force: [0, 200, 0], point: [0.5, 0, 0], duration: 0.05}}\n"
        self.passes(run % ("narrow", "wide", farther))
        self.judged(run % ("wide", "narrow", "") + push % 2, "joint 'axis' went", "beyond its position limits, -1 to 1")
        self.passes(run % ("wide", "narrow", "") + push % 1)  # beyond 1 rad while it may
        # What went wrong before is said with the limits of then.
        self.judged(run % ("narrow", "wide", farther) + push % 1, "joint 'axis' went", "beyond its position limits, -1 to 1")

    def test_prismatic_joints_have_an_error_of_their_own(self):
        robot = self.folder / "axis.urdf"
        run = f"robot: {robot}\nduration_s: 2\ncontroller: {{gains: {{default: {{p: 100, d: 20}}}}}}\nstart: [0.3]\n" \
              "trajectory: {type: sinusoid, amplitude: 0.2, frequency_hz: 0.2, phase_deg: 0}\nexpect: {tracking_rms: 9%s}\n"
        robot.write_text(AXIS.replace("TYPE", "prismatic").replace("EFFORT", "500"))
        self.judged(run % "", "joint 'axis'", " m away", "0.25")
        self.passes(run % ", prismatic_error: 0.4")
        self.passes(run % ", tracking_max: 0.4")
        self.judged(run % ", tracking_max: 0.2", " m away", "0.2")
        robot.write_text(AXIS.replace("TYPE", "revolute").replace("EFFORT", "500"))
        self.passes(run % "")

    def test_an_arm_that_is_guided_by_hand_follows_no_trajectory(self):
        text = arm7(duration_s="0.5", controller="{type: gravity_compensation, gains: {default: {d: 5}}, validation: {mode: 'off'}}",
                    trajectory="{type: sinusoid, centre: [2, 0, 0, 0, 0, 0, 0], amplitude: 0.3}", start="[0, 0, 0, 0, 0, 0, 0]")
        self.passes(text)
        self.judged(text + "expect: {tracking_max: 1.2}\n", "away from its reference")

    def test_an_arm_is_guided_by_hand_only_while_that_is_its_law(self):
        guided, back = "{at: %s, set: {type: gravity_compensation}}", "{at: %s, set: {type: computed_torque}}"
        lost = arm7(duration_s="4", plant=overrides(10))
        self.judged(lost + f"events: [{guided % 3.99}]\n", "did not follow")
        self.judged(lost + f"events: [{guided % 0}, {back % 0.01}]\n", "did not follow")
        # Led away and let go it returns to its trajectory.
        led = "{at: 0.5, push: {link: tool0, force: [0, 90, 0], duration: 0.5}}"
        self.passes(arm7(duration_s="4", start="[0, 0.5, 0, -1.5, 0, 1.1, 0]",
                         trajectory="{type: sinusoid, centre: [0, 0.5, 0, -1.5, 0, 1.1, 0], amplitude: 0.1, phase_deg: 0}",
                         events=f"[{guided % 0.5}, {led}, {back % 1.2}]"))
        self.assertGreater(self.results()["tracking"]["max"], 0.4)


class Expected(JudgedRun):
    def test_tracking(self):
        self.passes(arm7(expect="{tracking_rms: 1.0e-6, tracking_max: 1.0e-6, saturation: 0, collisions: 0}"))
        self.judged(arm7(expect="{tracking_rms: 1.0e-9}"), "rms", "1e-09 expected")
        self.judged(arm7(expect="{tracking_max: 1.0e-9}"), "away from its reference, more than 1e-09")

    def test_saturation(self):
        text = arm7(plant="{friction: false, noise: {velocity: 0.4}}")
        some = self.passes(text + "expect: {saturation: 1, tracking_rms: 9}\n")["saturation"]
        self.assertTrue(0.0 < some < 1.0, some)
        self.judged(text + f"expect: {{saturation: {some / 2}, tracking_rms: 9}}\n", "effort was at a limit")

    def test_collisions(self):
        self.passes(arm7(controller=SEEN, events=f"[{PUSH}]"))
        self.passes(arm7(controller=SEEN, events=f"[{PUSH}]", expect="{collisions: [1, 3]}"))
        self.judged(arm7(controller=SEEN, events=f"[{PUSH}]", expect="{collisions: 0}"), "collisions: ", "0 expected")
        self.judged(arm7(controller=SEEN, expect="{collisions: [1, 1]}"), "collisions: 0 detected, 1 expected")

    def test_validation(self):
        done = self.run_fast(arm7(controller=COMPARED), "--json")
        if not json.loads(done.text)["validation"]["available"]:
            self.judged(arm7(controller=COMPARED, expect="{validation: 0}"), "not compared", "without Pinocchio")
        else:
            self.passes(arm7(controller=COMPARED, expect="{validation: 1.0e-9}"))
            self.passes(arm7(controller=COMPARED, expect="{validation: 0}"))
            self.judged(arm7(controller=COMPARED, expect="{validation: 1.0e-30}"), "Pinocchio", "1e-30 expected")
        self.judged(arm7(expect="{validation: 1.0e-9}"), "not compared with Pinocchio", "validation.mode is off")

    def test_several_arms_have_one_for_all_and_one_each(self):
        arms = "duration_s: 1\nexpect: {tracking_rms: 1.0e-9}\narms:\n" + "".join(
            f"  - {{name: {name}, robot: arm7, plant: {{friction: false}}, trajectory: {MOVES}{own}}}\n"
            for name, own in (("left", ""), ("right", ", expect: {tracking_rms: 1.0e-3}")))
        results = self.judged(arms, "1e-09 expected")
        self.assertEqual([failure["arm"] for failure in results["failures"]], ["left"])

    def test_what_cannot_be_expected_is_refused(self):
        for key, value, *words in (("tracking_rms", "-1", "from 0"), ("saturation", "2", "from 0 to 1"),
                                   ("collisions", "-1", "from 0"), ("collisions", "[2, 1]", "least is more"),
                                   ("collisions", "[1, 2, 3]", "least and the most"), ("collisions", "many", "many"),
                                   ("prismatic_error", "0", "above 0"), ("frame_error", "-1", "from 0"), ("frame_angle", "4", "from 0 to 3.14"), ("validation", ".nan", "not a finite number"),
                                   ("torque", "1", "unknown key")):
            with self.subTest(key=key, value=value):
                done = self.run_fast(arm7(expect="{%s: %s}" % (key, value)))
                fails(self, done, 1, "config.yaml:", f"expect.{key}", *words)


if __name__ == "__main__":
    unittest.main()
