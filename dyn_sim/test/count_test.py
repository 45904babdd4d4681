# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn count`: the report, the papers' formulas and crossovers."""
import json
import unittest

from dyn_process import BRANCH, run


def count(*arguments):
    done = run("count", *arguments, "--json", timeout=100)
    assert done.returncode == 0, done.error
    assert done.text.count("\n") == 1
    return json.loads(done.text)


class Count(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.chain = count("--chain", "12")

    def paper(self, label):
        (row,) = [r for r in self.chain["papers"] if r["label"] == label]
        return row

    def crossing(self, first, second):
        (row,) = [c for c in self.chain["crossovers"] if (c["first"], c["second"]) == (first, second)
                  and c["counted"] == "papers' formulas"]
        return row

    def test_every_algorithm_is_counted(self):
        listed = json.loads(run("algorithms", "--json").text)
        counted = [(a["parameter"], a["name"]) for a in self.chain["algorithms"]]
        self.assertEqual(counted, [(p, a["name"]) for p, algorithms in listed.items() for a in algorithms])
        for a in self.chain["algorithms"]:
            self.assertGreater(a["multiplications"], 0)
            self.assertGreater(a["additions"], 0)

    def test_kinematics_stand_apart(self):
        passes = self.chain["kinematics"]
        self.assertEqual(list(passes), ["trigonometry", "positions", "inertias", "velocities"])
        self.assertEqual(passes["trigonometry"]["trigonometric"], 24)
        (fused,) = [a for a in self.chain["algorithms"] if a["name"] == "fused" and a["parameter"] == "jsim_algorithm"]
        self.assertEqual(fused["kinematics"]["multiplications"],
                         passes["positions"]["multiplications"] + passes["inertias"]["multiplications"])

    def test_formulas_of_the_papers_at_12(self):
        n = 12
        self.assertEqual(self.paper("explicit")["multiplications"]["paper"], 3.5 * n**3 + 16 * n**2 + 12.5 * n)
        self.assertEqual(self.paper("GDAHJ")["additions"]["paper"], 2.5 * n**2 + 95.5 * n - 18)
        # printed in paper 001, Table 1
        self.assertEqual(self.paper("DeNOC")["multiplications"]["paper"], 1948)
        self.assertEqual(self.paper("DeNOC")["additions"]["paper"], 1667)
        self.assertEqual(self.paper("Walker and Orin")["multiplications"]["paper"], 2357)
        self.assertEqual(self.paper("Walker and Orin")["additions"]["paper"], 1716)

    def test_crossovers_of_the_papers(self):
        denoc = self.crossing("DeNOC", "Walker and Orin")
        self.assertEqual((denoc["multiplications"], denoc["both"]), (10, 12))
        aba = self.crossing("Featherstone", "Walker and Orin")
        self.assertEqual((aba["multiplications"], aba["both"]), (12, 14))
        self.assertEqual(self.crossing("GDAHJ", "CRBA")["sum"], 13)

    def test_our_polynomials_give_our_counts(self):
        compared = [r[op] for r in self.chain["papers"] for op in ("multiplications", "additions") if "ours" in r[op]]
        self.assertGreaterEqual(len(compared), 2)
        for c in compared:
            n = 12
            value = sum(k * n**d for d, k in enumerate(c["fitted_coefficients"]))
            self.assertLess(abs(value - c["ours"]), 0.5 + c["fit_error"])
            self.assertAlmostEqual(c["deviation_percent"], 100 * (c["ours"] / c["paper"] - 1), delta=1e-9)

    def test_forward_dynamics_of_paper_001_without_the_bias(self):
        for op, leading in (("multiplications", 173), ("additions", 150)):
            fitted = self.paper("DeNOC")[op]["fitted_coefficients"]
            self.assertEqual(len([k for k in fitted if abs(k) > 1e-6]), 2)  # linear
            self.assertLess(abs(fitted[1] - leading), 0.1 * leading)

    def test_counts_do_not_depend_on_the_run(self):
        self.assertEqual(self.chain, count("--chain", "12"))

    def test_a_robot(self):
        robot = count(BRANCH)
        self.assertEqual((robot["robot"], robot["n"], robot["crossovers"]), ("branch", 4, []))

    def test_text(self):
        text = run("count", "--chain", "5", timeout=100).text
        for word in ("kinematics", "Crossovers", "3.5n^3 + 16n^2 + 12.5n", "fused"):
            self.assertIn(word, text)
        self.assertNotIn("\033", text)


if __name__ == "__main__":
    unittest.main()
