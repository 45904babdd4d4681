# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""States and commands of `dyn eval`; the numbers are checked against what they have to satisfy among themselves."""
import json
import unittest

from dyn_process import BRANCH, FLOATING, TIP, evaluate, near, run, times

Q = [0.3, -0.7, 0.2, 0.9]
V = [1.1, 0.4, -0.6, 0.8]
A = [0.5, -1.5, 2.0, 0.25]
STATE = {"q": Q, "v": V, "a": A, "tau": [3.0, -2.0, 1.0, 0.5]}
NAMES = ["turn", "left_a", "left_b", "right_a"]


class States(unittest.TestCase):
    def test_terms_belong_together(self):
        (r,) = evaluate(BRANCH, STATE)
        self.assertEqual(list(r), ["M", "C", "g", "h", "tau", "qdd"])
        self.assertEqual(r["M"], [list(column) for column in zip(*r["M"])])
        near(self, r["h"], [c + g for c, g in zip(times(r["C"], V), r["g"])])
        near(self, r["tau"], [m + h for m, h in zip(times(r["M"], A), r["h"])])
        near(self, times(r["M"], r["qdd"]), [t - h for t, h in zip(STATE["tau"], r["h"])])

    def test_branches_do_not_couple(self):
        (r,) = evaluate(BRANCH, STATE)
        self.assertEqual([r["M"][1][3], r["M"][2][3], r["M"][3][1], r["M"][3][2]], [0, 0, 0, 0])

    def test_qdd_of_tau_gives_a_back(self):
        (r,) = evaluate(BRANCH, STATE)
        (back,) = evaluate(BRANCH, {**STATE, "tau": r["tau"]})
        near(self, back["qdd"], A)

    def test_what_is_missing_is_zero(self):
        full = {k: [0.0] * 4 for k in ("q", "v", "a", "tau")}
        a, b, c = evaluate(BRANCH, {}, full, {"q": [0, 0, 0, 0]})
        self.assertEqual(a, b)
        self.assertEqual(a, c)
        self.assertEqual(a["h"], a["g"])

    def test_floating_body_in_closed_form(self):
        (r,) = evaluate(FLOATING, {})
        near(self, [r["M"][i][i] for i in range(3)], [5, 5, 5])
        near(self, r["g"][:3], [0, 0, 5 * 9.81])
        # about the joint's origin; yaw, pitch, roll are z, y, x at q = 0; g: com x weight
        self.assertAlmostEqual(r["M"][3][3], 0.15 + 5 * (0.01**2 + 0.02**2), delta=1e-13)
        self.assertAlmostEqual(r["M"][5][5], 0.1 + 5 * (0.02**2 + 0.03**2), delta=1e-13)
        near(self, r["g"][3:], [0, -5 * 9.81 * 0.01, 5 * 9.81 * 0.02])

    def test_floating_body_falls(self):
        (r,) = evaluate(FLOATING, {"q": [1, 2, 3, 0.4, 0.5, 0.6]})
        near(self, r["qdd"], [0, 0, -9.81, 0, 0, 0])

    def test_numbers_read_back_exactly(self):
        (r,) = evaluate(BRANCH, STATE)
        (again,) = evaluate(BRANCH, {k: v for k, v in STATE.items()})
        self.assertEqual(r, again)
        done = run("eval", BRANCH, lines=[STATE])
        numbers = [float(x) for x in done.text.replace("[", " ").replace("]", " ").replace(",", " ").split()
                   if x[0] in "-0123456789"]
        flat = [x for row in r["M"] for x in row]
        self.assertEqual(numbers[:16], flat)
        # a state that was printed with 17 digits gives the very same bits
        text = {k: [float("%.17g" % x) for x in v] for k, v in STATE.items()}
        self.assertEqual(evaluate(BRANCH, text)[0], r)

    def test_singular_m(self):
        (r,) = evaluate(TIP, {"q": [0.3, 0.2], "v": [1, 2], "a": [1, 1], "tau": [1, 0]})
        self.assertIsNone(r["qdd"])
        self.assertIn("'spin'", r["qdd_error"])
        self.assertLess(abs(r["M"][1][1]), 1e-15)
        self.assertTrue(all(isinstance(x, float) for x in r["tau"] + r["g"] + r["h"]))
        done = run("eval", TIP, lines=[{}, {}])
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.error.count("\n"), 1)  # what is doubtful about the robot (warnings_test.py)


