#!/usr/bin/env python3
# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""mcap_test.py DIR: the logs of the sample runs, read back by the reference library, decoded by the schemas that are in
them, and compared with log.csv."""
import csv
import re
import struct
import sys
import unittest
from collections import Counter
from pathlib import Path

from mcap.reader import NonSeekingReader, make_reader

try:
    from rosbags.rosbag2 import Reader
    from rosbags.typesys import Stores, get_typestore
except ImportError:
    Reader = None

SAMPLE = Path(sys.argv.pop())
FORMATS = {"bool": "?", "byte": "B", "uint8": "B", "int32": "i", "uint32": "I", "uint64": "Q", "float64": "d"}


class Schema:
    """A ros2msg schema: the message's definition, then those of its fields, each behind a line of = and MSG: TYPE."""

    def __init__(self, text):
        first, *others = re.split(r"^=+\n", text, flags=re.M)
        self.types = {o.splitlines()[0].removeprefix("MSG: "): self.fields(o.split("\n", 1)[1]) for o in others}
        self.root = self.fields(first)

    @staticmethod
    def fields(text):
        lines = [line.split("#")[0].split() for line in text.splitlines()]
        return [(words[1], words[0]) for words in lines if len(words) == 2 and "=" not in words[1]]

    def decode(self, data):
        if data[:4] != b"\0\1\0\0":
            raise ValueError("not little-endian CDR")
        self.data, self.at = data[4:], 0
        message = {name: self.value(kind) for name, kind in self.root}
        if self.at != len(self.data):
            raise ValueError(f"{len(self.data) - self.at} bytes more than the schema has")
        return message

    def number(self, letter):
        size = struct.calcsize(letter)
        self.at += -self.at % size
        value, = struct.unpack_from("<" + letter, self.data, self.at)
        self.at += size
        return value

    def value(self, kind):
        if kind == "float64[]":
            count = self.number("I")
            self.at += -self.at % 8 if count else 0
            self.at += 8 * count
            return list(struct.unpack_from(f"<{count}d", self.data, self.at - 8 * count))
        if kind.endswith("[]"):
            return [self.value(kind[:-2]) for _ in range(self.number("I"))]
        if kind == "string":
            length = self.number("I")
            self.at += length
            if self.data[self.at - 1] != 0:
                raise ValueError("a string without NUL")
            return self.data[self.at - length:self.at - 1].decode()
        if kind in FORMATS:
            return self.number(FORMATS[kind])
        return {name: self.value(part) for name, part in self.types[kind]}


