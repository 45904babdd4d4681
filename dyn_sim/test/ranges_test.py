# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Figures that are finite and absurd are refused with their range, and whoever reads an input of any size or shape takes
little memory and time: below 512 MiB, and no more than a few seconds."""
import unittest

from dyn_process import BRANCH, evaluate, fails, run
from run_process import BOX, MIB, RunTest, SizeTest, arm7
from run_task_space_test import hand

POINTS = "[[0, 0, 0, 0, 0, 0, 0], [0.1, 0, 0, 0, 0, 0, 0]]"
ARM = """<robot name="arm"><link name="base"/><link name="arm"><inertial><origin xyz="%s"/><mass value="%s"/>
<inertia ixx="%s" ixy="0" ixz="0" iyy="%s" iyz="0" izz="%s"/></inertial></link><joint name="turn" type="revolute">
<parent link="base"/><child link="arm"/><origin xyz="%s"/><axis xyz="0 0 1"/><dynamics damping="%s"/>
<limit lower="-1" upper="1" effort="9" velocity="9"/></joint></robot>"""


def arm(com="0.1 0 0", mass=1, inertia=0.1, origin="0 0 0", damping=0):
    return ARM % (com, mass, inertia, inertia, inertia, origin, damping)


class Figures(RunTest):
    def test_of_a_configuration(self):
        for key, value, words in (
            ("gravity", "[0, 0, 1.0e+30]", ("gravity", "1e+30", "m/s^2")),
            ("start", "[1.0e+9, 0, 0, 0, 0, 0, 0]", ("start", "1e+09", "1e+06 rad")),
            ("rate_hz", "1.0e+9", ("rate_hz", "100 to 10000 Hz")),
            ("plant", "{step: 1.0e-12}", ("plant.step", "1e-9")),
            ("plant", "{tolerance: 1.0e+200}", ("plant.tolerance", "1e+200")),
            ("plant", "{noise: {torque: 1.0e+300}}", ("plant.noise.torque", "1e+300")),
            ("plant", "{noise: {position_resolution: 1.0e+300}}", ("position_resolution", "1e+300")),
            ("plant", "{delay: 100000000}", ("plant.delay", "0 to 100 cycles")),
            ("plant", "{plant_overrides: [{link: link7, mass_scale: 1.0e+200}]}", ("mass_scale", "1e+200")),
            ("plant", "{plant_overrides: [{link: link7, com_shift: [1.0e+6, 0, 0]}]}", ("com_shift", "100000 m")),
            ("plant", "{plant_overrides: [{joint: joint7, armature: 1.0e+200}]}", ("armature", "1e+200")),
            ("controller", "{gains: {default: {p: 1.0e+200}}}", ("controller.gains.default.p", "1e+200", "0 to 1e+09")),
            ("controller", "{gains: {joint3: {d: 1.0e+200}}}", ("controller.gains.joint3.d", "1e+200")),
            ("controller", "{effort_limit: {joint2: 1.0e+200}}", ("controller.effort_limit.joint2", "1e+200")),
            ("controller", "{effort_rate_limit: 1.0e+200}", ("controller.effort_rate_limit", "1e+200")),
            ("controller", "{hold_time: 1.0e+200}", ("controller.hold_time", "1e+200")),
            ("controller", "{max_payload_dofs: 100000}", ("max_payload_dofs", "0 to 100")),
            ("controller", "{max_payload_dofs: 99999999999}", ("max_payload_dofs", "0 to 100")),
            ("controller", "{validation: {rate: 1.0e+200}}", ("controller.validation.rate", "1e+200")),
            ("trajectory", "{type: fourier, harmonics: 100000000}", ("trajectory.harmonics", "0 to 1000")),
            ("trajectory", "{type: fourier, base_hz: 1.0e+300}", ("trajectory.base_hz", "10000 Hz")),
            ("trajectory", "{type: sinusoid, frequency_hz: 1.0e+300}", ("trajectory.frequency_hz", "10000 Hz")),
            ("trajectory", "{type: sinusoid, amplitude: 1.0e+9}", ("trajectory.amplitude", "1e+06 rad")),
            ("trajectory", "{type: sinusoid, phase_deg: 1.0e+9}", ("trajectory.phase_deg", "degrees")),
            ("trajectory", f"{{type: quintic, move_time: 1.0e+9, way_points: {POINTS}}}", ("move_time", "10000 s")),
            ("trajectory", f"{{type: quintic, velocity_scale: 1.0e+200, way_points: {POINTS}}}", ("velocity_scale",)),
            ("trajectory", f"{{type: trapezoidal, acceleration: 1.0e+200, way_points: {POINTS}}}", ("acceleration",)),
            ("trajectory", "{type: quintic, way_points: [[1.0e+9, 0, 0, 0, 0, 0, 0]]}", ("way_points", "1e+06 rad")),
            ("events", "[{at: 1.0e+300, detach: a}]", ("events[0].at", "1e+300")),
            ("events", "[{at: 0, detach: a, transition_time: 1.0e+300}]", ("events[0].transition_time", "1e+300")),
            ("events", "[{at: 0, push: {link: tool0, force: [1.0e+308, 0, 0]}}]", ("events[0].push.force", "1e+308", "N")),
            ("events", "[{at: 0, push: {link: tool0, point: [1.0e+308, 0, 0]}}]", ("events[0].push.point", "1e+308", "m")),
            ("events", "[" + ", ".join(["{at: 9, detach: a}"] * 20000) + "]", ("events: has 20000 entries", "10000")),
            ("expect", "{tracking_max: 1.0e+300}", ("expect.tracking_max", "1e+300")),
        ):
            with self.subTest(key=key, value=value[:60]):
                fails(self, self.run_fast(arm7(**{key: value})), 1, "config.yaml:", *words)

    def test_of_events(self):
        for change, words in (("com: [0, 0, 1.0e+6]", ("box", "centre of mass", "100000 m")),
                              ("mass: 1.0e+12", ("box", "mass", "kg")), ("xyz: [1.0e+9, 0, 0]", ("box", "100000 m"))):
            with self.subTest(change):
                key = change.split(":")[0]
                box = BOX.replace("mass: 1.0", change) if key == "mass" else \
                    BOX.replace("com: [0, 0, 0.06]", change) if key == "com" else BOX.replace("}", f", {change}}}")
                done = self.run_fast(arm7(controller="{allow_heavy_payloads: true}", events=f"[{{at: 0, on: plant, attach: {box}}}]"))
                fails(self, done, 3, "refused", *words)

    def test_set_events(self):
        for name, value in (("gains.joint1.p", "1.0e+200"), ("effort_limit.joint1", "1.0e+200"), ("hold_time", "1.0e+200")):
            done = self.run_fast(arm7(events=f"[{{at: 0.1, set: {{{name}: {value}}}}}]"))
            fails(self, done, 1, f"config.yaml:6: events[0].set.{name}: ", "1e+200", " is not from 0 to ")
        for name in ("task.p_linear", "task.damping_ratio", "task.damp_below"):
            done = self.run_fast(hand(events=f"[{{at: 0.1, set: {{{name}: 1.0e+200}}}}]"))
            fails(self, done, 1, "config.yaml:", f"events[0].set.{name}: 1e+200 is not ", " 1e+09")

    def test_of_a_urdf(self):
        robot = self.folder / "arm.urdf"
        for change, words in ((arm(), None), (arm(com="99999 0 0", inertia=1e10), None),
                              (arm(com="0 1e6 0"), ("link 'arm'", "centre of mass", "1e+06 m", "100000 m")),
                              (arm(mass=1e12), ("link 'arm'", "mass", "1e+12 kg")),
                              (arm(inertia=1e100), ("link 'arm'", "inertia", "1e+100")),
                              (arm(origin="0 0 1e300"), ("joint 'turn'", "origin", "1e+300 m")),
                              (arm(damping=1e300), ("joint 'turn'", "damping", "1e+300"))):
            robot.write_text(change)
            done = run("info", robot)
            if words is None:
                self.assertEqual(done.returncode, 0, done.error)
            else:
                fails(self, done, 1, "arm.urdf", *words)

    def test_of_a_trajectory_file(self):
        for value in ("1e9", "-1e308"):
            (self.folder / "moves.csv").write_text(f"0,0,0,0,0,0,0,0\n1,{value},0,0,0,0,0,0\n")
            fails(self, self.run_fast(arm7(trajectory="{type: file, path: moves.csv}")), 1, "moves.csv:2:", value, "1e6")
        (self.folder / "moves.csv").write_text("0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0\n")
        fails(self, self.run_fast(arm7(trajectory="{type: file, path: moves.csv}")), 1, "moves.csv:2:", "1e-6 s")

    def test_of_a_state(self):
        for line, words in (('{"q":[0,1e9,0,0]}', ("q is 1e+09", "-1e+06 to 1e+06")), ('{"v":[0,0,0,-1e7]}', ("v is -1e+07",)),
                            ('{"a":[0,0,0,1e10]}', ("a is 1e+10",)), ('{"tau":[1e300,0,0,0]}', ("tau is 1e+300",))):
            fails(self, run("eval", BRANCH, lines=[line]), 1, "line 1", "joint '", *words)
        (answer,) = evaluate(BRANCH, {"gravity": [0, 0, 1e30]})
        self.assertFalse(answer["ok"])
        self.assertIn("1e+30 m/s^2", answer["error"])
        fails(self, run("eval", BRANCH, "--gravity", "0,0,1e30"), 1, "gravity", "1e+30")
        box = {"name": "box", "link": "tool", "mass": 1, "com": [0, 0, 1e6], "inertia": [1, 0, 0, 1, 0, 1]}
        (answer,) = evaluate(BRANCH, {"attach": box})
        self.assertFalse(answer["ok"])
        for word in ("box", "centre of mass", "100000 m"):
            self.assertIn(word, answer["error"])


ALIASES = "a0: &a0 [1, 1]\n" + "".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]\n" for k in range(1, 30))


class Sizes(SizeTest):
    """Each as large as is let in, or larger."""

    def test_of_urdfs(self):
        for name, inside, word in (("a", "<a/>" * (7 * MIB), "500000 elements"), ("deep", "<a>" * (9 * MIB), "deep"),
                                   ("text", "x" * (31 * MIB), "no link"), ("large", "x" * (40 * MIB), "bytes")):
            self.little(["info", self.text(f"{name}.urdf", f'<robot name="{name}">{inside}</robot>')], 1, f"{name}.urdf", word)

    def test_of_configurations(self):
        for name, text, word in (("list", arm7() + "title: [" + "1," * (MIB // 2 - 400) + "]\n", "a list of"),
                                 ("deep", "[" * (MIB - 10), "nested too deeply"), ("maps", "{" * (MIB - 10), "nested too deeply"),
                                 ("dashes", "- " * (MIB // 2 - 10), "nested too deeply"), ("large", "# " + "x" * MIB, "CSV"),
                                 ("alias", ALIASES + arm7(start="*a29"), "not a list of numbers")):
            self.little(["run", self.text(f"{name}.yaml", text)], 1, f"{name}.yaml:", word)

    def test_of_trajectory_files(self):
        config = self.config(arm7(trajectory="{type: file, path: moves.csv}"))
        for text, word in (("".join(f"{k},0,0,0,0,0,0,0\n" for k in range(1000001)), "a million rows"),
                           ("0," * (15 * MIB), "the line has"), ("0,0\n" * (9 * MIB), "bytes, more than")):
            self.text("moves.csv", text)
            self.little(["run", config], 1, "moves.csv", word)

    def test_of_lines(self):
        for line, code, word in ((b"[" * (4 * MIB - 9), 1, "nested"), (b'{"a":' * (MIB // 2), 1, "nested"), (b"x" * (9 * MIB), 1, "longer than"),
                                 (b'{"q":[' + b"0," * (2 * MIB - 99) + b"0]}", 1, "too many"),
                                 (b"{" + b",".join(b'"k%x":0' % k for k in range(300000)) + b"}", 1, "unknown key")):
            self.little(["eval", "arm7"], code, word, stdin=line)


if __name__ == "__main__":
    unittest.main()
