# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Recorded motions that are as long as is let in, or longer: little memory, little time. Run where bags are read."""
import sqlite3
import struct
import unittest

import zstandard

from bag_log_test import joint_state, record, text, write_topics
from run_process import MIB, SizeTest


class LogSizes(SizeTest):
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


if __name__ == "__main__":
    unittest.main()
