#!/usr/bin/env python3
# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""mcap_test.py DIR: the logs of the sample runs, read back by the reference library and compared with log.csv."""
import csv
import json
import sys
import unittest
from collections import Counter
from pathlib import Path

from mcap.reader import NonSeekingReader, make_reader

SAMPLE = Path(sys.argv.pop())


class Mcap(unittest.TestCase):
    def messages(self, kind, run="one"):
        with open(SAMPLE / run / "log.mcap", "rb") as file:
            reader = make_reader(file) if kind == "seeking" else NonSeekingReader(file)
            return [(schema, channel, message) for schema, channel, message in reader.iter_messages()]

    def test_every_number_is_that_of_the_csv(self):
        with open(SAMPLE / "one" / "log.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        state, torque = 0, 0
        for schema, channel, message in self.messages("streaming"):
            data = json.loads(message.data)
            self.assertEqual((schema.encoding, channel.message_encoding), ("jsonschema", "json"))
            self.assertLessEqual(set(data), set(json.loads(schema.data)["properties"]))
            if channel.topic == "/arm7/state":
                row = rows[state]
                state += 1
                self.assertEqual(data["jsim"], row["jsim"])
            elif channel.topic == "/arm7/torque":
                row = rows[torque]
                torque += 1
            else:
                continue
            self.assertEqual(message.log_time, round(float(row["time_s"]) * 1e9))
            for signal, values in data.items():
                if isinstance(values, dict):
                    for joint, value in values.items():
                        self.assertEqual(value, float(row[f"{signal}.{joint}"]))
        self.assertEqual((state, torque), (len(rows), len(rows)))

    def test_the_summary_counts_what_is_there(self):
        with open(SAMPLE / "two" / "log.mcap", "rb") as file:
            summary = make_reader(file).get_summary()
        counted = Counter(channel.id for _, channel, _ in self.messages("streaming", "two"))
        self.assertEqual(dict(counted), {k: n for k, n in summary.statistics.channel_message_counts.items() if n})
        self.assertEqual(summary.statistics.message_count, sum(counted.values()))
        self.assertEqual({c.topic for c in summary.channels.values()},
                         {"/events"} | {f"/arm{k}/{t}" for k in (1, 2) for t in ("state", "torque", "validation")})

    def test_events_carry_their_label_and_error(self):
        events = [json.loads(m.data) for _, c, m in self.messages("streaming") if c.topic == "/events"]
        self.assertEqual([e["label"] for e in events if e["error"]], ["jsim_algorithm = <nonsense>"])
        self.assertEqual(len(events), 5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
