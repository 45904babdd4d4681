# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Invalid inputs: names, files that are not regular, YAML with duplicate keys, columns that are swapped."""
import csv
import json
import os
import shutil
import unittest
from pathlib import Path

from dyn_process import BRANCH, DATA, evaluate, fails, run
from run_process import RunTest, arm7

ROBOT = "config.yaml:"


class Paths(RunTest):
    def test_a_nul_does_not_name_another_file(self):
        shutil.copy(BRANCH, self.folder / "branch.urdf")
        (self.folder / "moves.csv").write_text("0,0,0,0,0,0,0,0\n1,0,0,0,0,0,0,0\n")
        for text in (
            arm7(robot=f'"{self.folder}/branch.urdf\\0.txt"'),
            arm7(robot='"branch.urdf\\0.txt"'),
            arm7(robot='"arm7\\0.txt"'),
            arm7(trajectory='{type: file, path: "moves.csv\\0.txt"}'),
            arm7(events='[{at: 0.1, attach: {name: swing, link: tool0, urdf: "' + str(DATA) + '/swing.urdf\\0.txt"}}]'),
            arm7(events='[{at: 0.1, attach: {name: swing, link: tool0, urdf: "swing.urdf\\0.txt"}}]'),
        ):
            with self.subTest(text):
                fails(self, self.run_fast(text), 1, "\\0.txt", "NUL")

    def test_a_nul_in_a_line_of_eval(self):
        for urdf in (str(DATA / "swing.urdf") + "\0.txt", "\0", "x.urdf\0"):
            (answer,) = evaluate(BRANCH, {"attach": {"name": "swing", "link": "tool", "urdf": urdf}})
            self.assertFalse(answer["ok"])
            self.assertIn("NUL", answer["error"])

    def test_names_too_long_for_a_file(self):
        long = "x." * 3000
        for text in (arm7(robot=long), arm7(events=f"[{{at: 0.1, attach: {{name: a, link: tool0, urdf: {long}}}}}]"),
                     arm7(trajectory=f"{{type: file, path: {long}}}")):
            done = self.run_fast(text)
            fails(self, done, 1, "x.x.x.")
            self.assertNotIn("filesystem error", done.error)

    def test_every_refusal_has_a_reason(self):
        names = ("", "\0", "\n", "a\0b", "\x01", " ", "/", "x" * 400, "nobody")
        lines = [{"attach": {"name": name, "link": "tool", "mass": 1, "com": [0, 0, 0], "inertia": [1, 0, 0, 1, 0, 1]}}
                 for name in names[:-1]]
        lines += [{command: name} for name in names for command in ("detach", "jsim", "coriolis", "fd", "id", "gravity")]
        lines += [{"attach": {"name": "a", "link": name, "urdf": name}} for name in names]
        lines += [{"attach": value} for value in ({}, [], None, 1, "")]
        for line, answer in zip(lines, evaluate(BRANCH, *lines)):
            with self.subTest(line):
                self.assertFalse(answer["ok"])
                self.assertGreater(len(answer["error"].split()), 2)

    def test_fifos_and_devices_are_not_read(self):
        for name in ("fifo.yaml", "fifo.urdf", "fifo.urdf.xacro", "fifo.csv", "fifo"):
            os.mkfifo(self.folder / name)
        for robot in ("fifo.urdf", "fifo.urdf.xacro", "./fifo"):
            with self.subTest(robot=robot):
                fails(self, run("info", robot, cwd=self.folder), 1, robot, "regular file")
                fails(self, self.run_fast(arm7(robot=self.folder / robot)), 1, "fifo", "regular file")
        fails(self, run("info", "/dev/zero"), 1, "regular file")
        fails(self, run("run", self.folder / "fifo.yaml"), 1, "fifo.yaml", "regular file")
        fails(self, run("run", "/dev/zero"), 1, "regular file")
        fails(self, self.run_fast(arm7(trajectory="{type: file, path: fifo.csv}")), 1, "fifo.csv", "regular file")
        attach = {"attach": {"name": "a", "link": "tool", "urdf": str(self.folder / "fifo.urdf")}}
        (answer,) = evaluate(BRANCH, attach)
        self.assertIn("regular file", answer["error"])
        environment = {**os.environ, "DYN_MUJOCO_LIBRARY": str(self.folder / "fifo")}
        done = run("run", self.config(arm7(plant="{engine: mujoco}")), "--fast", "--out", self.out,
                   environment=environment)
        self.assertEqual(done.returncode, 1, done.error)

    def test_a_file_through_a_link_is_read(self):
        (self.folder / "link.urdf").symlink_to(BRANCH)
        self.assertEqual(run("info", self.folder / "link.urdf").returncode, 0)


