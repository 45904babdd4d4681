#!/usr/bin/env python3
# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Growth of times with the number of joints: an SVG and a table of crossovers from `dyn bench --chain N --json`.

    scripts/growth.py FILE.svg RESULT.json ... >> page.md
"""
import json
import math
import sys

PANELS = [("M", "M"), ("M+C+g", "M + C + g"), ("forward", "forward dynamics")]
CROSSOVERS = [("M", "gdahj", "crba"), ("M", "explicit", "momentum"), ("M", "explicit", "pseudo_inertia"),
              ("forward", "denoc", "cholesky"), ("forward", "aba", "cholesky"), ("forward", "denoc", "fused")]
COLOURS = ["#1b6ca8", "#d1495b", "#2e8b57", "#8a5fbf", "#e08e0b", "#555555", "#13a3a3", "#a0522d", "#7a7a00", "#c71585"]
WIDTH, HEIGHT, LEFT, TOP = 360, 320, 52, 34


def series(results):
    """{task: {label: [(n, ns)]}}"""
    out = {}
    for result in sorted(results, key=lambda r: r["joints"]):
        for row in result["results"]:
            label = row["algorithm"] if row["library"] == "dyn_control" else row["library"].split(",")[0].split(".")[0]
            if row["library"] != "dyn_control":
                label = " ".join(row["library"].replace(",", "").split()[:3:2])
            out.setdefault(row["task"], {}).setdefault(label, []).append((result["joints"], row["ns"]))
    return out


def panel(lines, title, offset):
    xs = [n for points in lines.values() for n, _ in points]
    ys = [t for points in lines.values() for _, t in points]
    x0, x1 = math.log10(min(xs)), math.log10(max(xs))
    y0, y1 = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))

    def at(n, t):
        x = offset + LEFT + (math.log10(n) - x0) / (x1 - x0) * (WIDTH - LEFT - 90)
        return x, TOP + (y1 - math.log10(t)) / (y1 - y0) * (HEIGHT - TOP - 40)

    out = [f'<text x="{offset + LEFT}" y="18" font-weight="bold">{title}: ns a call over joints</text>']
    for decade in range(y0, y1 + 1):
        x, y = at(min(xs), 10.0**decade)
        out.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{offset + WIDTH - 90:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">10^{decade}</text>')
    for n in sorted(set(xs)):
        x, y = at(n, 10.0**y0)
        out.append(f'<text x="{x:.1f}" y="{y + 16:.1f}" text-anchor="middle">{n}</text>')
    ends = []
    for k, (label, points) in enumerate(sorted(lines.items())):
        colour = COLOURS[k % len(COLOURS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(n, t) for n, t in points))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        ends.append([at(*points[-1])[1], label, colour])
    ends.sort()
    for k in range(1, len(ends)):
        ends[k][0] = max(ends[k][0], ends[k - 1][0] + 12)
    for y, label, colour in ends:
        out.append(f'<text x="{offset + WIDTH - 84}" y="{y + 4:.1f}" fill="{colour}">{label}</text>')
    return out


def crossover(first, second):
    """The least n measured from which on the first is faster."""
    both = [(n, a, dict(second)[n]) for n, a in first if n in dict(second)]
    least = None
    for n, a, b in reversed(both):
        if a >= b:
            break
        least = n
    return least


def main():
    results = []
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as file:
            results.append(json.load(file))
    lines = series(results)
    body = [line for k, (task, title) in enumerate(PANELS) for line in panel(lines[task], title, k * (WIDTH + 20))]
    width = len(PANELS) * (WIDTH + 20) + 20
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" '
                   'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>\n')
        file.write("\n".join(body) + "\n</svg>\n")
    print("| task | first | second | first is faster from n = |\n|---|---|---|---|")
    for task, first, second in CROSSOVERS:
        n = crossover(lines[task][first], lines[task][second])
        print(f"| {task} | {first} | {second} | {'never, up to ' + str(results[-1]['joints']) if n is None else n} |")


if __name__ == "__main__":
    main()
