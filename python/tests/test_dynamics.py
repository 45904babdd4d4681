# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Dynamics: equations between its terms, views, payloads, algorithms, and what is refused."""
import gc

import numpy as np
import pytest

import dyn_control as dyn


def numeric_derivative(f, x, h=1e-6):
    columns = []
    for i in range(len(x)):
        step = np.zeros(len(x))
        step[i] = h
        columns.append((f(x + step) - f(x - step)) / (2 * h))
    return np.stack(columns, axis=-1)


def test_state_is_zero_before_the_first_update(arm7):
    fresh, updated = dyn.Dynamics(arm7), dyn.Dynamics(arm7)
    updated.update(np.zeros(7), np.zeros(7))
    for term in "MCgh":
        np.testing.assert_array_equal(getattr(fresh, term), getattr(updated, term))
    assert np.linalg.norm(fresh.g) > 0.1 or np.linalg.norm(fresh.M) > 0.1


def test_terms_belong_together(arm7, state):
    q, v, a = state
    robot = dyn.Dynamics(arm7)
    robot.update(q, v)
    np.testing.assert_allclose(robot.h, robot.C @ v + robot.g, rtol=0, atol=1e-12)
    tau = robot.M @ a + robot.h
    np.testing.assert_allclose(robot.inverse(a), tau, rtol=0, atol=1e-11)
    np.testing.assert_allclose(robot.forward(tau), a, rtol=0, atol=1e-9)
    np.testing.assert_allclose(robot.minv() @ robot.M, np.eye(7), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(robot.M, robot.M.T)


def test_C_is_not_transposed(arm7, state):
    """Mdot - 2 C is skew-symmetric, which C^T in its place is not."""
    q, v, _ = state
    robot = dyn.Dynamics(arm7)

    def M(x):
        robot.update(x, v)
        return robot.M.copy()

    Mdot = numeric_derivative(M, q) @ v
    robot.update(q, v)
    S = Mdot - 2 * robot.C
    np.testing.assert_allclose(S + S.T, 0, atol=1e-7)
    assert np.abs(robot.C - robot.C.T).max() > 1e-3
    np.testing.assert_allclose(robot.C @ v, robot.h - robot.g, atol=1e-12)


def test_derivatives_and_regressor(arm7, state):
    q, v, a = state
    robot = dyn.Dynamics(arm7)

    def tau(x, rates):
        robot.update(x, rates)
        return robot.inverse(a)

    by_q, by_v = numeric_derivative(lambda x: tau(x, v), q), numeric_derivative(lambda x: tau(q, x), v)
    robot.update(q, v)
    d = robot.derivatives(a)
    np.testing.assert_allclose(d.dtau_dq, by_q, atol=1e-6)
    np.testing.assert_allclose(d.dtau_dv, by_v, atol=1e-6)
    np.testing.assert_allclose(d.dtau_da, robot.M, atol=1e-12)
    forward = robot.forward_derivatives(robot.inverse(a))
    np.testing.assert_allclose(forward.qdd, a, atol=1e-9)
    np.testing.assert_allclose(robot.M @ forward.dqdd_dq, -d.dtau_dq, atol=1e-7)
    np.testing.assert_allclose(robot.M @ forward.dqdd_dv, -d.dtau_dv, atol=1e-7)
    np.testing.assert_allclose(forward.dqdd_dtau, robot.minv(), atol=1e-9)
    Y = robot.regressor(a)
    assert Y.shape == (7, 10 * len(arm7.bodies))
    np.testing.assert_allclose(Y @ robot.parameters, robot.inverse(a), atol=1e-11)


def test_gravity_reaches_every_term(arm7, state):
    q, v, a = state
    robot = dyn.Dynamics(arm7)
    robot.update(q, v)
    g = robot.g.copy()
    robot.gravity = (0.0, 0.0, -3.7)
    np.testing.assert_allclose(robot.g, g * 3.7 / 9.81, atol=1e-12)
    np.testing.assert_allclose(robot.regressor(a) @ robot.parameters, robot.inverse(a), atol=1e-11)
    moon = dyn.Dynamics(dyn.load("arm7", gravity=[0, 0, -3.7]))
    moon.update(q, v)
    np.testing.assert_array_equal(moon.g, robot.g)
    np.testing.assert_array_equal(moon.derivatives(a).dtau_dq, robot.derivatives(a).dtau_dq)
    robot.jsim = "gdahj"  # another choice keeps it
    np.testing.assert_allclose(robot.gravity, (0, 0, -3.7))
    np.testing.assert_array_equal(moon.g, robot.g)


def test_arrays_are_views_that_outlive_their_robot(arm7, state):
    q, v, _ = state
    robot = dyn.Dynamics(arm7)
    M = robot.M
    before = M.copy()
    robot.update(q, v)
    assert robot.M is M and np.abs(M - before).max() > 1e-3
    with pytest.raises(ValueError, match="read-only"):
        M[0, 0] = 1.0
    g, kept = robot.g, robot.g.copy()
    del robot
    gc.collect()
    junk = [np.random.default_rng(0).normal(size=1000) for _ in range(100)]
    np.testing.assert_array_equal(g, kept)
    assert len(junk) == 100


@pytest.mark.parametrize("convert", [
    list, tuple, lambda x: x.astype(np.longdouble), lambda x: np.stack([x, x], axis=1)[:, 0], lambda x: x[::-1].copy()[::-1]])
def test_other_real_arrays_are_converted(arm7, state, convert):
    q, v, a = state
    robot, other = dyn.Dynamics(arm7), dyn.Dynamics(arm7)
    robot.update(q, v)
    other.update(convert(q), convert(v))
    np.testing.assert_array_equal(robot.M, other.M)
    np.testing.assert_array_equal(robot.inverse(a), other.inverse(convert(a)))


def test_float32_and_integers_are_converted(arm7):
    robot = dyn.Dynamics(arm7)
    robot.update(np.ones(7, np.float32), np.zeros(7, np.int64))
    expected = dyn.Dynamics(arm7)
    expected.update(np.ones(7), np.zeros(7))
    np.testing.assert_array_equal(robot.M, expected.M)


@pytest.mark.parametrize("q, sentence", [
    (np.zeros(5), r"^q has 5 numbers, the robot 7 coordinates: none for joint 'joint6'$"),
    (np.zeros(8), r"^q has 8 numbers, the robot 7 coordinates: the last joint is 'joint7'$"),
    (np.zeros((7, 1)), r"^q has shape \(7, 1\), not \(7,\)$"),
    (0.5, r"^q has shape \(\), not \(7,\)$"),
    (np.array([0, 0, np.nan, 0, 0, 0, 0]), r"^joint 'joint3': q is nan, not a finite number$"),
    (np.array([0, 0, 0, -np.inf, 0, 0, 0]), r"^joint 'joint4': q is -inf, not a finite number$"),
    (np.zeros(7, complex), r"^q is an array of complex128, not of real numbers$"),
    (np.zeros(7, bool), r"^q is an array of bool, not of real numbers$"),
    (["a"] * 7, r"^q is an array of <U1, not of real numbers$"),
    (None, r"^q is an array of object, not of real numbers$"),
    ([[1, 2], [3]], r"^q is not an array of numbers: "),
])
def test_bad_states_are_refused_and_change_nothing(arm7, state, q, sentence):
    robot = dyn.Dynamics(arm7)
    robot.update(*state[:2])
    before = {term: getattr(robot, term).copy() for term in "MCghqv"}
    with pytest.raises(dyn.ModelError, match=sentence) as refused:
        robot.update(q, np.zeros(7))
    assert "\n" not in str(refused.value)
    with pytest.raises(dyn.ModelError, match=sentence.replace("q is", "v is").replace("q has", "v has")):
        robot.update(np.zeros(7), q)
    for term, value in before.items():
        np.testing.assert_array_equal(getattr(robot, term), value)


def test_rates_whose_square_overflows_are_refused(arm7, state):
    robot = dyn.Dynamics(arm7)
    robot.update(*state[:2])
    h = robot.h.copy()
    with pytest.raises(dyn.ModelError, match=r"^joint 'joint1': v is 1e\+200, too large: h of joint 'joint\d' is "):
        robot.update(np.zeros(7), np.full(7, 1e200))
    np.testing.assert_array_equal(robot.h, h)


def test_frames(arm7, state):
    q, v, a = state
    robot = dyn.Dynamics(arm7)

    def pose(x):
        robot.update(x, v)
        return robot.frame("tool0")

    J = numeric_derivative(lambda x: pose(x).p, q)
    Jdot_v = numeric_derivative(lambda x: pose(x).J @ v, q) @ v
    frame = pose(q)
    np.testing.assert_allclose(frame.J[:3], J, atol=1e-8)
    np.testing.assert_allclose(frame.Jdot_v, Jdot_v, atol=1e-7)
    np.testing.assert_allclose(frame.twist, frame.J @ v, atol=1e-12)
    np.testing.assert_allclose(frame.R @ frame.R.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.linalg.inv(frame.Lambda), frame.J @ robot.minv() @ frame.J.T, atol=1e-8)
    with pytest.raises(dyn.ModelError, match="tool0"):
        robot.frame("tool")
    robot.attach("box", "tool0", mass=1.0, inertia=(0.01, 0, 0, 0.01, 0, 0.01), xyz=(0, 0, 0.2))
    np.testing.assert_allclose(robot.frame("box").p, frame.p + frame.R @ (0, 0, 0.2), atol=1e-12)
    robot.update(np.zeros(7), v)  # stretched out
    straight = robot.frame("tool0")
    assert straight.Lambda is None and straight.Lambda_error.startswith("the frame is singular")


def test_bad_accelerations_and_torques_are_refused(arm7):
    robot = dyn.Dynamics(arm7)
    bad = np.array([0, np.nan, 0, 0, 0, 0, 0])
    for call, name in ((robot.inverse, "a"), (robot.derivatives, "a"), (robot.regressor, "a"), (robot.forward, "tau"),
                       (robot.forward_derivatives, "tau")):
        with pytest.raises(dyn.ModelError, match=f"^joint 'joint2': {name} is nan, not a finite number$"):
            call(bad)
        with pytest.raises(dyn.ModelError, match=f"^{name} has 3 numbers, the robot 7 coordinates"):
            call(np.zeros(3))


def test_every_algorithm_gives_the_same(arm7, state):
    q, v, a = state
    reference = dyn.Dynamics(arm7)
    reference.update(q, v)
    names = dyn.algorithms()
    assert set(names) == {"jsim", "coriolis", "forward", "inverse"} and len(names["jsim"]) >= 9
    robot = dyn.Dynamics(arm7)
    for jsim in names["jsim"]:
        robot.jsim = jsim
        robot.update(q, v)
        assert robot.jsim == jsim
        np.testing.assert_allclose(robot.M, reference.M, atol=1e-11)
    for coriolis in names["coriolis"]:
        other = dyn.Dynamics(arm7, coriolis=coriolis)
        other.update(q, v)
        np.testing.assert_allclose(other.C @ v, reference.C @ v, atol=1e-11)
    for forward in names["forward"]:
        other = dyn.Dynamics(arm7, forward=forward)
        other.update(q, v)
        assert other.forward_algorithm == forward
        np.testing.assert_allclose(other.forward(a), reference.forward(a), rtol=1e-9)
    for inverse in names["inverse"]:
        other = dyn.Dynamics(arm7, inverse=inverse)
        other.update(q, v)
        np.testing.assert_allclose(other.inverse(a), reference.inverse(a), atol=1e-11)


def test_unknown_algorithms_are_refused(arm7):
    with pytest.raises(dyn.ModelError, match="^jsim_algorithm: unknown algorithm 'nonsense'; available: "):
        dyn.Dynamics(arm7, jsim="nonsense")
    robot = dyn.Dynamics(arm7, jsim="crba")
    with pytest.raises(dyn.ModelError, match="^coriolis_algorithm: unknown algorithm"):
        robot.coriolis = "crba"
    assert robot.jsim == "crba"


def test_payload_comes_and_goes(arm7, state):
    q, v, _ = state
    robot = dyn.Dynamics(arm7)
    robot.update(q, v)
    empty = {term: getattr(robot, term).copy() for term in "MCgh"}
    held = robot.M
    joints = robot.attach("box", "tool0", mass=2.0, com=[0, 0, 0.05], inertia=(0.01, 0, 0, 0.01, 0, 0.01))
    assert joints == arm7.joints and robot.payloads == ["box"]
    assert np.abs(robot.M - empty["M"]).max() > 0.1  # at once, at the state of the last update
    np.testing.assert_array_equal(held, empty["M"])  # an array from before keeps its numbers
    assert robot.model.mass == pytest.approx(arm7.mass + 2.0)
    robot.detach("box")
    for term, value in empty.items():
        np.testing.assert_array_equal(getattr(robot, term), value)


def test_payload_with_joints_of_its_own(arm7, state):
    q, v, _ = state
    robot = dyn.Dynamics(arm7)
    robot.update(q, v)
    joints = robot.attach(name="crucible", link="link2", urdf="crucible", xyz=(0, 0, 0.1))
    assert len(joints) > 7 and joints[:7] == arm7.joints and joints[7].startswith("crucible/")
    n = len(joints)
    assert robot.M.shape == (n, n) and robot.model.n == n
    np.testing.assert_array_equal(robot.q[:7], q)
    np.testing.assert_array_equal(robot.q[7:], 0)
    robot.detach("crucible")
    assert robot.M.shape == (7, 7)
    np.testing.assert_array_equal(robot.q, q)


@pytest.mark.parametrize("arguments, sentence", [
    (dict(name="box", link="nowhere", mass=1.0), "nowhere"),
    (dict(name="box", link="tool0", mass=-1.0), "mass"),
    (dict(name="box", link="tool0"), "^attach: payload 'box' has neither a mass nor a urdf$"),
    (dict(name="box", link="tool0", mass=1.0, com=[0, np.nan, 0]), "^com entry 1 is nan, not a finite number$"),
    (dict(name="box", link="tool0", mass=1.0, inertia=[1, 2, 3]), r"^inertia has shape \(3,\), not \(6,\)$"),
    (dict(name="box", link="tool0", urdf="no_such_robot_at_all"), "^there is no file and no robot"),
])
def test_bad_payloads_are_refused_and_change_nothing(arm7, state, arguments, sentence):
    robot = dyn.Dynamics(arm7)
    robot.update(*state[:2])
    M = robot.M.copy()
    with pytest.raises(dyn.ModelError, match=sentence):
        robot.attach(**arguments)
    assert robot.payloads == []
    np.testing.assert_array_equal(robot.M, M)
    with pytest.raises(dyn.ModelError, match="box"):
        robot.detach("box")


def test_singular_inertia_names_the_joint():
    urdf = """<robot name="tip"><link name="base"/><link name="a"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="b"/>
      <joint name="first" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
      <joint name="last" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>"""
    with pytest.warns(UserWarning, match="massless|no mass|mass"):
        robot = dyn.Dynamics(dyn.parse(urdf, "tip.urdf"))
    for call in (lambda: robot.forward([0, 0]), robot.minv, lambda: robot.forward_derivatives([0, 0])):
        with pytest.raises(dyn.ModelError, match="^joint 'last': M is singular, pivot "):
            call()


def test_models(arm7, tmp_path):
    assert arm7.n == 7 and len(arm7.joints) == 7 and arm7.joints == arm7.coordinate_names
    assert (arm7.lower < arm7.upper).all() and (arm7.effort_limits > 0).all()
    assert "arm7" in dyn.robots() and "tool0" in arm7.links and repr(arm7).startswith("<dyn_control.Model")
    with pytest.raises(dyn.ModelError, match="^there is no file and no robot 'arm77'; is one of these meant: .*arm7"):
        dyn.load("arm77")
    with pytest.raises(dyn.ModelError, match="there is no such file"):
        dyn.load(tmp_path / "nothing.urdf")
    broken = tmp_path / "broken.urdf"
    broken.write_text("<robot name='x'><link name='a'/>")
    with pytest.raises(dyn.ModelError, match="broken.urdf"):
        dyn.load(broken)
    with pytest.raises(TypeError):
        dyn.load(7)
