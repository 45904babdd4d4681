# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Figures that are finite and absurd are refused with their range, and whoever reads an input of any size or shape takes
little memory and time: below 512 MiB, and no more than a few seconds."""
import os
import sqlite3
import struct
import subprocess
import tempfile
import threading
import unittest

from bag_log_test import joint_state, record, text, write_topics
from dyn_process import BRANCH, DYN, PATIENCE, evaluate, fails, run
from run_process import BOX, RunTest, arm7
from run_task_space_test import hand

POINTS = "[[0, 0, 0, 0, 0, 0, 0], [0.1, 0, 0, 0, 0, 0, 0]]"
ARM = """<robot name="arm"><link name="base"/><link name="arm"><inertial><origin xyz="%s"/><mass value="%s"/>
<inertia ixx="%s" ixy="0" ixz="0" iyy="%s" iyz="0" izz="%s"/></inertial></link><joint name="turn" type="revolute">
<parent link="base"/><child link="arm"/><origin xyz="%s"/><axis xyz="0 0 1"/><dynamics damping="%s"/>
<limit lower="-1" upper="1" effort="9" velocity="9"/></joint></robot>"""


def arm(com="0.1 0 0", mass=1, inertia=0.1, origin="0 0 0", damping=0):
    return ARM % (com, mass, inertia, inertia, inertia, origin, damping)


class Figures(RunTest):
    def test_of_a_configuration(self):
        for key, value, words in (
            ("gravity", "[0, 0, 1.0e+30]", ("gravity", "1e+30", "m/s^2")),
            ("start", "[1.0e+9, 0, 0, 0, 0, 0, 0]", ("start", "1e+09", "1e+06 rad")),
            ("rate_hz", "1.0e+9", ("rate_hz", "100 to 10000 Hz")),
            ("plant", "{step: 1.0e-12}", ("plant.step", "1e-9")),
            ("plant", "{tolerance: 1.0e+200}", ("plant.tolerance", "1e+200")),
            ("plant", "{noise: {torque: 1.0e+300}}", ("plant.noise.torque", "1e+300")),
            ("plant", "{noise: {position_resolution: 1.0e+300}}", ("position_resolution", "1e+300")),
            ("plant", "{delay: 100000000}", ("plant.delay", "0 to 100 cycles")),
            ("plant", "{plant_overrides: [{link: link7, mass_scale: 1.0e+200}]}", ("mass_scale", "1e+200")),
            ("plant", "{plant_overrides: [{link: link7, com_shift: [1.0e+6, 0, 0]}]}", ("com_shift", "100000 m")),
            ("plant", "{plant_overrides: [{joint: joint7, armature: 1.0e+200}]}", ("armature", "1e+200")),
            ("controller", "{gains: {default: {p: 1.0e+200}}}", ("controller.gains.default.p", "1e+200", "0 to 1e+09")),
            ("controller", "{gains: {joint3: {d: 1.0e+200}}}", ("controller.gains.joint3.d", "1e+200")),
            ("controller", "{effort_limit: {joint2: 1.0e+200}}", ("controller.effort_limit.joint2", "1e+200")),
            ("controller", "{effort_rate_limit: 1.0e+200}", ("controller.effort_rate_limit", "1e+200")),
            ("controller", "{hold_time: 1.0e+200}", ("controller.hold_time", "1e+200")),
            ("controller", "{max_payload_dofs: 100000}", ("max_payload_dofs", "0 to 100")),
            ("controller", "{max_payload_dofs: 99999999999}", ("max_payload_dofs", "0 to 100")),
            ("controller", "{validation: {rate: 1.0e+200}}", ("controller.validation.rate", "1e+200")),
            ("trajectory", "{type: fourier, harmonics: 100000000}", ("trajectory.harmonics", "0 to 1000")),
            ("trajectory", "{type: fourier, base_hz: 1.0e+300}", ("trajectory.base_hz", "10000 Hz")),
            ("trajectory", "{type: sinusoid, frequency_hz: 1.0e+300}", ("trajectory.frequency_hz", "10000 Hz")),
            ("trajectory", "{type: sinusoid, amplitude: 1.0e+9}", ("trajectory.amplitude", "1e+06 rad")),
            ("trajectory", "{type: sinusoid, phase_deg: 1.0e+9}", ("trajectory.phase_deg", "degrees")),
            ("trajectory", f"{{type: quintic, move_time: 1.0e+9, way_points: {POINTS}}}", ("move_time", "10000 s")),
            ("trajectory", f"{{type: quintic, velocity_scale: 1.0e+200, way_points: {POINTS}}}", ("velocity_scale",)),
            ("trajectory", f"{{type: trapezoidal, acceleration: 1.0e+200, way_points: {POINTS}}}", ("acceleration",)),
            ("trajectory", "{type: quintic, way_points: [[1.0e+9, 0, 0, 0, 0, 0, 0]]}", ("way_points", "1e+06 rad")),
            ("events", "[{at: 1.0e+300, detach: a}]", ("events[0].at", "1e+300")),
            ("events", "[{at: 0, detach: a, transition_time: 1.0e+300}]", ("events[0].transition_time", "1e+300")),
            ("events", "[{at: 0, push: {link: tool0, force: [1.0e+308, 0, 0]}}]", ("events[0].push.force", "1e+308", "N")),
            ("events", "[{at: 0, push: {link: tool0, point: [1.0e+308, 0, 0]}}]", ("events[0].push.point", "1e+308", "m")),
            ("events", "[" + ", ".join(["{at: 9, detach: a}"] * 20000) + "]", ("events: has 20000 entries", "10000")),
            ("expect", "{tracking_max: 1.0e+300}", ("expect.tracking_max", "1e+300")),
        ):
            with self.subTest(key=key, value=value[:60]):
                fails(self, self.run_fast(arm7(**{key: value})), 1, "config.yaml:", *words)

    def test_of_events(self):
        for change, words in (("com: [0, 0, 1.0e+6]", ("box", "centre of mass", "100000 m")),
                              ("mass: 1.0e+12", ("box", "mass", "kg")), ("xyz: [1.0e+9, 0, 0]", ("box", "100000 m"))):
            with self.subTest(change):
                key = change.split(":")[0]
                box = BOX.replace("mass: 1.0", change) if key == "mass" else \
                    BOX.replace("com: [0, 0, 0.06]", change) if key == "com" else BOX.replace("}", f", {change}}}")
                done = self.run_fast(arm7(controller="{allow_heavy_payloads: true}", events=f"[{{at: 0, on: plant, attach: {box}}}]"))
                fails(self, done, 3, "refused", *words)

    def test_set_events(self):
        for name, value in (("gains.joint1.p", "1.0e+200"), ("effort_limit.joint1", "1.0e+200"), ("hold_time", "1.0e+200")):
            done = self.run_fast(arm7(events=f"[{{at: 0.1, set: {{{name}: {value}}}}}]"))
            fails(self, done, 1, f"config.yaml:6: events[0].set.{name}: ", "1e+200", " is not from 0 to ")
        for name in ("task.p_linear", "task.damping_ratio", "task.damp_below"):
            done = self.run_fast(hand(events=f"[{{at: 0.1, set: {{{name}: 1.0e+200}}}}]"))
            fails(self, done, 1, "config.yaml:", f"events[0].set.{name}: 1e+200 is not ", " 1e+09")

    def test_of_a_urdf(self):
        robot = self.folder / "arm.urdf"
        for change, words in ((arm(), None), (arm(com="99999 0 0", inertia=1e10), None),
                              (arm(com="0 1e6 0"), ("link 'arm'", "centre of mass", "1e+06 m", "100000 m")),
                              (arm(mass=1e12), ("link 'arm'", "mass", "1e+12 kg")),
                              (arm(inertia=1e100), ("link 'arm'", "inertia", "1e+100")),
                              (arm(origin="0 0 1e300"), ("joint 'turn'", "origin", "1e+300 m")),
                              (arm(damping=1e300), ("joint 'turn'", "damping", "1e+300"))):
            robot.write_text(change)
            done = run("info", robot)
            if words is None:
                self.assertEqual(done.returncode, 0, done.error)
            else:
                fails(self, done, 1, "arm.urdf", *words)

    def test_of_a_trajectory_file(self):
        for value in ("1e9", "-1e308"):
            (self.folder / "moves.csv").write_text(f"0,0,0,0,0,0,0,0\n1,{value},0,0,0,0,0,0\n")
            fails(self, self.run_fast(arm7(trajectory="{type: file, path: moves.csv}")), 1, "moves.csv:2:", value, "1e6")
        (self.folder / "moves.csv").write_text("0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0\n")
        fails(self, self.run_fast(arm7(trajectory="{type: file, path: moves.csv}")), 1, "moves.csv:2:", "1e-6 s")

    def test_of_a_state(self):
        for line, words in (('{"q":[0,1e9,0,0]}', ("q is 1e+09", "-1e+06 to 1e+06")), ('{"v":[0,0,0,-1e7]}', ("v is -1e+07",)),
                            ('{"a":[0,0,0,1e10]}', ("a is 1e+10",)), ('{"tau":[1e300,0,0,0]}', ("tau is 1e+300",))):
            fails(self, run("eval", BRANCH, lines=[line]), 1, "line 1", "joint '", *words)
        (answer,) = evaluate(BRANCH, {"gravity": [0, 0, 1e30]})
        self.assertFalse(answer["ok"])
        self.assertIn("1e+30 m/s^2", answer["error"])
        fails(self, run("eval", BRANCH, "--gravity", "0,0,1e30"), 1, "gravity", "1e+30")
        box = {"name": "box", "link": "tool", "mass": 1, "com": [0, 0, 1e6], "inertia": [1, 0, 0, 1, 0, 1]}
        (answer,) = evaluate(BRANCH, {"attach": box})
        self.assertFalse(answer["ok"])
        for word in ("box", "centre of mass", "100000 m"):
            self.assertIn(word, answer["error"])


MIB = 1 << 20
ALIASES = "a0: &a0 [1, 1]\n" + "".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]\n" for k in range(1, 30))


class Sizes(RunTest):
    """Each as large as is let in, or larger."""

    def little(self, arguments, code, *words, stdin=b"", most_mib=512, most_s=5.0):
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
            given.write(stdin)
            given.seek(0)
            process = subprocess.Popen([DYN, *map(str, arguments)], stdin=given, stdout=said, stderr=said)
            too_long = threading.Timer(60.0 * PATIENCE, process.kill)
            too_long.start()
            _, status, used = os.wait4(process.pid, 0)
            too_long.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            text = said.read().decode()
        self.assertEqual(process.returncode, code, text)
        for word in words:
            self.assertIn(word, text)
        if "DYN_SANITIZED" not in os.environ:
            self.assertLess(used.ru_maxrss / 1024, most_mib)
            self.assertLess(used.ru_utime, most_s)

    def text(self, name, text):
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        return file

    def test_of_urdfs(self):
        for name, inside, word in (("a", "<a/>" * (7 * MIB), "500000 elements"), ("deep", "<a>" * (9 * MIB), "deep"),
                                   ("text", "x" * (31 * MIB), "no link"), ("large", "x" * (40 * MIB), "bytes")):
            self.little(["info", self.text(f"{name}.urdf", f'<robot name="{name}">{inside}</robot>')], 1, f"{name}.urdf", word)

    def test_of_configurations(self):
        for name, text, word in (("list", arm7() + "title: [" + "1," * (MIB // 2 - 400) + "]\n", "a list of"),
                                 ("deep", "[" * (MIB - 10), "nested too deeply"), ("maps", "{" * (MIB - 10), "nested too deeply"),
                                 ("dashes", "- " * (MIB // 2 - 10), "nested too deeply"), ("large", "# " + "x" * MIB, "CSV"),
                                 ("alias", ALIASES + arm7(start="*a29"), "not a list of numbers")):
            self.little(["run", self.text(f"{name}.yaml", text)], 1, f"{name}.yaml:", word)

    def test_of_trajectory_files(self):
        config = self.config(arm7(trajectory="{type: file, path: moves.csv}"))
        for text, word in (("".join(f"{k},0,0,0,0,0,0,0\n" for k in range(1000001)), "a million rows"),
                           ("0," * (15 * MIB), "the line has"), ("0,0\n" * (9 * MIB), "bytes, more than")):
            self.text("moves.csv", text)
            self.little(["run", config], 1, "moves.csv", word)

    def test_of_logs(self):
        """Of most_numbers in logs/reading.hpp; what is sent is small, since it is compressed or says little."""
        names = [f"{k:x}" for k in range(5000)]
        wide = joint_state(0, [], [], [], names)
        with sqlite3.connect(self.folder / "wide.db3") as bag:
            write_topics(bag)
            bag.executemany("INSERT INTO messages(topic_id, timestamp, data) VALUES(1, ?, ?)", ((k, wide) for k in range(1334)))
        long = record(5, struct.pack("<HIQQ", 0, 0, 0, 0) + joint_state(1, [0.1] * 7, [], [], [f"joint{k}" for k in range(1, 8)]))
        self.bag("long.mcap", [long * 1000] * 1000)
        self.text("long.csv", "time_s," + ",".join(f"{x}.joint{k}" for x in ("q", "v", "effort") for k in range(1, 8)) +
                  ("\n" + ",".join(["0"] * 22)) * 909092)
        for name, words in (("wide.db3", "1333 rows of 15001 numbers"), ("long.mcap", "909090 rows of 22 numbers"),
                            ("long.csv", "909090 rows of 22 numbers")):
            self.little(["replay", "arm7", self.folder / name], 1, name, words, "20000000 numbers are read")
        self.text("many.csv", "time_s,q.joint1,effort.joint1" + "".join(f"\n{1e-3 * k:.3f},0,0" for k in range(714287)))
        self.little(["replay", "arm7", self.folder / "many.csv"], 1, "many.csv", "714285 rows of 28 numbers")
        self.text("line.csv", "time_s" + "x" * (40 * MIB))
        self.little(["replay", "arm7", self.folder / "line.csv"], 1, "line.csv:1:", "more than 1000000 bytes")

    def test_of_what_else_is_in_a_bag(self):
        channel = struct.pack("<HH", 1, 1) + text("/other") + text("cdr") + struct.pack("<I", 0)
        schema = text("sensor_msgs/msg/JointState") + text("ros2msg") + text("")
        self.bag("topics.mcap", [record(3, struct.pack("<H", 1) + schema) + record(4, channel) * 800000] * 10)
        self.bag("types.mcap", (record(3, struct.pack("<H", k) + text("x" * (40 * MIB))) for k in range(20)))
        chunk = record(6, struct.pack("<QQQI", 0, 0, 64 * MIB, 0) + text("") + struct.pack("<Q", 0))
        (self.folder / "chunks.mcap").write_bytes(b"\x89MCAP0\r\n" + chunk * 257)
        for name, words in (("topics.mcap", "joint states are on"), ("types.mcap", "no message on topic"),
                            ("chunks.mcap", "17179869184 bytes once it is decompressed")):
            self.little(["replay", "arm7", self.folder / name], 1, name, words)
        with sqlite3.connect(self.folder / "endless.db3") as bag:
            write_topics(bag)
            bag.execute("DROP TABLE messages")
            bag.execute("CREATE VIEW messages AS WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k) "
                        "SELECT 1 AS topic_id, n AS timestamp, x'00' AS data FROM k")
        self.little(["replay", "arm7", self.folder / "endless.db3"], 1, "endless.db3", "not a rosbag2 database")

    def test_a_log_of_ten_minutes_is_read(self):
        with open(self.folder / "ten.csv", "w", encoding="utf-8") as file:
            file.write("time_s," + ",".join(f"{x}.joint{k}" for x in ("q", "v", "effort") for k in range(1, 8)))
            file.writelines(f"\n{1e-3 * k:.3f}" + f",{0.1 + 1e-7 * k:.7f}" * 7 + ",0.0001" * 7 + ",1" * 7 for k in range(600000))
        self.little(["replay", "arm7", self.folder / "ten.csv", "--cutoff", "10"], 0, "(5", "samples", most_mib=1024, most_s=30.0)

    def bag(self, name, chunks):
        """An MCAP with that content of its chunks, by zstd."""
        import zstandard
        last = None
        start = record(3, struct.pack("<H", 1) + text("sensor_msgs/msg/JointState") + text("ros2msg") + text("")) + \
            record(4, struct.pack("<HH", 0, 1) + text("/joint_states") + text("cdr") + struct.pack("<I", 0))
        with open(self.folder / name, "wb") as file:
            file.write(b"\x89MCAP0\r\n" + start)
            for chunk in chunks:
                if chunk is not last:
                    packed, last = zstandard.compress(chunk), chunk
                file.write(record(6, struct.pack("<QQQI", 0, 0, len(chunk), 0) + text("zstd") + struct.pack("<Q", len(packed)) + packed))
            file.write(record(15, struct.pack("<I", 0)))

    def test_of_lines(self):
        for line, code, word in ((b"[" * (4 * MIB - 9), 1, "nested"), (b'{"a":' * (MIB // 2), 1, "nested"), (b"x" * (9 * MIB), 1, "longer than"),
                                 (b'{"q":[' + b"0," * (2 * MIB - 99) + b"0]}", 1, "too many"),
                                 (b"{" + b",".join(b'"k%x":0' % k for k in range(300000)) + b"}", 1, "unknown key")):
            self.little(["eval", "arm7"], code, word, stdin=line)


if __name__ == "__main__":
    unittest.main()
