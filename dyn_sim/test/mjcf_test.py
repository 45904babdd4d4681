# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""dyn mjcf: what MuJoCo reads back has the robot's dynamics, limits and friction, and a motor for every joint."""
import os
import tempfile
import unittest
from pathlib import Path

import mujoco
import numpy

from dyn_process import evaluate, fails, run

ROBOTS = [name for name in ("arm7", "arm7_gripper", "panda", "ur5") if run("info", name).returncode == 0]


def model_of(robot, *options):
    done = run("mjcf", robot, *options)
    assert done.returncode == 0, done.error
    return mujoco.MjModel.from_xml_string(done.text)


class Mjcf(unittest.TestCase):
    def test_the_dynamics_are_the_same(self):
        self.assertIn("arm7", ROBOTS)
        for robot in ROBOTS:
            model = model_of(robot)
            if model.neq > 0:
                continue  # of mimic joints, which evaluate() does not count
            with self.subTest(robot=robot):
                data = mujoco.MjData(model)
                numbers = numpy.random.default_rng(1)
                for _ in range(3):
                    data.qpos[:] = numbers.uniform(-2.0, 2.0, model.nq)
                    data.qvel[:] = numbers.uniform(-1.0, 1.0, model.nv)
                    mujoco.mj_forward(model, data)
                    ours, = evaluate(robot, {"q": list(data.qpos), "v": list(data.qvel)}, options=["--armature"])
                    M = numpy.zeros((model.nv, model.nv))
                    mujoco.mj_fullM(model, data, M) if mujoco.__version__ >= "4" else mujoco.mj_fullM(model, M, data.qM)
                    scale = numpy.abs(M).max()
                    self.assertLess(numpy.abs(M - numpy.array(ours["M"])).max(), 1e-6 * scale)
                    self.assertLess(numpy.abs(data.qfrc_bias - numpy.array(ours["h"])).max(), 1e-5 * scale)

    def test_joints_motors_and_limits_have_the_names_and_numbers_of_the_urdf(self):
        model = model_of("arm7")
        joints = [model.joint(k) for k in range(model.njnt)]
        self.assertEqual([joint.name for joint in joints], [f"joint{k}" for k in range(1, 8)])
        self.assertEqual([model.actuator(k).name for k in range(model.nu)], [joint.name for joint in joints])
        self.assertEqual(list(model.actuator("joint1").ctrlrange), [-180.0, 180.0])
        self.assertEqual(list(model.joint("joint4").range), [-2.3, 2.3])
        self.assertEqual(model.opt.timestep, 5e-4)
        self.assertGreater(model.body("link4").mass[0], 0.0)
        self.assertFalse(model.geom_contype.any() or model.geom_conaffinity.any(), "shapes do not collide")
        self.assertGreater(model.ngeom, 0)
        self.assertGreater(model.dof_damping.min(), 0.0)

    def test_friction_armature_and_limits_may_be_left_out(self):
        self.assertEqual(list(model_of("arm7").dof_armature), [0.62, 0.62, 0.34, 0.34, 0.15, 0.07, 0.045])
        model = model_of("arm7", "--no-friction", "--no-armature", "--no-limits", "--step", "0.001",
                         "--integrator", "implicitfast")
        self.assertFalse(model.dof_armature.any())
        self.assertFalse(model.dof_damping.any() or model.dof_frictionloss.any())
        self.assertFalse(model.jnt_limited.any() or model.actuator_ctrllimited.any())
        self.assertEqual(model.opt.timestep, 1e-3)
        self.assertEqual(model.opt.integrator, mujoco.mjtIntegrator.mjINT_IMPLICITFAST)

    def test_contacts_and_the_like_are_those_of_mujoco(self):
        """The simulated arm has no contacts; who loads the file may want them."""
        self.assertEqual(model_of("arm7").opt.disableflags, 0)

    def test_a_mimic_joint_has_no_motor_and_follows(self):
        model = model_of("arm7_gripper")
        self.assertLess(model.nu, model.njnt)
        self.assertEqual(model.neq, model.njnt - model.nu)

    def test_a_file_is_written_and_a_robot_that_mujoco_cannot_have_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "arm7.xml"
            self.assertEqual(run("mjcf", "arm7", "--out", file).returncode, 0)
            self.assertEqual(mujoco.MjModel.from_xml_path(str(file)).nv, 7)
        done = run("mjcf", Path(__file__).parent / "data" / "weightless_tip.urdf")
        self.assertEqual(done.returncode, 1)
        self.assertIn("joint 'spin', link 'tip' has no inertia about one of its axes", done.error)
        environment = dict(os.environ, DYN_MUJOCO_LIBRARY="/nowhere/libmujoco.so")
        fails(self, run("mjcf", "arm7", environment=environment), 1, "mujoco")


if __name__ == "__main__":
    unittest.main()
