# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn symbolic`: what it writes is what `dyn eval` computes, and can be read: by people, LaTeX and a C++ compiler."""
import json
import math
import random
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from dyn_process import BRANCH, FLOATING, PATIENCE, evaluate, fails, run

STATES = 20
SIZES = {"M": 2, "C": 2, "g": 1}


def symbolic(robot, *options):
    done = run("symbolic", robot, *options)
    assert done.returncode == 0, done.error
    return done.text


def states(n, seed=1):
    rng = random.Random(seed)
    return [{"q": [rng.uniform(-3, 3) for _ in range(n)], "v": [rng.uniform(-2, 2) for _ in range(n)]}
            for _ in range(STATES)]


def values_of(text, state):
    """The assignments of the text format, evaluated by Python."""
    names = {"sin": math.sin, "cos": math.cos}
    for k, (q, v) in enumerate(zip(state["q"], state["v"]), 1):
        names[f"q{k}"], names[f"v{k}"] = q, v
    for line in text.splitlines():
        parameter = re.match(r"# (\w+) = (\S+) .*(kg|m|m/s\^2)\b", line)
        if parameter and parameter[1][0] not in "q":
            names[parameter[1]] = float(parameter[2])
        if line.startswith("#"):
            continue
        name, formula = line.split(" = ", 1)
        names[name] = eval(formula, {"__builtins__": {}}, names)
    return names


def largest_error(values, answer, n, term):
    """Of all entries, against the term's largest one."""
    if SIZES[term] == 1:
        pairs = [(values[f"{term}[{i + 1}]"], answer[term][i]) for i in range(n)]
    else:
        pairs = [(values[f"{term}[{i + 1}][{j + 1}]"], answer[term][i][j]) for i in range(n) for j in range(n)]
    return max(abs(a - b) for a, b in pairs) / max(1e-3, *(abs(b) for _, b in pairs))


