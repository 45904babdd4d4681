# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""attach and detach in `dyn eval`."""
import json
import re
import tempfile
import unittest
from pathlib import Path

from dyn_process import BRANCH, DATA, SWING, evaluate, run

NAMES = ["turn", "left_a", "left_b", "right_a"]
STATE = {"q": [0.3, -0.7, 0.2, 0.9], "v": [1.1, 0.4, -0.6, 0.8], "a": [0.5, -1.5, 2, 0.25], "tau": [3, -2, 1, 0.5]}
BOX = {"attach": {"name": "box", "link": "tool", "mass": 2.0, "com": [0.1, 0, 0.05],
                  "inertia": [0.01, 0.001, 0, 0.012, 0, 0.015], "xyz": [0.05, 0, 0], "rpy": [0.1, 0.2, 0.3]}}
OK = {"ok": True, "joints": NAMES}


def box(**changes):
    value = {**BOX["attach"], **changes}
    return {"attach": {k: v for k, v in value.items() if v is not None}}


class Rigid(unittest.TestCase):
    def test_detach_gives_the_same_bits(self):
        before, ok, loaded, gone, after = evaluate(BRANCH, STATE, BOX, STATE, {"detach": "box"}, STATE)
        self.assertEqual([ok, gone], [OK, OK])
        self.assertEqual(before, after)
        self.assertNotEqual(before["M"], loaded["M"])

    def test_order_of_detaching_does_not_matter(self):
        other = box(name="lamp", link="right", mass=0.3)
        alone = evaluate(BRANCH, other, STATE)[-1]
        self.assertEqual(evaluate(BRANCH, BOX, other, {"detach": "box"}, STATE)[-1], alone)
        self.assertEqual(evaluate(BRANCH, other, BOX, {"detach": "box"}, STATE)[-1], alone)
        none = evaluate(BRANCH, STATE)[-1]
        self.assertEqual(evaluate(BRANCH, BOX, other, {"detach": "box"}, {"detach": "lamp"}, STATE)[-1], none)

    def test_equals_the_urdf_with_the_payload_in_it(self):
        link = """<link name="box"><inertial><origin xyz="0.1 0 0.05"/><mass value="2"/>
            <inertia ixx="0.01" ixy="0.001" ixz="0" iyy="0.012" iyz="0" izz="0.015"/></inertial></link>
            <joint name="hold" type="fixed"><parent link="tool"/><child link="box"/>
            <origin xyz="0.05 0 0" rpy="0.1 0.2 0.3"/></joint></robot>"""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "loaded robot.urdf"
            file.write_text((DATA / "branch.urdf").read_text().replace("</robot>", link))
            (expected,) = evaluate(str(file), STATE)
        loaded = evaluate(BRANCH, BOX, STATE)[-1]
        for term in ("g", "h", "tau", "qdd"):
            for x, y in zip(loaded[term], expected[term]):
                self.assertAlmostEqual(x, y, delta=1e-10)

    def test_a_point_needs_only_name_link_and_mass(self):
        before, ok, after = evaluate(
            BRANCH, STATE, {"attach": {"name": "p", "link": "left", "mass": 1}}, STATE)
        self.assertEqual(ok, OK)
        self.assertGreater(after["M"][0][0], before["M"][0][0])

    def test_on_the_base_it_moves_nothing(self):
        before, ok, after = evaluate(BRANCH, STATE, box(link="base"), STATE)
        self.assertEqual(ok, OK)
        self.assertEqual(before, after)

    def test_algorithm_and_gravity_stay(self):
        direct = evaluate(BRANCH, BOX, STATE, options=["--gravity", "1,2,3"])[-1]
        self.assertEqual(evaluate(BRANCH, {"gravity": [1, 2, 3]}, BOX, STATE)[-1], direct)


