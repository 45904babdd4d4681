# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn eval --derivatives` against differences of its own tau and qdd. To rounding: test_derivatives_conformance."""
import unittest

from dyn_process import BRANCH, FLOATING, TIP, evaluate, with_and_without

STATE = {"q": [0.3, -0.7, 0.2, 0.9], "v": [1.1, 0.4, -0.6, 0.8], "a": [0.5, -1.5, 2.0, 0.25],
         "tau": [3.0, -2.0, 1.0, 0.5]}
FREE = {"q": [1, 2, 3, 0.4, 0.5, 0.6], "v": [1, 2, 3, -1, 0.5, 2], "a": [2, 1, 0.5, -1, 2, 3],
        "tau": [5, 4, 3, 0.1, 0.2, 0.3]}
KEYS = {("tau", "q"): "dtau_dq", ("tau", "v"): "dtau_dv", ("qdd", "q"): "dqdd_dq", ("qdd", "v"): "dqdd_dv",
        ("qdd", "tau"): "dqdd_dtau"}


class Derivatives(unittest.TestCase):
    def differences_agree(self, robot, state, options=()):
        """Central differences of fourth order: f'(x) = (8 (f(x+h) - f(x-h)) - (f(x+2h) - f(x-2h))) / 12 h."""
        (r,) = evaluate(robot, state, options=["--derivatives", *options])
        step = 1e-3
        for (result, entry), key in KEYS.items():
            n = len(state["q"])
            moved = []
            for j in range(n):
                for k in (-2, -1, 1, 2):
                    x = list(state[entry])
                    x[j] += k * step
                    moved.append({**state, entry: x})
            answers = [x[result] for x in evaluate(robot, *moved, options=options)]
            scale = max(abs(x) for row in r[key] for x in row)
            for j in range(n):
                far_below, below, above, far_above = answers[4 * j:4 * j + 4]
                for i in range(n):
                    slope = (8 * (above[i] - below[i]) - (far_above[i] - far_below[i])) / (12 * step)
                    self.assertAlmostEqual(r[key][i][j], slope, delta=1e-8 * scale, msg=f"{key} {i} {j}")

    def test_trees_with_mimic_joints(self):
        self.differences_agree(BRANCH, STATE)

    def test_floating_joint_by_its_coordinates(self):
        self.differences_agree(FLOATING, FREE)

    def test_friction_and_gravity(self):
        self.differences_agree(BRANCH, STATE, ["--friction", "--gravity", "1,2,3"])

    def test_payload(self):
        box = {"name": "box", "link": "left_tip", "mass": 2.0, "com": [0.1, 0, 0], "inertia": [0.1, 0, 0, 0.1, 0, 0.1]}
        bare, loaded, again = with_and_without(BRANCH, STATE, box, ["--derivatives"])
        self.assertEqual(bare, again)
        self.assertNotEqual(bare["dtau_dq"], loaded["dtau_dq"])

    def test_singular(self):
        (r,) = evaluate(TIP, {"q": [0.3, 0.2], "v": [1, 2], "a": [1, 1], "tau": [1, 0]}, options=["--derivatives"])
        self.assertEqual([r["qdd"], r["dqdd_dq"], r["dqdd_dv"], r["dqdd_dtau"]], [None] * 4)
        self.assertTrue(any(any(row) for row in r["dtau_dq"]) and any(any(row) for row in r["dtau_dv"]))


if __name__ == "__main__":
    unittest.main()
