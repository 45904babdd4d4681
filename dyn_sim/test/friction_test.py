# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Friction beyond viscous and Coulomb does the same to the arm with either engine; `dyn info` lists it."""
import csv
import json
import os
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from dyn_process import run
from run_process import RunTest, arm7

ENGINES = os.environ.get("DYN_ENGINES", "native").split(",")
KINDS = {"stribeck": {"stribeck": "3", "stribeck_velocity": "0.3"}, "offset": {"offset": "1"},
         "direction": {"damping_negative": "2", "friction_negative": "2"}}


class Friction(RunTest):
    def arm(self, **attributes):
        tree = ElementTree.parse(json.loads(run("info", "arm7", "--json").text)["source"])
        for dynamics in tree.iter("dynamics"):
            for name, value in attributes.items():
                dynamics.set(name, value)
        file = self.folder / ("arm_" + "_".join(attributes) + ".urdf")
        tree.write(file)
        return file

    def positions(self, engine, robot):
        done = self.run_fast(arm7(duration_s="2", plant=f"{{engine: {engine}, robot: {robot}}}",
                                  controller="{gains: {default: {p: 400, d: 40}}, validation: {mode: 'off'}}",
                                  trajectory="{type: sinusoid, centre: [0, 0.5, 0, 1, 0, 0.5, 0], amplitude: 0.4, frequency_hz: 0.4}"))
        self.assertEqual(done.returncode, 0, done.error)
        with open(self.out / "log.csv", encoding="utf-8") as file:
            return [float(x) for row in csv.DictReader(file) for name, x in row.items() if name.startswith(("q.", "sensed."))]

    def test_engines_agree(self):
        if "mujoco" not in ENGINES:
            return self.assertEqual(ENGINES, ["native"])
        apart = lambda a, b: (sum((x - y) ** 2 for x, y in zip(a, b)) / len(a)) ** 0.5
        plain = {engine: self.positions(engine, self.arm()) for engine in ("native", "mujoco")}
        for kind, attributes in KINDS.items():
            with self.subTest(kind):
                native, mujoco = (self.positions(engine, self.arm(**attributes)) for engine in ("native", "mujoco"))
                self.assertLess(apart(native, mujoco), 2 * apart(*plain.values()) + 0.05 * apart(native, plain["native"]))
                self.assertGreater(apart(mujoco, plain["mujoco"]), 1e-3)

    def test_engines_agree_on_the_friction_of_a_mimic_joint(self):
        """The finger of branch.urdf follows right_a, which feels its friction."""
        if "mujoco" not in ENGINES:
            return self.assertEqual(ENGINES, ["native"])
        text = (Path(__file__).parent / "data" / "branch.urdf").read_text(encoding="utf-8")
        rough = self.folder / "rough.urdf"
        rough.write_text(text.replace('<dynamics damping="0.4" friction="0"/>', '<dynamics damping="2" friction="0.5"/>'))
        efforts = {}
        for engine in ("native", "mujoco"):
            config = f"""robot: {rough}
duration_s: 2
plant: {{engine: {engine}}}
controller: {{gains: {{default: {{p: 400, d: 40}}}}, effort_limit: 1000, friction_compensation: false, validation: {{mode: 'off'}}}}
trajectory: {{type: sinusoid, centre: [0, 0, 0.2, 0], amplitude: [0, 0, 0, 0.5], frequency_hz: 0.5}}
"""
            self.assertEqual(self.run_fast(config).returncode, 0)
            with open(self.out / "log.csv", encoding="utf-8", newline="") as log:
                efforts[engine] = [float(row["feedback.right_a"]) for row in csv.DictReader(log)]
        largest = max(abs(x) for x in efforts["mujoco"])
        self.assertGreater(largest, 0.7)  # 0.5 (0.5 + 2 * 0.5 v), v up to 1.6 rad/s
        apart = [native - mujoco for native, mujoco in zip(*efforts.values())]
        self.assertLess((sum(x * x for x in apart) / len(apart)) ** 0.5, 0.05 * largest)

    def test_info_lists_it(self):
        robot = self.arm(**KINDS["stribeck"], **KINDS["offset"], **KINDS["direction"])
        info = json.loads(run("info", robot, "--json").text)
        for key, value in (("stribeck", 3), ("stribeck_velocity", 0.3), ("offset", 1), ("damping_negative", 2),
                           ("friction_negative", 2)):
            self.assertEqual(info[key], [value] * 7)
        text = run("info", robot).text
        for words in ("stribeck 3", "offset 1", "friction backwards 2", "armature"):
            self.assertIn(words, text)


if __name__ == "__main__":
    unittest.main()
