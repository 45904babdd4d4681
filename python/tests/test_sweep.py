# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Sweeps: what is drawn, rows, interruption by kill, failures as rows, the report."""
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest

import dyn_control as dyn
from conftest import short_run
from dyn_control.sweeps import local
from dyn_control.sweeps.apply import configuration
from dyn_control.sweeps.play import metrics
from dyn_control.sweeps.report import sensitivity, share
from dyn_control.sweeps.space import draw, read_space
from dyn_control.sweeps.sweep import play_again

SPACE = {
    "controller.gains.default.p": {"log_uniform": [100, 1000]},
    "plant.delay": {"integers": [1, 3]},
    "plant.mass_scale.*": [0.8, 1.2],
    "plant.friction_scale": [0.5, 1.5],
}


@pytest.fixture
def config():
    """A few milliseconds a run."""
    return short_run(0.1)


def test_draws_fill_the_space():
    space = read_space({"a": [2, 4], "b": {"log_uniform": [1, 100]}, "c": {"integers": [1, 3]},
                        "d": {"normal": [5, 2]}, "e": {"choice": ["x", [1, 2], True]}, "f": 7})
    for sampler in ("latin", "sobol"):
        drawn = draw(space, 600, 3, sampler)
        assert draw(space, 600, 3, sampler) == drawn and draw(space, 600, 4, sampler) != drawn
        a = np.sort(drawn["a"])
        assert np.abs(a - (2 + 2 * (np.arange(600) + 0.5) / 600)).max() < 0.02  # stratified
        assert min(drawn["b"]) < 1.05 and max(drawn["b"]) > 95 and np.median(drawn["b"]) == pytest.approx(10, rel=0.05)
        assert [drawn["c"].count(k) for k in (1, 2, 3)] == pytest.approx([200] * 3, abs=8)
        assert np.mean(drawn["d"]) == pytest.approx(5, abs=0.05) and np.std(drawn["d"]) == pytest.approx(2, rel=0.03)
        assert drawn["e"].count("x") == pytest.approx(200, abs=8) and [1, 2] in drawn["e"] and set(drawn["f"]) == {7}


def test_parameters_reach_their_places(config):
    run = configuration(config, {"controller.gains.joint3.p": 5.0, "plant.mass_scale.link2": 1.1,
                                 "plant.friction_scale": 0.5, "trajectory.way_points[1]": [0.1] * 7, "plant.delay": 2}, 9)
    assert run["controller"]["gains"]["joint3"]["p"] == 5.0 and run["plant"]["delay"] == 2 and run["plant"]["seed"] == 9
    assert {"link": "link2", "mass_scale": 1.1, "inertia_scale": 1.1} in run["plant"]["plant_overrides"]
    assert [e for e in run["plant"]["plant_overrides"] if "joint" in e] == [
        {"joint": joint, "friction_scale": 0.5} for joint in dyn.load("arm7").joint_friction]
    assert run["trajectory"]["way_points"][1] == [0.1] * 7
    assert "plant_overrides" not in config["plant"]  # the configuration itself is as before


def _pendulum(file, dynamics):
    file.write_text(f"""<robot name="r"><link name="base"/>
<link name="l1"><inertial><mass value="1"/><origin xyz="0.1 0 0"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="l1"/><axis xyz="0 0 1"/>
  <limit lower="-3" upper="3" effort="100" velocity="5"/>{dynamics}</joint></robot>""")
    return str(file)


def _largest_torque(robot, plant_robot, way, parameters):
    """Of a move about the vertical axis, whose model has no friction compensation."""
    config = {"robot": robot, "plant": {"robot": plant_robot, "tolerance": 0, "step": 1e-3}, "duration_s": 1,
              "controller": {"gains": {"default": {"p": 400, "d": 40}}, "friction_compensation": False},
              "trajectory": {"type": "quintic", "move_time": 1, "way_points": [[0], [way]]}}
    return dyn.run(configuration(config, parameters, 1), check=False).results["torque"]["max"]


