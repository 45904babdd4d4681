# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""dyn info ROBOT --check-control CONFIG: what would be wrong with a controller on a robot, one sentence each."""
import json
import tempfile
import unittest
from pathlib import Path

from control_check import ARM7, JOINTS, ControlCheck, good
from dyn_process import fails, run


class CheckControl(ControlCheck):
    def test_a_careful_configuration_has_nothing_wrong(self):
        done, answer = self.check(good())
        self.assertEqual((done.returncode, answer["findings"], answer["ok"]), (0, [], True), answer)
        self.assertEqual(answer["controllers"], ["arm"])
        self.assertEqual(done.error, "")

    def test_gravity_twice_or_not_at_all(self):
        self.finds(lambda own, drive, _: drive.update(adds_gravity=True), "gravity", None, "add gravity themselves")
        self.finds(lambda own, drive, _: own.update(gravity_compensation="hardware"), "gravity", None, "would fall")
        self.finds(lambda own, drive, _: own.update(gravity_compensation="none"), "gravity", None, "would fall")
        self.finds(lambda own, drive, _: own.update(gravity_compensation="yes"), "values", None, "'yes'", "full, none, hardware")
        self.finds(lambda own, drive, _: drive.pop("adds_gravity"), "drive", None, "not given", severity="warning")

    def test_friction_twice(self):
        def both(own, drive, _):
            own["friction_compensation"] = True
            drive["adds_friction"] = True
        self.finds(both, "friction", None, "twice")

    def test_joints(self):
        def rename(own, *_):
            own["joints"][2] = "joint_3"
            own["gains"]["joint_3"] = own["gains"].pop("joint3")
        self.finds(rename, "joints", "joint_3", "is not a joint of the robot 'arm7'")
        self.finds(lambda own, *_: own["joints"].append("joint1"), "values", None, "'joint1' is listed twice")
        self.finds(lambda own, *_: own.update(passive_joints=["joint1"]), "joints", "joint1", "in passive_joints too")
        self.finds(lambda own, *_: own.update(armature={"elbow": 0.1}), "joints", "elbow", "armature.elbow")
        self.finds(lambda own, *_: own["gains"].update(elbow={"p": 1.0, "d": 1.0}), "joints", "elbow", "not in joints")

        def forget(own, *_):
            own["joints"].pop()
            own["gains"].pop("joint7")
        self.finds(forget, "joints", "joint7", "another controller has to hold it", severity="warning")

        def leave_passive(own, *_):
            forget(own)
            own["passive_joints"] = ["joint7"]
            own.pop("ramp_in")
        self.finds(leave_passive, "start", None, "ramp_in", severity="warning")  # and nothing of a joint that nothing moves

    def test_rates(self):
        self.finds(lambda own, drive, manager: manager.update(update_rate=500), "rate", None, "500 Hz", "1000 Hz")
        self.finds(lambda own, drive, manager: own.update(update_rate=100), "rate", None, "100 Hz")
        self.finds(lambda own, drive, manager: drive.update(delay=2.0), "drive", None, "prediction: 0.5", "2.5",
                   severity="warning")

        def told_of_the_delay(own, drive, _):
            drive["delay"] = 2.0
            own["prediction"] = 2.5
            own.pop("ramp_in")
        self.finds(told_of_the_delay, "start", None, "ramp_in", severity="warning")  # and nothing of the prediction

    def arm7_with_hardware(self, folder, commands):
        """arm7 with a <ros2_control> tag: of each joint the names of its commands, by an index from 0."""
        joints = "".join(f'<joint name="{joint}">' + "".join(f'<command_interface name="{c}"/>' for c in commands(i)) +
                         '<state_interface name="position"/></joint>' for i, joint in enumerate(JOINTS))
        file = Path(folder) / "arm7.urdf"
        file.write_text(ARM7.replace("</robot>", f'<ros2_control name="x" type="system">{joints}</ros2_control></robot>'))
        return file

    def test_interfaces_that_the_hardware_does_not_offer(self):
        def feed(own, drive, manager):
            manager["arm"]["type"] = "dyn_controllers/FeedforwardController"
            own["command_interfaces"] = ["position", "effort"]
            own["gains"] = {joint: {"p": 10.0, "d": 0.2} for joint in JOINTS}
        with tempfile.TemporaryDirectory() as folder:
            both = self.arm7_with_hardware(folder, lambda i: ["position", "effort"])
            _, answer = self.check(good(), both)
            self.assertEqual([f for f in answer["findings"] if f["severity"] == "error"], [], answer)
            some = self.arm7_with_hardware(folder, lambda i: ["effort"] if i != 2 else ["position", "velocity"])
            self.finds(lambda *_: None, "drive", None, "effort", "does not offer for joint3;", "it offers position, velocity",
                       robot=some)
            none = self.arm7_with_hardware(folder, lambda i: ["effort"])
            self.finds(feed, "drive", None, "command_interfaces: position,", "joint1, joint2, joint3", "it offers effort",
                       robot=none)
            Path(none).write_text(ARM7.replace("</robot>", "<ros2_control/></robot>"))
            _, answer = self.check(good(), none)
            self.assertEqual(answer["findings"], [])  # a tag without joints says nothing

    def test_a_driver_that_takes_no_efforts(self):
        self.finds(lambda own, drive, _: drive.update(effort_command=False), "drive", None, "accepts no efforts")
        self.finds(lambda own, *_: own.update(command_interfaces=["position", "effort"]), "drive", None, "commands effort only")

        def position_alone(own, drive, manager):
            drive["effort_command"] = False
            manager["arm"]["type"] = "dyn_controllers/FeedforwardController"
            own["command_interfaces"] = ["position"]
            own["gains"] = {joint: {"p": 10.0, "d": 0.2} for joint in JOINTS}
            own["effort_limit_scale"] = 0.0
        self.finds(position_alone, "limits", None, "effort_limit_scale: 0")  # and nothing of the driver

    def test_a_driver_that_needs_positions_beside_its_efforts(self):
        self.finds(lambda own, drive, _: drive.update(needs_position=True), "drive", None,
                   "sets every torque to 0 while a joint has no position command")

        def both(own, drive, manager):
            drive["needs_position"] = drive["state_is_commanded"] = True
            manager["arm"]["type"] = "dyn_controllers/FeedforwardController"
            own["command_interfaces"] = ["position", "effort"]
            own.pop("gains")  # the drive holds the joint
            own.pop("ramp_in")
        self.finds(both, "start", None, "ramp_in", severity="warning")

        def feeds_back(own, *others):
            both(own, *others)
            own["gains"] = {"joint4": {"d": 0.5}}
        self.finds(feeds_back, "drive", "joint4", "gains.joint4.d", "does not see the arm")

        def by_velocity(own, drive, manager):
            both(own, drive, manager)
            drive["needs_position"] = False
            own["joints"] = JOINTS[:1]
            own["command_interfaces"] = ["velocity", "effort"]
        self.finds(by_velocity, "gains", "joint1", "gains.joint1.p: 0")  # and nothing of d

    def test_thresholds_beside_a_loop_of_the_drives_own(self):
        def threshold(**group):
            def change(own, drive, manager):
                manager["arm"]["type"] = "dyn_controllers/FeedforwardController"
                own["command_interfaces"] = ["position", "effort"]
                own.pop("gains")
                own.update(group)
            return change
        for group in ({"collision_threshold": 30.0}, {"external_wrench": {"force_threshold": 5.0}},
                      {"external_wrench": {"torque_threshold": 5.0}}):
            self.finds(threshold(**group), "drive", None, "threshold: the drives close a loop", severity="warning")
        self.finds(threshold(collision_threshold=0.0, hold_time=2.0), "start", None, "hold_time", severity="warning")

    def test_names_that_ros_ignores_in_silence(self):
        self.finds(lambda own, *_: own.update(gravity_compensatoin="hardware"), "names", None, "gravity_compensatoin")
        self.finds(lambda own, *_: own.update(effort_limit_scale=0.0), "limits", None, "effort_limit_scale: 0")
        self.finds(lambda own, *_: own.update(external_wrench={"frame": "hand"}), "frame", None, "no link 'hand'")

    def wrong(self, own, robot="arm7", type_="ComputedTorqueController"):
        """The errors of names and values in these lines of a controller, by line, without "PARAMETER: "."""
        head = f"controller_manager: {{ros__parameters: {{update_rate: 1000, c: {{type: dyn_controllers/{type_}}}}}}}"
        done, answer = self.check("\n".join([head, "c:", "  ros__parameters:", *("    " + line for line in own)]), robot)
        self.assertEqual(done.returncode, 3, answer)
        found = [f for f in answer["findings"] if f["check"] in ("names", "values")]
        for finding in found:
            self.assertIn(f"control.yaml:{finding['line']}: c: {finding['sentence']}", done.error)
        return {f["line"] - 4: f["sentence"] for f in found}

    def test_a_parameter_that_does_not_exist_below_a_group_that_does(self):
        wrong = self.wrong(["gains: {joint1: {p: 100.0, d: 20.0, dd: 1.0}}", "task: {stifness: 4}", "validation: {moed: gate}",
                            "external_wrench: {fram: tool0}", "async_parameters: {cpu: 1}", "armature.joint1: 0.1",
                            "qos_overrides: {/joint_states: {publisher: {depth: 1}}}"])
        self.assertEqual(sorted(wrong), [0, 1, 2, 3, 4])
        for line, words in enumerate((("gains.joint1.dd", "gains.JOINT.i_clamp"), ("task.stifness", "task.stiffness"),
                                      ("validation.moed", "validation.mode"),
                                      ("external_wrench.fram:", "external_wrench.frame,"), ("async_parameters.cpu:",))):
            for word in words:
                self.assertIn(word, wrong[line])

    def test_values_that_ros_or_the_controllers_refuse(self):
        for line, *words in (
                ("law: adaptve", "law: 'adaptve' is not one of computed_torque, passivity, adaptive"),
                ("jsim_algorithm: best", "jsim_algorithm: unknown algorithm 'best'; available:", "gdahj"),
                ("coriolis_algorithm: ''", "coriolis_algorithm: '' is empty"),
                ("validation: {fallback: best}", "validation.fallback: unknown algorithm 'best'"),
                ("validation: {mode: gates}", "validation.mode: 'gates' is not one of off, monitor, gate"),
                ("validation: {mode: off}", "is read by ROS as true or false, not as a string: write it in quotes"),
                ("prediction: 20.0", "prediction: '20.0' is not from 0 to 8"),
                ("prediction: .nan", "is not a double"),
                ("hold_time: nan", "is not from 0 to 10000"),
                ("adaptation_mass: 0.0", "is not above 0 and at most"),
                ("validation: {rate: 0.0}", "is not from 0.001 to 1e+06"),
                ("state_publish_rate: -1.0", "is not from 0 to 10000"), ("task: {p_linear: 1.0e+200}", "is not above 0 and at most 1e+09"),
                ("gains: {joint1: {p: 400, d: 1e1}}", "gains.joint1.p: '400' is an integer", "write 400.0"),
                ("gravity: [0, 0, -9.81]", "'0' is an integer", "write 0.0"),
                ("gravity: [0.0, -9.81]", "has 2 entries, not 3"),
                ("gravity: -9.81", "is not a list of doubles"),
                ("friction_compensation: 1", "'1' is not true or false"),
                ("friction_compensation: 'true'", "is not true or false"),
                ("max_payload_dofs: 33", "is not from 0 to 32"),
                ("max_payload_dofs: 3.0", "'3.0' is not an integer"),
                ("passive_joints: []", "ROS reads no empty list"),
                ("passive_joints: [x, y]", "'y' is read by ROS as true or false"),
                ("joints: [[1]]", "is not a string"),
                ("effort_limit: {joint1: -1}", "effort_limit.joint1: '-1' is not at least 0"),
                ("command_interfaces: [effort, torque]", "'torque' is not one of position, velocity, effort"),
                ("frame: 7", "'7' is read by ROS as an integer"),
                ("ramp_in:", "is not a double"),
                ("update_rate: 1000.0", "is not an integer")):
            wrong = self.wrong([line])
            self.assertEqual(list(wrong), [0], (line, wrong))
            for word in words:
                self.assertIn(word, wrong[0])
        accepted = self.wrong(["prediction: 1e0", "effort_limit: {joint1: 100}", "max_payload_dofs: 0x10", "joints: [joint1]",
                               "friction_compensation: on", "payload_link: \"7\"", "frame: !!str 7", "law: 'adaptive'",
                               "unknown: 1"])
        self.assertEqual(list(accepted), [8], accepted)

    def test_a_controller_that_does_not_exist(self):
        wrong = self.wrong(["joints: [joint1]"], type_="ComputedTorqeController")
        self.assertIn("c.type: dyn_controllers has no 'ComputedTorqeController'; it has ComputedTorqueController, ", wrong[-3])

    def test_values_of_the_task_space_controller_and_of_the_broadcaster(self):
        wrong = self.wrong(["joints: [joint1]", "task: {mode: impedanc, stiffness: [1.0, 2.0]}",
                            "task.damping: [0.0, 0.0, -1.0, 0.0, 0.0, 0.0]", "task.posture: [0.0, 1.0]"],
                           type_="TaskSpaceController")
        self.assertEqual(sorted(wrong), [1, 2, 3])
        self.assertIn("'-1.0' is not from 0 to 1e+09", wrong[2])
        self.assertIn("2 entries, and there are 1 joints", wrong[3])
        self.assertEqual(self.wrong(["publish_rate: 0.0", "prediction: 0.5"], type_="DynamicsBroadcaster"),
                         {0: "publish_rate: '0.0' is not above 0 and at most 10000",
                          1: "prediction: there is no such parameter, and ROS ignores it silently"})

    def test_links_that_are_needed(self):
        self.finds(lambda own, *_: own.update(law="adaptive"), "frame", None, "payload_link: not given")
        self.finds(lambda own, *_: own.update(payload_link="hand"), "frame", None, "payload_link: the robot has no link 'hand'")
        self.finds(lambda own, *_: own.update(driver_load={"type": "topic", "name": "/load"}), "frame", None, "driver_load.link")

    def test_start(self):
        self.finds(lambda own, *_: own.pop("ramp_in"), "start", None, "ramp_in", severity="warning")
        self.finds(lambda own, *_: own.update(reference_timeout=0.0), "start", None, "reference_timeout", severity="warning")
        self.finds(lambda own, *_: own.update(hold_time=2.0), "start", None, "hold_time", severity="warning")

    def test_what_every_node_is_given_and_dots_count(self):
        config = good()
        own = config["arm"]["ros__parameters"]
        own.pop("ramp_in")
        own["gains.joint1.d"] = own["gains"].pop("joint1")["d"]
        own["gains.joint1.p"] = 100.0
        config["/**"] = {"ros__parameters": {"ramp_in": 1.0}}
        config["/left"] = {"unused": {"ros__parameters": {"x": 1}}}
        done, answer = self.check(config)
        self.assertEqual((done.returncode, answer["findings"]), (0, []), answer)

    def test_files_that_are_none(self):
        for text, *words in (("a: [", "not YAML"), ("arm: 3", "'arm' is not a node"),
                             ("controller_manager: {ros__parameters: {a: {type: other/Controller}}}", "no controller"),
                             ("controller_manager: {ros__parameters: {a: {type: dyn_controllers/X}, update_rate: fast}}\n"
                              "a: {ros__parameters: {joints: [joint1]}}", "update_rate", "'fast' is not a number")):
            done, _ = self.check(text)
            fails(self, done, 1, *words)
        fails(self, run("info", "arm7", "--check-control", "/none.yaml"), 1, "/none.yaml")

    def test_a_person_reads_it_too(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "control.yaml"
            config = good()
            file.write_text(json.dumps(config))
            self.assertIn("no errors or warnings", run("info", "arm7", "--check-control", file).text)
            config["arm"]["ros__parameters"].pop("ramp_in")
            config["drive_facts"]["ros__parameters"]["adds_gravity"] = True
            file.write_text(json.dumps(config))
            done = run("info", "arm7", "--check-control", file)
            self.assertEqual([line.split()[0] for line in done.text.splitlines()], ["error", "warning", "hint"])
            config["arm"]["ros__parameters"].update(ramp_in=1.0, gravity_compensation="hardware")
            file.write_text(json.dumps(config))
            done = run("info", "arm7", "--check-control", file)
            self.assertEqual([line.split()[0] for line in done.text.splitlines()], ["hint", "no"])
            self.assertEqual((done.returncode, done.error), (0, ""))


if __name__ == "__main__":
    unittest.main()
