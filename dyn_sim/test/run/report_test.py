#!/usr/bin/env python3
# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""report_test.py CHROMIUM DIR: the reports of the sample runs, and of a run by the program that DYN names, in a browser.
Nothing may complain, nothing may be asked of a network, and there has to be something to see. DYN_PICTURES=DIR keeps
pictures of the pages."""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from browser import Browser

SAMPLE = Path(sys.argv.pop()).resolve()
CHROMIUM = sys.argv.pop()
SCENARIO = Path(__file__).resolve().parents[3] / "config" / "scenarios" / "collision.yaml"

# How many different colours a canvas shows, and a number that changes with the picture.
LOOK = """(selector => [...document.querySelectorAll(selector)].map(c => {
  const copy = document.createElement('canvas');
  copy.width = c.width; copy.height = c.height;
  const g = copy.getContext('2d');
  g.drawImage(c, 0, 0);
  const d = new Uint32Array(g.getImageData(0, 0, c.width, c.height).data.buffer);
  let sum = 0;
  for (let k = 0; k < d.length; ++k) sum = (Math.imul(sum, 31) + d[k]) | 0;
  return { colors: new Set(d).size, sum, width: c.width, shown: c.offsetParent !== null };
}))"""
SEEK = "(t => { const s = document.getElementById('scrub'); s.value = t; s.dispatchEvent(new Event('input')); })"


def faults(events):
    """What the console and the network saw that should not be."""
    found = []
    for event in events:
        method, p = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            found.append(p["exceptionDetails"].get("exception", {}).get("description", str(p)))
        elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            found.append(f"console.{p['type']}: {[a.get('value') for a in p['args']]}")
        elif method == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            # The browser's own remark about the speed of reading pixels back; the test does that, not the page.
            if "GPU stall due to ReadPixels" not in p["entry"]["text"]:
                found.append(f"log: {p['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            url = p["request"]["url"]
            if not url.startswith("data:") and p.get("type") != "Document":
                found.append(f"request: {url}")
        elif method == "Network.webSocketCreated":
            found.append(f"request: {p['url']}")
    return found

CHARTS_OF_A_FRAME = 3  # hidden where joints are controlled, and not the pose of a frame


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(CHROMIUM)
        cls.addClassCleanup(cls.browser.close)

    def look(self, run, labels=("attach box (3 kg)", "there is no 'nonsense' & there never was"), at=8.5, hidden=0,
             **options):
        browser = self.browser
        browser.open(f"file://{SAMPLE}/{run}/report.html", **options)
        before = browser.evaluate(LOOK + "('#scene')")[0]
        charts = browser.evaluate(LOOK + "('.chart')")
        shown_charts = [chart for chart in charts if chart["shown"]]
        browser.evaluate(SEEK + f"({at})")
        after = browser.evaluate(LOOK + "('#scene')")[0]
        clock = browser.evaluate("document.getElementById('clock').textContent")
        self.keep(run, browser, options)
        # Everything that may be clicked.
        browser.evaluate("document.querySelectorAll('.chip, tbody tr').forEach(c => c.click());"
                         "document.querySelectorAll('select, #ghost').forEach(s => {"
                         " if (s.options) s.selectedIndex = s.options.length - 1; s.dispatchEvent(new Event('change')); })")
        listed = browser.evaluate("document.getElementById('events').innerText")
        wide = browser.evaluate("document.documentElement.scrollWidth - innerWidth")
        seen = faults(browser.events)
        browser.close_page()
        self.assertEqual(seen, [])
        self.assertGreater(before["colors"], 500, "the 3D view is blank")
        self.assertNotEqual(before["sum"], after["sum"], "the arm does not move")
        self.assertIn(f"{at:.2f}", clock)
        self.assertGreaterEqual(len(charts), 8)
        self.assertEqual(len(charts) - len(shown_charts), CHARTS_OF_A_FRAME + hidden)
        for chart in shown_charts:
            self.assertGreater(chart["colors"], 8, "a plot is blank")
        self.assertLessEqual(wide, 0, "the page is wider than its window")
        for label in labels:
            self.assertIn(label, listed)

    def keep(self, run, browser, options):
        if "DYN_PICTURES" in os.environ:
            name = f"{run}-{options.get('width', 1100)}{'-dark' if options.get('dark') else ''}.png"
            Path(os.environ["DYN_PICTURES"], name).write_bytes(browser.picture(whole=True))

    def test_one_arm(self):
        self.look("one")

    def test_two_arms_in_the_dark(self):
        self.look("two", dark=True)

    def test_narrow_window(self):
        self.look("one", width=420)

    def test_a_run_of_the_program(self):
        subprocess.run([os.environ["DYN"], "run", SCENARIO, "--fast", "--out", SAMPLE / "run"], check=True,
                       stdout=subprocess.DEVNULL)
        validation = json.loads((SAMPLE / "run" / "results.json").read_text())["validation"]
        self.look("run", labels=("push tool0",), at=1.1, hidden=0 if validation["available"] else 1)

    def test_a_run_that_failed_says_so_above_everything_else(self):
        config = SAMPLE / "failing.yaml"
        robot = Path(__file__).resolve().parents[1] / "data" / "singular_tip.urdf"
        config.write_text(f"robot: {robot}\nduration_s: 1\ntrajectory: {{type: sinusoid, amplitude: 0.5}}\n")
        done = subprocess.run([os.environ["DYN"], "run", config, "--fast", "--out", SAMPLE / "failing"], check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 3)
        self.browser.open(f"file://{SAMPLE}/failing/report.html")
        told = self.browser.evaluate("document.querySelector('.failures').innerText")
        above = self.browser.evaluate("document.querySelector('.failures').getBoundingClientRect().bottom"
                                      " <= document.querySelector('.figures').getBoundingClientRect().top")
        seen = faults(self.browser.events)
        self.keep("failing", self.browser, {})
        self.browser.close_page()
        self.assertEqual(seen, [])
        self.assertTrue(above)
        for failure in json.loads((SAMPLE / "failing" / "results.json").read_text())["failures"]:
            self.assertIn(failure["cause"], told)
            self.assertIn(failure["arm"], told)

    def test_a_fault_would_be_seen(self):
        page = SAMPLE / "faulty.html"
        page.write_text("<script>setTimeout(() => { throw new Error('thrown'); }); console.error('said');"
                        "fetch('http://127.0.0.1:9/asked').catch(() => {});</script>", encoding="utf-8")
        self.browser.open(f"file://{page}")
        self.browser.evaluate("new Promise(done => setTimeout(done, 200))")
        seen = "\n".join(faults(self.browser.events))
        self.browser.close_page()
        for word in ("thrown", "said", "asked"):
            self.assertIn(word, seen)


if __name__ == "__main__":
    unittest.main(verbosity=2)