class Symbolic(unittest.TestCase):
    def compare(self, robot, n, limit, *options):
        text = symbolic(robot, *options)
        for state, answer in zip(states(n), evaluate(robot, *states(n), options=("--coriolis", "kronecker"))):
            values = values_of(text, state)
            for term in SIZES:
                self.assertLess(largest_error(values, answer, n, term), limit, (robot, term, state))
        return text

    def test_text_is_what_eval_computes(self):
        for robot, n in (("planar3", 3), ("three_link", 3), ("pelican", 2), ("rover_arm", 5), ("puma", 6), ("arm7", 7),
                         (BRANCH, None), (FLOATING, 6)):
            n = n or len(evaluate(robot, {})[0]["g"])
            with self.subTest(robot):
                self.compare(robot, n, 1e-12)

    def test_symbols_are_what_eval_computes(self):
        for robot, n in (("planar3", 3), ("three_link", 3), ("pelican", 2)):
            with self.subTest(robot):
                self.compare(robot, n, 1e-12, "--parameters", "symbols")

    def test_a_reader_recognises_the_papers_formulas(self):
        text = symbolic("planar3", "--terms", "M").splitlines()  # 000, section 7.1
        self.assertRegex(text[2], r"^M\[1\]\[1\] = [\d.]+ \+ .*cos\(q3\).*cos\(q2\).*cos\(q2 \+ q3\)$")
        self.assertRegex(text[4], r"^M\[1\]\[3\] = [\d.]+ \+ [\d.]+\*cos\(q3\) \+ [\d.]+\*cos\(q2 \+ q3\)$")
        self.assertEqual(len(text), 11)
        formulas = dict(line.split(" = ", 1) for line in symbolic("three_link", "--parameters", "symbols").splitlines()
                        if not line.startswith("#"))
        self.assertEqual(formulas["M[1][2]"], "0")  # 004, eqs 64, 65, 67, 69
        self.assertEqual(formulas["M[3][3]"], "m3*c3x**2 + I3zz")
        self.assertEqual(formulas["M[2][3]"], "m3*c3x**2 + I3zz + l3x*m3*c3x*cos(q3)")
        for part in ("2*l3x*m3*c3x*cos(q2)*cos(q2 + q3)", "(I2yy - I2xx + m2*c2x**2 + l3x**2*m3)*cos(q2)**2",
                     "(I3yy - I3xx + m3*c3x**2)*cos(q2 + q3)**2"):
            self.assertIn(part, formulas["M[1][1]"])
        self.assertEqual(formulas["C[3][3]"], "0")
        self.assertEqual(formulas["C[2][2]"], "-l3x*m3*c3x*v3*sin(q3)")
        self.assertEqual(formulas["C[2][3]"], "-(l3x*m3*c3x*v2 + l3x*m3*c3x*v3)*sin(q3)")
        self.assertEqual(formulas["g[1]"], "0")
        self.assertIn("cos(q2 + q3)", formulas["g[2]"])
        formulas = dict(line.split(" = ", 1) for line in symbolic("pelican", "--parameters", "symbols").splitlines()
                        if not line.startswith("#"))
        self.assertIn("2*l2x*m2*c2x*cos(q2)", formulas["M[1][1]"])  # 002, eqs 47, 48
        self.assertEqual(formulas["C[2][1]"], "l2x*m2*c2x*v1*sin(q2)")
        self.assertEqual(formulas["C[2][2]"], "0")

    def test_latex_is_a_document(self):
        for robot in ("planar3", "three_link", "ur5", "arm7"):
            for parameters in ("numbers", "symbols"):
                with self.subTest(f"{robot}, {parameters}"):
                    self.check_latex(symbolic(robot, "--format", "latex", "--parameters", parameters))

    @unittest.skipUnless(shutil.which("pdflatex"), "there is no pdflatex here (Debian: texlive-latex-base)")
    def test_latex_compiles_and_fits_on_the_page(self):
        for robot in ("pelican", "planar3", "three_link", "puma", "ur5", "arm7", "panda"):
            for parameters in ("numbers", "symbols"):
                with self.subTest(f"{robot}, {parameters}"), tempfile.TemporaryDirectory() as directory:
                    text = symbolic(robot, "--format", "latex", "--parameters", parameters)
                    (Path(directory) / "a.tex").write_text(text)
                    done = subprocess.run(["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "a.tex"],
                                          cwd=directory, capture_output=True, timeout=100 * PATIENCE, check=False)
                    output = done.stdout.decode(errors="replace")
                    self.assertEqual(done.returncode, 0, output[-2000:])
                    self.assertNotIn("Overfull", output)

    def check_latex(self, text):
        """Braces and environments are balanced, every command is one that amsmath has, one & a line of the align*."""
        depth = 0
        for escaped, brace in re.findall(r"(\\[{}])|([{}])", text):
            depth += 0 if escaped else 1 if brace == "{" else -1
            self.assertGreaterEqual(depth, 0)
        self.assertEqual(depth, 0)
        self.assertEqual(re.findall(r"\\begin\{(.*?)\}", text), ["document", "align*"])
        self.assertEqual(re.findall(r"\\end\{(.*?)\}", text), ["align*", "document"])
        known = set("documentclass usepackage allowdisplaybreaks begin end noindent par cos sin dot cdot quad".split())
        self.assertLessEqual(set(re.findall(r"\\([a-zA-Z]+)", text)), known)
        body = text[text.index("\\begin{align*}"):text.index("\\end{align*}")]
        for line in body.split("\\\\\n"):
            self.assertEqual(line.count("&"), 1, line)
            self.assertNotIn("\n\n", line)
        for equation in re.split(r"\n(?!&)", body):
            self.assertEqual(equation.count("("), equation.count(")"), equation)

    def test_the_header_compiles_and_computes_the_same(self):
        compiler = shutil.which("c++") or shutil.which("g++")
        self.assertIsNotNone(compiler)
        for robot, n in (("three_link", 3), ("puma", 6), ("arm7", 7)):
            with self.subTest(robot), tempfile.TemporaryDirectory() as directory:
                folder = Path(directory)
                (folder / "robot.hpp").write_text(symbolic(robot, "--format", "cpp"))
                (folder / "main.cpp").write_text(f"""#include "robot.hpp"
#include <cstdio>
using namespace dyn_symbolic::{robot};
int main() {{
  double q[n], v[n], M[n * n], C[n * n], g[n], all[2 * n * n + n];
  for (;;) {{
    for (double& x : q) if (std::scanf("%lf", &x) != 1) return 0;
    for (double& x : v) if (std::scanf("%lf", &x) != 1) return 0;
    mass_matrix(q, M); coriolis_matrix(q, v, C); gravity(q, g);
    terms(q, v, all, all + n * n, all + 2 * n * n);
    for (double x : M) std::printf("%.17g ", x);
    for (double x : C) std::printf("%.17g ", x);
    for (double x : g) std::printf("%.17g ", x);
    for (double x : all) std::printf("%.17g ", x);
    std::printf("\\n");
  }}
}}
""")
                subprocess.run([compiler, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o",
                                folder / "main", folder / "main.cpp"], check=True, timeout=100)
                text = "\n".join(" ".join(repr(x) for x in s["q"] + s["v"]) for s in states(n))
                done = subprocess.run([folder / "main"], input=text, capture_output=True, text=True, check=True)
                answers = evaluate(robot, *states(n))
                for line, answer in zip(done.stdout.splitlines(), answers):
                    numbers = [float(x) for x in line.split()]
                    expected = [x for term in ("M", "C") for row in answer[term] for x in row] + answer["g"]
                    self.assertEqual(len(numbers), 2 * len(expected))
                    ends = (0, n * n, 2 * n * n, 2 * n * n + n)
                    for begin, end in zip(ends, ends[1:]):
                        size = max(map(abs, expected[begin:end])) or 1.0
                        for got in (numbers, numbers[len(expected):]):
                            error = max(abs(a - b) for a, b in zip(got[begin:end], expected[begin:end]))
                            self.assertLess(error / size, 1e-14, robot)

    def test_bench_measures_the_code(self):
        done = run("bench", "planar3", "--peers", "--rounds", "5", "--json", timeout=100)
        self.assertEqual(done.returncode, 0, done.error)
        results = [r for r in json.loads(done.text)["results"] if r["algorithm"] == "symbolic"]
        self.assertEqual({r["task"] for r in results}, {"M", "C", "g", "M+C+g"})
        for r in results:
            self.assertGreater(r["ns"], 0)
            self.assertIn("times_faster", r)

    def test_terms_are_chosen(self):
        text = symbolic("planar3", "--terms", "g")
        self.assertNotIn("M[", text)
        self.assertNotIn("C[", text)
        self.assertIn("g[3] = ", text)
        header = symbolic("planar3", "--terms", "C", "--format", "cpp")
        self.assertIn("void coriolis_matrix(", header)
        self.assertNotIn("mass_matrix", header)
        self.assertNotIn("void terms(", header)

    def test_what_cannot_be_written_is_said(self):
        fails(self, run("symbolic", "no_such_robot"), 1, "no_such_robot")
        fails(self, run("symbolic", "planar3", "--terms", "M,X"), 2, "X", "must be M, C or g")
        fails(self, run("symbolic", "planar3", "--terms", ""), 2, "terms")
        fails(self, run("symbolic", "planar3", "--format", "pdf"), 2, "pdf")
        fails(self, run("symbolic", "planar3", "--format", "cpp", "--parameters", "symbols"), 1, "numbers")
        with tempfile.TemporaryDirectory() as directory:
            links = "".join(f'<link name="l{k}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" '
                            f'iyz="0" izz="1"/></inertial></link>' for k in range(14))
            joints = "".join(f'<joint name="j{k}" type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/>'
                             f'<axis xyz="1 0 0"/></joint>' for k in range(13))
            robot = Path(directory) / "long.urdf"
            robot.write_text(f'<robot name="long">{links}{joints}</robot>')
            fails(self, run("symbolic", robot), 1, "long", "13", "12")


if __name__ == "__main__":
    unittest.main()