def test_friction_scale_is_a_factor_of_the_friction_that_the_plant_has(tmp_path):
    """Also where that is of plant.robot, which may have friction where the model has none, and in both directions."""
    true = '<dynamics damping="8" friction="4" damping_negative="6" friction_negative="2"/>'
    robots = {"model": _pendulum(tmp_path / "model.urdf", '<dynamics damping="1" friction="0.5"/>'),
              "free": _pendulum(tmp_path / "free.urdf", ""), "true": _pendulum(tmp_path / "true.urdf", true),
              "double": _pendulum(tmp_path / "double.urdf", '<dynamics damping="16" friction="8" damping_negative="12" '
                                                            'friction_negative="4"/>')}
    for way in (1.0, -1.0):
        for model in ("model", "free"):
            alone, doubled = (_largest_torque(robots[model], robots[r], way, {}) for r in ("true", "double"))
            assert doubled > alone + 0.5
            for name in ("plant.friction_scale", "plant.friction_scale.j1"):
                assert _largest_torque(robots[model], robots["true"], way, {name: 1.0}) == alone
                assert _largest_torque(robots[model], robots["true"], way, {name: 2.0}) == doubled
        # The plant's robot is drawn, too; the factor is of the one that was.
        drawn = {"plant.friction_scale": 2.0, "plant.robot": robots["true"]}
        assert _largest_torque(robots["free"], robots["model"], way, drawn) == doubled
        override = {"plant.plant_overrides": [{"joint": "j1", "damping": 16, "friction": 8}], "plant.friction_scale": 0.5}
        assert _largest_torque(robots["model"], robots["true"], way, override) == _largest_torque(
            robots["model"], _pendulum(tmp_path / "same.urdf", '<dynamics damping="8" friction="4"/>'), way, {})


def test_every_run_is_a_row_that_plays_again(config, tmp_path):
    result = dyn.sweep(config, SPACE, 12, out=tmp_path / "s", frame="tool0", workers=2, progress=False)
    table = pq.read_table(tmp_path / "s" / "results.parquet")
    assert table.equals(result.table) and table.column("run").to_pylist() == list(range(12))
    assert set(table.column("status").to_pylist()) == {"ok"} and len(set(table.column("seed").to_pylist())) == 12
    masses = [c for c in table.column_names if c.startswith("plant.mass_scale.")]
    assert len(masses) == len(dyn.load("arm7").masses)
    for run in (0, 7):
        again, row = play_again(tmp_path / "s", run), table.slice(run, 1).to_pylist()[0]
        assert again.results["tracking"]["max"] == row["tracking_max"]
        assert again.arms["arm7"].frame_error("tool0").max() == row["frame_error_max"]
        assert again.results["torque"]["max"] == row["torque_max"]


def test_a_sweep_that_is_there_is_not_played_again(config, tmp_path):
    first = dyn.sweep(config, SPACE, 4, out=tmp_path / "s", progress=False)
    parts = sorted((tmp_path / "s" / "parts").iterdir())
    times = [p.stat().st_mtime_ns for p in parts]
    second = dyn.sweep(config, SPACE, 4, out=tmp_path / "s", progress=False)
    assert second.table.equals(first.table)
    assert [p.stat().st_mtime_ns for p in sorted((tmp_path / "s" / "parts").iterdir())] == times
    with pytest.raises(dyn.ModelError, match="holds another sweep"):
        dyn.sweep(config, SPACE, 5, out=tmp_path / "s", progress=False)
    (tmp_path / "s" / "sweep.json").write_text("{")
    with pytest.raises(dyn.ModelError, match="sweep.json: cannot be read"):
        dyn.sweep(config, SPACE, 4, out=tmp_path / "s", progress=False)