class Mcap(unittest.TestCase):
    def raw(self, kind, run):
        with open(SAMPLE / run / "log.mcap", "rb") as file:
            reader = make_reader(file) if kind == "seeking" else NonSeekingReader(file)
            for schema, channel, message in reader.iter_messages():
                self.assertEqual((schema.encoding, channel.message_encoding), ("ros2msg", "cdr"))
                yield schema, channel.topic, message.log_time, message.data

    def messages(self, topics):
        schemas = {}
        for schema, topic, time_ns, data in self.raw("streaming", "one"):
            if topic in topics:
                if schema.id not in schemas:
                    schemas[schema.id] = Schema(schema.data.decode())
                yield topic, time_ns, schemas[schema.id].decode(data)

    def rows(self):
        with open(SAMPLE / "one" / "log.csv", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_every_number_is_that_of_the_csv(self):
        rows = {round(float(row["time_s"]) * 1e9): row for row in self.rows()}
        joints = ["position", "velocity", "effort"]
        columns = {
            "/joint_states": dict(zip(joints, ("q", "v", "applied"))),
            "/sensed_joint_states": dict(zip(joints, ("q", "v", "sensed"))),
            "/controller_state": {"position": "q", "velocity": "v", "reference_position": "q_reference",
                                  "reference_velocity": "v_reference", "reference_acceleration": "a_reference",
                                  "position_error": "position_error", "velocity_error": "velocity_error",
                                  "effort_inertia": "inertia", "effort_coriolis": "coriolis", "effort_gravity": "gravity",
                                  "effort_friction": "friction", "effort_feedback": "feedback",
                                  "effort_applied": "applied", "effort_external": "external"}}
        seen = Counter()
        for topic, time_ns, message in self.messages(columns):
            seen[topic] += 1
            row = rows[time_ns]
            names = message.get("name") or message["joint_names"]
            self.assertEqual(message["header"]["stamp"]["sec"] * 10 ** 9 + message["header"]["stamp"]["nanosec"], time_ns)
            for field, column in columns[topic].items():
                self.assertEqual(message[field], [float(row[f"{column}.{name}"]) for name in names])
            if topic == "/controller_state":
                self.assertEqual(message["jsim_algorithm"], row["jsim"])
                flags = int(row["flags"])
                told = [message[f] for f in ("saturated", "collision", "ramping")] + [message["mode"] == 1, message["fallback"]]
                self.assertEqual(told, [bool(flags & bit) for bit in (1, 2, 4, 8, 16)])
        self.assertEqual(seen["/joint_states"], len(rows))
        self.assertEqual(seen["/sensed_joint_states"], len(rows))
        self.assertGreater(seen["/controller_state"], len(rows) / 3)

    def test_seeking_by_the_index_finds_what_streaming_does(self):
        by_time = lambda kind: sorted(m[1:] for m in self.raw(kind, "two"))
        self.assertEqual(by_time("seeking"), by_time("streaming"))
        with open(SAMPLE / "two" / "log.mcap", "rb") as file:
            begin = 2 * 10 ** 9
            part = [m.log_time for _, _, m in make_reader(file).iter_messages(
                starting_at=begin, ending_before=begin + 10 ** 9)]
        self.assertTrue(part and all(begin <= t < begin + 10 ** 9 for t in part))

    def test_the_summary_counts_what_is_there(self):
        with open(SAMPLE / "two" / "log.mcap", "rb") as file:
            reader = make_reader(file)
            summary = reader.get_summary()
            self.assertEqual(reader.get_header().profile, "ros2")
        self.assertEqual({c.compression for c in summary.chunk_indexes}, {"zstd"})
        self.assertGreater(len(summary.chunk_indexes), 1)
        counted = Counter(topic for _, topic, _, _ in self.raw("streaming", "two"))
        topics = {c.id: c.topic for c in summary.channels.values()}
        self.assertEqual(dict(counted),
                         {topics[k]: n for k, n in summary.statistics.channel_message_counts.items() if n})
        self.assertEqual(summary.statistics.message_count, sum(counted.values()))
        self.assertEqual(set(topics.values()), {"/events"} | {f"/arm{k}/{t}" for k in (1, 2) for t in (
            "joint_states", "sensed_joint_states", "controller_state", "validation")})

    @unittest.skipIf(Reader is None, "the package rosbags is not there")
    def test_the_folder_is_a_bag(self):
        """metadata.yaml, as another reader of bags understands it."""
        with Reader(SAMPLE / "two") as bag:
            found = Counter((connection.topic, connection.msgtype) for connection, _, _ in bag.messages())
            times = [time_ns for _, time_ns, _ in bag.messages()]
            told = {(c.topic, c.msgtype): c.msgcount for c in bag.connections if c.msgcount}
            self.assertEqual(dict(found), told)
            self.assertEqual(bag.message_count, len(times))
            self.assertEqual(bag.start_time, min(times))
            self.assertEqual(bag.duration, max(times) - min(times) + 1)  # that reader ends one past the last message
            state = next(data for c, _, data in bag.messages() if c.msgtype == "sensor_msgs/msg/JointState")
            read = get_typestore(Stores.LATEST).deserialize_cdr(state, "sensor_msgs/msg/JointState")
            self.assertEqual(len(read.position), len(read.name))

    def test_events_carry_their_label_and_error(self):
        events = [message for _, _, message in self.messages({"/events"})]
        refused = [(e["msg"].split(":")[0], e["stamp"]["sec"]) for e in events if e["level"] == 40]
        self.assertEqual(refused, [("jsim_algorithm = <nonsense>", 10)], "planned for the end of the run, which it reached")
        self.assertEqual(len(events), 5)

    def test_it_is_smaller_than_the_csv(self):
        sizes = [(SAMPLE / "one" / name).stat().st_size for name in ("log.mcap", "log.csv")]
        self.assertLess(sizes[0], sizes[1] / 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
