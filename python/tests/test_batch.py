# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""batch(): every state as Dynamics has it, into arrays of its own or into `out`, from many threads at once."""
import sys
import threading
import time

import numpy as np
import pytest

import dyn_control as dyn


def states(n, count, seed=1):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, (count, n)), rng.uniform(-1, 1, (count, n))


@pytest.mark.parametrize("threads", [1, 3, 0])
@pytest.mark.parametrize("count", [1, 7, 203])
def test_every_state_is_that_of_dynamics(arm7, count, threads):
    Q, V = states(7, count)
    result = dyn.batch(arm7, Q, V, threads=threads)
    assert result.M.shape == result.C.shape == (count, 7, 7) and result.g.shape == result.h.shape == (count, 7)
    robot = dyn.Dynamics(arm7)
    for k in range(count):
        robot.update(Q[k], V[k])
        for term in "MCgh":
            np.testing.assert_allclose(getattr(result, term)[k], getattr(robot, term), rtol=0, atol=1e-11)


def test_out_is_used_again(arm7):
    Q, V = states(7, 50)
    out = dyn.batch(arm7, Q, V)
    address, first = out.M.__array_interface__["data"][0], out.M.copy()
    again = dyn.batch(arm7, *states(7, 50, seed=2), out=out)
    assert again is out and out.M.__array_interface__["data"][0] == address
    assert np.abs(out.M - first).max() > 1e-3
    dyn.batch(arm7, Q, V, out=out)
    np.testing.assert_array_equal(out.M, first)


def test_terms(arm7):
    Q, V = states(7, 20)
    full, some = dyn.batch(arm7, Q, V), dyn.batch(arm7, Q, V, terms="hM")
    assert some.C is None and some.g is None
    np.testing.assert_allclose(some.M, full.M, atol=1e-13)
    np.testing.assert_allclose(some.h, full.h, atol=1e-12)


def test_no_states(arm7):
    empty = dyn.batch(arm7, np.zeros((0, 7)), np.zeros((0, 7)))
    assert empty.M.shape == (0, 7, 7)


@pytest.mark.parametrize("change, sentence", [
    (dict(Q=np.zeros((5, 6))), r"^Q has shape \(5, 6\), not \(N, 7\): a row a state, a column a joint$"),
    (dict(Q=np.zeros(7)), r"^Q has shape \(7,\), not \(N, 7\)"),
    (dict(V=np.zeros((4, 7))), r"^Q has shape \(5, 7\), V has shape \(4, 7\); they must be the same$"),
    (dict(terms="Mx"), r"^terms: 'x' must be M, C, g or h$"),
    (dict(terms=""), r"^terms: it is empty"),
    (dict(threads=-1), r"^threads: -1 is not from 0 to 1024"),
    (dict(threads=10 ** 6), r"^threads: 1000000 is not from 0 to 1024"),
    (dict(out=3), r"^out is a int, not a Batch$"),
    (dict(Q=np.zeros((5, 7), complex)), r"^Q is an array of complex128, not of real numbers$"),
])
def test_bad_input_is_refused(arm7, change, sentence):
    call = dict(Q=np.zeros((5, 7)), V=np.zeros((5, 7)), terms="MCgh", threads=1, out=None)
    call.update(change)
    with pytest.raises(dyn.ModelError, match=sentence):
        dyn.batch(arm7, **call)


def test_states_that_are_not_finite_are_named_and_out_stays(arm7):
    Q, V = states(7, 5000)
    out = dyn.batch(arm7, Q, V)
    M = out.M.copy()
    V[4321, 5] = np.nan
    with pytest.raises(dyn.ModelError, match="^state 4321, joint 'joint6': V is nan, not a finite number$"):
        dyn.batch(arm7, Q, V, out=out)
    np.testing.assert_array_equal(out.M, M)
    V[4321, 5] = 0
    for state in (0, 4999):  # also where a row of eight is not full
        Q[state, 6] = np.inf
        with pytest.raises(dyn.ModelError, match=f"^state {state}, joint 'joint7': Q is inf"):
            dyn.batch(arm7, Q, V)
        Q[state, 6] = 0


def test_out_of_another_size_is_refused(arm7):
    out = dyn.batch(arm7, *states(7, 5), terms="M")
    with pytest.raises(dyn.ModelError, match="^out holds M of 5 states of 7 coordinates, not M of 6 states of 7$"):
        dyn.batch(arm7, *states(7, 6), terms="M", out=out)
    with pytest.raises(dyn.ModelError, match="^out holds M of 5 states .*, not MCgh of 5"):
        dyn.batch(arm7, *states(7, 5), out=out)


def test_sizes_beyond_memory_are_refused(arm7):
    Q = np.lib.stride_tricks.as_strided(np.zeros(7), (10 ** 12, 7), (0, 8))
    with pytest.raises((dyn.ModelError, MemoryError)):
        dyn.batch(arm7, Q, Q)
    chain = dyn.parse(_chain(60), "chain")
    Q = np.zeros((2_000_000, 60))
    with pytest.raises(dyn.ModelError, match="^batch: MCgh of 2000000 states of 60 coordinates take 117 GB; this machine has"):
        dyn.batch(chain, Q, Q)


def _chain(joints):
    text = "<robot name='chain'><link name='l0'/>"
    for i in range(joints):
        text += f"""<link name='l{i + 1}'><inertial><mass value='1'/>
          <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j{i}' type='continuous'>
          <parent link='l{i}'/><child link='l{i + 1}'/><origin xyz='0 0 0.1'/><axis xyz='0 1 0'/></joint>"""
    return text + "</robot>"


def test_other_threads_go_on_meanwhile(arm7):
    """The GIL is released: a thread counts on while a batch is evaluated."""
    Q, V = states(7, 400_000)
    out = dyn.batch(arm7, Q, V)
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        while counted[0] == 0:
            time.sleep(0.001)
        best = 0
        switch = sys.getswitchinterval()
        sys.setswitchinterval(1e6)  # nobody gets the GIL unless it is given away
        try:
            for _ in range(3):
                before = counted[0]
                dyn.batch(arm7, Q, V, out=out)
                best = max(best, counted[0] - before)
        finally:
            sys.setswitchinterval(switch)
        assert best > 0
    finally:
        stop.set()
        thread.join()
