# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn study`: every study runs, its checks hold, and what it writes can be read."""
import csv
import re
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

from dyn_process import fails, run

STUDIES = ["planar3", "rover-arm", "rover", "puma", "crucible", "gdahj-scaling", "kronecker"]


class Study(unittest.TestCase):
    def test_every_study_holds_and_writes_its_report(self):
        for name in STUDIES:
            with self.subTest(name), tempfile.TemporaryDirectory() as directory:
                out = Path(directory) / "a b" / name
                done = run("study", name, "--out", out, timeout=800)
                self.assertEqual(done.returncode, 0, done.error)
                report = (out / "report.md").read_text()
                self.assertGreater(len(re.findall(r"\| ok \|", report)), 0)
                self.assertNotIn("FAILS", report)
                pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", report)
                self.assertGreater(len(pictures), 0)
                for picture in pictures:
                    self.check_figure(out / picture)
                tables = list(out.glob("*.csv"))
                self.assertEqual(len(tables), len(pictures))
                for table in tables:
                    self.check_table(table)

    def check_table(self, file):
        """One heading as wide as every row, for readers that know quotes and for those that do not; numbers below."""
        with file.open(newline="") as text:
            rows = list(csv.reader(text))
        lines = file.read_text().splitlines()
        self.assertEqual(len(rows), len(lines), file.name)
        for row, line in zip(rows, lines):
            self.assertEqual(len(row), len(rows[0]), file.name)
            self.assertEqual(row, line.split(","), file.name)
        self.assertEqual(len(set(rows[0])), len(rows[0]), file.name)
        for row in rows[1:]:
            for cell in row:
                float(cell)

    def check_figure(self, svg):
        lines = [p for p in xml.parse(svg).iter("{http://www.w3.org/2000/svg}path") if p.get("stroke-width") == "1.6"]
        with svg.with_suffix(".csv").open() as file:
            rows = list(csv.reader(file))
        self.assertGreater(len(rows), 10)
        for line in lines:
            points = re.findall(r"[ML]([-\d.e+]+) ([-\d.e+]+)", line.get("d"))
            self.assertGreater(len(points), 0, svg.name)
            for x, y in points:
                self.assertTrue(0 <= float(x) <= 760 and 0 <= float(y) <= 400, (svg.name, x, y))

    def test_without_a_directory_nothing_is_written(self):
        with tempfile.TemporaryDirectory() as directory:
            done = run("study", "planar3", cwd=directory)
            self.assertEqual(done.returncode, 0, done.error)
            self.assertEqual(list(Path(directory).iterdir()), [])
        self.assertIn("M11", done.text)

    def test_what_cannot_be_done_is_said(self):
        fails(self, run("study", "planar4"), 2, "planar4", "planar3", "rover-arm")
        fails(self, run("study"), 2, "NAME")
        with tempfile.NamedTemporaryFile() as file:
            fails(self, run("study", "planar3", "--out", file.name), 1, file.name)


if __name__ == "__main__":
    unittest.main()
