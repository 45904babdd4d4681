# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""run(): arrays and results of a closed loop, what is refused, what fails, Ctrl-C."""
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import dyn_control as dyn


@pytest.fixture
def config():
    """arm7, half a second of its first move, no friction."""
    c = dyn.load_config("arm7_computed_torque")
    c.update(duration_s=0.5, events=[])
    return c


def test_arrays_and_results_agree(config):
    run = dyn.run(config)
    assert run.q.shape == (500, 7) and run.joints == dyn.load("arm7").joints and len(run.time_s) == 500
    np.testing.assert_allclose(run.position_error, run.q_reference - run.q, atol=1e-15)
    rms = run.results["tracking"]["rms"]
    assert np.abs(run.position_error).max() == pytest.approx(run.results["tracking"]["max"], rel=0.1)
    assert 0 < rms < 1e-6 and run.failures == [] and run.results["allocations_in_loop"] is None
    assert run.results["cycles"] == 500 and set(run.jsim) == {"fused"} and not run.arms["arm7"].saturated.any()
    robot = dyn.Dynamics(dyn.load("arm7", armature=True))
    robot.update(run.q[300], run.v[300])
    np.testing.assert_allclose(run.gravity[300], robot.g, atol=0.1)  # at the predicted time


def _distance(robot, link, q, q_reference):
    """Of a link's frame at q from the one at q_reference, by row, m."""
    def places(rows):
        found = []
        for row in rows:
            robot.update(row, np.zeros(len(row)))
            found.append(robot.frame(link).p.copy())
        return np.array(found)

    return np.linalg.norm(places(q) - places(q_reference), axis=1)


def test_frame_error_is_the_distance_of_the_positions(config):
    config["plant"]["plant_overrides"] = [{"link": "link4", "mass_scale": 1.3}]
    run = dyn.run(config)
    error = run.arms["arm7"].frame_error("tool0")
    np.testing.assert_array_equal(run.frame_error("tool0"), error)
    np.testing.assert_array_equal(run.saturated, run.arms["arm7"].saturated)
    true = _distance(dyn.Dynamics(dyn.load("arm7")), "tool0", run.q, run.q_reference)
    np.testing.assert_allclose(error, true, rtol=1e-9, atol=1e-12)
    assert error.max() > 1e-5
    with pytest.raises(dyn.ModelError, match="nowhere"):
        run.arms["arm7"].frame_error("nowhere")


def test_frame_error_in_task_space_is_the_distance_from_the_target():
    """The joints have no reference there, but the controlled frame has a target."""
    c = dyn.load_config("wipe_table")
    c.update(duration_s=1.5, events=[], plant={"plant_overrides": [{"link": "link4", "mass_scale": 1.3}]})
    run = dyn.run(c, check=False)
    error = run.arms["arm7"].frame_error("tool0")
    assert error.shape == run.time_s.shape and error.max() == run.results["tracking"]["max"] > 1e-4
    assert np.sqrt(np.mean(error ** 2)) == pytest.approx(run.results["tracking"]["rms"], rel=1e-9)
    with pytest.raises(dyn.ModelError, match="^frame_error: under the law task_space the frame 'tool0' has a target, "
                                             "and 'link4' has none$"):
        run.arms["arm7"].frame_error("link4")


def test_frame_error_of_an_arm_that_takes_a_payload_with_joints():
    """Recorded columns of the payload's joints are not the robot's."""
    c = dyn.load_config("crucible_anti_swing")
    run = dyn.run(c, duration=1.5, check=False)
    assert run.joints == ["joint1", "joint2", "crucible/swing"] and np.isnan(run.q[:500, 2]).all()
    error = run.arms["pelican"].frame_error("link2")
    true = _distance(dyn.Dynamics(dyn.load("pelican")), "link2", run.q[:, :2], run.q_reference[:, :2])
    np.testing.assert_allclose(error, true, rtol=1e-9, atol=1e-12)
    assert error.max() > 1e-4


def test_frame_error_of_an_arm_whose_robot_changes_is_refused():
    run = dyn.run("module_on_and_off", duration=0.1, check=False)
    with pytest.raises(dyn.ModelError, match="^frame_error: events change the robot of 'arm7', and its frames with it$"):
        run.arms["arm7"].frame_error("tool0")