def test_the_frame_error_of_a_sweep_in_task_space_is_that_of_the_controlled_frame(tmp_path):
    c = dyn.load_config("wipe_table")
    c.update(duration_s=0.5, events=[], plant={})
    space = {"plant.mass_scale.link4": [1.1, 1.3]}
    table = dyn.sweep(c, space, 2, out=tmp_path / "s", frame="tool0", workers=1, progress=False).table.to_pylist()
    assert [r["status"] for r in table] == ["ok", "ok"] and min(r["frame_error_max"] for r in table) > 1e-5
    assert [r["frame_error_max"] for r in table] == [r["tracking_max"] for r in table]
    refused = dyn.sweep(c, space, 1, out=tmp_path / "other", frame="link4", workers=1, progress=False).table.to_pylist()
    assert refused[0]["status"] == "failed" and "'link4' has none" in refused[0]["reason"]


def test_a_frame_error_that_is_not_finite_is_no_figure():
    """Also that of an arm that is not the first."""
    def arm(*error):
        return SimpleNamespace(frame_error=lambda link: np.array(error), saturated=np.zeros(2))

    results = {"tracking": {"rms": 1.0, "max": 2.0}, "torque": {"max": 3.0}}
    figures = metrics(SimpleNamespace(results=results, arms={"a": arm(3.0, 4.0), "b": arm(np.nan, 1.0)}), "tool0")
    assert figures["frame_error_max"] is None and figures["frame_error_rms"] is None and figures["tracking_max"] == 2.0
    figures = metrics(SimpleNamespace(results=results, arms={"a": arm(3.0, 4.0), "b": arm(1.0, 1.0)}), "tool0")
    assert figures["frame_error_max"] == 4.0 and figures["frame_error_rms"] == pytest.approx(np.sqrt(12.5))


def _torques(config, space, folder):
    return dyn.sweep(config, space, 2, out=folder, workers=1, progress=False).table.column("torque_max").to_pylist()


def test_a_sweep_whose_files_have_changed_is_another_one(tmp_path):
    """Also files that only the space names, alone or inside of what is drawn."""
    def write(damping):
        return _pendulum(tmp_path / "robot.urdf", f'<dynamics damping="{damping}"/>')

    file = write(8)
    config = {"robot": file, "duration_s": 0.1, "trajectory": {"type": "quintic", "move_time": 1, "way_points": [[0], [1]]}}
    model = {**config, "robot": _pendulum(tmp_path / "model.urdf", "")}
    sweeps = {"config": (config, {"plant.delay": 1}), "path": (model, {"plant.robot": {"choice": [file]}}),
              "map": (model, {"plant": {"choice": [{"robot": file, "seed": 1}]}})}
    before = {name: _torques(*call, tmp_path / name) for name, call in sweeps.items()}
    assert {name: _torques(*call, tmp_path / name) for name, call in sweeps.items()} == before
    write(30)
    for name, call in sweeps.items():
        with pytest.raises(dyn.ModelError, match="holds another sweep"):
            _torques(*call, tmp_path / name)
        assert _torques(*call, tmp_path / f"{name}_anew") != before[name]


def test_a_sweep_whose_xacro_includes_have_changed_is_another_one(tmp_path, monkeypatch):
    """A program that prints a file beside the xacro file stands for xacro."""
    expand = tmp_path / "expand"
    expand.write_text('#!/bin/sh\nexec cat "$(dirname "$1")/included.urdf"\n')
    expand.chmod(0o755)
    monkeypatch.setenv("DYN_XACRO", str(expand))
    xacro = tmp_path / "robot.urdf.xacro"
    xacro.write_text("<robot/>")
    config = {"robot": str(xacro), "duration_s": 0.1,
              "trajectory": {"type": "quintic", "move_time": 1, "way_points": [[0], [1]]}}
    _pendulum(tmp_path / "included.urdf", '<dynamics damping="8"/>')
    before = _torques(config, {"plant.delay": 1}, tmp_path / "s")
    assert _torques(config, {"plant.delay": 1}, tmp_path / "s") == before
    _pendulum(tmp_path / "included.urdf", '<dynamics damping="30"/>')
    with pytest.raises(dyn.ModelError, match="holds another sweep"):
        _torques(config, {"plant.delay": 1}, tmp_path / "s")
    expand.write_text("#!/bin/sh\nexit 1\n")  # not a robot any more: that is what the runs say
    table = dyn.sweep(config, {"plant.delay": 1}, 1, out=tmp_path / "no", workers=1, progress=False).table.to_pylist()
    assert table[0]["status"] == "failed" and "xacro failed" in table[0]["reason"]


