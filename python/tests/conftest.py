# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Robots and states that the tests share; nothing here is random from one run to the next."""
import numpy as np
import pytest

import dyn_control as dyn


@pytest.fixture(scope="session")
def arm7():
    return dyn.load("arm7")


@pytest.fixture
def state():
    """q, v, a of seven joints."""
    rng = np.random.default_rng(7)
    return tuple(rng.uniform(-1.0, 1.0, 7) for _ in range(3))


def short_run(duration_s):
    """A configuration of arm7 with friction, integrated in fixed steps of 1 ms."""
    config = dyn.load_config("arm7_computed_torque")
    config.update(duration_s=duration_s, events=[], plant={"tolerance": 0, "step": 1e-3, "torque_limits": False})
    config["controller"].pop("validation")
    return config
