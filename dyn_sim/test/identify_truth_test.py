# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""What dyn identify makes of robots that are not what their URDFs say: base parameters from noise-free logs of ten robots,
trees and prismatic joints included; standard deviations that hold; priors that are wrong; the Stribeck velocity; the
cutoff by the spectrum. DYN_SEEDS=100 draws as much noise as docs/identification.md speaks of. Real
logs too, where DYN_REAL_LOGS names their folder."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from dyn_process import PATIENCE
from identify_test import DYN, TrueLogs, as_json, dyn, possible, read_log_of_run, write_log

SHIPPED = ("arm7", "pelican", "planar3", "three_link")
AT_THE_BOUNDARY = ("puma", "rover_arm")  # thin rods and wrists without mass
CONFIG = """title: log
robot: {robot}
rate_hz: 250
duration_s: 8
plant: {{engine: native, friction: true, torque_limits: false, robot: {truth}}}
controller: {{type: computed_torque, gains: {{default: {{p: 400, d: 40}}}}, effort_limit: 100000, validation: {{mode: "off"}}}}
trajectory: {{type: fourier, centre: {centre}, amplitude: {amplitude}, base_hz: 0.25, harmonics: 5, seed: 3}}
expect: {{tracking_rms: 100, tracking_max: 100, saturation: 1}}
"""


def random_robot(seed, joints):
    """A tree: every joint hangs on any link before it, a third of them are prismatic, none is aligned with anything."""
    draw = random.Random(seed)
    robot = ElementTree.Element("robot", name=f"tree{seed}")
    ElementTree.SubElement(robot, "link", name="link0")
    numbers = lambda size: " ".join(repr(draw.uniform(-size, size)) for _ in range(3))
    for k in range(1, joints + 1):
        link = ElementTree.SubElement(robot, "link", name=f"link{k}")
        body = ElementTree.SubElement(link, "inertial")
        ElementTree.SubElement(body, "origin", xyz=numbers(0.2), rpy=numbers(1.0))
        mass = draw.uniform(0.5, 3.0)
        ElementTree.SubElement(body, "mass", value=repr(mass))
        x, y, z = (draw.uniform(0.001, 0.01) * mass for _ in range(3))
        ElementTree.SubElement(body, "inertia", ixx=repr(y + z), iyy=repr(x + z), izz=repr(x + y), ixy="0", ixz="0", iyz="0")
        kind = "prismatic" if k % 3 == 0 else "revolute"
        joint = ElementTree.SubElement(robot, "joint", name=f"joint{k}", type=kind)
        ElementTree.SubElement(joint, "parent", link=f"link{draw.randrange(max(0, k - 3), k)}")
        ElementTree.SubElement(joint, "child", link=f"link{k}")
        ElementTree.SubElement(joint, "origin", xyz=numbers(0.3), rpy=numbers(1.5))
        ElementTree.SubElement(joint, "axis", xyz=numbers(1.0))
        ElementTree.SubElement(joint, "limit", lower="-3", upper="3", velocity="50", effort="10000")
        ElementTree.SubElement(joint, "dynamics", damping="0.5", friction="0.3", armature="0.1")
    return ElementTree.tostring(robot, encoding="unicode")


def other_than(urdf, seed):
    """The same robot with other masses, centres of mass, inertias, friction and armature. A wrist that has inertia about one
    axis and no mass, as the puma's, cannot exist: it becomes a disk."""
    draw = random.Random(seed)
    robot = ElementTree.fromstring(urdf)
    for body in robot.iter("inertial"):
        scale = draw.uniform(0.8, 1.2)
        if body.find("mass") is not None and float(body.find("mass").get("value")) == 0.0 and body.find("inertia") is not None:
            body.find("mass").set("value", "0.1")
            half = repr(0.5 * float(body.find("inertia").get("izz")))
            body.find("inertia").set("ixx", half)
            body.find("inertia").set("iyy", half)
        if body.find("mass") is not None:
            body.find("mass").set("value", repr(scale * float(body.find("mass").get("value"))))
        if body.find("inertia") is not None:
            for name, value in body.find("inertia").attrib.items():
                body.find("inertia").set(name, repr(scale * float(value)))
        origin = body.find("origin")
        if origin is not None and origin.get("xyz"):
            origin.set("xyz", " ".join(repr(float(x) + draw.uniform(-0.01, 0.01)) for x in origin.get("xyz").split()))
    for joint in robot.findall("joint"):
        dynamics = joint.find("dynamics")
        if dynamics is None or joint.get("type") == "fixed":
            continue
        for name in ("damping", "friction", "armature"):
            if dynamics.get(name):
                dynamics.set(name, repr(1.3 * float(dynamics.get(name))))
    return ElementTree.tostring(robot, encoding="unicode")


