# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""ROBOT as a table of Denavit and Hartenberg parameters with slender rods: FILE.dh.yaml."""
import json
import tempfile
import unittest
from pathlib import Path

from dyn_process import evaluate, fails, run

PUMA = str(Path(__file__).parents[2] / "config" / "robots" / "puma.dh.yaml")
STATE = {"q": [0.3, -0.7, 0.2, 0.9, -1.1, 0.4], "v": [1.1, 0.4, -0.6, 0.8, 0.2, -0.5]}


class Table(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, *rows, name="arm"):
        file = self.folder / f"{len(list(self.folder.iterdir()))}.dh.yaml"
        file.write_text(f"name: {name}\nlinks:\n" + "".join(f"  - {{{row}}}\n" for row in rows))
        return file

    def test_the_shipped_table_is_the_shipped_puma(self):
        by_table, by_urdf = evaluate(PUMA, STATE)[0], evaluate("puma", STATE)[0]
        for term in ("M", "C"):
            for ours, theirs in zip(by_table[term], by_urdf[term]):
                for a, b in zip(ours, theirs):
                    self.assertAlmostEqual(a, b, delta=1e-13)
        for a, b in zip(by_table["g"], by_urdf["g"]):
            self.assertAlmostEqual(a, b, delta=1e-12)
        info = json.loads(run("info", PUMA, "--json").text)
        self.assertEqual(len(info["joints"]), 6)

    def test_one_rod_with_a_tip_and_a_hub(self):
        """m l^2 / 3 + M l^2 + hub about the joint; g with gravity across it."""
        arm = self.file("a: 0.5, mass_per_length: 4, tip_mass: 0.3, hub_inertia: 0.02, hub_across: 0.01")
        answer = evaluate(arm, {"q": [0.0]}, options=("--gravity", "0,-10,0"))[0]
        self.assertAlmostEqual(answer["M"][0][0], 2 * 0.25 / 3 + 0.3 * 0.25 + 0.02, delta=1e-14)
        self.assertAlmostEqual(answer["g"][0], 10 * (2 * 0.25 + 0.3 * 0.5), delta=1e-13)

    def test_every_command_takes_it(self):
        arm = self.file("a: 0.5, mass: 2, hub_across: 0.1")
        self.assertIn("cos(q1)", run("symbolic", arm, "--terms", "g", "--gravity", "0,-10,0").text)
        self.assertEqual(json.loads(run("count", arm, "--json").text)["n"], 1)

    def test_what_is_wrong_is_said(self):
        for row, *words in (("type: prismatic, b: 0.2, a: 0.1, mass: 1", "b", "prismatic"), ("type: ball", "ball"),
                            ("a: .nan", "a"), ("mass: -1, a: 1", "mass"), ("mass: 1", "no length"),
                            ("type: revolute, a: 1, mass: 1", "limits"), ("lenght: 1", "lenght"),
                            ("a: 1, mass: 1, mass_per_length: 1", "mass_per_length")):
            with self.subTest(row):
                file = self.file("a: 1, mass: 1", row)
                fails(self, run("info", file), 1, file.name, *words)
        for text in ("", "name: x\n", "name: x\nlinks: []\n", "name: x\nlinks: [{a: 1}\n", "links: [{a: 1, mass: 1}]\n",
                     "name: x\nlinks: [{a: 1, mass: 1}]\n---\nname: y\n", ",name: x\n"):
            with self.subTest(text):
                file = self.folder / "wrong.dh.yaml"
                file.write_text(text)
                fails(self, run("info", file), 1, "wrong.dh.yaml")
        fails(self, run("info", self.folder / "none.dh.yaml"), 1, "none.dh.yaml")


if __name__ == "__main__":
    unittest.main()
