# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn eval --regressor`: Y p = tau, and what belongs to it. Against Pinocchio: dyn_core/test/oracle/oracle_pin.py."""
import math
import tempfile
import unittest
from pathlib import Path

from dyn_process import BRANCH, FLOATING, evaluate, near, times

STATE = {"q": [0.3, -0.7, 0.2, 0.9], "v": [1.1, 0.4, -0.6, 0.8], "a": [0.5, -1.5, 2.0, 0.25]}


class Regressor(unittest.TestCase):
    def test_times_p_is_tau(self):
        for robot, state in ((BRANCH, STATE), (FLOATING, {"q": [1, 2, 3, 0.4, 0.5, 0.6], "v": [1, 2, 3, -1, 0.5, 2],
                                                         "a": [2, 1, 0.5, -1, 2, 3]})):
            (r,) = evaluate(robot, state, options=["--regressor"])
            near(self, times(r["Y"], r["p"]), r["tau"])
            self.assertEqual({len(row) for row in r["Y"]}, {10 * len(r["bodies"])})

    def test_bodies_are_links_that_joints_move(self):
        (r,) = evaluate(FLOATING, {}, options=["--regressor"])
        self.assertEqual(len(r["bodies"]), 1)
        # m, m c, inertia about the origin: of floating.urdf
        near(self, r["p"], [5, 5 * 0.01, 5 * 0.02, 5 * 0.03, 0.1 + 5 * (0.02**2 + 0.03**2), 0.01 - 5 * 0.01 * 0.02,
                           0.12 + 5 * (0.01**2 + 0.03**2), -5 * 0.01 * 0.03, -5 * 0.02 * 0.03,
                           0.15 + 5 * (0.01**2 + 0.02**2)])

    def test_friction_and_armature_have_columns(self):
        with tempfile.TemporaryDirectory() as directory:
            driven = Path(directory) / "driven.urdf"
            driven.write_text(Path(BRANCH).read_text().replace('damping="2"', 'armature="0.7" damping="2"'))
            for options in (["--friction"], ["--armature"], ["--friction", "--armature"]):
                (r,) = evaluate(driven, STATE, options=["--regressor", *options])
                tau = times(r["Y"], r["p"])
                for extra in (o[2:] for o in options):
                    self.assertTrue(any(r["p_" + extra]))
                    tau = [t + x for t, x in zip(tau, times(r["Y_" + extra], r["p_" + extra]))]
                near(self, tau, r["tau"])
            (r,) = evaluate(driven, STATE, options=["--regressor"])
            self.assertFalse("Y_friction" in r or "Y_armature" in r)

    def test_rotors_are_bodies(self):
        state = {"q": [0.4, 0.7, -0.3], "v": [1.0, -0.8, 1.5], "a": [0.5, -1.5, 2.0]}
        (r,) = evaluate("geared3", state, options=["--regressor", "--armature"])
        self.assertEqual(set(r["bodies"]), {"link1", "link2", "link3", "shoulder_rotor", "forearm_roll_rotor"})
        self.assertEqual(r["p_armature"], [1.2, 0, 0])
        near(self, [x + y for x, y in zip(times(r["Y"], r["p"]), times(r["Y_armature"], r["p_armature"]))], r["tau"])
        # The shoulder's rotor lies along the waist's axis, the forearm's is inclined to it by the shoulder.
        (bare,) = evaluate("geared3", state)
        (s, c), (v1, v2, v3), spin = (math.sin(0.7), math.cos(0.7)), state["v"], 0.25 / 50
        more = [[1.2, 1.5 / -101, -spin * s], [1.5 / -101, 1.5, 0], [-spin * s, 0, 0.25]]
        for row, without, added in zip(r["M"], bare["M"], more):
            near(self, row, [x + y for x, y in zip(without, added)])
        gyroscopic = [-spin * c * v2 * v3, spin * c * v1 * v3, -spin * c * v1 * v2]
        near(self, r["h"], [x + y for x, y in zip(bare["h"], gyroscopic)])

    def test_gravity_and_payload(self):
        box = {"name": "box", "link": "left_tip", "mass": 2.0, "com": [0.1, 0, 0], "inertia": [0.1, 0, 0, 0.1, 0, 0.1]}
        _, bare, _, loaded = evaluate(BRANCH, {"gravity": [1, 2, 3]}, STATE, {"attach": box}, STATE,
                                      options=["--regressor"])
        near(self, times(loaded["Y"], loaded["p"]), loaded["tau"])
        for row, with_load in zip(bare["Y"], loaded["Y"], strict=True):
            near(self, row, with_load)
        body = bare["bodies"].index("left_tip")
        self.assertAlmostEqual(loaded["p"][10 * body] - bare["p"][10 * body], 2.0)

    def test_without_the_option_nothing_of_it(self):
        (r,) = evaluate(BRANCH, STATE)
        self.assertEqual(list(r), ["M", "C", "g", "h", "tau", "qdd"])


if __name__ == "__main__":
    unittest.main()
