#!/usr/bin/env python3
# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""The bar chart of the README, from the table of arm7 in docs/benchmarks.md: ns for M, C and g at one state, ours and peers'.

    scripts/speed_picture.py docs/benchmarks.md docs/pictures/speed.svg
"""
import re
import sys

ROBOT, TASK = "arm7", "M+C+g"
# (how the library's rows begin, how they end, label); the fastest row that fits is shown.
PEERS = [("MuJoCo", "", "MuJoCo (M and the vectors C v + g)"), ("generated", "", "C code generated with CppADCodeGen"),
         ("Pinocchio", "clang", "Pinocchio, clang"), ("Pinocchio", "g++", "Pinocchio, g++")]
OURS, THEIRS = "#1b6ca8", "#b8bec5"
WIDTH, LEFT, BAR, GAP = 720, 300, 20, 8


def rows(page):
    """[(label, ns)]: ours, then each peer's fastest row."""
    section = re.split(r"^## ", page, flags=re.M)
    table = next(part for part in section if part.startswith(ROBOT + "\n"))
    ours, peers = None, {}
    for line in table.splitlines():
        match = re.match(rf"  {re.escape(TASK)}\s+(dyn_control|\S.*?)\s{{2,}}(?:(fused|fused, batch)\s{{2,}})?([\d.e+]+)\s", line)
        if not match:
            continue
        library, algorithm, ns = match[1], match[2], float(match[3])
        if library == "dyn_control" and algorithm == "fused":
            ours = ns
        for begins, compiler, label in PEERS:
            if library.startswith(begins) and compiler in library:
                peers[label] = min(ns, peers.get(label, ns))
    if ours is None or not peers:
        raise SystemExit(f"speed_picture.py: no rows of {TASK} for {ROBOT} in the page")
    return [("dyn_control (fused)", ours)] + sorted(peers.items(), key=lambda row: row[1])


def chart(bars):
    ours = bars[0][1]
    scale = (WIDTH - LEFT - 150) / max(ns for _, ns in bars)
    height = 40 + len(bars) * (BAR + GAP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
           f'<text x="{LEFT}" y="20" font-weight="bold">M, C and g of a seven-joint arm: ns per control cycle</text>']
    for k, (label, ns) in enumerate(bars):
        y = 34 + k * (BAR + GAP)
        times = "" if k == 0 else f" ({ns / ours:.1f} x)"
        out += [f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{label}</text>',
                f'<rect x="{LEFT}" y="{y}" width="{max(ns * scale, 2):.1f}" height="{BAR}" fill="{OURS if k == 0 else THEIRS}"/>',
                f'<text x="{LEFT + max(ns * scale, 2) + 6:.1f}" y="{y + 15}">{ns:.0f} ns{times}</text>']
    return "\n".join(out + ["</svg>", ""])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        picture = chart(rows(file.read()))
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(picture)


main()
