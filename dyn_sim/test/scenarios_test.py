# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""The scenarios of config/scenarios, each run to its end as fast as it goes and judged by its results.json."""
import csv
import json
import math
import os
import re
import tempfile
import unittest
from pathlib import Path

from dyn_process import fails, run

SCENARIOS = Path(__file__).parents[2] / "config" / "scenarios"
ENGINES = os.environ.get("DYN_ENGINES", "native").split(",")


class Scenarios(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.out = Path(self.directory.name)

    def run_scenario(self, name, engine, change):
        """The process; `change` is a list of (old, new) texts."""
        config = SCENARIOS / f"{name}.yaml"
        if change:
            text = config.read_text()
            for old, new in change:
                self.assertIn(old, text)
                text = text.replace(old, new)
            config = self.out / f"{name}.yaml"
            config.write_text(text)
        return run("run", config, "--fast", "--engine", engine, "--out", self.out, "--json")

    def play_failing(self, name, engine, change=None):
        """Why a scenario fails that is to fail, as standard error says."""
        done = self.run_scenario(name, engine, change)
        self.assertEqual(done.returncode, 3, done.error)
        return done.error

    def play(self, name, engine="native", change=None):
        """results.json of a scenario that succeeds."""
        done = self.run_scenario(name, engine, change)
        self.assertEqual(done.returncode, 0, done.error)
        results = json.loads((self.out / "results.json").read_text())
        self.assertEqual(results, json.loads(done.text))
        self.assertFalse(results["interrupted"])
        self.assertEqual(results["cycles"], round(results["rate_hz"] * results["duration_s"]))
        self.assertEqual(results["validation"]["breaches"], 0)
        for event in results["events"]:
            self.assertTrue(event["ok"], event)
        if results["allocations_in_loop"] is not None:
            self.assertEqual(results["allocations_in_loop"], 0)
        return results

    def test_computed_torque(self):
        for engine in ENGINES:
            with self.subTest(engine=engine):
                results = self.play("arm7_computed_torque", engine)
                self.assertLess(results["tracking"]["rms"], {"native": 5e-7, "mujoco": 5e-6}[engine])
                self.assertEqual(results["arms"][0]["plant"], engine)

    def test_wrong_model(self):
        if run("info", "panda").returncode != 0:  # without the package example-robot-data
            done = run("run", SCENARIOS / "panda_wrong_model.yaml", "--fast", "--out", self.out)
            return fails(self, done, 1, "panda")
        for engine in ENGINES:
            with self.subTest(engine=engine):
                results = self.play("panda_wrong_model", engine)
                feedforward, computed = (arm["tracking"]["rms"] for arm in results["arms"])
                self.assertEqual([arm["law"] for arm in results["arms"]], ["feedforward", "computed_torque"])
                self.assertGreater(feedforward, 2e-3, "the model is wrong, and that shows")
                self.assertLess(computed, 0.5 * feedforward)

    def test_payload_pick_and_drop(self):
        for engine in ENGINES:
            with self.subTest(engine=engine):
                results = self.play("payload_pick_and_drop", engine)
                self.assertLess(results["tracking"]["rms"], 1e-4)
                self.assertEqual(results["arms"][0]["collisions"], {"begins_s": [], "cycles": 0})

    def test_a_payload_unknown_to_the_model_is_a_collision(self):
        results = self.play("payload_pick_and_drop", change=[("{at: 1.5, attach:", "{at: 1.5, on: plant, attach:"),
                                                             ("detach: box}", "on: plant, detach: box}")])
        self.assertGreater(results["arms"][0]["collisions"]["cycles"], 100)
        self.assertGreater(results["tracking"]["max"], 1e-3)

    def test_crucible(self):
        for engine in ENGINES:
            with self.subTest(engine=engine):
                rates = {}
                for damping in (4.0, 0.0):
                    self.play("crucible_anti_swing", engine, [("passive_damping: 4.0", f"passive_damping: {damping}")])
                    rows = self.log()
                    swing = [row["q.crucible/swing"] for row in rows]
                    on = [i for i, angle in enumerate(swing) if not math.isnan(angle)]
                    self.assertEqual((on[0], on[-1] + 1), (600, 11600), "it is there from its attachment to its end")
                    self.assertGreater(abs(rows[600]["v.joint1"]), 0.1, "taken in motion")
                    self.assertGreater(abs(rows[11600]["v.joint1"]), 0.1, "put down in motion")
                    self.assertTrue(math.isnan(rows[1000]["q_reference.crucible/swing"]), "nobody says where it is to be")
                    rates[damping] = max(abs(row["v.crucible/swing"]) for row in rows[9000:10800])
                self.assertGreater(rates[0.0], 0.3, "without anti-swing it swings on")
                self.assertLess(rates[4.0], 0.01 * rates[0.0])

    def log(self):
        with open(self.out / "log.csv", encoding="utf-8") as file:
            return [{name: float(value) for name, value in row.items() if name not in ("jsim", "flags")}
                    for row in csv.DictReader(file)]

    def test_module_on_and_off(self):
        for engine in ENGINES:
            with self.subTest(engine=engine):
                results = self.play("module_on_and_off", engine)
                self.assertEqual(results["arms"][0]["coordinates"], [f"joint{k}" for k in range(1, 9)])
                self.assertLess(results["tracking"]["max"], 1e-3)
                self.assertEqual(results["validation"]["samples"], 900)
                rows = self.log()
                there = [i for i, row in enumerate(rows) if not math.isnan(row["q.joint8"])]
                self.assertEqual((there[0], there[-1] + 1), (2250, 6700))
                self.assertEqual(len(there), 6700 - 2250)
                self.assertGreater(max(abs(rows[i]["v.joint8"]) for i in there), 0.5, "its motor moves it")
                self.assertGreater(max(abs(rows[6699][f"v.joint{k}"]) for k in range(1, 9)), 0.2, "taken off in motion")
                largest = 0.0
                for row, after in zip(rows, rows[1:]):
                    for k in range(1, 9):
                        step = after[f"applied.joint{k}"] - row[f"applied.joint{k}"]
                        largest = max(largest, 0.0 if math.isnan(step) else abs(step))
                self.assertLess(largest, 1.0 + 1e-9, "N m a cycle at effort_rate_limit 1000")
                self.assertGreater(largest, 0.9, "without the limit it is 3.4")
                for at in (2250, 6700):  # nothing from outside is seen in the change
                    self.assertLess(max(abs(rows[i][f"external.joint{k}"]) for i in range(at, at + 100) for k in range(1, 8)),
                                    0.5)

    def test_algorithm_tour(self):
        results = self.play("algorithm_tour")
        used = [e["label"].split(" = ")[1] for e in results["events"] if e["label"].startswith("jsim")]
        self.assertEqual(len(set(used + ["explicit"])), 9)
        self.assertLess(results["tracking"]["rms"], 5e-7)

    def test_collision(self):
        for engine in ENGINES:
            with self.subTest(engine=engine):
                results = self.play("collision", engine)
                begins = results["arms"][0]["collisions"]["begins_s"]
                self.assertEqual(len(begins), 2, begins)
                for at, push in zip(begins, (1.0, 3.0)):
                    self.assertGreater(at, push)
                    self.assertLess(at, push + 0.020)

    def test_two_arms(self):
        for engine in ENGINES:
            with self.subTest(engine=engine):
                results = self.play("two_arms", engine)
                self.assertEqual([arm["name"] for arm in results["arms"]], ["left", "right"])
                self.assertEqual([arm["law"] for arm in results["arms"]], ["computed_torque", "passivity"])
                self.assertEqual({e["arm"] for e in results["events"]}, {"left", "right"})
                for arm in results["arms"]:
                    self.assertLess(arm["tracking"]["rms"], 1e-3)
                for name in ("log.left.csv", "log.right.csv", "log.mcap", "report.html"):
                    self.assertGreater((self.out / name).stat().st_size, 1000, name)

    def test_feedforward(self):
        coarse = self.play("three_link_feedforward")["tracking"]["rms"]
        fine = self.play("three_link_feedforward", change=[("rate_hz: 1000", "rate_hz: 4000")])["tracking"]["rms"]
        self.assertLess(coarse, 1e-3)
        self.assertLess(fine, 0.3 * coarse)

    def test_faults_of_the_state(self):
        for engine in ENGINES:
            with self.subTest(engine=engine):
                results = self.play("state_lost_briefly", engine)
                self.assertEqual(results["arms"][0]["recorded_with"]["holding"], 30)
                self.assertGreater(results["tracking"]["max"], 1e-6, "the last torque is held")
                for kind in ("nan", "infinite"):
                    causes = self.play_failing("state_lost_briefly", engine,
                                               [("{kind: nan", "{kind: " + kind), ("0.03}", "1}")])
                    self.assertRegex(causes, "at 1.699 s: the controller failed, after holding or safe torques since 1.2 s: "
                                             "its state or its reference is not finite")
                self.assertRegex(self.play_failing("state_frozen", engine),
                                 r"the controller failed, after holding or safe torques since 1\.2\d+ s: "
                                 r"the state of joint 'joint[1-7]' stayed the same to the last bit")
                self.assertRegex(self.play_failing("state_offset", engine), "joint 'joint1' did not follow")

    def test_wipe_table(self):
        if "mujoco" not in ENGINES:  # the only engine with contacts
            done = run("run", SCENARIOS / "wipe_table.yaml", "--fast", "--out", self.out)
            return fails(self, done, 1, "mujoco")
        results = self.play("wipe_table", "mujoco")
        rows = self.log()
        wiping = [row for row in rows if 2.6 < row["time_s"] < 7.5 and not 4.95 < row["time_s"] < 6.0]
        for row in wiping:
            self.assertAlmostEqual(row["wall_force.z"], 15.0, delta=0.3)
            self.assertLess(math.hypot(row["wall_force.x"], row["wall_force.y"]), 0.2001 * row["wall_force.z"], "friction")
            self.assertAlmostEqual(row["frame.z"], 0.34, delta=1e-3)
        still = rows[2450]  # the law presses with 15 N and with the stiffness times the depth of the target
        self.assertAlmostEqual(still["wall_force.z"], 15.0 + 500.0 * (still["frame.z"] - still["frame_target.z"]), delta=0.3)
        self.assertAlmostEqual(still["wall_force.z"], -still["frame_force.z"], delta=0.3)
        self.assertEqual(results["arms"][0]["frame"]["wall_force"]["end"], [0.0, 0.0, 0.0], "lifted")
        pushed = [row for row in rows if 5.0 < row["time_s"] < 6.5]
        self.assertGreater(max(row["q.joint3"] for row in pushed) - min(row["q.joint3"] for row in pushed), 0.05,
                           "the elbow gives way")

    def test_every_scenario_is_tested(self):
        played = set(re.findall(r'self\.play(?:_failing)?\("(\w+)"', Path(__file__).read_text()))
        self.assertEqual({file.stem for file in SCENARIOS.glob("*.yaml")}, played)


BOX = "attach: {name: box, link: tool0, mass: 3.0, com: [0, 0, 0.06], inertia: [0.0072, 0, 0, 0.0072, 0, 0.006]}"


class PayloadInMotion(unittest.TestCase):
    """3 kg are put on the arm in motion, 1 s into a move; the model knows at once, late, by a ramp, or never."""

    def error(self, engine, *events):
        """The largest tracking error from 1 s on."""
        text = (SCENARIOS / "payload_pick_and_drop.yaml").read_text()
        text = text[: text.index("events:")] + "events:\n" + "".join(f"  - {{{event}}}\n" for event in events)
        with tempfile.TemporaryDirectory() as out:
            config = Path(out) / "motion.yaml"
            config.write_text(text)
            done = run("run", config, "--fast", "--duration", "2.5", "--engine", engine, "--out", out, "--json")
            self.assertEqual(done.returncode, 0, done.error)
            for event in json.loads(done.text)["events"]:
                self.assertTrue(event["ok"], event)
            with open(Path(out) / "log.csv", encoding="utf-8") as file:
                return max(abs(float(row[f"position_error.joint{k}"])) for row in csv.DictReader(file)
                           if float(row["time_s"]) > 1.0 for k in range(1, 8))

    def test_the_same_cycle_is_as_good_as_from_the_start(self):
        for engine in ENGINES:
            with self.subTest(engine=engine):
                known = self.error(engine, f"at: 0.0, {BOX}")
                same_cycle = self.error(engine, f"at: 1.0, {BOX}")
                late = self.error(engine, f"at: 1.0, on: plant, {BOX}", f"at: 1.001, on: model, {BOX}")
                ramped = self.error(engine, f"at: 1.0, transition_time: 0.1, {BOX}")
                never = self.error(engine, f"at: 1.0, on: plant, {BOX}")
                print(f"{engine}: known {known:.2e}, same cycle {same_cycle:.2e}, a cycle late {late:.2e}, "
                      f"ramped {ramped:.2e}, never {never:.2e} rad")
                self.assertLess(same_cycle, 2.0 * known)
                self.assertGreater(late, same_cycle)
                self.assertGreater(ramped, late)
                self.assertGreater(never, 1000.0 * known)


class Engine(unittest.TestCase):
    def test_a_library_that_is_not_there_is_named(self):
        environment = dict(os.environ, DYN_MUJOCO_LIBRARY="/nowhere/libmujoco.so")
        with tempfile.TemporaryDirectory() as out:
            done = run("run", SCENARIOS / "collision.yaml", "--fast", "--engine", "mujoco", "--out", out,
                       environment=environment)
        fails(self, done, 1, "mujoco")
        if "mujoco" in ENGINES:
            self.assertIn("/nowhere/libmujoco.so", done.error)


if __name__ == "__main__":
    unittest.main()
