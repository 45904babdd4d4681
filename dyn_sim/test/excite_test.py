# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""dyn excite: within limits, at rest at both ends, above the floor, playable, and better than a random motion."""
import csv
import json
import math
import os
import random
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from dyn_process import PATIENCE

DYN = os.environ["DYN"]


def as_json(*arguments):
    done = subprocess.run([DYN, *map(str, arguments), "--json"], capture_output=True, text=True, timeout=100 * PATIENCE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Excite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        cls.found = as_json("excite", "arm7", "--duration", 6, "--floor", 0.05, "--trials", 300, "--out", cls.path / "e")
        with open(cls.found["trajectory"], newline="") as text:
            rows = list(csv.reader(text))
        cls.header, cls.rows = rows[0], [[float(x) for x in row] for row in rows[1:]]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_limits(self):
        info = as_json("info", "arm7")
        step = self.rows[1][0] - self.rows[0][0]
        for i, limit in enumerate(info["limits"]):
            q = [row[i + 1] for row in self.rows]
            self.assertGreaterEqual(min(q), limit["lower"])
            self.assertLessEqual(max(q), limit["upper"])
            fastest = max(abs(b - a) / step for a, b in zip(q, q[1:]))
            self.assertLessEqual(fastest, 0.81 * limit["velocity"])
            self.assertGreater(max(q) - min(q), 0.1, "every joint moves")
        self.assertLessEqual(self.found["used_torque"], 0.8)
        self.assertGreaterEqual(self.found["lowest_m"], 0.05)

    def test_joints_without_limits_keep_to_half_a_turn_and_1_rad_per_s(self):
        free = self.path / "free.urdf"
        body = ('<inertial><origin xyz="0.1 0.02 0.2"/><mass value="2"/>'
                '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial>')
        joints = [("base", "upper", "0 1 0", 'type="continuous"', ""), ("upper", "lower", "1 0 0", 'type="revolute"',
                                                                       '<limit lower="-30" upper="20" velocity="0" effort="0"/>')]
        free.write_text('<robot name="free"><link name="base"/>' + "".join(
            f'<link name="{child}">{body}</link><joint name="{child}_joint" {kind}><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="0 0 0.3"/><axis xyz="{axis}"/>{limit}</joint>' for parent, child, axis, kind, limit in joints) + "</robot>")
        found = as_json("excite", free, "--duration", 6, "--trials", 100, "--out", self.path / "free")
        with open(found["trajectory"], newline="") as text:
            rows = [[float(x) for x in row] for row in list(csv.reader(text))[1:]]
        step = rows[1][0] - rows[0][0]
        for q in list(zip(*rows))[1:]:
            self.assertLessEqual(max(map(abs, q)), 0.8 * math.pi + 1e-9)
            fastest = max(abs(b - a) / step for a, b in zip(q, q[1:]))
            self.assertLessEqual(fastest, 0.81)  # 0.8, the margin, of 1 rad/s
            self.assertGreater(fastest, 0.3, "every joint moves")

    def test_accelerations_and_torques_of_a_short_motion(self):
        """3 s, of which the first and the last 0.6 are the beginning and the end."""
        found = as_json("excite", "arm7", "--duration", 3, "--trials", 100, "--out", self.path / "short")
        with open(found["trajectory"], newline="") as text:
            rows = [[float(x) for x in row] for row in list(csv.reader(text))[1:]]
        step = rows[1][0] - rows[0][0]
        info = as_json("info", "arm7")
        states = []
        for before, now, after in zip(rows, rows[1:], rows[2:]):
            states.append({"q": now[1:8], "v": [(b - a) / (2 * step) for a, b in zip(before[1:8], after[1:8])],
                           "a": [(a - 2 * x + b) / step ** 2 for a, x, b in zip(before[1:8], now[1:8], after[1:8])]})
        for i, limit in enumerate(info["limits"]):  # 0.8, the margin, of the velocity limit within 0.4 s
            self.assertLessEqual(max(abs(state["a"][i]) for state in states), 1.02 * 0.8 * limit["velocity"] / 0.4)
        done = subprocess.run([DYN, "eval", "arm7"], input="".join(json.dumps(state) + "\n" for state in states),
                              capture_output=True, text=True, timeout=100 * PATIENCE)
        efforts = [limit["effort"] for limit in info["limits"]]
        used = max(abs(tau) / effort for line in done.stdout.splitlines() for tau, effort in zip(json.loads(line)["tau"], efforts))
        self.assertAlmostEqual(used, found["used_torque"], delta=0.02 * used)

    def test_joints_swing_about_places_all_over_their_ranges(self):
        """A motion begins where each joint swings: up to half way from the centre of its range to the limits."""
        away = []
        for q, limit in zip(self.rows[0][1:], as_json("info", "arm7")["limits"]):
            centre, reach = 0.5 * (limit["lower"] + limit["upper"]), 0.5 * (limit["upper"] - limit["lower"])
            away.append(abs(q - centre) / reach)
            self.assertLessEqual(away[-1], 0.5)
        self.assertGreater(min(away), 1e-4)
        self.assertGreater(max(away), 0.2)

    def test_one_sine_per_joint_moves_every_joint(self):
        found = as_json("excite", "arm7", "--duration", 6, "--trials", 50, "--harmonics", 1, "--out", self.path / "one")
        with open(found["trajectory"], newline="") as text:
            rows = [[float(x) for x in row] for row in list(csv.reader(text))[1:]]
        for q in list(zip(*rows))[1:]:
            self.assertGreater(max(q) - min(q), 0.1)

    def test_a_floor_that_is_too_high(self):
        done = subprocess.run([DYN, "excite", "arm7", "--floor", "5", "--trials", "50", "--out", self.path / "high"],
                              capture_output=True, text=True, timeout=100 * PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"0\.02 m above the floor at 5 m: that which stays highest comes down to -?[0-9.]+ m")

    def test_at_rest_at_both_ends(self):
        for rows in (self.rows[:3], self.rows[-3:]):
            for column in zip(*[row[1:] for row in rows]):
                self.assertLess(max(column) - min(column), 1e-3)

    def test_search_is_worth_it(self):
        few = as_json("excite", "arm7", "--duration", 6, "--floor", 0.05, "--trials", 50, "--out", self.path / "few")
        self.assertGreater(self.found["log_det"], few["log_det"])
        self.assertLess(self.found["condition"], 1e4)

    def test_played_and_identified(self):
        played = as_json("run", self.found["scenario"], "--fast", "--out", self.path / "run")
        self.assertLess(played["tracking"]["max"], 5e-2)
        self.assertFalse(played["reference"] if isinstance(played.get("reference"), list) else [])
        found = as_json("identify", "arm7", self.path / "run" / "log.csv", "--out", self.path / "identified")
        self.assertEqual(found["rank"], found["base_parameters"])

    # Masses off by up to 20 %, centres by 2 cm, armature by 30 %, Stribeck friction; encoders of 1e-5 rad, torque noise of 0.05 N m.
    def test_the_whole_way_brings_tracking_twenty_times_closer(self):
        rng = random.Random(4)
        tree = ElementTree.parse(as_json("info", "arm7")["source"])
        for inertial in tree.iter("inertial"):
            mass, origin = inertial.find("mass"), inertial.find("origin")
            mass.set("value", repr(float(mass.get("value")) * rng.uniform(0.8, 1.2)))
            if origin is None:
                origin = ElementTree.SubElement(inertial, "origin")
            centre = origin.get("xyz", "0 0 0").split()
            origin.set("xyz", " ".join(repr(float(x) + rng.uniform(-0.02, 0.02)) for x in centre))
        for dynamics in tree.iter("dynamics"):
            friction = float(dynamics.get("friction"))
            dynamics.set("armature", repr(float(dynamics.get("armature", "0")) * rng.uniform(0.7, 1.3)))
            dynamics.set("damping", repr(1.5 * float(dynamics.get("damping"))))
            dynamics.set("friction", repr(1.3 * friction))
            dynamics.set("stribeck", repr(0.5 * friction))
            dynamics.set("stribeck_velocity", "0.05")
        true = self.path / "true.urdf"
        tree.write(true)

        ten = as_json("excite", "arm7", "--duration", 10, "--out", self.path / "ten")
        config = Path(ten["scenario"])
        config.write_text(config.read_text() + f"plant: {{robot: {true}}}\n")
        as_json("run", config, "--fast", "--out", self.path / "excited")
        log = self.path / "noisy.csv"
        with open(self.path / "excited" / "log.csv", newline="") as source, open(log, "w", newline="") as out:
            rows, writer = csv.reader(source), csv.writer(out)
            header = next(rows)
            keep = [i for i, name in enumerate(header) if name.split(".")[0] in ("q", "applied")]
            writer.writerow(["time_s"] + [header[i].replace("applied", "effort") for i in keep])
            for row in rows:
                writer.writerow([row[0]] + [float(row[i]) + rng.gauss(0.0, 1e-5 if header[i][0] == "q" else 0.05) for i in keep])
        found = as_json("identify", "arm7", log, "--out", self.path / "whole")
        self.assertLess(found["validation"]["relative"], 0.1 * found["before"]["relative"])

        points = [[0] * 7, [0.9, 0.5, -0.6, 0.9, 0.7, -0.5, 1.0], [-0.7, 0.8, 0.6, 1.2, -0.6, 0.6, -0.8],
                  [0.4, -0.4, 0.3, 0.5, 0.9, -0.8, 0.5], [0] * 7]
        tracking = {}
        for robot in ("arm7", found["urdf"]):
            moves = self.path / "moves.yaml"
            moves.write_text(f"robot: {robot}\nduration_s: 8\nplant: {{robot: {true}, torque_limits: false}}\n"
                             "controller: {type: computed_torque, friction_compensation: true, gains: {default: {p: 400, d: 40}}}\n"
                             f"trajectory: {{type: quintic, velocity_scale: 0.6, way_points: {points}}}\n")
            tracking[robot] = as_json("run", moves, "--fast", "--out", self.path / "moves")["tracking"]["rms"]
        self.assertGreater(tracking["arm7"], 20 * tracking[found["urdf"]])

        # On the model that was identified, what the arm carries is learnt from motion under the same noise.
        carries = self.path / "carries.yaml"
        carries.write_text(f"robot: {found['urdf']}\nduration_s: 4\n"
                           f"plant: {{robot: {true}, noise: {{position: 1e-5, velocity: 1e-5, torque: 0.05}}}}\n"
                           "controller: {friction_compensation: true, gains: {default: {p: 400, d: 40}}}\n"
                           f"trajectory: {{type: quintic, velocity_scale: 0.6, way_points: {points}}}\n"
                           "events: [{at: 0.2, attach: {name: box, link: tool0, mass: 3, com: [0.02, -0.03, 0.08], "
                           "inertia: [0.0069, 0, 0, 0.0061, 0, 0.005]}, on: plant}, "
                           "{at: 0.5, estimate: {link: tool0, name: learnt, attach: true}}]\n")
        (learnt,) = as_json("run", carries, "--fast", "--out", self.path / "carries")["arms"][0]["estimates"]
        self.assertIsNotNone(learnt["attached_s"], learnt["text"])
        self.assertLess(abs(learnt["mass"] - 3.0), 0.03, learnt["text"])
        self.assertLess(sum((a - b) ** 2 for a, b in zip(learnt["com"], (0.02, -0.03, 0.08))) ** 0.5, 5e-3, learnt["text"])


if __name__ == "__main__":
    unittest.main()