def states(limits, seed, count=60):
    draw = random.Random(seed)
    for _ in range(count):
        q = [draw.uniform(max(lower, -1.5), min(upper, 1.5)) if lower < upper else draw.uniform(-1.5, 1.5)
             for lower, upper in limits]
        yield {"q": q, "v": [draw.uniform(-2, 2) for _ in limits], "a": [draw.uniform(-5, 5) for _ in limits]}


def evaluated(robot, given):
    """Rows of the regressor with columns for armature and offset of each joint, and all these parameters."""
    lines = "\n".join(json.dumps(state) for state in given) + "\n"
    done = subprocess.run([DYN, "eval", str(robot), "--regressor"], input=lines, capture_output=True, text=True, timeout=60 * PATIENCE)
    assert done.returncode == 0, done.stderr
    rows, p = [], None
    for state, line in zip(given, done.stdout.splitlines()):
        answer = json.loads(line)
        p = answer["p"]
        for i, row in enumerate(answer["Y"]):
            joint = [1.0 if i == k else 0.0 for k in range(len(answer["Y"]))]
            rows.append(row + [state["a"][i] * one for one in joint] + joint)
    info = as_json("info", robot)
    return rows, p + info["armature"] + info["offset"]


def base_error(rows, p, truth):
    """Of the base parameters, relative. They are R p, with Y = Q R by Gram and Schmidt with pivots: in directions Q that
    a torque of 1 N m each stands for."""
    columns = [list(column) for column in zip(*rows)]
    off = wanted = 0.0
    largest = max(sum(x * x for x in column) for column in columns)
    while True:
        sizes = [sum(x * x for x in column) for column in columns]
        pivot = max(range(len(columns)), key=sizes.__getitem__)
        if sizes[pivot] < 1e-16 * largest:
            return math.sqrt(off / wanted)
        q = [x / math.sqrt(sizes[pivot]) for x in columns[pivot]]
        r = [sum(a * b for a, b in zip(q, column)) for column in columns]
        off += sum(x * (a - b) for x, a, b in zip(r, p, truth)) ** 2
        wanted += sum(x * b for x, b in zip(r, truth)) ** 2
        columns = [[a - x * b for a, b in zip(column, q)] for x, column in zip(r, columns)]