def _children_of_threads(pid):
    return [int(c) for task in Path(f"/proc/{pid}/task").iterdir() for c in (task / "children").read_text().split()]


def test_a_killed_sweep_goes_on_and_counts_nothing_twice(config, tmp_path):
    """SIGKILL in the middle; the second call plays only what is missing, and the table is that of a sweep left alone."""
    config["duration_s"] = 0.3
    alone = dyn.sweep(config, SPACE, 60, out=tmp_path / "alone", workers=1, progress=False).table
    (tmp_path / "call.py").write_text(
        "import json, sys, dyn_control as dyn\n"
        "dyn.sweep(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), 60, out=sys.argv[3], workers=2)\n")
    for name, content in (("config", config), ("space", SPACE)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    call = [sys.executable, str(tmp_path / "call.py"), str(tmp_path / "config.json"), str(tmp_path / "space.json"),
            str(tmp_path / "killed")]
    process = subprocess.Popen(call, stderr=subprocess.DEVNULL)
    parts = tmp_path / "killed" / "parts"
    while not (parts.is_dir() and len(list(parts.glob("[0-9]*.parquet"))) >= 3):
        assert process.poll() is None, "the sweep ended before it could be killed"
        time.sleep(0.005)
    workers = _children_of_threads(process.pid)
    process.kill()
    process.wait()
    kept = {f.name: f.read_bytes() for f in parts.glob("[0-9]*.parquet")}
    assert 0 < len(pq.read_table(parts)) < 60
    for _ in range(1000):  # workers end by themselves when nobody listens any more
        if not any(Path(f"/proc/{w}").exists() and "sweeps.worker" in Path(f"/proc/{w}/cmdline").read_text() for w in workers):
            break
        time.sleep(0.01)
    else:
        pytest.fail("workers outlived their sweep")
    subprocess.run(call, check=True, stderr=subprocess.DEVNULL)
    for name, content in kept.items():
        assert (parts / name).read_bytes() == content
    table = pq.read_table(tmp_path / "killed" / "results.parquet")
    assert table.column("run").to_pylist() == list(range(60))
    assert len(pq.read_table(parts)) == 60
    assert table.drop_columns(["wall_s"]).equals(alone.drop_columns(["wall_s"]))


def _workers_that_end(tmp_path, monkeypatch, when):
    """Every worker of the sweeps of this test sends itself SIGKILL before the runs for which the expression `when` holds."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, pathlib, signal, sys\n"
        "if 'dyn_control.sweeps.worker' in ' '.join(sys.orig_argv):\n"
        "    import dyn_control.sweeps.play as play\n"
        "    whole, runs = play.configuration, []\n"
        "    def configuration(config, parameters, seed):\n"
        "        runs.append(seed)\n"
        f"        if {when}:\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return whole(config, parameters, seed)\n"
        "    play.configuration = configuration\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def test_a_killed_worker_loses_no_run(config, tmp_path, monkeypatch):
    """The first four workers are killed before their third run, in the middle of their share."""
    config["duration_s"] = 0.3
    killed = tmp_path / "killed"
    killed.mkdir()
    _workers_that_end(tmp_path, monkeypatch, f"""len(runs) == 3 and len(os.listdir({str(killed)!r})) < 4 and (
                pathlib.Path({str(killed)!r}, str(os.getpid())).touch() is None)""")
    table = dyn.sweep(config, SPACE, 80, out=tmp_path / "s", workers=2, progress=False).table
    assert len(list(killed.iterdir())) >= 4
    assert table.column("run").to_pylist() == list(range(80))
    assert set(table.column("status").to_pylist()) == {"ok"}


def test_runs_that_fail_are_rows_with_the_reason(config, tmp_path):
    space = {"controller.gains.default.p": {"choice": [400, -1]}, "plant.delay": {"choice": [1, 1000]}}
    table = dyn.sweep(config, space, 16, out=tmp_path / "s", workers=2, progress=False).table.to_pylist()
    bad = [r for r in table if r["controller.gains.default.p"] == -1 or r["plant.delay"] == 1000]
    assert 0 < len(bad) < 16
    for row in table:
        assert row["status"] == ("failed" if row in bad else "ok")
        assert (row["tracking_max"] is None) == (row in bad) and bool(row["reason"]) == (row in bad)
    assert any("delay" in r["reason"] and "is not from 0 to 100 cycles" in r["reason"] for r in bad)


def test_a_run_that_ends_its_worker_is_a_row(config, tmp_path, monkeypatch):
    """A module that ends the process stands for whatever may: out of memory, a crash."""
    _workers_that_end(tmp_path, monkeypatch, "parameters['plant.delay'] == 3")
    table = dyn.sweep(config, {"plant.delay": {"integers": [1, 3]}}, 6, out=tmp_path / "s", workers=1,
                      progress=False).table.to_pylist()
    assert [r["status"] == "failed" for r in table] == [r["plant.delay"] == 3 for r in table]
    assert {r["reason"] for r in table if r["plant.delay"] == 3} == {"the worker process was ended by signal 9, 3 times"}


def test_a_worker_that_ends_between_two_runs_is_replaced(config, tmp_path, monkeypatch):
    """The run that could not be sent to it is made by the next one."""
    sent, row = [], local._Worker.row

    def row_of_ended(worker, task, limit_s):
        sent.append(task["run"])
        if len(sent) == 3:
            worker._process.kill()
            worker._process.wait()
        return row(worker, task, limit_s)

    monkeypatch.setattr(local._Worker, "row", row_of_ended)
    table = dyn.sweep(config, {"plant.delay": [1, 3]}, 6, out=tmp_path / "s", workers=1, progress=False).table
    assert table.column("run").to_pylist() == list(range(6)) and sent == [0, 1, 2, 2, 3, 4, 5]


def test_workers_that_end_at_once(monkeypatch):
    """Before they have taken the configuration, which is more than a pipe holds."""
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    rows, tasks = [], [[{"run": 0, "seed": 1, "parameters": {}}], []]
    batches = SimpleNamespace(take=lambda: tasks.pop(0), keep=rows.extend, tick=lambda: None)
    local.run_all({"title": "x" * (1 << 20)}, None, batches, 1, 60.0)
    assert [r["reason"] for r in rows] == ["the worker process ended with exit code 1, 3 times"]


@pytest.mark.parametrize("space, sentence", [
    ({}, "^space: it is not a dict"),
    ({"plant.delay": {"uniform": [3, 1]}}, "^space: plant.delay: uniform goes from 3 to 1; the first must be the smaller one$"),
    ({"plant.delay": {"poisson": [3]}}, "^space: plant.delay: 'poisson' must be one of uniform, "),
    ({"plant.delay": {"integers": [0.5, 2]}}, "^space: plant.delay: integers has two whole numbers"),
    ({"plant.delay": {"log_uniform": [0, 2]}}, "^space: plant.delay: log_uniform begins at 0, not above 0$"),
    ({"plant.delay": [0, float("nan")]}, r"^space\.plant\.delay\[1\] is nan, not a finite number$"),
    ({"events[3].at": [0, 1]}, r"^space: 'events\[3\]\.at': the configuration has no entry \[3\] there$"),
    ({"robot.x": [0, 1]}, "^space: 'robot.x': 'x' is not in a map$"),
    ({"plant.mass_scale.nowhere": [0, 1]}, "^space: 'plant.mass_scale.nowhere': must be one of "),
    ({"plant.mass_scale.*": [0.9, 1], "plant.mass_scale.link2": [0.9, 1]}, "^space: 'plant.mass_scale.link2' is drawn twice$"),
])
def test_bad_spaces_are_refused(config, tmp_path, space, sentence):
    with pytest.raises(dyn.ModelError, match=sentence):
        dyn.sweep(config, space, 2, out=tmp_path / "s", progress=False)
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("arguments, sentence", [
    (dict(n=0), "^n: 0 is not a whole number from 1"), (dict(n=1.5), "^n: 1.5 is not"), (dict(engine="slurm"), "^engine: 'slurm'"),
    (dict(sampler="x"), "^sampler: 'x' must be one of latin, sobol$"), (dict(workers=0), "^workers: 0 is not"),
    (dict(limits={"x": 1}), "^limits: 'x' must be one of "), (dict(seed=-1), "^seed: -1 is not"),
])
def test_bad_calls_are_refused(config, tmp_path, arguments, sentence):
    call = dict(n=2, out=tmp_path / "s", progress=False)
    call.update(arguments)
    with pytest.raises(dyn.ModelError, match=sentence):
        dyn.sweep(config, SPACE, **call)


def test_report(config, tmp_path):
    space = {"controller.gains.default.p": {"log_uniform": [10, 1000]}, "plant.mass_scale.link2": [0.8, 1.2],
             "plant.noise.position": [0, 1e-6]}
    result = dyn.sweep(config, space, 60, out=tmp_path / "s", frame="tool0", limits={"frame_error_max": 1e-4}, progress=False)
    page = result.report.read_text()
    assert "http" not in page.replace("http://www.w3.org", "")  # needs nothing but itself
    p, low, high = result.share("frame_error_max", 1e-4)
    assert f"{100 * p:.2f} %" in page and low < p < high or p in (0.0, 1.0)
    worst = max(result.table.to_pylist(), key=lambda r: r["tracking_max"])["run"]
    command = f"python -m dyn_control play {tmp_path / 's'} {worst} --out run{worst}"
    assert command in page
    first = page.split("Largest tracking_max")[1].split("<code>")[1].split("</code>")[0]
    assert first == command
    played = subprocess.run([sys.executable, *command.split()[1:]], cwd=tmp_path, capture_output=True, text=True)
    assert played.returncode == 0, played.stderr
    assert (tmp_path / f"run{worst}" / "report.html").exists()
    assert repr(result.table.to_pylist()[worst]["tracking_max"]) in played.stdout


def test_sensitivity_finds_what_matters():
    rng = np.random.default_rng(0)
    x, other = rng.uniform(-1, 1, (2, 2000))
    rho, explained = sensitivity(x, np.exp(-3 * x) + 0.01 * other)
    assert rho < -0.99 and explained > 0.95
    rho, explained = sensitivity(x, x * x + 0.01 * other)  # not monotone
    assert abs(rho) < 0.1 and explained > 0.8
    assert sensitivity(other, x)[1] < 0.02
    chance = [sensitivity(*rng.uniform(-1, 1, (2, 60)))[1] for _ in range(100)]
    assert np.mean(chance) < 0.1  # 12 bins of 60 runs explain 0.18 by chance


def test_share_counts_failures_as_not_held():
    import pyarrow as pa
    table = pa.table({"status": ["ok"] * 8 + ["failed", "ok"], "frame_error_max": [1e-4] * 9 + [None]})
    p, low, high = share(table, "frame_error_max", 1e-3)
    assert p == 0.8 and 0.48 < low < 0.5 and 0.94 < high < 0.95


def test_two_sweeps_in_one_folder_are_refused(config, tmp_path):
    from dyn_control.sweeps.store import Store
    store = Store(tmp_path / "s", {"n": 1}, {"run": [0], "seed": [1], "a": [1.0]})
    try:
        with pytest.raises(dyn.ModelError, match="another sweep is writing there"):
            Store(tmp_path / "s", {"n": 1}, {"run": [0], "seed": [1], "a": [1.0]})
    finally:
        store.close()
