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
