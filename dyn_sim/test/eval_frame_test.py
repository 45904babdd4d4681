# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn eval --frame` and `--minv`: keys, payloads' frames, what is singular or missing. Numbers: oracle/frames_test.cpp."""
import math
import unittest

from dyn_process import BRANCH, FLOATING, TIP, evaluate, fails, run, with_and_without

STATE = {"q": [0.3, -0.7, 0.2, 0.9], "v": [1.1, 0.4, -0.6, 0.8]}
FREE = {"q": [1, 2, 3, 0.4, 0.5, 0.6], "v": [1, 2, 3, -1, 0.5, 2]}
BOX = {"name": "box", "link": "left_tip", "mass": 2.0, "inertia": [0.1, 0, 0, 0.1, 0, 0.1], "xyz": [0.1, 0.2, 0.3],
       "rpy": [0, 0, math.pi / 2]}


def times(a, b):
    """The product of two matrices, or of a matrix and a vector."""
    if not isinstance(b[0], list):
        return [sum(x * y for x, y in zip(row, b)) for row in a]
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def entries(a):
    return [x for row in a for x in (row if isinstance(row, (list, tuple)) else [row])]


class Frame(unittest.TestCase):
    def near(self, a, b, error):
        self.assertEqual(len(entries(a)), len(entries(b)))
        self.assertLess(max(abs(x - y) for x, y in zip(entries(a), entries(b))), error)

    def test_keys_and_shapes(self):
        (r,) = evaluate(BRANCH, STATE, options=["--frame", "left_tip"])
        f = r["frame"]
        self.assertEqual([*f], ["p", "R", "J", "Jdot_v", "Lambda", "Lambda_error"])
        self.assertEqual([len(f[key]) for key in ("p", "R", "J", "Jdot_v")], [3, 3, 6, 6])
        self.assertEqual([len(row) for row in f["R"] + f["J"]], [3] * 3 + [4] * 6)
        self.assertIsNone(f["Lambda"])
        self.assertIn("singular", f["Lambda_error"])

    def test_rates_are_differences(self):
        """J v moves the origin; J's rate times v is Jdot_v, by central differences."""
        step = 1e-6
        moved = [{**STATE, "q": [q + s * step * v for q, v in zip(STATE["q"], STATE["v"])]} for s in (-1, 0, 1)]
        before, now, after = [x["frame"] for x in evaluate(BRANCH, *moved, options=["--frame", "left_tip"])]
        slope = [(y - x) / (2 * step) for x, y in zip(before["p"], after["p"])]
        self.near(times(now["J"], STATE["v"])[:3], slope, 1e-7)
        slopes = [[(y - x) / (2 * step) for x, y in zip(*rows)] for rows in zip(before["J"], after["J"])]
        self.near(now["Jdot_v"], times(slopes, STATE["v"]), 1e-7)

    def test_lambda(self):
        (r,) = evaluate(FLOATING, FREE, options=["--frame", "body", "--minv"])
        J, one = r["frame"]["J"], [[float(i == j) for j in range(6)] for i in range(6)]
        self.near(times(r["Minv"], r["M"]), one, 1e-12)
        mobility = times(times(J, r["Minv"]), [list(column) for column in zip(*J)])
        self.near(times(r["frame"]["Lambda"], mobility), one, 1e-10)
        self.assertNotIn("Lambda_error", r["frame"])

    def test_payload(self):
        bare, loaded, again = with_and_without(BRANCH, STATE, BOX, ["--frame", "left_tip"])
        self.assertEqual(bare, again)
        self.assertEqual(bare["frame"]["J"], loaded["frame"]["J"])
        _, box, _, gone = evaluate(BRANCH, {"attach": BOX}, STATE, {"detach": "box"}, STATE,
                                   options=["--frame", "box"])
        R, p = bare["frame"]["R"], bare["frame"]["p"]
        self.near(box["frame"]["p"], [x + y for x, y in zip(p, times(R, [0.1, 0.2, 0.3]))], 1e-14)
        self.near(box["frame"]["R"], times(R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]]), 1e-14)
        self.assertIsNone(gone["frame"])
        self.assertEqual(gone["frame_error"], "payload 'box' is not attached")
        self.assertEqual(gone["M"], bare["M"])

    def test_unknown(self):
        done = run("eval", BRANCH, "--frame", "left_tp", lines=[STATE])
        fails(self, done, 1, "dyn eval: --frame: ", "'left_tp'", "left_tip")
        self.assertNotIn("line 1", done.error)
        fails(self, run("eval", BRANCH, "--frame", "box", lines=[{"attach": {**BOX, "name": "bax"}}, STATE]), 1,
              "'box'", "bax")

    def test_singular_mass_matrix(self):
        (r,) = evaluate(TIP, {"q": [0.3, 0.2]}, options=["--minv", "--frame", "tip"])
        self.assertEqual([r["qdd"], r["Minv"], r["frame"]["Lambda"]], [None] * 3)
        self.assertIn("joint '", r["frame"]["Lambda_error"])


if __name__ == "__main__":
    unittest.main()
