# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""report.html of a sweep: distributions, worst cases with the command that repeats each, sensitivities. One file that needs
no other."""
from __future__ import annotations

import json
import shlex
from html import escape
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.stats import rankdata

from .._core import ModelError
from . import charts
from .store import read_plan

UNITS = {"tracking_rms": "rad or m", "tracking_max": "rad or m", "torque_max": "N m or N", "frame_error_rms": "m",
         "frame_error_max": "m", "saturation": "share of the cycles"}
WORST = 10          # cases that are listed
LEAST_FOR_BINS = 40  # runs, for sensitivities

STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:1080px;margin:2rem auto;padding:0 1rem;color:#1c2430;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse;font-size:13px}
td,th{padding:.25rem .6rem;border-bottom:1px solid #dde3ea;text-align:left;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}code{font-size:12px;background:#f2f5f8;padding:.1rem .3rem}
figure{display:inline-block;margin:.5rem .8rem .5rem 0}figcaption{font-size:13px;color:#4a5666}
.scroll{overflow-x:auto}"""


def read(folder: Path) -> tuple[dict, dict]:
    """sweep.json and the plan of a folder."""
    try:
        definition = json.loads((folder / "sweep.json").read_text())
        plan = read_plan(folder / "plan.parquet")
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"{folder}: holds no sweep: {error}") from None
    return definition, plan


def _numbers(table: pa.Table, name: str) -> np.ndarray:
    return np.array([np.nan if x is None else float(x) for x in table.column(name).to_pylist()])


def share(table: pa.Table, metric: str, limit: float) -> tuple[float, float, float]:
    """The share of runs that did not fail and are within the limit, with its 95 % interval (Wilson)."""
    values = _numbers(table, metric)
    ok = np.array([s == "ok" for s in table.column("status").to_pylist()])
    n = len(values)
    if n == 0:
        return float("nan"), 0.0, 1.0
    p, z = float(np.mean(ok & (values <= limit))), 1.959964
    centre, half = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return p, float((centre - half) / scale), float((centre + half) / scale)


def _levels(values: list) -> np.ndarray:
    """A parameter's values as numbers; for choices, the index of the choice."""
    if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        return np.array(values, float)
    order = sorted({json.dumps(v) for v in values})
    return np.array([order.index(json.dumps(v)) for v in values], float)


def sensitivity(x: np.ndarray, y: np.ndarray) -> tuple[float, float] | None:
    """Spearman's rank correlation, and the share of y's variance that x alone explains (of ranks, by bins of x)."""
    good = np.isfinite(x) & np.isfinite(y)
    if good.sum() < LEAST_FOR_BINS or len(np.unique(x[good])) < 2 or len(np.unique(y[good])) < 2:
        return None
    rx, ry = rankdata(x[good]), rankdata(y[good])
    rho = float(np.corrcoef(rx, ry)[0, 1])
    bins = np.unique(rx) if len(np.unique(rx)) <= 12 else np.quantile(rx, np.linspace(0, 1, 13)[1:-1])
    place = np.searchsorted(bins, rx)
    groups = [ry[place == k] for k in np.unique(place)]
    between = sum(len(g) * (g.mean() - ry.mean()) ** 2 for g in groups) / len(ry)
    noise = (len(groups) - 1) / len(ry) * ry.var()  # what bins of pure chance explain
    return rho, float(min(1.0, max(0.0, (between - noise) / ry.var())))


def _metrics_of(table: pa.Table) -> list[str]:
    return [m for m in UNITS if np.isfinite(_numbers(table, m)).any()]


def _head(table: pa.Table, definition: dict, limits: dict) -> str:
    status = table.column("status").to_pylist()
    text = [f"<h1>{escape(str(definition['config'].get('title', 'Sweep')))}</h1>",
            f"<p>{len(table)} runs ({escape(definition['sampler'])}, seed {definition['seed']}), "
            f"{status.count('failed')} failed."]
    for metric, limit in limits.items():
        p, low, high = share(table, metric, limit)
        text.append(f"<br><b>{100 * p:.2f} %</b> did not fail and have {escape(metric)} &le; {limit:g} {UNITS[metric]} "
                    f"(95 % interval {100 * low:.2f} to {100 * high:.2f} %).")
    return " ".join(text) + "</p>"


