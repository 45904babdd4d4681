# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Logs that cannot be used, or are not those of this robot: each is one sentence, and nothing is overwritten."""
import json
import math
import subprocess
import tempfile
import unittest
from pathlib import Path

from dyn_process import PATIENCE
from identify_test import DYN, WithLog, changed_urdf, dyn, made_log, write_log


class WrongLogs(WithLog):
    def written(self, header, rows):
        return write_log(self.path / "bad.csv", header, rows)

    def complaint(self, header, rows, robot="arm7"):
        done = dyn("replay", robot, self.written(header, rows), code=1)
        self.assertEqual(done.stderr.strip().count("\n"), done.stderr.count("note:"), done.stderr)
        return done.stderr

    def changed(self, column, change):
        """The rows with all columns changed whose names begin so."""
        which = [i for i, name in enumerate(self.header) if name.startswith(column)]
        rows = [list(row) for row in self.rows]
        for row in rows:
            for i in which:
                row[i] = change(row[i])
        return rows

    def renamed(self, **names):
        return [".".join(names.get(part, part) for part in name.split(".")) for name in self.header]

    def accused(self, log, *words, robot="arm7", arguments=()):
        """dyn replay warns, dyn identify refuses, each in one sentence."""
        warned = [line for line in dyn("replay", robot, log, *arguments).stderr.splitlines() if not line.startswith("note:")]
        out = self.path / "none"
        refused = dyn("identify", robot, log, *arguments, "--out", out, code=1).stderr.splitlines()
        refused = [line for line in refused if not line.startswith("note:")]
        for said in (warned, refused):
            self.assertEqual(len(said), 1, said)
            for word in words:
                self.assertIn(word, said[0])
        self.assertFalse((out / "identified.urdf").exists())

    def test_units_and_time(self):
        self.assertIn("degrees", self.complaint(self.header, self.changed("q.", math.degrees)))
        self.assertIn("times the rate of its position", self.complaint(self.header, self.changed("v.", math.degrees)))
        backwards = [self.rows[1], self.rows[0]] + self.rows[2:]
        self.assertIn("time goes back", self.complaint(self.header, backwards))

    def test_another_robot(self):
        self.assertIn("no joint of robot", self.complaint([n.replace("joint", "axis") for n in self.header], self.rows))
        elsewhere = self.complaint(self.header, self.changed("q.joint6", lambda x: x + 3.5))
        self.assertIn("joint 'joint6' is between", elsewhere)
        self.assertIn("another robot", elsewhere)
        self.assertNotIn("degrees", elsewhere)
        mixed = self.renamed(**{f"joint{k}": f"joint{8 - k}" for k in range(1, 8)})
        self.assertRegex(dyn("identify", "arm7", self.written(mixed, self.rows), "--out", self.path / "none", code=1).stderr,
                         "another robot|exchanged")

    def test_signs(self):
        self.accused(self.written(self.header, self.changed("effort.", lambda x: -x)), "opposite sign", "all joints")
        self.accused(self.written(self.header, self.changed("effort.joint4", lambda x: -x)), "opposite sign", "'joint4'")

    def test_the_sign_of_a_joint_of_which_the_model_knows_little(self):
        """Its torque is that of friction, which this URDF does not have."""
        header, rows = made_log(self.path, friction="true")
        robot = changed_urdf(self.path, friction=0, damping=0)
        wrong = [[-x if name == "effort.joint7" else x for name, x in zip(header, row)] for row in rows]
        said = dyn("replay", robot, self.written(header, rows)).stderr
        self.assertNotIn("sign", said)
        self.accused(self.written(header, wrong), "'joint7'", "friction", "opposite sign", robot=robot)

    def test_gravity_gears_and_exchanged_joints(self):
        log = self.written(self.header, self.rows)
        self.accused(log, "gravity of", arguments=("--gravity", "0,0,9.81"))
        self.accused(self.written(self.header, self.changed("effort.joint2", lambda x: 2.5 * x)), "gear", "'joint2'")
        swapped = self.renamed(joint2="joint4", joint4="joint2")
        self.accused(self.written(swapped, self.rows), "exchanged", "'joint2'", "'joint4'")

    def test_a_robot_that_explains_another_log_worse_is_warned_of(self):
        heavier = ", plant_overrides: [{link: link5, mass_scale: 2.0}]"
        other = write_log(self.path / "heavier.csv", *made_log(self.path, more=heavier))
        log = self.written(self.header, self.rows)
        said = dyn("identify", "arm7", other, "--validate", log, "--out", self.path / "worse").stderr
        self.assertIn("no better than the URDF", said)
        self.assertIn("no better than the URDF", (self.path / "worse" / "report.html").read_text())
        self.assertNotIn("no better", dyn("identify", "arm7", other, "--out", self.path / "better").stderr)

    def test_a_clock_that_is_set_is_a_gap(self):
        rows = self.changed("time_s", lambda t: t if t < 3.0 else t + 5e8)
        self.assertIn("gap", dyn("replay", "arm7", self.written(self.header, rows)).stderr)


