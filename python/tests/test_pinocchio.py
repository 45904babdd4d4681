# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Against Pinocchio's own Python package, in the same process, on robots whose q and v it counts in the same way."""
import subprocess
import sys

import numpy as np
import pytest

import dyn_control as dyn

pin = pytest.importorskip("pinocchio")

ROBOTS = ["arm7", "ur5", "ur10", "talos_reduced"]


def both(name):
    robot = dyn.load(name, allow_impossible_inertia=True)
    model = pin.buildModelFromUrdf(robot.source)
    names = list(model.names)[1:]
    assert model.nq == robot.n
    order = [names.index(joint) for joint in robot.joints]  # ours, in Pinocchio's
    return robot, model, model.createData(), order


def states(n, count=5):
    rng = np.random.default_rng(11)
    return [tuple(rng.uniform(-1.5, 1.5, n) for _ in range(3)) for _ in range(count)]


def close(ours, theirs, tolerance=1e-11):
    assert np.abs(ours - theirs).max() <= tolerance * max(1.0, np.abs(theirs).max())


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ROBOTS)
def test_terms(name):
    robot, model, data, order = both(name)
    ours, square = dyn.Dynamics(robot), np.ix_(order, order)
    for state in states(robot.n):
        q, v, a = state
        there = [np.zeros(robot.n) for _ in range(3)]
        for theirs, own in zip(there, state):
            theirs[order] = own
        tq, tv, ta = there
        ours.update(q, v)
        M = pin.crba(model, data, tq)
        M = np.triu(M) + np.triu(M, 1).T
        close(ours.M, M[square] - np.diag(model.armature[order]))
        close(ours.C @ v, (pin.computeCoriolisMatrix(model, data, tq, tv) @ tv)[order])
        close(ours.g, pin.computeGeneralizedGravity(model, data, tq)[order])
        close(ours.h, pin.nonLinearEffects(model, data, tq, tv)[order])
        tau = pin.rnea(model, data, tq, tv, ta)[order] - model.armature[order] * a
        close(ours.inverse(a), tau)
        close(ours.regressor(a) @ ours.parameters, tau, 1e-10)
        pin.computeRNEADerivatives(model, data, tq, tv, ta)
        derivatives = ours.derivatives(a)
        close(derivatives.dtau_dq, data.dtau_dq[square], 1e-10)
        close(derivatives.dtau_dv, data.dtau_dv[square], 1e-10)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ROBOTS)
def test_frames_of_all_links(name):
    robot, model, data, order = both(name)
    ours = dyn.Dynamics(robot)
    q, v, _ = states(robot.n, 1)[0]
    tq, tv = np.zeros(robot.n), np.zeros(robot.n)
    tq[order], tv[order] = q, v
    ours.update(q, v)
    pin.forwardKinematics(model, data, tq, tv, np.zeros(robot.n))
    pin.computeJointJacobians(model, data, tq)
    pin.updateFramePlacements(model, data)
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    for link in robot.links:
        frame = ours.frame(link)
        index = model.getFrameId(link, pin.FrameType.BODY)
        close(frame.p, data.oMf[index].translation)
        close(frame.R, data.oMf[index].rotation)
        close(frame.J, pin.getFrameJacobian(model, data, index, axes)[:, order])
        close(frame.Jdot_v, pin.getFrameClassicalAcceleration(model, data, index, axes).vector, 1e-10)


@pytest.mark.parametrize("first, second", [("dyn_control", "pinocchio"), ("pinocchio", "dyn_control")])
def test_both_live_in_one_process(first, second):
    """Each brings a urdfdom of its own; neither gets the other's, whichever comes first."""
    code = (f"import {first}, {second}\nimport dyn_control as dyn, pinocchio as pin\n"
            "robot = dyn.load('arm7')\nmodel = pin.buildModelFromUrdf(robot.source)\nassert model.nq == robot.n == 7\n"
            "try: dyn.parse('<robot')\nexcept dyn.ModelError as e: print(e)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.strip(), done.stderr