def _distributions(table: pa.Table, limits: dict) -> str:
    figures, rows = [], []
    for metric in _metrics_of(table):
        values = _numbers(table, metric)
        values = values[np.isfinite(values)]
        q = np.quantile(values, [0.5, 0.9, 0.99, 1.0])
        rows.append(f"<tr><td>{metric}</td><td>{UNITS[metric]}</td>"
                    + "".join(f"<td class=n>{x:.4g}</td>" for x in (values.min(), *q)) + "</tr>")
        figures.append(charts.histogram(values, f"{metric}, {UNITS[metric]}", limits.get(metric)))
    return ("<h2>Distributions</h2><table><tr><th>figure</th><th>unit</th><th>least</th><th>median</th><th>90 %</th>"
            "<th>99 %</th><th>largest</th></tr>" + "".join(rows) + "</table>" + "".join(figures))


def _sensitivities(table: pa.Table, parameters: list[str]) -> str:
    text = ["<h2>Sensitivities</h2><p>Share of the variance (of ranks) that a parameter explains by itself; the sign is "
            "that of Spearman's rank correlation.</p>"]
    metrics = _metrics_of(table)
    levels = {p: _levels(table.column(p).to_pylist()) for p in parameters}
    for metric in metrics:
        found = [(p, sensitivity(levels[p], _numbers(table, metric))) for p in parameters]
        found = sorted(((p, s) for p, s in found if s), key=lambda entry: -entry[1][1])[:20]
        if found:
            text.append(charts.bars(found, metric))
    return "".join(text) if len(text) > 1 else ""


def _curves(table: pa.Table, parameters: list[str], limits: dict) -> str:
    ok = np.array([s == "ok" for s in table.column("status").to_pylist()])
    figures = []
    for metric, limit in limits.items():
        holds = ok & (_numbers(table, metric) <= limit)
        for p in parameters:
            x = _levels(table.column(p).to_pylist())
            if len(np.unique(x)) > 1 and len(x) >= LEAST_FOR_BINS:
                figures.append((sensitivity(x, holds.astype(float)) or (0.0, 0.0),
                                charts.share_curve(x, holds, f"share with {metric} <= {limit:g} by {p}")))
    figures.sort(key=lambda entry: -entry[0][1])
    return "<h2>Share of runs within the limits</h2>" + "".join(f for _, f in figures[:12]) if figures else ""


def _cell(value) -> str:
    if isinstance(value, float):
        return f"<td class=n>{value:.5g}</td>"
    return f"<td>{escape(str(value))}</td>"


def _cases(title: str, rows: list[dict], columns: list[str], folder: Path) -> str:
    if not rows:
        return ""
    head = "".join(f"<th>{escape(c)}</th>" for c in ["run", *columns, "command to repeat it"])
    body = []
    for row in rows:
        command = f"python -m dyn_control play {shlex.quote(str(folder))} {row['run']} --out run{row['run']}"
        body.append(f"<tr>{_cell(row['run'])}{''.join(_cell(row[c]) for c in columns)}<td><code>{escape(command)}</code></td></tr>")
    return f"<h2>{title}</h2><div class=scroll><table><tr>{head}</tr>{''.join(body)}</table></div>"


def _worst(table: pa.Table, parameters: list[str], folder: Path) -> str:
    text, rows = [], table.to_pylist()
    shown = parameters[:6]
    for metric in [m for m in ("frame_error_max", "tracking_max", "torque_max") if m in _metrics_of(table)]:
        worst = sorted((r for r in rows if r[metric] is not None), key=lambda r: -r[metric])[:WORST]
        text.append(_cases(f"Largest {metric}, {UNITS[metric]}", worst, [metric, *shown], folder))
    failed = [r for r in rows if r["status"] == "failed"]
    text.append(_cases(f"Failed runs ({len(failed)})", failed[:WORST], ["reason", *shown], folder))
    return "".join(text)


def write(file: Path, table: pa.Table, definition: dict, parameters: list[str], limits: dict) -> None:
    """Writes the page, completely or not at all."""
    folder = file.parent.resolve()
    page = "".join([
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(str(definition['config'].get('title', 'Sweep')))}"
        f"</title><style>{STYLE}</style><body>", _head(table, definition, limits), _distributions(table, limits),
        _curves(table, parameters, limits), _sensitivities(table, parameters), _worst(table, parameters, folder),
        "<h2>What was swept</h2><pre>", escape(json.dumps(definition["space"], indent=1)), "</pre></body></html>"])
    unfinished = file.with_name(f".{file.name}")
    unfinished.write_text(page, encoding="utf-8")
    unfinished.replace(file)