class Options(unittest.TestCase):
    def test_gravity(self):
        (zero,) = evaluate(BRANCH, {"q": Q}, options=["--gravity", "0,0,0"])
        self.assertEqual(zero["g"], [0, 0, 0, 0])
        (down,) = evaluate(BRANCH, {"q": Q})
        (same,) = evaluate(BRANCH, {"q": Q}, options=["--gravity", "0,0,-9.81"])
        self.assertEqual(down, same)
        (side,) = evaluate(BRANCH, {"q": Q}, options=["--gravity", "-3,1e0,0"])
        self.assertNotEqual(side["g"][0], 0)

    def test_friction(self):
        state = {"q": Q, "v": V, "a": A}
        (smooth,) = evaluate(BRANCH, state)
        (rough,) = evaluate(BRANCH, state, options=["--friction"])
        # the mimic finger: ratio -0.5, damping 0.4
        expected = [0.5 * 1.1 + 0.25, 0.0, 2 * -0.6 - 1.0, 0.25 * 0.4 * 0.8]
        for a, b, f in zip(rough["tau"], smooth["tau"], expected):
            self.assertAlmostEqual(a - b, f, delta=1e-12)
        self.assertEqual(rough["h"], smooth["h"])
        (back,) = evaluate(BRANCH, {**state, "tau": rough["tau"]}, options=["--friction"])
        for x, y in zip(back["qdd"], A):
            self.assertAlmostEqual(x, y, delta=1e-10)

    def test_friction_at_rest_is_nothing(self):
        self.assertEqual(evaluate(BRANCH, {"q": Q}), evaluate(BRANCH, {"q": Q}, options=["--friction"]))

    def test_every_algorithm_by_option_and_by_command(self):
        families = json.loads(run("algorithms", "--json").text)
        (fused,) = evaluate(BRANCH, STATE)
        for parameter, option, command, terms in (
                ("jsim_algorithm", "--jsim", "jsim", ["M"]), ("coriolis_algorithm", "--coriolis", "coriolis", ["h"]),
                ("forward_dynamics", "--fd", "fd", ["qdd"]), ("inverse_dynamics", "--id", "id", ["tau"])):
            for name in [a["name"] for a in families[parameter]]:
                with self.subTest(parameter=parameter, name=name):
                    (by_option,) = evaluate(BRANCH, STATE, options=[option, name])
                    ok, by_command = evaluate(BRANCH, {command: name}, STATE)
                    self.assertEqual(ok, {"ok": True, "joints": NAMES})
                    self.assertEqual(by_option, by_command)
                    for term in terms:
                        for x, y in zip(json.dumps(by_option[term]).strip("[]").replace("[", "").replace("]", "").split(","),
                                        json.dumps(fused[term]).strip("[]").replace("[", "").replace("]", "").split(",")):
                            self.assertAlmostEqual(float(x), float(y), delta=1e-11)


class Commands(unittest.TestCase):
    def test_gravity_and_back(self):
        before, ok, weightless, _, after = evaluate(
            BRANCH, STATE, {"gravity": [0, 0, 0]}, STATE, {"gravity": [0, 0, -9.81]}, STATE)
        self.assertEqual(ok, {"ok": True, "joints": NAMES})
        self.assertEqual(weightless["g"], [0, 0, 0, 0])
        self.assertEqual(before, after)

    def test_refusals_change_nothing(self):
        refused = [
            ({"jsim": "nonsense"}, "nonsense"), ({"jsim": 3}, "3"), ({"coriolis": "crba"}, "crba"),
            ({"fd": None}, "null"), ({"id": "aba"}, "aba"), ({"gravity": [0, 0]}, "gravity"),
            ({"gravity": "down"}, "down"), ({"gravity": [0, 0, "x"]}, "x"), ({"gravity": {}}, "object"),
            ('{"gravity":[0,0,NaN]}', "NaN"), ('{"gravity":[0,0,-1e999]}', "-1e999"),
            ({"detach": "nothing"}, "nothing"), ({"detach": 1}, "1"),
            ({"jsim": "fused", "coriolis": "fused"}, "only key"), ({"jsim": "fused", "q": Q}, "only key"),
        ]
        lines = [STATE]
        for line, _ in refused:
            lines += [line, STATE]
        answers = evaluate(BRANCH, *lines)
        for i, (line, word) in enumerate(refused):
            with self.subTest(line):
                answer = answers[2 * i + 1]
                self.assertEqual(sorted(answer), ["error", "ok"])
                self.assertIs(answer["ok"], False)
                self.assertIn(word, answer["error"])
                self.assertEqual(answers[2 * i + 2], answers[0])


if __name__ == "__main__":
    unittest.main()
