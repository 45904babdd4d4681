# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""With masses off by up to 20 %, friction by 50 % and 1 to 3 ms of delay: which gains hold 1 mm at the flange in 99 % of
10,000 runs?

    python gains_for_one_millimetre.py [--runs 10000] [--tried 60] [--out sweeps/one_millimetre]

Each candidate is tried on some plants. Those that hold 1 mm there are run on all plants, beginning with the lowest gains, until one
holds there too: gains higher than necessary only amplify noise. After an interruption it continues where it was.
"""
import argparse
import json
from pathlib import Path

import numpy as np

import dyn_control as dyn

FLANGE, LIMIT_M, WANTED = "tool0", 1e-3, 0.99

# The unknowns, separately for each link and joint; the loop runs at 1 kHz, so that a cycle of delay is 1 ms.
UNKNOWN = {
    "plant.mass_scale.*": [0.8, 1.2],
    "plant.friction_scale.*": [0.5, 1.5],
    "plant.delay": {"integers": [1, 3]},
}


def scenario() -> dict:
    """arm7 on smooth moves of 2 s, friction on both sides. The plant is integrated in fixed steps of 1 ms, which agrees with finer ones to 1e-5."""
    return {
        "title": "One millimetre", "robot": "arm7", "rate_hz": 1000, "duration_s": 2.0,
        "plant": {"tolerance": 0, "step": 1e-3, "torque_limits": False},
        "controller": {"type": "computed_torque", "friction_compensation": True, "prediction": 2.5,
                       "gains": {"default": {"p": 400, "d": 40, "i": 0, "i_clamp": 50}}},
        "trajectory": {"type": "quintic", "move_time": 1.0,
                       "way_points": [[0, 0.4, 0, 1.0, 0, 0.5, 0], [0.4, 0.6, -0.3, 1.3, 0.3, 0.2, 0.5],
                                      [0, 0.4, 0, 1.0, 0, 0.5, 0]]},
    }


def gains(stiffness_hz: float, damping: float, integral: float) -> dict:
    """p, d, i of error dynamics with that natural frequency and damping ratio; integral in parts of p w."""
    w = 2 * np.pi * stiffness_hz
    return {"p": w * w, "d": 2 * damping * w, "i": integral * w ** 3, "i_clamp": 50.0}


def sweep(name: str, config: dict, space: dict, n: int, out: Path) -> "dyn.Sweep":
    return dyn.sweep(config, space, n, out=out / name, frame=FLANGE, limits={"frame_error_max": LIMIT_M})


def tried_share(rows: list[dict], candidate: dict) -> tuple[float, float]:
    """The share of a candidate's runs within the limit, and the error within which 99 % of them stay, mm."""
    runs = [r for r in rows if json.loads(r["controller.gains.default"]) == candidate]
    errors = [r["frame_error_max"] if r["status"] == "ok" else np.inf for r in runs]
    return float(np.mean([e <= LIMIT_M for e in errors])), 1e3 * float(np.quantile(errors, 0.99, method="higher"))


def main() -> None:
    call = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    call.add_argument("--runs", type=int, default=10_000)
    call.add_argument("--tried", type=int, default=60, help="plants on which each candidate is tried")
    call.add_argument("--out", type=Path, default=Path("sweeps/one_millimetre"))
    call = call.parse_args()

    candidates = [gains(f, z, i) for f in (3, 4, 5, 6, 9) for z in (0.7, 1.0) for i in (0.1, 0.3)]
    space = {"controller.gains.default": {"choice": candidates}, **UNKNOWN}
    tried = sweep("candidates", scenario(), space, call.tried * len(candidates), call.out).table.to_pylist()
    promising = []
    for g in candidates:
        share, within = tried_share(tried, g)
        print(f"p {g['p']:5.0f}  d {g['d']:4.0f}  i {g['i']:6.0f}: {100 * share:5.1f} % hold 1 mm, 99 % are within {within:.2f} mm")
        if share >= WANTED:
            promising.append(g)

    for g in sorted(promising, key=lambda g: (g["p"], g["i"], g["d"])):  # lowest gains first
        config = scenario()
        config["controller"]["gains"]["default"] = g
        name = f"p{g['p']:.0f}_d{g['d']:.0f}_i{g['i']:.0f}"
        result = sweep(name, config, UNKNOWN, call.runs, call.out)
        share, low, high = result.share("frame_error_max", LIMIT_M)
        verdict = "hold" if low >= WANTED else "probably do not hold"
        print(f"\np {g['p']:.0f}, d {g['d']:.0f}, i {g['i']:.0f} {verdict} 1 mm at {FLANGE} in {100 * WANTED:.0f} % of {call.runs} "
              f"runs: {100 * share:.2f} % do (95 % interval {100 * low:.2f} to {100 * high:.2f} %)\nreport: {result.report}")
        if low >= WANTED:
            return
    print("\nnone of them holds")


if __name__ == "__main__":
    main()
