# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""dyn info ROBOT --check-control CONFIG: limits, gains, units, and facts that are missing."""
import tempfile
import unittest
from pathlib import Path

from control_check import ARM7, JOINTS, ControlCheck, good


class CheckLimits(ControlCheck):
    def test_units(self):
        self.finds(lambda own, *_: own.update(gravity=[0.0, 0.0, -981.0]), "units", None, "981 m/s^2")
        self.finds(lambda own, *_: own.update(gravity=[0.0, 1.2, -1.6]), "units", None, "gravity: 2 m/s^2")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "degrees.urdf"
            limit = 'upper="'
            at = ARM7.index(limit) + len(limit)
            file.write_text(ARM7[:at] + "170" + ARM7[ARM7.index('"', at):])
            done, answer = self.check(good(), file)
            self.assertEqual(done.returncode, 3)
            self.assertTrue(any("are those degrees?" in f["sentence"] for f in answer["findings"]), answer)

    def test_numbers_that_are_most_likely_in_another_unit(self):
        for name, value, *words in (("ramp_in", 2000.0, "2000 s: is that in milliseconds?"), ("reference_timeout", 100.0, "100 s"),
                                    ("state_timeout", 50.0, "50 s"), ("description_transition", 500.0, "500 s"),
                                    ("effort_rate_limit", 0.9, "0.9 N m/s", "200 s to reach 180 N m")):
            self.finds(lambda own, *_: own.update({name: value}), "units", None, name, *words, severity="warning")
        self.finds(lambda own, *_: own.update(armature={"joint1": 700.0}), "units", "joint1", "armature.joint1: 700 kg m^2",
                   severity="warning")
        for value in (1e-4, 1e5):
            self.finds(lambda own, *_: own.update(acceleration_limit={"joint2": value}), "units", "joint2",
                       "acceleration_limit.joint2", "rad/s^2", severity="warning")
        self.finds(lambda own, *_: own.update(prediction=5.0), "drive", None, "5 periods", "drive_facts.delay is not given",
                   severity="warning")

        def usual(own, *_):
            own.update(ramp_in=10.0, reference_timeout=2.0, state_timeout=0.2, description_transition=5.0, effort_rate_limit=900.0,
                       armature={"joint1": 2.0}, acceleration_limit={"joint2": 0.5, "joint3": 500.0}, prediction=2.5,
                       hold_time=2.0)
        self.finds(usual, "start", None, "hold_time", severity="warning")  # and nothing else

    def test_loads_that_are_most_likely_in_another_unit(self):
        def load(**values):
            given = {"type": "topic", "name": "/load", "link": "tool0", "mass": 0.9, "com": [0.0, 0.0, 0.05]}
            return lambda own, *_: own.update(driver_load={**given, **values})
        self.finds(load(mass=900.0), "units", None, "driver_load.mass: 900 kg", "grams", severity="warning")
        self.finds(load(com=[0.0, 30.0, 40.0]), "units", None, "driver_load.com: 50 m", severity="warning")
        self.finds(load(inertia=[10.0, 0.0, 0.0, 10.0, 0.0, 5.0]), "units", None, "driver_load.inertia", "3.727 m",
                   severity="warning")
        _, answer = self.check(dict(good(), arm={"ros__parameters": {**good()["arm"]["ros__parameters"], "driver_load": {
            "type": "topic", "name": "/load", "link": "tool0", "mass": 5.0, "com": [0.1, 0.0, 0.3],
            "inertia": [0.1, 0.0, 0.0, 0.1, 0.0, 0.1]}}}))
        self.assertEqual(answer["findings"], [])

    def test_facts_that_are_missing(self):
        self.finds(lambda own, drive, _: drive.pop("adds_friction"), "drive", None, "adds_friction: not given", severity="warning")
        self.finds(lambda own, drive, _: drive["velocity_limit"].pop("joint3"), "drive", None,
                   "velocity_limit: not given for joint3,", severity="warning")
        self.finds(lambda own, drive, _: drive.pop("effort_limit"), "drive", None, "effort_limit: not given for joint1, joint2",
                   severity="warning")

    def test_a_robot_that_is_not_told_what_it_carries(self):
        def adds_gravity(own, drive, _):
            drive["adds_gravity"] = True
            own["gravity_compensation"] = "hardware"
        self.finds(adds_gravity, "drive", None, "driver_load: not given", severity="hint")

    def test_gains_of_a_frame(self):
        def task(**values):
            def change(own, drive, manager):
                manager["arm"]["type"] = "dyn_controllers/TaskSpaceController"
                own.pop("gains")
                own.update(frame="tool0", task=values)
            return change
        self.finds(task(d_linear=4e4), "gains", None, "task.d_linear: 4e+04 is too large", "2000")
        self.finds(task(p_linear=4e6), "gains", None, "task.p_linear: 4e+06 is too large", "3.92e+06")
        self.finds(task(p_angular=4e6, d_angular=1100.0), "gains", None, "task.p_angular", "1.8e+06")
        self.finds(task(d_angular=1100.0), "gains", None, "task.d_angular: 1100 is more than half", severity="warning")
        self.finds(task(p_linear=1e4), "gains", None, "task.d_linear: 40 is small", "200", severity="warning")
        self.finds(task(velocity_limit=500.0), "units", None, "task.velocity_limit: 500 m/s", severity="warning")
        self.finds(task(mode="impedance", p_linear=4e6, angular_velocity_limit=60.0), "units", None, "60 rad/s: is that in degrees?",
                   severity="warning")

        def late(own, drive, manager):
            task(d_linear=500.0)(own, drive, manager)
            drive["delay"] = 3
            own["prediction"] = 3.5
        self.finds(late, "gains", None, "a delay of 3 periods", "445")

    def test_gains(self):
        def gain(joint, **values):
            return lambda own, *_: own["gains"][joint].update(values)
        self.finds(gain("joint4", d=2500.0), "gains", "joint4", "too large for a period of 1 ms", "2000")
        self.finds(gain("joint4", d=1500.0), "gains", "joint4", "more than half", severity="warning")
        self.finds(gain("joint4", d=0.0), "gains", "joint4", "not damped")
        self.finds(gain("joint4", p=0.0), "gains", "joint4", "nothing holds")
        self.finds(gain("joint4", p=10000.0), "gains", "joint4", "overshoots", severity="warning")

        def late(own, drive, _):
            own["prediction"] = 3.5
            own["gains"]["joint4"]["d"] = 500.0
            drive["delay"] = 3
        self.finds(late, "gains", "joint4", "a delay of 3 periods", "445")

        def on_torques(own, drive, manager):  # N m s/rad on 1e-3 kg m^2
            manager["arm"]["type"] = "dyn_controllers/FeedforwardController"
            for joint in JOINTS[:6]:
                own["gains"][joint] = {"p": 10.0, "d": 1.0}
            own["gains"]["joint7"] = {"p": 10.0, "d": 500.0}
        self.finds(on_torques, "gains", "joint7", "unstable")

    def test_limits(self):
        self.finds(lambda own, drive, _: drive["effort_limit"].update(joint6=35.0), "limits", "joint6", "40 N m", "35 N m")
        self.finds(lambda own, drive, _: drive.update(velocity_limit={"joint1": 0.5}), "limits", "joint1", "0.5 rad/s")
        self.finds(lambda own, drive, _: drive.update(effort_rate_limit=1000.0), "limits", None, "effort_rate_limit: none")
        self.finds(lambda own, *_: own.update(effort_limit_scale=1.5), "values", None, "'1.5' is not from 0 to 1")
        self.finds(lambda own, *_: own.update(effort_limit={"joint2": 20.0}), "limits", "joint2", "gravity needs up to",
                   severity="warning")

    def test_a_robot_without_limits(self):
        with tempfile.TemporaryDirectory() as folder:
            for old, new, words in ((' effort="110"', ' effort="0"', "no effort limit"), (' velocity="', ' velocity="0" x="', "no velocity limit")):
                file = Path(folder) / "arm7.urdf"
                self.assertIn(old, ARM7)
                file.write_text(ARM7.replace(old, new, 1))
                done, answer = self.check(good(), file)
                self.assertEqual(done.returncode, 3)
                self.assertTrue(any(words in f["sentence"] for f in answer["findings"]), answer)


if __name__ == "__main__":
    unittest.main()