class EmptyArguments(unittest.TestCase):
    def test_they_end(self):
        for call in (["bench", BRANCH, "", "--json"], ["count", BRANCH, "", "--json"], ["info", BRANCH, ""],
                     ["count", BRANCH, "--json", ""], ["run", "", ""], ["", "info"], ["info", BRANCH, "", ""],
                     ["robots", ""], ["eval", BRANCH, "--gravity", ""], ["eval", BRANCH, "--jsim", ""]):
            with self.subTest(call):
                fails(self, run(*call), 2)

    def test_an_empty_name_is_no_robot(self):
        for command in ("info", "eval", "count", "bench", "validate"):
            fails(self, run(command, ""), 1, "dyn " + command, "robot ''")
        fails(self, run("run", ""), 1, "dyn run")


class Yaml(RunTest):
    def refused(self, text, *words):
        fails(self, self.run_fast(text), 1, "config.yaml:", *words)

    def test_duplicate_keys(self):
        self.refused(arm7() + "duration_s: 2\n", ":6: ", "duplicate", "duration_s")
        self.refused(arm7(plant="{step: 0, step: 1e-3}"), "plant", "duplicate", "step")
        self.refused(arm7(controller="{gains: {joint1: {p: 1, d: 1, p: 2}}}"), "gains.joint1", "duplicate", "'p'")
        self.refused(arm7(events="[{at: 0.1, at: 0.2, detach: a}]"), "events[0]", "duplicate", "at")

    def test_keys_that_are_no_names(self):
        self.refused(arm7() + "[a, b]: 1\n", "a key is not a name")

    def test_an_unknown_key_is_answered_with_all_that_are_known(self):
        joints = ", ".join(f"joint{k}" for k in range(1, 8))
        self.refused(arm7(controller="{gains: {joint9: {p: 1}}}"), "controller.gains.joint9", f"known keys: default, {joints}")
        self.refused(arm7(controller="{foo: 1}"), "acceleration_limit, ", "effort_limit, ")
        self.refused(arm7(foo=1), "known keys: allow_impossible_inertia, arms, controller, cpu, duration_s")
        self.refused(arm7(trajectory="{type: quintic, way_points: [[0, 0, 0, 0, 0, 0, 0]], foo: 1}"),
                     "known keys: move_time, type, velocity_scale, way_points")

    def test_the_known_keys_of_the_controller_are_in_the_documents(self):
        page = (Path(__file__).resolve().parents[2] / "docs" / "run.md").read_text(encoding="utf-8")
        table = page[page.index("### The controller's parameters"):page.index("### Trajectories")]
        for kind in ("computed_torque", "task_space, frame: tool0"):
            error = self.run_fast(arm7(start="[0, 0.5, 0, 1, 0, 0.5, 0]", controller=f"{{type: {kind}, foo: 1}}")).error
            for key in error.split("known keys: ")[1].strip().split(", "):
                self.assertIn(f"`{key}`", table)

    def test_the_known_keys_of_the_plant_are_in_the_documents(self):
        page = (Path(__file__).resolve().parents[2] / "docs" / "run.md").read_text(encoding="utf-8")
        table = page[page.index("## Plants"):]
        for engine in ("native", "mujoco"):
            error = self.run_fast(arm7(plant=f"{{engine: {engine}, foo: 1}}")).error
            keys = error.split("known keys: ")[1].strip().split(", ")
            self.assertIn("state_fault", keys)
            for key in keys:
                self.assertIn(f"`{key}", table)

    def test_file_line_and_key_of_a_value(self):
        for change, *words in (
                ({"controller": "{type: pid}"}, ":4: controller.type: 'pid' must be one of computed_torque"),
                ({"controller": "{gravity_compensation: yes}"}, ":4: controller.gravity_compensation: 'yes' must be one of full"),
                ({"controller": "{jsim_algorithm: best}"}, ":4: controller.jsim_algorithm: unknown algorithm 'best'", "gdahj"),
                ({"controller": "{coriolis_algorithm: best}"}, ":4: controller.coriolis_algorithm: unknown algorithm 'best'"),
                ({"controller": "{validation: {fallback: best}}"},
                 ":4: controller.validation.fallback: unknown algorithm 'best'"),
                ({"controller": "{passive_joints: [elbow]}"}, ":4: controller.passive_joints: the robot has no joint 'elbow'"),
                ({"controller": "{payload_link: hand}"}, ":4: controller.payload_link: the robot has no link 'hand'"),
                ({"controller": "{payload_link: base_link}"}, ":4: controller.payload_link: link 'base_link' does not move"),
                ({"controller": "\n  ramp_in: 1\n  adaptation_mass: 0"}, ":6: controller.adaptation_mass: 0 is not above 0"),
                ({"plant": "{plant_overrides: [{link: hand}]}"}, ":3: plant.plant_overrides[0].link: the robot has no link 'hand'"),
                ({"plant": "{state_fault: {at: 1, duration: 1}}"}, ":3: plant.state_fault.kind: is missing"),
                ({"plant": "{state_fault: {kind: lost, at: 1, duration: 1}}"},
                 ":3: plant.state_fault.kind: 'lost' must be nan, infinite, frozen or offset"),
                ({"plant": "{state_fault: {kind: nan, at: -1, duration: 1}}"}, ":3: plant.state_fault.at: -1 is not from 0"),
                ({"plant": "{plant_overrides: [{joint: elbow}]}"},
                 ":3: plant.plant_overrides[0].joint: the robot has no joint 'elbow'"),
                ({"plant": "{engine: mujoco, walls: [{link: hand}]}"}, ":3: plant.walls[0].link: the robot has no link 'hand'"),
                ({"plant": "{walls: [{link: tool0}]}"}, ":3: plant.walls: the native engine has no contacts")):
            with self.subTest(change):
                self.refused(arm7(**change), *words)

    def test_what_is_missing(self):
        self.refused("robot: arm7\n", "config.yaml: trajectory: is missing")
        self.refused("arms:\n- {robot: arm7}\n", "config.yaml: arms[0].trajectory: is missing")
        self.refused("robot: arm7\ntrajectory: {}\n", "config.yaml:2: trajectory.type: is missing")

    def test_a_second_document(self):
        self.refused(arm7() + "---\nduration_s: 2\n", ":7: ", "second document")
        self.refused("---\n---\n" + arm7(), ":3: ", "second document")
        self.assertEqual(self.run_fast("---\n" + arm7(duration_s="0.1") + "...\n---\n---\n").returncode, 0)

    def test_what_can_begin_no_document(self):  # and where the parser would stay for ever
        self.refused(",robot: arm7\n", ":1: not YAML: unexpected ','")
        self.refused("!!map\n, robot: arm7\n", ":2: not YAML: unexpected ','")
        self.refused(arm7() + ", a: 1\n", "not YAML")

    def test_times_that_run_backwards(self):
        push = "[{at: 0.1, push: {link: tool0, force: [1, 0, 0], duration: %s}}]"
        self.refused(arm7(events=push % "-1"), "duration", "not above 0")
        self.refused(arm7(events=push % "0"), "duration", "not above 0")
        self.refused(arm7(events="[{at: 0.1, detach: a, transition_time: -1}]"), "transition_time", "below 0")
        self.refused(arm7(plant="{step: -1e-3}"), "step", "below 0")
        self.refused(arm7(plant="{step: 1.0e-300, tolerance: 0}"), "step", "1e-9")
        move = "{type: quintic, move_time: %s, way_points: [[0, 0, 0, 0, 0, 0, 0], [0.1, 0, 0, 0, 0, 0, 0]]}"
        for time in ("0", "-1", "1.0e-300", "5.0e-324"):
            fails(self, self.run_fast(arm7(trajectory=move % time)), 1, "move_time", "0.001")

    def test_places_outside_the_limits(self):
        points = "[[0, 0, 0, 0, 0, 0, 0], [0, 9, 0, 0, 0, 0, 0]]"
        for text in (arm7(start="[0, 9, 0, 0, 0, 0, 0]"),
                     arm7(trajectory=f"{{type: quintic, way_points: {points}}}"),
                     arm7(trajectory=f"{{type: trapezoidal, way_points: {points}}}"),
                     arm7(trajectory="{type: sinusoid, centre: [0, 9, 0, 0, 0, 0, 0], phase_deg: 0}"),
                     arm7(trajectory="{type: fourier, centre: [0, 9, 0, 0, 0, 0, 0]}")):
            with self.subTest(text):
                self.refused(text, "'joint2' at 9", "limits")

    def test_a_robot_that_is_not_known(self):
        self.refused(arm7(robot="arm77"), "config.yaml:1: robot: there is no file and no robot 'arm77'", "arm7?")
        payload = "[{at: 0, attach: {name: hand, link: flange, urdf: claw.urdf}}]"
        self.refused(arm7(events=payload), "events[0].attach.urdf: claw.urdf: there is no such file")

    def test_a_file_that_is_not_there(self):
        fails(self, run("run", self.folder / "none.yaml"), 1, "none.yaml: cannot be read", "no such file")