class TenRobots(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def robots(self):
        for name in SHIPPED:
            info = as_json("info", name)
            yield name, Path(info["source"]).read_text(encoding="utf-8")
        for seed, joints in ((1, 4), (2, 6), (3, 5), (4, 7), (5, 6), (6, 5)):
            yield f"tree{seed}", random_robot(seed, joints)

    def log_of(self, robot, truth, info):
        bounds = [(limit.get("lower") if limit.get("lower") is not None else -1.0,
                   limit.get("upper") if limit.get("upper") is not None else 1.0) for limit in (limits or {} for limits in info["limits"])]
        middle = [0.0 if lower < 0 < upper else 0.5 * (lower + upper) for lower, upper in bounds]
        reach = [min(0.4, 0.7 * (upper - m), 0.7 * (m - lower)) if lower < upper else 0.4
                 for (lower, upper), m in zip(bounds, middle)]
        config = self.path / "run.yaml"
        config.write_text(CONFIG.format(robot=robot, truth=truth, centre=middle, amplitude=reach))
        dyn("run", config, "--fast", "--out", self.path / "run", "--json")
        header, rows = read_log_of_run(self.path / "run" / "log.csv")
        keep = [0] + [i for i, name in enumerate(header) if name.split(".")[0] in ("q", "v", "a", "applied")]
        names = [header[i].replace("applied.", "effort.", 1) for i in keep]
        return names, [[row[i] for i in keep] for row in rows]

    def test_base_parameters_are_found(self):
        for name, text in self.robots():
            with self.subTest(name):
                robot, truth = self.path / f"{name}.urdf", self.path / f"{name}_true.urdf"
                robot.write_text(text)
                truth.write_text(other_than(text, 7))
                info = as_json("info", robot)
                header, rows = self.log_of(robot, truth, info)
                log = write_log(self.path / "log.csv", header, rows)
                self.assertNotRegex(dyn("replay", robot, log).stderr, TrueLogs.ACCUSATIONS)
                found = as_json("identify", robot, log, "--prior-weight", 0, "--out", self.path / name)
                self.assertTrue(found["consistent"])
                limits = [(limit.get("lower") or -1.5, limit.get("upper") or 1.5) for limit in info["limits"]]
                given = list(states(limits, 1))
                Y, p = evaluated(found["urdf"], given)
                _, p_true = evaluated(truth, given)
                self.assertLess(base_error(Y, p, p_true), 1e-6)
                before = base_error(Y, evaluated(robot, given)[1], p_true)
                self.assertGreater(before, 1e-2, "it was not true before")
                keep = [i for i, name in enumerate(header) if not name.startswith("a.")]
                log = write_log(self.path / "log.csv", [header[i] for i in keep], [[row[i] for i in keep] for row in rows])
                without = as_json("identify", robot, log, "--out", self.path / "without")
                alone = base_error(Y, evaluated(without["urdf"], given)[1], p_true)
                print(f"{name}: base parameters off by {before:.2g} before, {alone:.2g} from q and v alone", file=sys.stderr)
                self.assertLess(alone, before)
                for joint, damping, friction in zip(found["joints"], *(as_json("info", truth)[x] for x in ("damping", "friction"))):
                    self.assertAlmostEqual(joint["viscous"], damping, delta=1e-6 * (1.0 + damping))
                    self.assertAlmostEqual(joint["coulomb"], friction, delta=1e-6 * (1.0 + friction))


    def test_friction_of_a_mimic_joint_is_that_of_the_urdf(self):
        """The finger of branch.urdf, which follows right_a; the other joints' friction and every body are another than known."""
        robot, truth = Path(__file__).parent / "data" / "branch.urdf", self.path / "true.urdf"
        text = robot.read_text(encoding="utf-8")
        finger = '<dynamics damping="0.4" friction="0"/>'
        other = ElementTree.fromstring(other_than(text.replace(finger, '<dynamics damping="2" friction="3"/>'), 7))
        other.find("joint[@name='finger_a']/dynamics").attrib.update(damping="2", friction="3")
        truth.write_text(ElementTree.tostring(other, encoding="unicode"))
        known = self.path / "known.urdf"
        known.write_text(text.replace(finger, '<dynamics damping="2" friction="3"/>'))
        log = write_log(self.path / "log.csv", *self.log_of(known, truth, as_json("info", known)))
        found = as_json("identify", known, log, "--prior-weight", 0, "--out", self.path / "out")
        self.assertLess(found["validation"]["relative"], 1e-6)
        (right,) = [joint for joint in found["joints"] if joint["name"] == "right_a"]
        self.assertAlmostEqual(right["viscous"], 0.0, delta=1e-5)
        self.assertAlmostEqual(right["coulomb"], 0.0, delta=1e-5)

    def test_bodies_at_the_boundary_of_what_is_possible(self):
        for name in AT_THE_BOUNDARY:
            with self.subTest(name):
                robot, truth = Path(as_json("info", name)["source"]), self.path / "true.urdf"
                truth.write_text(other_than(robot.read_text(encoding="utf-8"), 7))
                log = write_log(self.path / "log.csv", *self.log_of(robot, truth, as_json("info", robot)))
                self.assertNotRegex(dyn("replay", robot, log).stderr, TrueLogs.ACCUSATIONS)
                found = as_json("identify", robot, log, "--prior-weight", 0, "--out", self.path / name)
                self.assertTrue(found["consistent"] and all(possible(link) for link in found["links"]))
                self.assertGreater(found["before"]["relative"], 0.05)
                self.assertLess(found["validation"]["relative"], 0.01)
                print(f"{name}: {found['before']['relative']:.2g} of the torque unexplained before, "
                      f"{found['validation']['relative']:.2g} after", file=sys.stderr)

    def test_the_log_of_another_robot(self):
        robot = self.path / "tree.urdf"
        robot.write_text(random_robot(4, 7))  # its joints have the names of arm7's
        log = write_log(self.path / "log.csv", *self.log_of(robot, robot, as_json("info", robot)))
        said = dyn("identify", "arm7", log, "--out", self.path / "none", code=1).stderr
        self.assertRegex(said, TrueLogs.ACCUSATIONS)
        self.assertFalse((self.path / "none").exists())


class NoisyArm(unittest.TestCase):
    """arm7 with other masses, centres, friction with Stribeck effect and armature, along a motion of dyn excite."""
    STRIBECK_VELOCITY = 0.05

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        robot = ElementTree.fromstring(other_than(Path(as_json("info", "arm7")["source"]).read_text(encoding="utf-8"), 7))
        for dynamics in robot.iter("dynamics"):
            dynamics.set("stribeck", repr(0.5 * float(dynamics.get("friction"))))
            dynamics.set("stribeck_velocity", repr(cls.STRIBECK_VELOCITY))
        cls.truth = cls.path / "true.urdf"
        cls.truth.write_text(ElementTree.tostring(robot, encoding="unicode"))
        dyn("excite", "arm7", "--duration", 10, "--out", cls.path / "excitation", "--json")
        config = (cls.path / "excitation" / "excite.yaml").read_text().replace("rate_hz: 1000", "rate_hz: 500")
        config += f"plant: {{robot: {cls.truth}, torque_limits: false}}\nexpect: {{tracking_rms: 9, tracking_max: 9}}\n"
        (cls.path / "excitation" / "run.yaml").write_text(config)
        dyn("run", cls.path / "excitation" / "run.yaml", "--fast", "--out", cls.path / "run", "--json")
        header, rows = read_log_of_run(cls.path / "run" / "log.csv")
        keep = [0] + [i for i, name in enumerate(header) if name.split(".")[0] in ("q", "v", "applied")]
        cls.names = [header[i].replace("applied.", "effort.", 1) for i in keep]
        rows = [[row[i] for i in keep] for row in rows]
        # The torque of a row is held until the next one: what is measured at its time is the mean of it and the one before.
        cls.rows = [[0.5 * (a + b) if name.startswith("effort") else b for name, a, b in zip(cls.names, before, row)]
                    for before, row in zip(rows, rows[1:])]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def noisy(self, seed):
        draw = random.Random(seed)
        size = {"q": 1e-5, "v": 1e-4, "effort": 0.05}
        sigmas = [0.0] + [size[name.split(".")[0]] for name in self.names[1:]]
        return write_log(self.path / "noisy.csv", self.names,
                         [[x + draw.gauss(0.0, 1.0) * sigma for x, sigma in zip(row, sigmas)] for row in self.rows])

    def parameters_of(self, urdf):
        done = subprocess.run([DYN, "eval", str(urdf), "--regressor"], input="{}\n", capture_output=True, text=True, timeout=60 * PATIENCE)
        answer = json.loads(done.stdout)
        return {f"{link}.{name}": answer["p"][10 * k + i] for k, link in enumerate(answer["bodies"])
                for i, name in enumerate(("m", "mx", "my", "mz", "ixx", "ixy", "iyy", "ixz", "iyz", "izz"))}

    def value_of(self, words, parameters):
        """Of a sum in words: link5.iyz - 0.2 link5.my."""
        total, sign, factor = 0.0, 1.0, 1.0
        for word in words.split():
            if word in "+-":
                sign = 1.0 if word == "+" else -1.0
            elif word in parameters:
                total += sign * factor * parameters[word]
                factor = 1.0
            else:
                factor = float(word)
        return total

    def test_base_parameters_are_within_three_sigmas(self):
        true = self.parameters_of(self.truth)
        inside = count = 0
        for seed in range(int(os.environ.get("DYN_SEEDS", "4"))):
            found = as_json("identify", "arm7", self.noisy(seed), "--friction", "stribeck", "--out", self.path / "noisy")
            self.assertTrue(found["consistent"])
            self.assertLess(found["validation"]["relative"], 0.1 * found["before"]["relative"])
            details = json.loads((self.path / "noisy" / "identification.json").read_text())
            for base in details["base"]:
                count += 1
                inside += abs(base["value"] - self.value_of(base["sum"], true)) <= 3.0 * base["sigma"]
        print(f"{inside} of {count} base parameters within three sigmas", file=sys.stderr)
        self.assertGreaterEqual(inside, 0.99 * count)

    def tracking(self, model):
        """rms of the arm's distance from the exciting motion, under computed torque on this model."""
        config = (self.path / "excitation" / "run.yaml").read_text().replace('robot: "arm7"', f'robot: "{model}"')
        self.assertIn(str(model), config)
        (self.path / "excitation" / "track.yaml").write_text(config)
        dyn("run", self.path / "excitation" / "track.yaml", "--fast", "--out", self.path / "track", "--json")
        results = json.loads((self.path / "track" / "results.json").read_text())
        return results.get("arms", [results])[0]["tracking"]["rms"]

    def test_the_arm_follows_twenty_times_closer(self):
        found = as_json("identify", "arm7", self.noisy(1), "--out", self.path / "follow")
        before, after = self.tracking(as_json("info", "arm7")["source"]), self.tracking(found["urdf"])
        print(f"tracking error {before:.3g} rad before, {after:.3g} after", file=sys.stderr)
        self.assertLess(20.0 * after, before)

    def test_the_stribeck_velocity_is_found(self):
        found = as_json("identify", "arm7", self.noisy(1), "--out", self.path / "stribeck")
        details = json.loads((self.path / "stribeck" / "identification.json").read_text())
        self.assertEqual(details["friction"], "stribeck")
        for joint in details["joints"]:
            self.assertLess(abs(math.log(joint["stribeck_velocity"] / self.STRIBECK_VELOCITY)), math.log(1.6), joint["name"])
        plain = as_json("identify", "arm7", self.noisy(1), "--friction", "coulomb", "--out", self.path / "coulomb")
        self.assertLess(found["validation"]["relative"], 0.8 * plain["validation"]["relative"])

    def test_a_wrong_prior_does_no_harm(self):
        right = as_json("identify", "arm7", self.noisy(2), "--out", self.path / "right")
        robot = ElementTree.parse(as_json("info", "arm7")["source"])
        for k, body in enumerate(robot.iter("inertial")):
            body.find("mass").set("value", repr((1.4, 1.2)[k % 2] * float(body.find("mass").get("value"))))
            for name, value in body.find("inertia").attrib.items():
                body.find("inertia").set(name, repr((0.3, 3.0)[k % 2] * float(value)))
        wrong = self.path / "wrong.urdf"
        robot.write(wrong)
        found = as_json("identify", wrong, self.noisy(2), "--out", self.path / "prior")
        self.assertGreater(found["before"]["relative"], 0.1)
        self.assertTrue(found["consistent"])
        self.assertTrue(all(possible(link) for link in found["links"]))
        self.assertLess(found["validation"]["relative"], 1.3 * right["validation"]["relative"])

    def test_the_cutoff_is_twenty_times_where_the_motion_ends(self):
        """The same log, told to be slower: half the frequencies, half the cutoff. Noise alone does not move it."""
        def told(rows):
            return as_json("replay", self.truth, write_log(self.path / "cut.csv", self.names, rows))["cutoff_hz"]

        def sine(frequency):
            rate = 2.0 * math.pi * frequency
            rows = []
            for k in range(5000):
                t = 0.002 * k
                values = {"q": 0.3 * math.sin(rate * t), "v": 0.3 * rate * math.cos(rate * t), "effort": math.sin(rate * t)}
                rows.append([t] + [values[name.split(".")[0]] for name in self.names[1:]])
            return rows

        for frequency in (0.5, 1.0):
            self.assertAlmostEqual(told(sine(frequency)), 20.0 * frequency, delta=2.5)  # a bin is 0.1 Hz
        slower = [[2.0 * row[0]] + [0.5 * x if name.startswith("v") else x for name, x in zip(self.names[1:], row[1:])]
                  for row in self.rows]
        whole = told(self.rows)
        self.assertAlmostEqual(told(slower), 0.5 * whole, delta=0.01 * whole)
        noisy = as_json("replay", self.truth, self.noisy(3))["cutoff_hz"]
        self.assertAlmostEqual(noisy, whole, delta=0.2 * whole)
        given = as_json("replay", self.truth, self.noisy(3), "--cutoff", 7)["cutoff_hz"]
        self.assertEqual(given, 7)


if os.environ.get("DYN_REAL_LOGS"):
    class RealLogs(unittest.TestCase):
        """Which log, of which robot, cutoff in Hz, and how much of the held-out half's torque may stay unexplained."""
        LOGS = (("panda_30hz", "panda", 4, 0.019), ("ur10_125hz", "ur10_robot", 6, 0.065), ("panda_1khz", "panda", 6, 0.0135))

        def test_first_half_to_second_half(self):
            logs = Path(os.environ["DYN_REAL_LOGS"])
            there = [log for log in self.LOGS if (logs / f"{log[0]}.csv").is_file()]
            self.assertTrue(there, f"{logs} has none of {[log[0] for log in self.LOGS]}")
            with tempfile.TemporaryDirectory() as folder:
                for name, robot, cutoff, most in there:
                    found = as_json("identify", robot, logs / f"{name}.csv", "--hold-out", 0.5, "--cutoff", cutoff,
                                    "--out", Path(folder) / name)
                    print(f"{name}: {100 * found['validation']['relative']:.2f} % of the held-out torque unexplained")
                    self.assertLess(found["validation"]["relative"], most, name)
                    self.assertTrue(all(possible(link) for link in found["links"]))


if __name__ == "__main__":
    unittest.main()
