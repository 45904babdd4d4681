# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""A payload learnt in motion (event `estimate`): how precisely, with either engine; what becomes of it; what is refused."""
import csv
import os
import sys
import unittest

from run_process import RunTest, arm7

ENGINES = os.environ.get("DYN_ENGINES", "native").split(",")
NOISE = "{position: 1e-5, velocity: 1e-5, torque: 0.05}"
MOVES = ("{type: sinusoid, centre: [0, 0.5, 0, 1.2, 0, 0.5, 0], amplitude: [0.4, 0.4, 0.4, 0.4, 0.4, 0.5, 0.5], "
         "frequency_hz: [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6]}")
MASS, COM = 3.0, (0.02, -0.03, 0.08)
BOX = f"{{name: %s, link: tool0, mass: {MASS}, com: {list(COM)}, inertia: [0.0069, 0, 0, 0.0061, 0, 0.005]}}"
TAKE = f"{{at: 0.2, attach: {BOX % 'box'}, on: plant}}"
ESTIMATE = "{at: 0.5, estimate: {link: tool0, name: learnt%s}}"


class Estimate(RunTest):
    def moves(self, events, engine="native", duration=5, code=0, plant="", **more):
        text = arm7(duration_s=str(duration), trajectory=MOVES, events=f"[{events}]",
                    expect="{tracking_rms: 9, tracking_max: 9}", plant=f"{{engine: {engine}, noise: {NOISE}{plant}}}", **more,
                    controller="{friction_compensation: true, gains: {default: {p: 400, d: 40}}, "
                               "validation: {mode: 'off'}}")
        done = self.run_fast(text)
        self.assertEqual(done.returncode, code, done.error)
        return self.results()

    def estimate(self, *arguments, **more):
        (found,) = self.moves(*arguments, **more)["arms"][0]["estimates"]
        return found

    def assert_in_place(self, found, mass=MASS, com=COM):
        self.assertTrue(found["converged"], found["text"])
        self.assertLess(abs(found["mass"] - mass), 0.01 * mass)
        self.assertLess(sum((a - b) ** 2 for a, b in zip(found["com"], com)) ** 0.5, 5e-3)

    def error_after(self, begin_s):
        with open(self.out / "log.csv", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if float(row["time_s"]) >= begin_s]
        squares = [float(x) ** 2 for row in rows for name, x in row.items() if name.startswith("position_error.")]
        return (sum(squares) / len(squares)) ** 0.5

    def learn_attach_and_compare(self, engine, torque, torques, **more):
        """Tracking errors before, after the learnt payload is attached, and with a told one instead."""
        run = self.moves(f"{TAKE}, {ESTIMATE % f', duration: 2, attach: true, torque: {torque}'}", engine, **more)
        (found,) = run["arms"][0]["estimates"]
        self.assert_in_place(found)
        self.assertLessEqual(found["motion_s"], 2.0)
        self.assertEqual(found["proposal"], "attach")
        self.assertAlmostEqual(found["attached_s"], 2.5, delta=2e-3)
        self.assertEqual(run["allocations_in_loop"], 0)
        self.assertEqual(run["events"][1]["label"], "estimate learnt on tool0")
        self.assertEqual(len(found["history"]), 20)
        self.assertEqual(found["torques"], torques)
        learnt, before = self.error_after(3.5), self.error_after(0.5)
        self.moves(f"{TAKE}, {{at: 2.5, attach: {BOX % 'told'}, on: model}}", engine, **more)
        told = self.error_after(3.5)
        centre = sum((a - b) ** 2 for a, b in zip(found["com"], COM)) ** 0.5
        print(f"{engine}, {'+'.join(torques)}: mass off by {1e3 * abs(found['mass'] - MASS):.2f} g, sigma "
              f"{1e3 * found['sigma']['mass']:.2f} g, centre off by {1e3 * centre:.2f} mm, tracking error "
              f"{before:.2g} rad before, {learnt:.2g} after, {told:.2g} with the told one", file=sys.stderr)
        self.assertLess(learnt, 2 * told)
        return before, learnt

    def test_mass_and_centre_within_two_seconds_of_motion_and_tracking_as_if_told(self):
        for engine in ENGINES:
            for torque, torques in (("commanded", ["commanded"]), ("sensed", ["commanded", "sensed"])):
                with self.subTest(engine=engine, torque=torque):
                    before, learnt = self.learn_attach_and_compare(engine, torque, torques)
                    self.assertGreater(before, 3 * learnt, "it was worth it")

    def test_drives_whose_friction_is_another_do_not_count_beside_sensors(self):
        rougher = ", ".join(f"{{joint: joint{k}, damping: 3, friction: 2}}" for k in range(1, 8))
        for engine in ENGINES:
            with self.subTest(engine=engine):
                before, learnt = self.learn_attach_and_compare(engine, "sensed", ["sensed"],
                                                               plant=f", plant_overrides: [{rougher}]")
                self.assertGreater(before, learnt)

    def test_at_another_rate_of_the_loop(self):
        for rate in (500, 2000):
            with self.subTest(rate=rate):
                found = self.estimate(f"{TAKE}, {ESTIMATE % ''}", duration=3, rate_hz=str(rate))
                self.assert_in_place(found)
                self.assertAlmostEqual(found["motion_s"], 2.0, delta=0.01)

    def test_unless_asked_it_ends_with_a_proposal(self):
        found = self.estimate(f"{TAKE}, {ESTIMATE % ''}")
        self.assertEqual((found["proposal"], found["attached_s"]), ("attach", None))

    def test_what_has_not_converged_is_not_attached(self):
        still = "{at: 0.5, estimate: {link: tool0, duration: 1.5, attach: true, torque: sensed}}"
        text = arm7(duration_s="3", trajectory="{type: sinusoid, centre: [0, 0.5, 0, 1.2, 0, 0.5, 0], amplitude: 0}",
                    events=f"[{TAKE}, {still}]", plant=f"{{friction: true, noise: {NOISE}}}")
        self.assertEqual(self.run_fast(text).returncode, 0)
        (found,) = self.results()["arms"][0]["estimates"]
        self.assertEqual((found["converged"], found["proposal"], found["attached_s"]), (False, "none", None))
        self.assertIn("not converged", found["text"])
        self.assertEqual(found["torques"], ["sensed"], "what friction holds is not known")

    def test_what_the_effort_limits_cannot_carry_is_not_attached(self):
        weaker = "{at: 2.45, set: {effort_limit_scale: 0.1}}"
        found = self.estimate(f"{TAKE}, {ESTIMATE % ', attach: true'}, {weaker}", duration=2.6)
        self.assertTrue(found["converged"], found["text"])
        self.assertIsNone(found["attached_s"])
        self.assertIn("gravity takes", found["text"])

    def test_what_disagrees_with_a_told_payload_is_not_attached(self):
        told = f"{{at: 0.3, attach: {{name: told, link: tool0, mass: 2.0, com: {list(COM)}, inertia: [0.005, 0, 0, 0.005, 0, 0.005]}}, on: model}}"
        for engine in ENGINES:
            with self.subTest(engine=engine):
                found = self.estimate(f"{TAKE}, {told}, {ESTIMATE % ', attach: true'}", engine)
                self.assert_in_place(found)
                self.assertEqual((found["proposal"], found["attached_s"]), ("none", None))
                self.assertIn("disagrees with the told payload 'told' of 2 kg", found["text"])

    def test_a_told_payload_that_is_there_is_kept_and_a_dropped_one_noticed(self):
        both = f"{{at: 0.2, attach: {BOX % 'box'}}}"
        again = "{at: 4, estimate: {link: tool0, duration: 2, attach: true}}"
        drop = "{at: 3, detach: box, on: plant}"
        for engine in ENGINES:
            with self.subTest(engine=engine):
                run = self.moves(f"{both}, {ESTIMATE % ''}, {drop}, {again}", engine, duration=7)
                kept, dropped = run["arms"][0]["estimates"]
                self.assertEqual(kept["proposal"], "keep", kept["text"])
                self.assertEqual((dropped["proposal"], dropped["payloads"]), ("detach", ["box"]), dropped["text"])
                self.assertIn("was dropped", dropped["text"])

    def test_events_after_an_estimate_are_in_time_and_another_model_ends_it(self):
        late = f"{{at: 1.0, attach: {BOX % 'late'}}}, {{at: 3.0, set: {{jsim_algorithm: crba}}}}, {{at: 3.5, detach: late}}"
        run = self.moves(f"{ESTIMATE % ', attach: true'}, {late}", duration=4)
        (found,) = run["arms"][0]["estimates"]
        self.assertIn("model changed", found["text"])
        self.assertTrue(all(e["ok"] for e in run["events"]), run["events"])
        for event in run["events"]:
            self.assertAlmostEqual(event["applied_s"], event["planned_s"], delta=2e-3)

    def test_one_at_a_time_and_a_run_that_ends_first(self):
        second = "{at: 1.0, estimate: {link: tool0, duration: 2}}"
        run = self.moves(f"{ESTIMATE % ', duration: 3'}, {second}", duration=2, code=3)
        self.assertIn("another estimate is going on", run["events"][1]["error"])
        first, _ = run["arms"][0]["estimates"]
        self.assertFalse(first["over"])
        self.assertIn("the run ended", first["text"])

    def test_a_refused_one_leaves_the_one_that_goes_on(self):
        second = "{at: 1.0, estimate: {link: tool0, duration: 0.5}}"  # its end would come first
        run = self.moves(f"{TAKE}, {ESTIMATE % ''}, {second}", duration=3, code=3)
        first, refused = run["arms"][0]["estimates"]
        self.assert_in_place(first)
        self.assertTrue(first["over"])
        self.assertEqual((refused["over"], refused["history"]), (False, []))

    def test_wrong_settings_are_one_sentence(self):
        for wrong, word in (("{link: nowhere}", "no link 'nowhere'"), ("{link: tool0, duration: -1}", "duration"),
                            ("{link: tool0, torque: guessed}", "guessed"), ("{link: tool0, mass: 3}", "mass")):
            done = self.run_fast(arm7(events=f"[{{at: 0.1, estimate: {wrong}}}]"))
            self.assertIn(done.returncode, (1, 3))
            self.assertIn(word, done.error)


if __name__ == "__main__":
    unittest.main()