class Columns(RunTest):
    HEADING = ["time", *(f"joint{k}" for k in range(1, 8))]

    def csv(self, heading, *rows):
        with open(self.folder / "moves.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([heading, *rows])
        return arm7(trajectory="{type: file, path: moves.csv}", duration_s="0.5")

    def test_they_are_taken_by_name(self):
        start = [0.0, *(0.1 * k for k in range(1, 8))]
        swapped = [0, 2, 1, 7, 4, 5, 6, 3]
        late = [7, *range(7)]  # time is the last column
        for order in (range(8), swapped, late):
            with self.subTest(order=list(order)):
                heading = [self.HEADING[k] for k in order]
                rows = [[row[k] for k in order] for row in (start, [1.0, *start[1:]])]
                done = self.run_fast(self.csv(heading, *rows))
                self.assertEqual(done.returncode, 0, done.error)
                with open(self.out / "log.csv", encoding="utf-8") as file:
                    row = next(csv.DictReader(file))
                for k in range(1, 8):
                    self.assertAlmostEqual(float(row[f"q_reference.joint{k}"]), 0.1 * k, delta=1e-12)

    def test_what_names_no_joint_is_refused(self):
        rows = ([0.0] * 8, [1.0] + [0.0] * 7)
        for heading, words in (
            (["time", "joint1", "joint2", "joint3", "joint4", "joint5", "joint6", "elbow"], ("'elbow'", "joint7")),
            (["time", "joint1", "joint2", "joint3", "joint4", "joint5", "joint6", "joint6"], ("two", "joint6")),
            (["a", "joint1", "joint2", "joint3", "joint4", "joint5", "joint6", "joint7"], ("'a'",)),
            (["time", "time", "joint2", "joint3", "joint4", "joint5", "joint6", "joint7"], ("time",)),
            (self.HEADING[:7], ("joint7",)),
        ):
            with self.subTest(heading=heading):
                fails(self, self.run_fast(self.csv(heading, *rows)), 1, "moves.csv:1: ", *words)

    def test_rows_outside_the_limits_or_too_close(self):
        for row, words in (([1.0, 0, 9, 0, 0, 0, 0, 0], ("moves.csv:3: ", "'joint2' at 9")),
                           ([1e-300, 0, 0, 0, 0, 0, 0, 0], ("moves.csv:3: ", "time"))):
            fails(self, self.run_fast(self.csv(self.HEADING, [0.0] * 8, row)), 1, *words)


if __name__ == "__main__":
    unittest.main()
