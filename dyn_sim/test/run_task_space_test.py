# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""`dyn run` with the law task_space: poses of a frame instead of a trajectory of the joints."""
import csv
import unittest

from dyn_process import fails
from run_process import RunTest

TASK = "{type: task_space, frame: tool0, validation: {mode: 'off'}%s}"
START = "[0, 0.5, 0, -1.5, 0, 1.1, 0]"
POSES = "{type: poses, poses: [{at: 0.8, by: [0, 0.1, 0.05], rpy: [0.2, 3.0, 0.1]}]}"


def hand(**changes):
    """A configuration of arm7 whose hand moves by 11 cm, as YAML; entries of `changes` come instead or besides."""
    entries = {"robot": "arm7", "duration_s": "1", "start": START, "plant": "{friction: false}", "controller": TASK % "",
               "trajectory": POSES, **changes}
    return "".join(f"{key}: {value}\n" for key, value in entries.items() if value is not None)


class TaskSpaceRun(RunTest):
    def rows(self):
        with open(self.out / "log.csv", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def passes(self, text):
        done = self.run_fast(text, "--json")
        self.assertEqual((done.returncode, done.error), (0, ""))
        return self.results()

    def test_the_frame_follows_its_poses(self):
        results = self.passes(hand())
        frame = results["arms"][0]["frame"]
        self.assertEqual(frame["name"], "tool0")
        self.assertEqual(frame["distance"], results["tracking"])
        self.assertLess(frame["distance"]["max"], 1e-6)
        self.assertLess(frame["angle"]["max"], 1e-5)
        self.assertGreater(frame["angle"]["max"], frame["angle"]["rms"])
        self.assertGreater(frame["angle"]["rms"], 0.0)
        self.assertEqual(frame["wall_force"], {"max": 0.0, "end": [0.0, 0.0, 0.0]})
        rows = self.rows()
        way = [float(rows[-1][f"frame.{axis}"]) - float(rows[0][f"frame.{axis}"]) for axis in "xyz"]
        for moved, wanted in zip(way, (0.0, 0.1, 0.05)):
            self.assertAlmostEqual(moved, wanted, delta=1e-6)
        page = (self.out / "report.html").read_text()
        self.assertIn('"frame":{"name":"tool0"', page.replace(" ", ""))

    def test_a_frame_that_is_away_from_its_target_fails_where_that_is_expected(self):
        soft = TASK % ", task: {mode: impedance, stiffness: [200, 200, 200, 30, 30, 30]}"
        push = "[{at: 0.2, push: {link: tool0, force: [0, 0, 10], duration: 0.5}}]"
        self.passes(hand(controller=soft, events=push))
        done = self.run_fast(hand(controller=soft, events=push, expect="{tracking_max: 0.005}"))
        fails(self, done, 3, "the frame was up to 0.0", " m away from its target, more than 0.005")
        self.passes(hand(expect="{tracking_max: 0.005, tracking_rms: 0.001}"))

    def judged(self, text, *words):
        """A run that fails for one cause that has all of `words`, among others."""
        done = self.run_fast(text, "--json")
        self.assertEqual(done.returncode, 3, done.error)
        causes = [failure["cause"] for failure in self.results()["failures"]]
        self.assertTrue(any(all(word in cause for word in words) for cause in causes), causes)

    def test_a_frame_far_from_its_target_fails_without_being_asked(self):
        anvil = "[{at: 0.2, on: plant, attach: {name: anvil, link: tool0, mass: 30, com: [0, 0, 0.05]}}]"
        self.judged(hand(events=anvil), "the frame was up to ", " m away from its target, more than 0.1")
        self.print_row("`task_space`: a payload of 30 kg that is not in the controller's model, attached at 0.2 s")
        far = "{type: poses, poses: [{at: 1, by: [0, 0, 4]}]}"
        self.judged(hand(trajectory=far), "the frame was up to ", "more than 0.1")
        self.judged(hand(trajectory=far), "the frame did not follow", "of the target's motion")
        self.print_row("`task_space`: a target 4 m away")
        self.judged(hand(trajectory=far, expect="{frame_error: 9, frame_angle: 3.1}"), "the frame did not follow")
        self.passes(hand(trajectory=far, expect="{frame_error: 9, tracking_rms: 9}"))
        turned = "{type: poses, poses: [{at: 0.3, by: [0, 0, 0], rpy: [2, 3.1, 0]}]}"
        self.judged(hand(trajectory=turned), "the frame was turned by up to ", " rad from its target, more than 0.35")
        self.passes(hand(trajectory=turned, expect="{frame_angle: 3.1}"))

    def test_armature_that_the_model_lacks(self):
        drives = ", ".join("{joint: joint%d, armature: 10}" % k for k in range(1, 8))
        poses = "{type: poses, poses: [{at: 1, by: [0, 0.3, 0]}, {at: 2, by: [0, -0.3, 0.2]}]}"
        self.judged(hand(duration_s=2, trajectory=poses, plant="{friction: false, plant_overrides: [%s]}" % drives),
                    "the frame was turned by up to ")
        self.print_row("`task_space`: drives with an armature of 10 kg m^2 that is not in the model")

    def test_an_impedance_yields_to_a_push_and_not_to_a_payload(self):
        soft = TASK % ", task: {mode: impedance, stiffness: [100, 100, 100, 5, 5, 5]}"
        push = "[{at: 0.2, push: {link: tool0, force: [0, 0, 30], duration: 0.5}}]"
        self.passes(hand(controller=soft, events=push))
        self.assertGreater(self.results()["tracking"]["max"], 0.1)
        done = self.run_fast(hand(controller=soft, events=push, expect="{tracking_max: 0.1}"))
        fails(self, done, 3, " m away from its target, more than 0.1")
        stiff = TASK % ", task: {p_linear: 25, d_linear: 10}"
        self.judged(hand(controller=stiff, events=push.replace("30", "90")), " m away from its target, more than 0.1")
        box = "[{at: 0.2, on: plant, attach: {name: box, link: tool0, mass: 5, com: [0, 0, 0.05]}}]"
        self.judged(hand(controller=soft, events=box), " m away from its target, more than 0.1")
        # Two seconds after the push it should be back.
        late = hand(controller=soft, duration_s=4, events=push.replace("]}", "]}", 1)[:-1] + ", " + box[1:].replace("0.2", "2"))
        self.judged(late, " m away from its target, more than 0.1")

    def test_parameters_of_the_law_change_while_it_runs(self):
        events = "[{at: 0.3, set: {task.p_linear: 900}}, {at: 0.3, set: {task.d_linear: 60}}]"
        results = self.passes(hand(events=events))
        self.assertEqual([event["ok"] for event in results["events"]], [True, True])
        for change, *words in (("{task.p_linear: -1}", "task.p_linear", "above 0"), ("{task.depth: 1}", "task.depth"),
                               ("{type: computed_torque}", "cannot be chosen or left while it runs")):
            with self.subTest(change=change):
                done = self.run_fast(hand(events="[{at: 0.3, set: %s}]" % change))
                fails(self, done, 1, "events[0].set.", *words)

    def test_a_payload_is_attached_in_motion(self):
        box = "[{at: 0.4, attach: {name: box, link: tool0, mass: 2, com: [0, 0, 0.05], inertia: [0.01, 0, 0, 0.01, 0, 0.01]}}]"
        self.assertLess(self.passes(hand(events=box))["tracking"]["max"], 1e-5)

    def test_what_is_wrong_is_said(self):
        poses = "{type: poses, poses: [%s]}"
        for change, *words in (
                ({"start": None}, "start", "is missing"),
                ({"start": "[0, 0]"}, "start", "has 2 values"),
                ({"controller": "{type: task_space}"}, "controller.frame", "is missing"),
                ({"controller": "{type: task_space, frame: hand}"}, "controller.frame", "no link 'hand'"),
                ({"controller": "{type: task_space, frame: base_link}"}, "controller.frame", "does not move"),
                ({"controller": TASK % ", task: {mode: stiff}"}, "controller.task.mode", "computed_torque or impedance"),
                ({"controller": TASK % ", task: {axes: hand}"}, "controller.task.axes", "base or frame"),
                ({"controller": TASK % ", task: {stiffness: [1, 2]}"}, "controller.task.stiffness", "6 are expected"),
                ({"controller": TASK % ", task: {p_linear: 0}"}, "task.p_linear", "above 0"),
                ({"controller": TASK % ", task: {posture: [1]}"}, "task.posture", "1 joints of 7"),
                ({"controller": TASK % ", task: {depth: 1}"}, "controller.task.depth", "unknown key"),
                ({"controller": "{type: computed_torque}"}, "trajectory.type", "belong to the law task_space"),
                ({"trajectory": "{type: quintic, way_points: []}"}, "trajectory.type", "must be poses"),
                ({"trajectory": poses % "{at: 0}"}, "trajectory.poses", "at least 1 ms after"),
                ({"trajectory": poses % "{at: 1, position: [1, 2]}"}, "poses[0].position", "3 are expected"),
                ({"trajectory": poses % "{at: 1, position: [0.5, 0, 0.3], by: [1, 0, 0]}"}, "poses[0].by", "together"),
                ({"trajectory": poses % "{at: 1, wrench: [1]}"}, "poses[0].wrench", "6 are expected"),
                ({"trajectory": poses % "{at: 1, roll: 1}"}, "poses[0].roll", "unknown key"),
                ({"events": "[{at: 0.1, robot: arm7_module}]"}, "events", "another robot"),
                ({"plant": "{walls: [{link: tool0}]}"}, "walls", "the native engine has no contacts"),
                ({"plant": "{walls: [{link: tool0, normal: [0, 0, 0]}]}"}, "plant.walls[0].normal", "no direction"),
                ({"plant": "{walls: [{link: tool0, radius: 0}]}"}, "plant.walls[0].radius", "not from"),
                ({"plant": "{walls: [{radius: 1}]}"}, "plant.walls[0].link", "is missing")):
            with self.subTest(**change):
                fails(self, self.run_fast(hand(**change)), 1, *words)


if __name__ == "__main__":
    unittest.main()