class BadFiles(unittest.TestCase):
    def test_each_is_one_sentence(self):
        good = "time_s,q.joint1,effort.joint1\n" + "".join(f"{0.01 * k},{0.001 * k},1\n" for k in range(50))
        lines = good.splitlines()
        bad = {
            "empty": "", "blank": "\n\n", "comment": "# nothing\n", "header only": lines[0] + "\n",
            "two rows": "\n".join(lines[:3]), "no time": good.replace("time_s", "seconds"),
            "two times": "time_s," + good.replace("\n", ",0\n"), "twice a joint": good.replace("effort.joint1", "q.joint1"),
            "no effort": good.replace("effort.", "torque."), "no position": good.replace("q.joint1", "x.joint1"),
            "word": good.replace("0.001,", "fast,"), "nan": good.replace("0.001,", "nan,"),
            "inf": good.replace("0.001,", "inf,"), "hex": good.replace("0.001,", "0x1p3,"),
            "half a number": good.replace("0.001,", "0.001rad,"), "empty cell": good.replace("0.001,", ","),
            "too few columns": good + "1,2\n", "too many columns": good + "1,2,3,4\n",
            "cut off": good[:-3].rsplit("\n", 1)[0] + "\n0.5,0.", "open quote": good + "\"1,2,3\n",
            "open quote in header": "\"" + good, "time goes back": good + "0,0,1\n",
            "one time": lines[0] + "\n" + "\n".join("1,2,3" for _ in range(30)), "huge": good + "1e400,0,1\n",
            "huge position": good.replace("0.001,", "1e300,"), "binary": "\x00\x01\x02" * 200,
            "nul in header": good.replace("q.joint1", "q.jo\x00int1"), "semicolons": good.replace(",", ";"),
            "UTF-16": good.encode("utf-16"), "a database": b"SQLite format 3\x00" + bytes(200),
            "huge effort": good.replace("0.001,1", "0.001,1e300"), "another name": "time_s" + "".join(f",q.x{k}" for k in range(300000)) + "\n",
            "milliseconds": "\n".join([lines[0]] + [f"{1e6 * k},0,1" for k in range(50)]),
            "other robot": good.replace("joint1", "elbow"), "degrees": "\n".join([lines[0]] + [f"{0.01 * k},{k},1" for k in range(90)]),
        }
        with tempfile.TemporaryDirectory() as folder:
            before = Path(folder) / "out" / "identified.urdf"
            before.parent.mkdir()
            before.write_text("from another log")
            for name, text in bad.items():
                with self.subTest(name):
                    file = Path(folder) / "bad.csv"
                    file.write_bytes(text if isinstance(text, bytes) else text.encode())
                    done = subprocess.run([DYN, "identify", "arm7", file, "--out", Path(folder) / "out", "--json"],
                                          capture_output=True, text=True, timeout=60 * PATIENCE)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    said = [line for line in done.stderr.splitlines() if not line.startswith("note:")]
                    self.assertEqual(len(said), 1, done.stderr)
                    self.assertIn("bad.csv", said[0])
                    self.assertEqual(said[0].count("'") % 2, 0, said[0])  # said to its end
                    self.assertEqual(done.stdout, "")
                    self.assertEqual([file.read_text() for file in before.parent.iterdir()], ["from another log"])


class Turntable(unittest.TestCase):
    """A joint about the vertical, on which gravity does not act."""
    URDF = """<robot name="turntable"><link name="base"/><link name="table"><inertial><mass value="1.5"/>
<inertia ixx="0.05" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.05"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="table"/><axis xyz="0 0 1"/>
<limit velocity="5" effort="50"/></joint></robot>"""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.robot = self.path / "turntable.urdf"
        self.robot.write_text(self.URDF)

    def log(self, rate, effort):
        rows = [[0.01 * k, rate * 0.01 * k, rate, effort(k)] for k in range(400)]
        return write_log(self.path / "table.csv", ["time_s", "q.turn", "v.turn", "effort.turn"], rows)

    def test_at_rest_it_tells_nothing(self):
        for effort, words in ((lambda _: 0.0, "nothing can be identified: no joint moves, and gravity acts on none"),
                              (lambda k: 1e-3 * (k * 7919 % 13 - 6), "the model explains hardly any of the torque")):
            log = self.log(0.0, effort)
            dyn("replay", self.robot, log)
            done = dyn("identify", self.robot, log, "--out", self.path / "out", code=1)
            self.assertIn(f"table.csv: {words}", done.stderr)
            self.assertFalse((self.path / "out").exists())

    def test_at_constant_speed_it_tells_of_friction(self):
        log = self.log(0.5, lambda _: 0.3)
        dyn("identify", self.robot, log, "--friction", "viscous", "--out", self.path / "out")
        found = json.loads((self.path / "out" / "identification.json").read_text())
        joint, link = found["joints"][0], found["links"][0]
        self.assertAlmostEqual(0.5 * joint["viscous"] + joint["offset"], 0.3, delta=1e-3)
        self.assertFalse(link["fitted"])
        self.assertEqual((found["samples"], found["train"]["samples"]), (238, 238))
        self.assertEqual(found["rank"], 0)


if __name__ == "__main__":
    unittest.main()
