# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""rosbag2 as a log: the same motion as CSV, .mcap and .db3 gives the same figures; damaged bags are one sentence."""
import json
import math
import os
import random
import sqlite3
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from dyn_process import PATIENCE
from run_live_test import Terminal

DYN = os.environ["DYN"]
TOPIC, TYPE = "/joint_states", "sensor_msgs/msg/JointState"
JOINTS = ["joint1", "joint2"]
ROBOT = """<robot name="two">
<link name="base"/>
<link name="upper"><inertial><origin xyz="0 0 0.2"/><mass value="3"/>
<inertia ixx="0.05" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.01"/></inertial></link>
<link name="lower"><inertial><origin xyz="0 0 0.15"/><mass value="2"/>
<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial></link>
<joint name="joint1" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="100" velocity="3"/></joint>
<joint name="joint2" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.4"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="100" velocity="3"/></joint>
</robot>"""


def motion(rows=400, step=0.01):
    for k in range(rows):
        t = k * step
        q = [0.8 * math.sin(2 * t), 0.6 * math.cos(3 * t)]
        v = [1.6 * math.cos(2 * t), -1.8 * math.sin(3 * t)]
        yield t, q, v, [10 * math.sin(t) + 20, 5 * math.cos(2 * t) + 3]


class Cdr:
    def __init__(self):
        self.bytes = bytearray()

    def number(self, kind, value):
        size = struct.calcsize(kind)
        self.bytes += b"\0" * (-len(self.bytes) % size) + struct.pack("<" + kind, value)

    def text(self, value):
        raw = value.encode() + b"\0"
        self.number("I", len(raw))
        self.bytes += raw

    def numbers(self, values):
        self.number("I", len(values))
        for value in values:
            self.number("d", value)


def joint_state(t, q, v, effort, names=JOINTS):
    cdr = Cdr()
    cdr.number("i", int(t))
    cdr.number("I", round((t - int(t)) * 1e9))
    cdr.text("base")
    cdr.number("I", len(names))
    for name in names:
        cdr.text(name)
    for values in (q, v, effort):
        cdr.numbers(values)
    return b"\0\1\0\0" + bytes(cdr.bytes)


def messages(start=1000.0):
    for k, (t, q, v, effort) in enumerate(motion()):
        turned = k % 3 == 1  # the order of the joints may change
        pick = (lambda x: x[::-1]) if turned else (lambda x: x)
        yield start + t, joint_state(start + t, pick(q), pick(v), pick(effort), pick(JOINTS))


def write_topics(bag, of_type=TYPE, topic=TOPIC):
    bag.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT)")
    bag.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB)")
    bag.execute("INSERT INTO topics VALUES(1, ?, ?, 'cdr')", (topic, of_type))


def write_db3(file, of_type=TYPE, topic=TOPIC, data=None):
    with sqlite3.connect(file) as bag:
        write_topics(bag, of_type, topic)
        for t, message in messages() if data is None else data:
            bag.execute("INSERT INTO messages(topic_id, timestamp, data) VALUES(1, ?, ?)", (int(t * 1e9), message))
    return file


def record(opcode, content):
    return struct.pack("<BQ", opcode, len(content)) + content


def text(value):
    return struct.pack("<I", len(value)) + value.encode()