class Chain(unittest.TestCase):
    ATTACH = {"attach": {"name": "load", "link": "left", "urdf": SWING, "xyz": [0.1, 0, 0], "rpy": [0, 0, 0.5]}}

    def test_its_joints_come_last_wherever_it_hangs(self):
        ok = evaluate(BRANCH, self.ATTACH)[0]
        self.assertTrue(ok["ok"], ok)
        self.assertEqual(ok["joints"][:4], NAMES)  # though the left branch comes before the right one
        self.assertEqual([n.split("/")[-1] for n in ok["joints"][4:]], ["swing_x", "swing_y"])

    def test_blocks_of_m(self):
        six = {k: v + [0.1, 0.2] for k, v in STATE.items()}
        r = evaluate(BRANCH, self.ATTACH, six)[-1]
        self.assertEqual([len(r["M"]), len(r["tau"])], [6, 6])
        for payload_joint in (4, 5):  # below left_a; beside left_b and right_a
            self.assertEqual([r["M"][payload_joint][2], r["M"][payload_joint][3]], [0, 0])
            self.assertNotEqual(r["M"][payload_joint][1], 0)

    def test_detach_gives_the_same_bits(self):
        before, ok, gone, after = evaluate(BRANCH, STATE, self.ATTACH, {"detach": "load"}, STATE)
        self.assertTrue(ok["ok"])
        self.assertEqual(gone, OK)
        self.assertEqual(before, after)

    def test_state_of_the_old_size_is_refused_with_the_joint(self):
        done = run("eval", BRANCH, lines=[self.ATTACH, STATE])
        self.assertEqual(done.returncode, 1)
        self.assertIn("line 2", done.error)
        self.assertIn("swing_x", done.error)


class Robot(unittest.TestCase):
    """Another description takes the robot's place: by what its joints become, or not at all."""
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def variant(self, *changes):
        text = Path(BRANCH).read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        file = self.folder / f"{len(list(self.folder.iterdir()))}.urdf"
        file.write_text(text)
        return str(file)

    def joint(self, name):
        return re.search(rf'<joint name="{name}" type="\w+">', Path(BRANCH).read_text()).group(0)

    def test_the_same_joints_need_no_map(self):
        heavier = self.variant(('<mass value="', '<mass value="1'))
        before, ok, after = evaluate(BRANCH, STATE, {"robot": heavier}, STATE)
        self.assertEqual(ok, {**OK, "from": NAMES, "ok": True})
        self.assertEqual(after, evaluate(heavier, STATE)[0])
        self.assertNotEqual(before, after)

    def test_payloads_stay(self):
        direct = evaluate(BRANCH, BOX, STATE)[-1]
        self.assertEqual(evaluate(BRANCH, BOX, {"robot": BRANCH}, STATE)[-1], direct)
        self.assertEqual(evaluate(BRANCH, BOX, {"robot": BRANCH}, {"detach": BOX["attach"]["name"]}, STATE)[-1],
                         evaluate(BRANCH, STATE)[-1])

    def test_a_joint_that_slides_is_refused_by_name_unless_the_map_ends_it(self):
        name = NAMES[1]
        sliding = self.variant((self.joint(name), self.joint(name).replace('type="revolute"', 'type="prismatic"')
                                .replace('type="continuous"', 'type="prismatic"')))
        for line in ({"robot": sliding}, {"robot": sliding, "map": {}}, {"robot": sliding, "map": {name: name}}):
            before, refused, after = evaluate(BRANCH, STATE, line, STATE)
            self.assertEqual(sorted(refused), ["error", "ok"])
            self.assertIn(name, refused["error"])
            self.assertIn("prismatic", refused["error"])
            self.assertEqual(before, after)
        ok, state = evaluate(BRANCH, {"robot": sliding, "map": {name: None}}, STATE)
        self.assertEqual(ok["from"], [NAMES[0], None, *NAMES[2:]])
        self.assertEqual(state, evaluate(sliding, STATE)[0])

    def test_another_robot_by_a_map(self):
        """An arm with a joint less: what goes on in which joint, what ends."""
        ok, state = evaluate(BRANCH, {"robot": "planar3", "map": {NAMES[0]: "joint2", NAMES[1]: "joint1",
                                                                  NAMES[2]: None, NAMES[3]: None}}, {"q": [1, 2, 3]})
        self.assertEqual(ok["joints"], ["joint1", "joint2", "joint3"])
        self.assertEqual(ok["from"], [NAMES[1], NAMES[0], None])
        self.assertEqual(state, evaluate("planar3", {"q": [1, 2, 3]})[0])

    def test_what_a_map_cannot_say(self):
        all_gone = {name: None for name in NAMES}
        wrong = [({"robot": "planar3"}, "joint1"), ({"robot": "planar3", "map": {}}, NAMES[0]),
                 ({"robot": "planar3", "map": {**all_gone, "nobody": None}}, "nobody"),
                 ({"robot": "planar3", "map": {**all_gone, NAMES[0]: "joint9"}}, "joint9"),
                 ({"robot": "planar3", "map": {**all_gone, NAMES[0]: "joint1", NAMES[1]: "joint1"}}, NAMES[1]),
                 ({"robot": "planar3", "map": 3}, "map"), ({"robot": "planar3", "map": {NAMES[0]: 3}}, "3"),
                 ({"robot": "no_such_robot"}, "no_such_robot"), ({"robot": 3}, "3"),
                 ({"robot": BRANCH, "detach": "box"}, "detach")]
        for line, word in wrong:
            with self.subTest(line):
                before, refused, after = evaluate(BRANCH, STATE, line, STATE)
                self.assertEqual(sorted(refused), ["error", "ok"])
                self.assertIn(word, refused["error"])
                self.assertEqual(before, after)


