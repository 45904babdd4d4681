# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""replay() and identify(): the log of a run whose plant is heavier than its model says."""
import pytest

import dyn_control as dyn


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    config = {
        "robot": "arm7", "duration_s": 8.0,
        "plant": {"tolerance": 0, "step": 1e-3, "plant_overrides": [{"link": "link4", "mass_scale": 1.3, "inertia_scale": 1.3}]},
        "controller": {"type": "computed_torque", "gains": {"default": {"p": 900, "d": 60}}},
        "trajectory": {"type": "fourier", "centre": [0, 0.5, 0, 1.0, 0, 0.4, 0], "amplitude": 0.4, "base_hz": 0.15},
    }
    folder = tmp_path_factory.mktemp("log")
    dyn.run(config, out=folder)
    return folder / "log.csv"


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_replay_sees_the_wrong_mass(log, tmp_path):
    result = dyn.replay("arm7", log, effort="applied", out=tmp_path / "r")
    assert result["joints"] == dyn.load("arm7").joints and len(result["rms"]) == 7 and result["samples"] > 1000
    assert 0.005 < result["relative"] < 0.5
    assert (tmp_path / "r" / "report.html").exists()
    last = dyn.replay(dyn.load("arm7"), log, effort="applied", hold_out=0.4, cutoff=10.0)
    assert last["cutoff_hz"] == 10.0 and last["samples"] < result["samples"]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_identify_finds_it(log, tmp_path):
    result = dyn.identify("arm7", log, effort="applied", friction="coulomb", prior_weight=1e-3, out=tmp_path / "i")
    assert result["validation"]["relative"] < 0.5 * result["before"]["relative"] and result["consistent"]
    again = dyn.replay(result["urdf"], log, effort="applied", hold_out=0.4, cutoff=result["cutoff_hz"])
    assert again["relative"] == pytest.approx(result["validation"]["relative"], rel=1e-6)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_gravity_is_that_of_the_model_unless_given(log):
    known = dyn.replay("arm7", log, effort="applied", cutoff=10.0)["relative"]
    turned = dyn.load("arm7", gravity=(0.0, 0.0, 9.81))
    assert dyn.replay(turned, log, effort="applied", cutoff=10.0)["relative"] > 1.0 > 2.0 * known
    assert dyn.replay(turned, log, effort="applied", cutoff=10.0, gravity=(0, 0, -9.81))["relative"] == known


def test_what_is_refused(log, tmp_path):
    with pytest.raises(dyn.ModelError, match="nothing.csv"):
        dyn.replay("arm7", tmp_path / "nothing.csv")
    with pytest.raises(dyn.ModelError, match="hold-out"):
        dyn.replay("arm7", log, hold_out=2.0)
    with pytest.raises(dyn.ModelError, match="^identify: there are no logs$"):
        dyn.identify("arm7", [])
    with pytest.raises(dyn.ModelError, match="no robot 'arm77'"):
        dyn.replay("arm77", log)
