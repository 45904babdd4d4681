# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Small SVG charts for the report of a sweep."""
from __future__ import annotations

from html import escape

import numpy as np

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 340, 190, 44, 34, 8
INK, FILL, MARK = "#4a5666", "#5b8bc9", "#c0392b"


def _figure(body: str, caption: str, width: int = WIDTH, height: int = HEIGHT) -> str:
    return (f"<figure><svg viewBox='0 0 {width} {height}' width='{width}' height='{height}' role='img' "
            f"aria-label='{escape(caption, quote=True)}' font-size='11' fill='{INK}'>{body}</svg>"
            f"<figcaption>{escape(caption)}</figcaption></figure>")


def _axis(low: float, high: float, log: bool = False) -> str:
    y = HEIGHT - BOTTOM
    text = f"<line x1='{LEFT}' y1='{y}' x2='{WIDTH - 8}' y2='{y}' stroke='{INK}'/>"
    for k in range(5):
        at = 10 ** (low + (high - low) * k / 4) if log else low + (high - low) * k / 4
        x = LEFT + (WIDTH - 8 - LEFT) * k / 4
        text += f"<text x='{x:.1f}' y='{y + 14}' text-anchor='middle'>{at:.3g}</text>"
    return text


def histogram(values: np.ndarray, caption: str, limit: float | None = None) -> str:
    """Log-spaced if the values span more than two decades."""
    log = values.min() > 0 and values.max() > 100 * values.min()
    x = np.log10(values) if log else values
    low, high = float(x.min()), float(x.max())
    if high <= low:
        low, high = low - 0.5 * (abs(low) or 1), high + 0.5 * (abs(high) or 1)
    counts, _ = np.histogram(x, bins=40, range=(low, high))
    step, y0 = (WIDTH - 8 - LEFT) / 40, HEIGHT - BOTTOM
    body = "".join(f"<rect x='{LEFT + k * step:.1f}' y='{y0 - h:.1f}' width='{step - 1:.1f}' height='{h:.1f}' fill='{FILL}'/>"
                   for k, c in enumerate(counts) if (h := (y0 - TOP) * c / counts.max()) > 0)
    if limit is not None and (not log or limit > 0):
        at = np.log10(limit) if log else limit
        if low <= at <= high:
            x_at = LEFT + (WIDTH - 8 - LEFT) * (at - low) / (high - low)
            body += f"<line x1='{x_at:.1f}' y1='{TOP}' x2='{x_at:.1f}' y2='{y0}' stroke='{MARK}' stroke-dasharray='4 3'/>"
    body += f"<text x='{LEFT - 4}' y='{TOP + 8}' text-anchor='end'>{counts.max()}</text>"
    return _figure(body + _axis(low, high, log), caption)


def share_curve(x: np.ndarray, holds: np.ndarray, caption: str) -> str:
    """The share of runs within the limit, in bins of equal numbers of runs."""
    order = np.argsort(x, kind="stable")
    levels = np.unique(x)
    groups = [np.flatnonzero(x == v) for v in levels] if len(levels) <= 12 else np.array_split(order, 12)
    points = [(float(np.mean(x[g])), float(np.mean(holds[g]))) for g in groups if len(g)]
    low, high = float(x.min()), float(x.max())
    y0 = HEIGHT - BOTTOM
    place = [(LEFT + (WIDTH - 8 - LEFT) * (a - low) / (high - low), y0 - (y0 - TOP) * b) for a, b in points]
    body = f"<polyline fill='none' stroke='{FILL}' stroke-width='2' points='{' '.join(f'{a:.1f},{b:.1f}' for a, b in place)}'/>"
    body += "".join(f"<circle cx='{a:.1f}' cy='{b:.1f}' r='2.5' fill='{FILL}'/>" for a, b in place)
    for level in (0.0, 0.5, 1.0):
        body += f"<text x='{LEFT - 4}' y='{y0 - (y0 - TOP) * level + 4:.1f}' text-anchor='end'>{100 * level:.0f} %</text>"
    return _figure(body + _axis(low, high), caption)


def bars(entries: list, caption: str) -> str:
    """One bar per parameter: the share of the variance that it explains; + or - by the sign of the correlation."""
    row, left, width = 18, 230, 480
    body = ""
    for k, (name, (rho, explained)) in enumerate(entries):
        y = 4 + k * row
        length = (width - left - 50) * explained
        body += (f"<text x='{left - 6}' y='{y + 12}' text-anchor='end'>{escape(name)}</text>"
                 f"<rect x='{left}' y='{y + 2}' width='{max(length, 0.5):.1f}' height='{row - 6}' "
                 f"fill='{FILL if rho >= 0 else MARK}'/>"
                 f"<text x='{left + length + 4:.1f}' y='{y + 12}'>{'+' if rho >= 0 else '-'} {100 * explained:.1f} %</text>")
    return _figure(body, caption, width, 8 + row * len(entries))
