# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""The files of `dyn run`: all of one run or none, in its folder and nowhere else."""
import json
import os
import resource
import signal
import unittest
from xml.sax.saxutils import escape

from dyn_process import DATA, PATIENCE, fails, run
from run_process import BOX, FILES, MOVES, SCENARIO, RunTest, arm7

TURN = """<robot name="@NAME@"><link name="base"/><link name="@NAME@"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="j@NAME@" type="revolute"><parent link="base"/><child link="@NAME@"/><axis xyz="0 1 0"/>
<limit lower="-9" upper="9" effort="50" velocity="9"/></joint></robot>"""


def at_most(size):
    """Files of the process may not grow beyond this: as a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class Files(RunTest):
    def contents(self):
        return {file.name: file.read_bytes() for file in self.out.iterdir()}

    def test_nothing_else_is_left(self):
        self.assertEqual(self.run_fast(arm7()).returncode, 0)
        self.assertEqual(sorted(self.contents()), sorted(FILES))
        self.assertEqual(sorted(self.results()["files"]), sorted(FILES))

    def test_a_write_fault_leaves_the_run_before(self):
        self.assertEqual(self.run_fast(arm7(title="before")).returncode, 0)
        before = self.contents()
        for size in (1000, 100_000, 400_000):  # each file is the one that does not fit, in turn
            with self.subTest(size=size):
                done = self.start_limited(size, self.out)
                fails(self, done, 1, f"{self.out}/", "could not be written completely")
                self.assertEqual(self.contents(), before)

    def test_a_write_fault_leaves_nothing_in_a_new_folder(self):
        new = self.folder / "new"
        fails(self, self.start_limited(100_000, new), 1, "could not be written completely")
        self.assertEqual(list(new.iterdir()), [])

    def start_limited(self, size, out):
        return run("run", self.config(arm7()), "--fast", "--out", out, preexec_fn=at_most(size))

    def test_killed_while_it_writes(self):
        self.assertEqual(self.run_fast(arm7(title="before")).returncode, 0)
        before = self.contents()
        process = self.start(self.config(arm7(duration_s="60")), "--fast", "--out", self.out)
        self.wait_for(lambda: any(log.stat().st_size > 0 for log in self.out.glob(".unfinished-*/log.mcap")), process)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60 * PATIENCE)
        (left,) = self.out.glob(".unfinished-*")
        self.assertEqual({name: (self.out / name).read_bytes() for name in before}, before)
        self.assertEqual(self.run_fast(arm7(title="after")).returncode, 0)
        self.assertFalse(left.exists(), "the next run clears it away")
        self.assertEqual(self.results()["title"], "after")

    def test_logs_of_arms_that_are_gone_go(self):
        two = f"""duration_s: 0.2
arms: [{{name: left, robot: arm7, trajectory: {MOVES}}}, {{name: right, robot: arm7, trajectory: {MOVES}}}]
"""
        self.assertEqual(self.run_fast(two).returncode, 0)
        (self.out / "log.mine.csv").write_text("not of a run")
        self.assertIn("log.left.csv", self.contents())
        self.assertEqual(self.run_fast(arm7()).returncode, 0)
        self.assertEqual(sorted(self.contents()), sorted([*FILES, "log.mine.csv"]))

    def test_a_folder_that_cannot_be_written_is_found_before_the_run(self):
        (self.folder / "file").write_text("a file")
        for out in ("/proc/self", self.folder / "file", self.folder / "file" / "below", os.devnull):
            with self.subTest(out=out):
                fails(self, run("run", SCENARIO, "--duration", "600", "--out", out), 1, str(out))

    def test_fifos_and_devices_are_not_written(self):
        for name in FILES:
            with self.subTest(name=name):
                out = self.folder / name
                out.mkdir()
                os.mkfifo(out / name)
                fails(self, run("run", SCENARIO, "--duration", "600", "--out", out), 1, name, "not a regular file")
        for name in ("report.html", "report.md"):
            out = self.folder / ("study " + name)
            out.mkdir()
            os.mkfifo(out / name)
            fails(self, run("study", "planar3", "--out", out), 1, name, "not a regular file")

    def test_names_of_arms_stay_in_the_folder(self):
        (self.folder / "log").mkdir()
        for name in ("../../escaped", "a/b", "/tmp/escaped", "..", ".", "''", "'a\\b'", '"a\\0b"', '"a\\nb"', "x" * 101):
            with self.subTest(name=name):
                done = self.run_fast(arm7(name=name))
                fails(self, done, 1, "config.yaml:", "name: ")
        self.assertEqual(self.run_fast(arm7(name="linker Arm-1.ü")).returncode, 0)

    def test_an_arm_without_a_name_is_called_as_the_robots_file(self):
        arm = f"{{robot: {DATA / 'singular_tip.urdf'}, trajectory: {{type: sinusoid, amplitude: 0.1}}}}"
        two = f"duration_s: 0.2\narms: [{arm}, {{name: other, robot: arm7, trajectory: {MOVES}}}]\n"
        done = self.run_fast(two)
        self.assertEqual(done.returncode, 3, done.error)
        self.assertIn("log.singular_tip.csv", self.contents())

    def test_names_are_no_markup_in_any_report(self):
        """Nor do they end the data of a page's scripts."""
        evil = '</script><script>alert("1")</script><img src=x onerror=alert(2)><!--'
        pages = {}
        for kind, name in (("plain", "arm"), ("evil", evil)):
            robot = self.folder / f"{kind}.urdf"
            robot.write_text(TURN.replace("@NAME@", escape(name, {'"': "&quot;"})))
            done = self.run_fast(f"robot: {robot}\nduration_s: 5\ntrajectory: {{type: sinusoid, amplitude: 0.5}}\n"
                                 f"title: {json.dumps(name)}\ncontroller: {{validation: {{mode: 'off'}}}}\nevents: [{{at: 1, attach: "
                                 f"{{name: {json.dumps(name.replace('/', '').replace(' ', ''))}, link: {json.dumps(name)}, mass: 0.1}}}}]\n")
            self.assertEqual(done.returncode, 0, done.error)
            log = self.out / "log.csv"
            for command in ("replay", "identify"):
                done = run(command, robot, log, "--cutoff", 20, "--out", self.folder / command)
                self.assertEqual(done.returncode, 0, done.error)
            for folder in ("out", "replay", "identify"):
                pages[kind, folder] = (self.folder / folder / "report.html").read_text()
        for folder in ("out", "replay", "identify"):
            page, plain = pages["evil", folder], pages["plain", folder]
            for mark in ("<script", "</script", "<img", "<!--"):
                self.assertEqual(page.count(mark), plain.count(mark), (folder, mark))
            data = json.loads(page.split('id="data">')[1].split("</script>")[0])
            self.assertIn(json.dumps(evil), json.dumps(data), folder)

    def test_a_payload_that_hangs_on_a_payload(self):
        events = (f"[{{at: 0.1, attach: {BOX}}}, {{at: 0.2, attach: {{name: lid, link: box/body, mass: 0.2}}}},"
                  " {at: 0.4, detach: lid}, {at: 0.5, detach: box}]")
        done = self.run_fast(arm7(events=events))
        self.assertEqual(done.returncode, 0, done.error)
        page = (self.out / "report.html").read_text()
        self.assertIn('"name":"lid/body"', page)


if __name__ == "__main__":
    unittest.main()