def mcap(compression=None, of_type=TYPE, topic=TOPIC, encoding="cdr", frames=1):
    """The bytes of a bag as ros2 bag writes it: a header, then records, in chunks where compression is not None."""
    records = record(3, struct.pack("<H", 1) + text(of_type) + text("ros2msg") + text("")) + \
        record(4, struct.pack("<HH", 0, 1) + text(topic) + text(encoding) + struct.pack("<I", 0))
    parts = [records]
    for k, (t, message) in enumerate(messages()):
        stamp = int(t * 1e9)
        one = record(5, struct.pack("<HIQQ", 0, k, stamp, stamp) + message)
        parts[-1] += one
        if k % 100 == 99:
            parts.append(b"")
    if compression is not None:
        packed = [(len(p), b"".join(pack(compression, p[k * len(p) // frames:(k + 1) * len(p) // frames]) for k in range(frames)))
                  for p in parts if p]
        parts = [record(6, struct.pack("<QQQI", 0, 0, size, 0) + text(compression) + struct.pack("<Q", len(p)) + p)
                 for size, p in packed]
    magic = b"\x89MCAP0\r\n"
    return magic + record(1, text("ros2") + text("test")) + b"".join(parts) + record(15, struct.pack("<I", 0)) + \
        record(2, struct.pack("<QQI", 0, 0, 0)) + magic


def pack(compression, raw):
    if compression == "zstd":
        import zstandard
        return zstandard.compress(raw)
    if compression == "lz4":
        import lz4.frame
        return lz4.frame.compress(raw)
    return raw


class Bags(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        cls.robot = cls.path / "two.urdf"
        cls.robot.write_text(ROBOT)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def replay(self, file, *arguments, code=0):
        done = subprocess.run([DYN, "replay", self.robot, file, "--json", "--cutoff", "10", *arguments], capture_output=True,
                              text=True, timeout=60 * PATIENCE)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout) if code == 0 else done.stderr

    def test_shows_on_a_terminal_how_far_it_is(self):
        for file in (self.path / "shown.mcap", self.path / "shown.db3"):
            file.write_bytes(mcap()) if file.suffix == ".mcap" else write_db3(file)
            terminal = Terminal(self.robot, file, "--json", "--cutoff", "10", command="replay")
            code, _ = terminal.end()
            self.assertEqual(code, 0, terminal.text)
            for words in (f"reading {file}: 50 %", "predicting the torques", "looking for faults"):
                self.assertIn(words, terminal.text)
            self.assertIn("\r\033[Kwarning: ", terminal.text)

    def test_csv_mcap_and_db3_alike(self):
        csv = self.path / "log.csv"
        lines = ["time_s," + ",".join(f"{x}.{j}" for x in ("q", "v", "effort") for j in JOINTS)]
        lines += [",".join(map(repr, [t, *q, *v, *effort])) for t, q, v, effort in motion()]
        csv.write_text("\n".join(lines) + "\n")
        expected = self.replay(csv)
        bags = {"plain.mcap": mcap(), "chunked.mcap": mcap(""), "zstd.mcap": mcap("zstd"), "lz4.mcap": mcap("lz4"),
                "zstd frames.mcap": mcap("zstd", frames=3), "lz4 frames.mcap": mcap("lz4", frames=3)}
        for name, content in bags.items():
            (self.path / name).write_bytes(content)
        write_db3(self.path / "bag.db3")
        for name in ("bag.db3", *bags):
            with self.subTest(name):
                found = self.replay(self.path / name)
                self.assertEqual(found["samples"], expected["samples"])
                self.assertAlmostEqual(found["relative"], expected["relative"], delta=1e-6)

    def test_what_dyn_run_writes_reads_back(self):
        config = self.path / "run.yaml"
        config.write_text(f"robot: {self.robot}\nduration_s: 12\ncontroller: {{gains: {{default: {{p: 400, d: 40}}}}}}\n"
                          "trajectory: {type: sinusoid, amplitude: [0.5, 0.4], frequency_hz: 0.5}\n")
        subprocess.run([DYN, "run", config, "--fast", "--out", self.path / "run"], check=True, capture_output=True, timeout=100 * PATIENCE)
        of_csv = self.replay(self.path / "run" / "log.csv", "--effort", "applied")
        of_mcap = self.replay(self.path / "run" / "log.mcap")
        self.assertGreater(of_mcap["samples"], 0.98 * of_csv["samples"])  # the CSV has accelerations: no ends are lost
        self.assertLess(of_mcap["relative"], 5e-3)
        sensed = self.replay(self.path / "run" / "log.mcap", "--topic", "/sensed_joint_states")
        self.assertLess(sensed["relative"], 5e-3)

    def test_joints_that_come_and_go_in_a_run_are_not_of_this_robot(self):
        config = self.path / "chain.yaml"
        swing = Path(__file__).parent / "data" / "swing.urdf"
        config.write_text(f"robot: {self.robot}\nduration_s: 4\ncontroller: {{gains: {{default: {{p: 400, d: 40}}}}}}\n"
                          "trajectory: {type: sinusoid, amplitude: [0.5, 0.4], frequency_hz: 0.5}\nevents:\n"
                          f"- {{at: 1, attach: {{name: cup, link: lower, urdf: {swing}}}}}\n- {{at: 3, detach: cup}}\n")
        subprocess.run([DYN, "run", config, "--fast", "--out", self.path / "chain"], check=True, capture_output=True, timeout=100 * PATIENCE)
        for log in ("log.csv", "log.mcap"):
            done = subprocess.run([DYN, "replay", self.robot, self.path / "chain" / log], capture_output=True, text=True, timeout=60 * PATIENCE)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("joints that are not of this robot were ignored: cup/swing_x, cup/swing_y", done.stderr)

    def test_a_position_that_is_no_number_is_named(self):
        data = [(1 + 0.01 * k, joint_state(1 + 0.01 * k, [0.1, math.nan if k == 5 else 0.1], [0, 0], [1, 1])) for k in range(50)]
        self.assertIn("position of joint 'joint2' is nan in row 6, which is not a finite number",
                      self.replay(write_db3(self.path / "a gap.db3", data=data), code=1))

    def test_a_message_without_joints_is_left_out(self):
        file = self.path / "begins empty.db3"
        write_db3(file, data=[(999.9, joint_state(999.9, [], [], [], [])), *messages()])
        self.assertEqual(self.replay(file)["samples"], self.replay(write_db3(self.path / "whole.db3"))["samples"])

    def test_messages_of_other_joints_are_left_out(self):
        """Of a gripper on the same topic, which has as many joints as the arm."""
        times = [1000.005 + 0.1 * k for k in range(30)]
        fingers = [(t, joint_state(t, [0.01, 0.02], [0, 0], [1, 1], ["finger1", "finger2"])) for t in times]
        file = write_db3(self.path / "gripper.db3", data=sorted([*messages(), *fingers]))
        self.assertEqual(self.replay(file), self.replay(write_db3(self.path / "alone.db3")))
        done = subprocess.run([DYN, "replay", self.robot, file], capture_output=True, text=True, timeout=60 * PATIENCE)
        self.assertIn("30 of 430 messages on /joint_states have other joints than the first and were left out", done.stderr)

    def test_a_folder_is_its_only_bag(self):
        folder = self.path / "folder"
        folder.mkdir()
        (folder / "metadata.yaml").write_text("")
        self.assertIn("has no bag", self.replay(folder, code=1))
        (folder / "folder_0.mcap").write_bytes(mcap("zstd"))
        self.assertEqual(self.replay(folder), self.replay(folder / "folder_0.mcap"))
        write_db3(folder / "folder_1.db3")
        self.assertIn("2 bags, of which one has to be named: folder_0.mcap, folder_1.db3", self.replay(folder, code=1))

    def test_what_is_not_read_of_ros2_bag(self):
        packed = write_db3(self.path / "packed.db3", data=[(t, pack("zstd", message)) for t, message in messages()])
        self.assertIn("--compression-mode message", self.replay(packed, code=1))
        whole = self.path / "whole.mcap.zstd"
        whole.write_bytes(pack("zstd", mcap()))
        self.assertIn("unzstd", self.replay(whole, code=1))
        nameless = write_db3(self.path / "nameless.db3", data=[(1, joint_state(1, [], [], [], []))])
        self.assertIn("names a joint", self.replay(nameless, code=1))

    def test_the_topic_is_named(self):
        file = self.path / "other.mcap"
        file.write_bytes(mcap(topic="/arm/joint_states"))
        self.assertIn("--topic", self.replay(file, code=1))
        self.replay(file, "--topic", "/arm/joint_states")

    def test_bad_bags_are_one_sentence(self):
        good, chunked = mcap(), mcap("zstd")
        message = next(messages())[1]
        huge = message[:20] + b"\xff\xff\xff\xff" + message[24:]
        whole, other = write_db3(self.path / "sound.db3").read_bytes(), self.path / "other.db3"
        with sqlite3.connect(other) as database:
            database.execute("CREATE TABLE other(id INTEGER)")
        rng = random.Random(3)
        bad = {
            "empty.mcap": b"", "short.mcap": good[:5], "no magic.mcap": b"x" + good[1:], "cut off.mcap": good[:len(good) // 2],
            "cut chunk.mcap": chunked[:len(chunked) // 2], "no end.mcap": good[:8], "type.mcap": mcap(of_type="std_msgs/msg/String"),
            "encoding.mcap": mcap(encoding="json"), "topic.mcap": mcap(topic="/nothing"),
            "huge record.mcap": good[:8] + struct.pack("<BQ", 5, 2 ** 62) + good[8:],
            "chunk size.mcap": chunked.replace(struct.pack("<QQ", 0, 0), struct.pack("<QQ", 0, 0), 1)[:60] + b"\xff" * 8 + chunked[68:],
            "compression.mcap": mcap("").replace(text(""), text(""), 1).replace(b"\x06", b"\x06", 1)[:0] + good[:8] + record(
                6, struct.pack("<QQQI", 0, 0, 4, 0) + text("bz2") + struct.pack("<Q", 4) + b"abcd") + good[8:],
            "no database.db3": b"not a database at all" * 50, "empty.db3": b"",
            "no messages.db3": [], "half message.db3": [(1, message[:30])], "huge count.db3": [(1, huge)],
            "no cdr.db3": [(1, b"\x09\x09\0\0" + message[4:])], "tiny message.db3": [(1, b"\0")],
            "nan.db3": [(1 + 0.01 * k, joint_state(1 + 0.01 * k, [math.nan if k == 5 else 0.1, 0.2], [0, 0], [1, 1])) for k in range(50)],
            "joint twice.db3": [(1, joint_state(1, [0, 0], [0, 0], [1, 1], ["joint1", "joint1"]))],
            "time goes back.db3": [(k, joint_state(100 - k, [0.01 * k, 0.2], [0, 0], [1, 1])) for k in range(50)],
            "degrees.db3": [(0.01 * k, joint_state(1 + 0.01 * k, [2 * k, 20], [200, 0], [1, 1])) for k in range(50)],
            "huge chunk.mcap": good[:8] + record(6, struct.pack("<QQQI", 0, 0, 400 << 20, 0) + text("zstd") + struct.pack("<Q", 4) +
                                                 b"abcd") + good[8:],
            "infinite.db3": [(1 + 0.01 * k, joint_state(1 + 0.01 * k, [0.1, math.inf], [0, 0], [1, 1])) for k in range(50)],
            "absurd.db3": [(1 + 0.01 * k, joint_state(1 + 0.01 * k, [1e300 * k, 0.1], [0, 0], [1, 1])) for k in range(50)],
            "half.db3": whole[:len(whole) // 2], "other tables.db3": other.read_bytes(), "an mcap.db3": good, "a database.mcap": whole,
            "no data.db3": [(1, None)],
            "huge torque.db3": [(1 + 0.01 * k, joint_state(1 + 0.01 * k, [0.1, 0.2], [0, 0], [1e300, 1])) for k in range(50)],
            "lengths.db3": [(1, joint_state(1, [0, 0, 0], [0, 0], [1, 1]))],
        }
        for k in range(20):
            broken = bytearray(chunked)
            for _ in range(5):
                broken[rng.randrange(8, 400)] = rng.randrange(256)
            bad[f"random {k}.mcap"] = bytes(broken)
        for name, content in bad.items():
            with self.subTest(name):
                file = self.path / name
                if isinstance(content, list):
                    write_db3(file, data=content)
                else:
                    file.write_bytes(content)
                out = self.path / "out"
                out.mkdir(exist_ok=True)
                (out / "report.html").write_text("of another log")
                done = subprocess.run([DYN, "replay", self.robot, file, "--json", "--out", out], capture_output=True, text=True, timeout=60 * PATIENCE)
                if name.startswith("random") and done.returncode == 0:
                    continue  # the damage was where nobody looks
                said = [line for line in done.stderr.splitlines() if not line.startswith("note:")]
                self.assertEqual((done.returncode, len(said), done.stdout), (1, 1, ""), done.stderr)
                self.assertIn(name, said[0])
                self.assertEqual([file.read_text() for file in out.iterdir()], ["of another log"])


if __name__ == "__main__":
    unittest.main()
