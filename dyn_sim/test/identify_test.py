# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""dyn replay and dyn identify on logs that these tests make."""
import csv
import json
import math
import os
import random
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from pathlib import Path

from dyn_process import PATIENCE

DYN = os.environ["DYN"]
SCENARIO = """title: log
robot: {robot}
rate_hz: 500
duration_s: {duration}
plant: {{engine: native, friction: {friction}, torque_limits: false{more}}}
controller: {{type: computed_torque, gains: {{default: {{p: 400, d: 40}}}}, validation: {{mode: "off"}}}}
trajectory: {{type: fourier, amplitude: {amplitude}, base_hz: 0.2, harmonics: 4, seed: 3}}
"""


def dyn(*arguments, code=0):
    done = subprocess.run([DYN, *map(str, arguments)], capture_output=True, text=True, timeout=100 * PATIENCE)
    assert done.returncode == code, f"exit code {done.returncode}: {done.stderr}"
    return done


def as_json(*arguments):
    return json.loads(dyn(*arguments, "--json").stdout)


def read_log(file):
    with open(file, newline="") as text:
        rows = list(csv.reader(text))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]


def write_log(file, header, rows):
    with open(file, "w", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(header)
        writer.writerows(rows)
    return file


def made_log(folder, robot="arm7", duration=6, friction="false", more="", amplitude=0.5, effort="applied"):
    """Columns time_s, q, v, a, effort of a run of the simulated arm."""
    folder = Path(folder)
    config = folder / "run.yaml"
    config.write_text(SCENARIO.format(robot=robot, duration=duration, friction=friction, more=more, amplitude=amplitude))
    dyn("run", config, "--fast", "--out", folder / "run", "--json")
    header, rows = read_log_of_run(folder / "run" / "log.csv")
    keep = [0] + [i for i, name in enumerate(header) if name.split(".")[0] in ("q", "v", "a", effort)]
    names = [header[i].replace(effort + ".", "effort.", 1) for i in keep]
    return names, [[row[i] for i in keep] for row in rows]


def read_log_of_run(file):
    with open(file, newline="") as text:
        rows = list(csv.reader(text))
    return rows[0], [[float(x) if x.replace("e", "").replace("-", "").replace(".", "").isdigit() else 0.0 for x in row]
                     for row in rows[1:]]


def possible(link):
    """The pseudo-inertia of a body about its centre of mass is positive definite: mass, and a triangle of moments. Exact."""
    ixx, ixy, ixz, iyy, iyz, izz = map(Fraction, link["inertia"])
    half = (ixx + iyy + izz) / 2
    a, b, c, d, e, f = half - ixx, -ixy, -ixz, half - iyy, -iyz, half - izz
    minors = a, a * d - b * b, a * (d * f - e * e) - b * (b * f - e * c) + c * (b * e - d * c)
    return link["mass"] > 0 and all(minor > 0 for minor in minors)


def changed_urdf(folder, **attributes):
    """arm7 with these attributes of every <dynamics>."""
    tree = ElementTree.parse(json.loads(dyn("info", "arm7", "--json").stdout)["source"])
    for dynamics in tree.iter("dynamics"):
        for name, value in attributes.items():
            dynamics.set(name, str(value))
    file = folder / "changed.urdf"
    tree.write(file)
    return file


class WithLog(unittest.TestCase):
    """A log of arm7, and a folder for what becomes of it."""
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        cls.header, cls.rows = made_log(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()


class Replay(WithLog):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.log = write_log(cls.path / "log.csv", cls.header, cls.rows)

    def without(self, *quantities):
        keep = [i for i, name in enumerate(self.header) if name.split(".")[0] not in quantities]
        return [self.header[i] for i in keep], [[row[i] for i in keep] for row in self.rows]

    def test_keys_and_exactness(self):
        found = as_json("replay", "arm7", self.log)
        self.assertEqual(list(found), ["samples", "joints", "cutoff_hz", "rms", "torque_rms", "relative"])
        self.assertEqual(found["samples"], len(self.rows))
        self.assertEqual(found["joints"], [f"joint{i}" for i in range(1, 8)])
        # arm7 has friction and this plant has none: what is left is that friction, and nothing else.
        frictionless = self.frictionless()
        self.assertLess(as_json("replay", frictionless, self.log)["relative"], 1e-12)
        self.assertGreater(found["relative"], 1e-3)

    def frictionless(self):
        return changed_urdf(self.path, friction=0, damping=0)

    def test_columns_in_any_order_and_others_ignored(self):
        order = list(range(len(self.header)))
        random.Random(1).shuffle(order)
        header = ["mode"] + [self.header[i] for i in order]
        rows = [["auto"] + [row[i] for i in order] for row in self.rows]
        shuffled = write_log(self.path / "shuffled.csv", header, rows)
        self.assertEqual(as_json("replay", "arm7", shuffled), as_json("replay", "arm7", self.log))

    def test_joints_of_payloads_and_other_robots_may_be_nan(self):
        """As dyn run writes them while they do not exist; in a joint of the robot it is an error."""
        others = [f"{quantity}.cup/swing" for quantity in ("q", "v", "a", "effort")]
        rows = [[*row, *([math.nan if k < 900 else 0.1] * 3), math.inf] for k, row in enumerate(self.rows)]
        log = write_log(self.path / "cup.csv", [*self.header, *others], rows)
        self.assertEqual(as_json("replay", "arm7", log), as_json("replay", "arm7", self.log))
        rows[7][self.header.index("v.joint3")] = math.nan
        said = dyn("replay", "arm7", write_log(log, [*self.header, *others], rows), code=1).stderr
        self.assertIn("velocity of joint 'joint3' is nan in row 8, which is not a finite number", said)
        rows[7][0] = math.nan
        self.assertIn("time_s is 'nan'", dyn("replay", "arm7", write_log(log, [*self.header, *others], rows), code=1).stderr)

    def test_without_accelerations_and_velocities(self):
        for absent, most in ((("a",), 1e-2), (("v",), 1e-2), (("a", "v"), 1e-2)):
            log = write_log(self.path / "less.csv", *self.without(*absent))
            found = as_json("replay", self.frictionless(), log, "--cutoff", 20)
            self.assertLess(found["relative"], most, absent)

    def test_wrong_options_are_one_sentence(self):
        for wrong, word in (("--prior-weight=nan", "'nan' is not from 0 to 1e+09"), ("--prior-weight=-1", "'-1' is not from 0 to 1e+09"),
                            ("--at=joint7", "--at: 'joint7' is not JOINT=VALUE"), ("--hold-out=1", "'1' is not from 0 to 0.95")):
            said = dyn("identify", "arm7", self.log, wrong, "--out", self.path / "none", code=2).stderr
            self.assertIn(word, said)
            self.assertEqual(said.count("--at") + said.count("--prior-weight") + said.count("--hold-out"), 1)

    def test_hold_out_is_the_last_part(self):
        tail = write_log(self.path / "tail.csv", self.header, self.rows[len(self.rows) // 2:])
        held = as_json("replay", "arm7", self.log, "--hold-out", 0.5, "--cutoff", 10)
        alone = as_json("replay", "arm7", tail, "--cutoff", 10)
        self.assertAlmostEqual(held["samples"], len(self.rows) / 2, delta=1)
        self.assertAlmostEqual(held["relative"], alone["relative"], delta=0.05 * alone["relative"])

    def test_repeated_rows_and_gaps_are_told(self):
        rows = []
        for k, row in enumerate(self.rows):
            rows.append(row)
            if k % 17 == 0:
                rows.append(row)
        twice = dyn("replay", "arm7", write_log(self.path / "twice.csv", self.header, rows), "--json")
        self.assertIn("rows are there twice", twice.stderr)
        self.assertEqual(json.loads(twice.stdout)["samples"], len(self.rows))
        gap = dyn("replay", "arm7", write_log(self.path / "gap.csv", self.header, self.rows[:700] + self.rows[900:]))
        self.assertIn("1 gaps", gap.stderr)

    def test_own_log_of_dyn_run(self):
        for effort in ("applied", "sensed"):
            # Sensors behind the drive feel neither friction nor rotor.
            robot = changed_urdf(self.path, friction=0, damping=0, **({} if effort == "applied" else {"armature": 0}))
            found = as_json("replay", robot, self.path / "run" / "log.csv", "--effort", effort)
            self.assertLess(found["relative"], 1e-12, effort)

    def test_joints_that_are_not_in_the_log(self):
        keep = [i for i, name in enumerate(self.header) if not name.endswith(".joint7")]
        header, rows = [self.header[i] for i in keep], [[row[i] for i in keep] for row in self.rows]
        log = write_log(self.path / "six.csv", header, rows)
        told = dyn("replay", "arm7", log, "--at", "joint7=0.3", "--json")
        self.assertIn("joint 'joint7' is not in the log and is assumed at 0.3", told.stderr)
        self.assertEqual(json.loads(told.stdout)["joints"], [f"joint{i}" for i in range(1, 7)])

    def test_report(self):
        dyn("replay", "arm7", self.log, "--cutoff", 12.3456, "--out", self.path / "report")
        page = (self.path / "report" / "report.html").read_text()
        data = json.loads(page.split('id="data">')[1].split("</script>")[0])
        self.assertEqual(data["sub"], f"{self.log}, after a low-pass of 12.3 Hz")
        self.assertEqual(sorted(moment["joint"] for moment in data["worst"]), [f"joint{i}" for i in range(1, 8)])
        residuals = [abs(moment["measured"] - moment["predicted"]) for moment in data["worst"]]
        self.assertEqual(residuals, sorted(residuals, reverse=True))
        self.assertNotIn("@DATA@", page)
        self.assertNotRegex(page, r"(src|href)=\"http")


class TrueLogs(unittest.TestCase):
    """No true log is taken for a wrong one, and masses that are far off for nothing else."""
    ROBOTS = ("arm7", "pelican", "planar3", "puma", "three_link")  # the rover arm, whose M is singular: identify_truth_test.py
    ACCUSATIONS = "exchanged|opposite sign|gravity|another robot|times what the model predicts"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def test_of_every_shipped_robot(self):
        for robot in self.ROBOTS:
            with self.subTest(robot):
                log = write_log(self.path / "log.csv", *made_log(self.path, robot, duration=4, amplitude=0.3, friction="true"))
                self.assertNotRegex(dyn("replay", robot, log).stderr, self.ACCUSATIONS)
                dyn("identify", robot, log, "--out", self.path / "out")

    def wrong(self, scales):
        """arm7 with the masses and inertias of its links scaled, in turn."""
        robot = ElementTree.parse(json.loads(dyn("info", "arm7", "--json").stdout)["source"])
        for k, body in enumerate(robot.iter("inertial")):
            for element, names in (("mass", ["value"]), ("inertia", list(body.find("inertia").attrib))):
                for name in names:
                    body.find(element).set(name, repr(scales[k % len(scales)] * float(body.find(element).get(name))))
        file = self.path / "wrong.urdf"
        robot.write(file)
        return file

    def test_priors_that_are_far_off(self):
        header, rows = made_log(self.path, duration=8, friction="true")
        noise = random.Random(4)
        size = {"q": 1e-5, "v": 1e-4, "effort": 0.05}
        rows = [[x + noise.gauss(0.0, size.get(name.split(".")[0], 0.0)) for name, x in zip(header, row)] for row in rows]
        keep = [i for i, name in enumerate(header) if not name.startswith("a.")]
        log = write_log(self.path / "log.csv", [header[i] for i in keep], [[row[i] for i in keep] for row in rows])
        for scales in ((0.5,), (1.5,), (2.0,), (2.0, 0.5), (0.5, 1.0, 2.0)):
            with self.subTest(scales):
                found = as_json("identify", self.wrong(scales), log, "--out", self.path / "out")
                self.assertTrue(found["consistent"] and all(possible(link) for link in found["links"]))
                self.assertGreater(found["before"]["relative"], 0.05)
                self.assertLess(found["validation"]["relative"], 0.05)


class Identify(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def perturbed_log(self, **options):
        overrides = ", plant_overrides: [" + ", ".join(
            f"{{link: link{i}, mass_scale: {1.2 if i % 2 else 0.8}, com_shift: [0.02, -0.01, 0.01], inertia_scale: {1.1 if i % 2 else 0.9}}}"
            for i in range(1, 8)) + "]"
        return made_log(self.path, more=overrides, **options)

    def test_exact_from_exact_logs(self):
        log = write_log(self.path / "exact.csv", *self.perturbed_log(friction="true"))
        found = as_json("identify", "arm7", log, "--prior-weight", 0, "--out", self.path / "exact")
        self.assertGreater(found["before"]["relative"], 0.05)
        self.assertLess(found["validation"]["relative"], 1e-7)
        self.assertEqual(found["rank"], found["base_parameters"])
        self.assertEqual(found["base_parameters"], 43)
        self.assertTrue(found["consistent"])
        self.assertTrue(all(possible(link) for link in found["links"]))
        again = as_json("replay", found["urdf"], log, "--hold-out", 0.4, "--cutoff", found["cutoff_hz"])
        self.assertEqual(again["relative"], found["validation"]["relative"])
        self.assertEqual(again["rms"], found["validation"]["rms"])

    def test_rotors_of_the_drives(self):
        """geared3 as a plant with other bodies, friction and armatures: the rotors' effect on all joints is in the log."""
        overrides = ", plant_overrides: [{link: link2, mass_scale: 1.2, com_shift: [0.02, -0.01, 0.01], inertia_scale: 1.1}, " \
                    "{joint: shoulder, armature: 1.9}, {joint: forearm_roll, armature: 0.4}]"
        log = write_log(self.path / "geared.csv", *made_log(self.path, "geared3", friction="true", more=overrides))
        found = as_json("identify", "geared3", log, "--prior-weight", 0, "--out", self.path / "geared")
        self.assertGreater(found["before"]["relative"], 0.02)
        self.assertLess(found["validation"]["relative"], 1e-7)
        self.assertEqual([link["name"] for link in found["links"]], ["link1", "link2", "link3"])
        self.assertLess(as_json("replay", found["urdf"], log)["relative"], 1e-7)
        self.assertEqual(json.loads(dyn("info", found["urdf"], "--json").stdout)["rotors"][1]["gear_ratio"], -101)
        # On M's diagonal only, the same armatures explain less.
        text = Path(found["urdf"]).read_text()
        for attribute in (' gear_ratio="121"', ' gear_ratio="-101"', ' rotor_axis="0 0 1"', ' rotor_axis="1 0 0"'):
            self.assertIn(attribute, text)
            text = text.replace(attribute, "")
        (self.path / "diagonal.urdf").write_text(text)
        self.assertGreater(as_json("replay", self.path / "diagonal.urdf", log)["relative"], 1e-4)

    def test_keys(self):
        log = write_log(self.path / "keys.csv", *self.perturbed_log(duration=3))
        found = as_json("identify", "arm7", log, "--out", self.path / "keys")
        for key in ("samples", "cutoff_hz", "base_parameters", "rank", "before", "train", "validation", "consistent",
                    "joints", "links", "urdf", "report"):
            self.assertIn(key, found)
        for key in ("name", "viscous", "coulomb", "offset", "armature"):
            self.assertIn(key, found["joints"][0])
        for key in ("name", "mass", "com", "inertia", "sigma"):
            self.assertIn(key, found["links"][0])
        self.assertTrue(os.path.isabs(found["urdf"]) and os.path.exists(found["urdf"]))
        page = Path(found["report"]).read_text()
        self.assertIn("cross_validation", page)
        self.assertNotIn("@DATA@", page)

    def test_a_short_log_does_not_choose_the_cutoff(self):
        """As the last of a split bag."""
        header, rows = self.perturbed_log()
        log = write_log(self.path / "long.csv", header, rows[:-100])
        rest = write_log(self.path / "rest.csv", header, rows[-100:])
        chosen = as_json("identify", "arm7", log, "--out", self.path / "split")["cutoff_hz"]
        self.assertGreater(as_json("replay", "arm7", rest)["cutoff_hz"], 3 * chosen)
        self.assertEqual(as_json("identify", "arm7", log, rest, "--out", self.path / "split")["cutoff_hz"], chosen)

    def test_only_inertials_and_dynamics_change(self):
        log = write_log(self.path / "only.csv", *self.perturbed_log(duration=3))
        found = as_json("identify", "arm7", log, "--out", self.path / "only")
        source = json.loads(dyn("info", "arm7", "--json").stdout)["source"]

        def stripped(file):
            tree = ElementTree.parse(file).getroot()
            for owner in tree:
                for child in list(owner):
                    if child.tag in ("inertial", "dynamics"):
                        owner.remove(child)
                owner.text = None
                for child in owner.iter():
                    child.tail = child.text = None
            return ElementTree.tostring(tree)

        self.assertEqual(stripped(found["urdf"]), stripped(source))
        self.assertNotEqual(Path(found["urdf"]).read_text(), Path(source).read_text())

    def test_bodies_are_possible_whatever_the_log(self):
        header, rows = self.perturbed_log(duration=3)
        noise = random.Random(5)
        noisy = [[row[0]] + [x + noise.gauss(0.0, 0.05 if header[i + 1].startswith("effort") else 1e-5)
                             for i, x in enumerate(row[1:])] for row in rows]
        keep = [i for i, name in enumerate(header) if not name.startswith("a.")]
        noisy = [[row[i] for i in keep] for row in noisy]
        names = [header[i] for i in keep]
        still = [[0.002 * k] + noisy[0][1:] for k in range(1000)]
        for part in (noisy[:1000], noisy[::10], still):
            found = as_json("identify", "arm7", write_log(self.path / "part.csv", names, part), "--out", self.path / "part")
            self.assertTrue(found["consistent"])
            self.assertTrue(all(possible(link) for link in found["links"]))
            for joint in found["joints"]:
                self.assertGreaterEqual(min(joint["viscous"], joint["coulomb"], joint["armature"]), 0.0)
            self.assertLessEqual(found["rank"], found["base_parameters"])
        self.assertLess(found["rank"], 43, "an arm at rest tells little")


if __name__ == "__main__":
    unittest.main()