class Refused(unittest.TestCase):
    def test_error_and_the_model_as_before(self):
        wrong = [
            (box(mass=-1), "-1"), (box(mass="heavy"), "heavy"), (box(mass=None), "mass"), (box(name=None), "name"),
            (box(link=None), "link"), (box(link="nowhere"), "nowhere"), (box(name=3), "3"), (box(name=""), "name"),
            (box(inertia=[1, 0, 0, 1, 0, 5]), "box"), (box(inertia=[-1, 0, 0, 1, 0, 1]), "box"),
            (box(inertia=[1, 2, 3]), "inertia"), (box(inertia=[1, 0, 0, "x", 0, 1]), "x"), (box(com=[0, 0]), "com"),
            (box(xyz=3), "xyz"), (box(rpy=[0, None, 0]), "null"), (box(colour="red"), "colour"),
            ({"attach": []}, "array"), ({"attach": None}, "null"),
            ({"attach": {"name": "c", "link": "left", "urdf": "/no/such.urdf"}}, "/no/such.urdf"),
            ({"attach": {"name": "c", "link": "left", "urdf": 1}}, "1"),
            ({"attach": {"name": "c", "link": "left", "urdf": SWING, "mass": 1}}, "mass"),
            ({"attach": {"name": "c", "link": "nowhere", "urdf": SWING}}, "nowhere"),
            (json.dumps(box()).replace("2.0", "NaN"), "NaN"), (json.dumps(box()).replace("2.0", "1e999"), "1e999"),
            (json.dumps(box()).replace('"mass"', '"mass":1,"mass"'), None),
        ]
        for line, word in wrong:
            with self.subTest(line):
                if word is None:  # not even JSON of ours: a key twice
                    done = run("eval", BRANCH, lines=[line])
                    self.assertEqual(done.returncode, 1)
                    self.assertIn("mass", done.error)
                    continue
                before, answer, after = evaluate(BRANCH, STATE, line, STATE)
                self.assertEqual(sorted(answer), ["error", "ok"])
                self.assertIs(answer["ok"], False)
                self.assertIn(word, answer["error"])
                self.assertEqual(before, after)

    def test_the_same_name_twice(self):
        first, second, once = evaluate(BRANCH, BOX, BOX, STATE)
        self.assertTrue(first["ok"])
        self.assertFalse(second["ok"])
        self.assertIn("box", second["error"])
        self.assertEqual(once, evaluate(BRANCH, BOX, STATE)[-1])

    def test_detach_after_a_refused_attach(self):
        refused, gone, after = evaluate(BRANCH, box(mass=-1), {"detach": "box"}, STATE)
        self.assertFalse(refused["ok"])
        self.assertFalse(gone["ok"])
        self.assertIn("box", gone["error"])
        self.assertEqual(after, evaluate(BRANCH, STATE)[0])


if __name__ == "__main__":
    unittest.main()