def test_a_scenario_by_name_a_file_and_a_dict_are_the_same(config, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(json.dumps(config))
    by_file, by_dict = dyn.run(file), dyn.run(config)
    np.testing.assert_array_equal(by_file.q, by_dict.q)
    by_name = dyn.run("arm7_computed_torque", duration=0.5)
    np.testing.assert_array_equal(by_name.q, by_dict.q)


def test_load_config_keeps_what_yaml_says():
    c = dyn.load_config("panda_wrong_model")
    assert [arm["name"] for arm in c["arms"]] == ["feedforward", "computed_torque"]
    assert c["arms"][0]["plant"] == c["arms"][1]["plant"]  # an alias
    assert c["arms"][1]["controller"]["gains"]["default"]["p"] == 900
    assert dyn.load_config("arm7_computed_torque")["controller"]["validation"]["tolerance"] == 1e-10


def test_files_are_found_beside_their_configuration(tmp_path, monkeypatch):
    (tmp_path / "robot.urdf").write_text(open(dyn.robots()["arm7"], encoding="utf-8").read())
    c = dyn.load_config("arm7_computed_torque")
    c.update(robot="robot.urdf", duration_s=0.01, events=[])
    (tmp_path / "mine.yaml").write_text(json.dumps(c))
    monkeypatch.chdir("/")
    assert dyn.run(tmp_path / "mine.yaml").results["cycles"] == 10


def test_output_folder(config, tmp_path):
    run = dyn.run(config, out=tmp_path / "out")
    written = json.loads((tmp_path / "out" / "results.json").read_text())
    assert written["tracking"] == run.results["tracking"]
    assert {"log.csv", "log.mcap", "report.html"} <= {f.name for f in (tmp_path / "out").iterdir()}


def test_several_arms():
    c = dyn.load_config("two_arms")
    run = dyn.run(c, duration=0.2)
    assert list(run.arms) == ["left", "right"] and run.arms["left"].q.shape[1] == 7
    with pytest.raises(AttributeError, match="there are 2 arms"):
        run.q


@pytest.mark.parametrize("change, sentence", [
    (lambda c: c.update(nonsense=1), "nonsense"),
    (lambda c: c.update(robot="arm77"), "robot: there is no file and no robot 'arm77'"),
    (lambda c: c.update(rate_hz=float("nan")), "^rate_hz is nan, not a finite number$"),
    (lambda c: c["controller"]["gains"]["default"].update(p=np.inf), r"^controller\.gains\.default\.p is inf, not a finite"),
    (lambda c: c.update(plant={"plant_overrides": [{"joint": "joint7", "friction_scale": -1}]}),
     r"plant\.plant_overrides\[0\]\.friction_scale: is below 0$"),
    (lambda c: c.update(robot=object()), "^robot is a object, not what a configuration can hold$"),
    (lambda c: c["controller"].update(jsim_algorithm="x"), r"controller\.jsim_algorithm: unknown algorithm 'x'; available: "),
])
def test_bad_configurations_are_refused(config, change, sentence):
    change(config)
    with pytest.raises(dyn.ModelError, match=sentence):
        dyn.run(config)


def test_engine_mujoco(config):
    """By the library of the package mujoco of this Python; both engines agree on where the arm goes."""
    native, mujoco = dyn.run(config), dyn.run(config, engine="mujoco")
    assert mujoco.results["cycles"] == native.results["cycles"]
    np.testing.assert_allclose(mujoco.q, native.q, atol=1e-3)
    assert not np.array_equal(mujoco.q, native.q)


def test_engine_mujoco_without_its_library(config):
    call = "import json, sys, dyn_control as dyn; dyn.run(json.loads(sys.argv[1]), engine='mujoco')"
    done = subprocess.run([sys.executable, "-P", "-c", call, json.dumps(config)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "DYN_MUJOCO_LIBRARY": "/nowhere/libmujoco.so"}, check=False)
    assert done.returncode == 1
    assert re.search(r"ModelError: engine mujoco: its library cannot be opened \(/nowhere/libmujoco.so: .*mujoco==4\.",
                     done.stderr)


@pytest.mark.parametrize("arguments, sentence", [
    (dict(duration=0.0), "^duration: 0.0 is not from 0.001 to 3600 s$"),
    (dict(duration=float("nan")), "^duration: nan is not"), (dict(engine="x"), "^engine: 'x' must be native or mujoco"),
])
def test_bad_calls_are_refused(config, arguments, sentence):
    with pytest.raises(dyn.ModelError, match=sentence):
        dyn.run(config, **arguments)


def test_no_such_scenario():
    with pytest.raises(dyn.ModelError, match="^'nothing' cannot be read: .*available: .*arm7_computed_torque"):
        dyn.run("nothing")


def test_a_run_that_failed_raises_and_has_everything(config):
    box = {"name": "box", "link": "tool0", "mass": 1.0}
    config["events"] = [{"at": 0.1, "attach": box}, {"at": 0.2, "attach": box}]
    with pytest.raises(dyn.RunFailed, match="box") as failed:
        dyn.run(config)
    assert failed.value.run.q.shape == (500, 7)
    assert dyn.run(config, check=False).failures == failed.value.run.failures


def test_runs_go_on_side_by_side(config):
    """The GIL is released: two runs at once, each with its own result."""
    results = {}

    def play(p):
        c = json.loads(json.dumps(config))
        c["plant"]["plant_overrides"] = [{"link": "link2", "mass_scale": p}]
        results[p] = dyn.run(c).results["tracking"]["max"]

    threads = [threading.Thread(target=play, args=(p,)) for p in (1.1, 1.2)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    alone = {p: results[p] for p in results}
    play(1.1)
    assert results[1.1] == alone[1.1] and results[1.2] > results[1.1]


def test_ctrl_c_ends_a_run_in_real_time():
    code = ("import dyn_control as dyn, sys\nprint('begins', flush=True)\n"
            "try: dyn.run('arm7_computed_torque', real_time=True)\n"
            "except KeyboardInterrupt: sys.exit(42)\n")
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    process.stdout.readline()
    time.sleep(1.0)
    began = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(timeout=60) == 42
    assert time.monotonic() - began < 10  # the run itself takes 12 s
    process.stdout.close()
