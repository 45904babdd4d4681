# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""How fast the Python package is, beside pin, MuJoCo and frax where they are installed; prints a section of Markdown.

    scripts/benchmark python          writes it into docs/benchmarks.md

All take turns in one process; a figure is the median of the turns.
"""
from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
import warnings
from pathlib import Path

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np

import dyn_control as dyn
from dyn_control import _core

warnings.simplefilter("ignore")


def seconds(call, count: int) -> float:
    began = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - began) / count


def medians(calls: dict, turns: int, count: int) -> dict[str, float]:
    """Seconds a call, by name; all of them once a turn."""
    for call in calls.values():
        seconds(call, max(2, count // 10))
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(turns):
        for name, call in calls.items():
            taken[name].append(seconds(call, count))
    return {name: statistics.median(times) for name, times in taken.items()}


def own(name: str, q, v) -> dict:
    robot = dyn.Dynamics(dyn.load(name))

    def update():
        robot.update(q, v)
        return robot.M, robot.C, robot.g

    return {"dyn_control: update, M, C, g": update}


def pinocchio(name: str, q, v) -> dict:
    try:
        import pinocchio as pin
    except ImportError:
        return {}
    source = dyn.load(name).source
    model = pin.buildModelFromUrdf(source, mimic=True) if name == "panda" else pin.buildModelFromUrdf(source)
    if model.nq != len(q):
        return {}
    data = model.createData()

    def terms():
        return pin.crba(model, data, q), pin.computeCoriolisMatrix(model, data, q, v), pin.computeGeneralizedGravity(model, data, q)

    return {"pin: crba, computeCoriolisMatrix, computeGeneralizedGravity": terms}


def mujoco(name: str, q, v) -> dict:
    try:
        import mujoco
    except ImportError:
        return {}
    source = dyn.load(name).source
    try:
        spec = mujoco.MjSpec.from_file(source)
        spec.compiler.discardvisual, spec.meshes[:] = True, []
        model = spec.compile()
    except Exception:
        return {}
    if model.nq != len(q):
        return {}
    data, M = mujoco.MjData(model), np.zeros((model.nv, model.nv))
    data.qpos[:], data.qvel[:] = q, v

    def terms():
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        mujoco.mj_fullM(model, M, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(model, data, M)
        return M, data.qfrc_bias

    try:
        terms()
    except TypeError:
        return {}
    return {"MuJoCo: mj_fwdPosition, mj_fwdVelocity, mj_fullM; M and h": terms}


def frax(name: str, batch: int) -> tuple[dict, str]:
    """M, C v and g by frax, jitted, of one state or of a batch; or why not."""
    try:
        import jax
        jax.config.update("jax_enable_x64", True)
        from frax import Robot
        robot = Robot(dyn.load(name).source)
        rng = np.random.default_rng(0)
        shape = (batch, robot.nv) if batch > 1 else (robot.nv,)
        Q, V = rng.uniform(-1, 1, shape), rng.uniform(-1, 1, shape)

        def terms(q, v):
            return robot.mass_matrix(q), robot.centrifugal_coriolis_vector(q, v), robot.gravity_vector(q)

        call = jax.jit(jax.vmap(terms) if batch > 1 else terms)
        jax.block_until_ready(call(Q, V))
    except Exception as error:  # whatever it is, the others are measured
        return {}, f"{type(error).__name__}: {error}"
    title = "frax: M, C v, g, jit of vmap" if batch > 1 else "frax: M, C v, g, jit"
    return {title: lambda: jax.block_until_ready(call(Q, V))}, ""


def seven_joints() -> str | None:
    """The Panda without fingers that frax brings with it."""
    try:
        from frax.assets import FRANKA_ASSETS_DIR
    except Exception:
        return None
    return str(FRANKA_ASSETS_DIR / "panda.urdf")


def title(name: str) -> str:
    return "the Panda without fingers (frax's URDF)" if name == seven_joints() else f"`{name}`"


def single(name: str, turns: int) -> str:
    model = dyn.load(name)
    rng = np.random.default_rng(1)
    q, v = rng.uniform(-1, 1, (2, model.n))
    calls = {**own(name, q, v), **pinocchio(name, q, v), **mujoco(name, q, v)}
    found = medians(calls, turns, 2000)
    found.update(medians(frax(name, 1)[0], 5, 200))
    rows = "".join(f"| {what} | {1e6 * s:.3g} |\n" for what, s in found.items())
    return f"One state of {title(name)} ({model.n} coordinates), from Python:\n\n| call | microseconds |\n|---|---|\n{rows}"


def batches(name: str, states: int, turns: int) -> str:
    model = dyn.load(name)
    rng = np.random.default_rng(2)
    Q, V = (rng.uniform(-1, 1, (states, model.n)) for _ in range(2))
    out = dyn.batch(model, Q, V)
    robot = dyn.Dynamics(model)

    def loop():
        for k in range(states // 20):
            robot.update(Q[k], V[k])

    calls = {"dyn_control.batch into `out`": lambda: dyn.batch(model, Q, V, out=out),
             "C++, evaluate_batch into the same memory": lambda: _core.evaluate_batch_alone(model, Q, V, out),
             "dyn_control.batch into new arrays": lambda: dyn.batch(model, Q, V)}
    found = medians(calls, turns, 3)
    ratios = []
    for _ in range(turns):
        python, cpp = (seconds(call, 3) for call in list(calls.values())[:2])
        ratios.append(python / cpp)
    found["dyn_control.Dynamics in a loop"] = 20 * medians({"": loop}, 5, 1)[""]
    pin = pinocchio(name, Q[0], V[0])
    if pin:
        found["pin in a loop"] = states * medians(pin, 5, 500).popitem()[1]
    peer, why_not = frax(name, states)
    found.update(medians(peer, 5, 1))
    rows = "".join(f"| {w} | {states / s / 1e6:.3g} |\n" for w, s in found.items())
    text = (f"{states} states of {title(name)} ({model.n} coordinates), M, C, g and h, one thread:\n\n| call | million states a second |\n"
            f"|---|---|\n{rows}\n`batch` into `out` takes {statistics.median(ratios):.3f} times what C++ takes (median of "
            f"{turns} turns).\n")
    return text if peer else text + f"\nfrax was left out: {why_not}\n"


def sweeps(runs: int) -> str:
    """Runs per second of the shipped example, 2 s of arm7 at 1 kHz each, by number of workers."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
    import gains_for_one_millimetre as example
    cores = len(os.sched_getaffinity(0))
    rows, alone = "", None
    for workers in sorted({1, 2, cores} & set(range(1, cores + 1))):
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            dyn.sweep(example.scenario(), example.UNKNOWN, runs * workers, out=Path(folder) / "s", workers=workers, frame="tool0",
                      progress=False)
            rate = runs * workers / (time.perf_counter() - began)
        alone = alone or rate
        rows += f"| {workers} | {rate:.1f} | {rate / alone / workers:.2f} |\n"
    return (f"Sweeps: closed loops of 2 s at 1 kHz of `arm7` with friction (python/examples/gains_for_one_millimetre.py), {runs} a "
            f"worker, start of the workers and report included; {cores} cores:\n\n| workers | runs a second | of the first one's, "
            f"each |\n|---|---|---|\n{rows}")


def main() -> None:
    call = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    call.add_argument("--turns", type=int, default=31)
    call.add_argument("--states", type=int, default=10_000)
    call.add_argument("--runs", type=int, default=300, help="of a sweep, a worker")
    call = call.parse_args()
    print("## From Python\n\nMade by `scripts/benchmark python`: all take turns in one process, medians.\n")
    robots = [name for name in ("arm7", "panda") if name in dyn.robots()] + ([seven_joints()] if seven_joints() else [])
    for name in robots:
        print(single(name, call.turns))
    for name in robots[1:] or robots:
        print(batches(name, call.states, call.turns))
    print(sweeps(call.runs))


if __name__ == "__main__":
    main()
