# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn study`: every study runs, its checks hold, and what it writes can be read."""
import base64
import csv
import html
import json
import os
import re
import struct
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

from dyn_process import fails, run

# What the report has of each paper, by the numbers of its figures and tables.
STUDIES = {
    "planar3": ["Fig. 4"],
    "rover-arm": ["Table 3", "Fig. 6a", "Fig. 6b"],
    "rover": ["Fig. 7", "Fig. 8", "Fig. 9"],
    "explicit-complexity": ["Fig. 3", "Table 1", "Table 2"],
    "puma": ["Table 3"] + ["Fig. " + n for n in "4 5 6a 6b 6c 6d 6e 6f 7 8 9".split()],
    "crucible": ["Table 1"],
    "gdahj-scaling": ["Table I", "Fig. 4", "Fig. 5"],
    "kronecker": ["Fig. 5", "Fig. 6a", "Fig. 6b"],
}


class Study(unittest.TestCase):
    def test_every_study_holds_and_writes_its_report(self):
        for name, items in STUDIES.items():
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
                self.assertGreaterEqual(len(tables), len(pictures))
                for table in tables:
                    self.check_table(table, numbers=table.with_suffix(".svg").exists())
                page = (out / "report.html").read_text()
                self.check_page(page, items, len(pictures))
                self.assertEqual(len(re.findall("data-scene>", page)), name == "rover")
                if name == "rover":
                    self.check_scene(page)
                    self.check_rover(out)

    def check_page(self, page, items, pictures):
        """One file: every figure and table by its number, numbers for each plot, nothing from elsewhere."""
        headings = [html.unescape(h) for h in re.findall(r"<h2>(.*?)</h2>", page)]
        for item in items:
            self.assertTrue([h for h in headings if h.startswith(item + ": ")], (item, headings))
        self.assertIsNone(re.search(r"(src|href)=[\"'](?!data:)", page))
        figures = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))
        self.assertEqual(len(figures), pictures)
        self.assertEqual([int(n) for n in re.findall(r'data-figure="(\d+)"', page)], list(range(pictures)))
        for figure in figures:
            for series in figure["series"]:
                self.assertEqual(len(series["y"]), len(figure["x"]))

    def check_scene(self, page):
        """The 3D view has the rover's joints over the whole time, from (5 m, 5 m), on a ground that is not flat."""
        def floats(text):
            raw = base64.b64decode(text)
            return struct.unpack(f"<{len(raw) // 4}f", raw)
        data = json.loads(re.search(r'data-scene>.*?<script type="application/json">(.*?)</script>', page, re.S).group(1))
        q = [floats(column) for column in data["signals"]["q"]]
        time = floats(data["time"])
        self.assertAlmostEqual(time[-1], 30.0, places=1)
        self.assertEqual({len(column) for column in q}, {len(time)})
        self.assertTrue(all(joint["coordinate"] < len(q) for joint in data["scene"]["joints"]))
        self.assertAlmostEqual(q[0][0], 5.0, places=2)
        self.assertAlmostEqual(q[1][0], 5.0, places=2)
        terrain = data["scene"]["terrain"]
        heights = floats(terrain["heights"])
        self.assertEqual(len(heights), terrain["count"] ** 2)
        self.assertGreater(max(heights) - min(heights), 0.02)
        for column, first in ((q[0], terrain["x"]), (q[1], terrain["y"])):  # it stays on what is drawn
            self.assertGreater(min(column), first)
            self.assertLess(max(column), first + terrain["step"] * (terrain["count"] - 1))

    def check_rover(self, out):
        """Half way the front joint's torque fluctuates most; without a rocker it does not stand out; all grounds differ."""
        with (out / "experiment.csv").open(newline="") as file:
            half, third, rigid = csv.DictReader(file)
        ratio = [float(row["front / larger of the others"].split()[0]) for row in (half, third, rigid)]
        self.assertGreater(ratio[0], 1.0)
        self.assertGreater(ratio[0], ratio[2])
        for row in (half, third, rigid):
            self.assertGreater(float(row["front, N m"].split()[2]), 0.0)

    def check_table(self, file, numbers):
        """One heading, as wide as every row, no comments; below it numbers where it belongs to a figure."""
        with file.open(newline="") as text:
            rows = list(csv.reader(text))
        self.assertEqual(len(rows), len(file.read_text().splitlines()), file.name)
        self.assertGreater(len(rows), 1, file.name)
        for row in rows:
            self.assertEqual(len(row), len(rows[0]), file.name)
            self.assertFalse(row[0].startswith("#"), file.name)
        self.assertEqual(len(set(rows[0])), len(rows[0]), file.name)
        for row in rows[1:] if numbers else []:
            for cell in row:
                float(cell)

    def check_figure(self, svg):
        lines = [p for p in xml.parse(svg).iter("{http://www.w3.org/2000/svg}path") if p.get("stroke-width") == "1.6"]
        with svg.with_suffix(".csv").open() as file:
            rows = list(csv.reader(file))
        self.assertGreater(len(rows), 5)
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

    def test_a_check_that_fails_ends_with_3_and_everything_is_written(self):
        """planar3 with its second axis turned over: no algorithm gives the closed form any more."""
        robot = (Path(__file__).parents[2] / "config" / "robots" / "planar3.urdf").read_text()
        at = robot.index('<joint name="joint2"')
        with tempfile.TemporaryDirectory() as directory:
            other = Path(directory) / "planar3.urdf"
            other.write_text(robot[:at] + robot[at:].replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 -1"/>', 1))
            out = Path(directory) / "out"
            done = run("study", "planar3", "--out", out, environment={**os.environ, "DYN_CONFIG_PATH": directory})
            fails(self, done, 3, "planar3", "largest error of all algorithms")
            self.assertIn("FAILS", (out / "report.md").read_text())
            self.check_page((out / "report.html").read_text(), STUDIES["planar3"], 1)
            self.check_table(out / "fig_4_elements.csv", numbers=True)

    def test_what_cannot_be_done_is_said(self):
        fails(self, run("study", "planar4"), 2, "planar4", "planar3", "rover-arm")
        fails(self, run("study"), 2, "NAME")
        with tempfile.NamedTemporaryFile() as file:
            fails(self, run("study", "planar3", "--out", file.name), 1, file.name)


if __name__ == "__main__":
    unittest.main()
