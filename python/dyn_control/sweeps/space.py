# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""The sampling of a sweep: a distribution for each parameter, and n samples of them by Latin hypercube or Sobol sequence."""
from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy.stats import norm, qmc

from .._core import ModelError
from ..closed_loop import plain
from .apply import SCALE, owners_of, steps_of

SAMPLERS = ("latin", "sobol")


def _bounds(name: str, kind: str, values, positive: bool = False) -> tuple[float, float]:
    if not isinstance(values, list) or len(values) != 2 or not all(isinstance(x, (int, float)) for x in values):
        raise ModelError(f"space: {name}: {kind} has two numbers, not {values!r}")
    low, high = values
    if not low < high:
        raise ModelError(f"space: {name}: {kind} goes from {low!r} to {high!r}; the first must be the smaller one")
    if positive and low <= 0:
        raise ModelError(f"space: {name}: {kind} begins at {low!r}, not above 0")
    return low, high


class Distribution:
    """The distribution of one parameter: `at(u)` are the values at the quantiles u from 0 to 1."""

    def __init__(self, name: str, spec):
        self.name = name
        if isinstance(spec, list):
            spec = {"uniform": spec}
        elif not isinstance(spec, dict):
            spec = {"choice": [spec]}  # a constant
        if len(spec) != 1:
            raise ModelError(f"space: {name}: one distribution is expected, not {sorted(spec)!r}")
        (self.kind, self.values), = spec.items()
        kinds = {"uniform": self._uniform, "log_uniform": self._log_uniform, "integers": self._integers,
                 "normal": self._normal, "choice": self._choice}
        if self.kind not in kinds:
            raise ModelError(f"space: {name}: '{self.kind}' must be one of {', '.join(kinds)}")
        self.at = kinds[self.kind]()

    def spec(self) -> dict:
        return {self.kind: self.values}

    def _uniform(self):
        low, high = _bounds(self.name, self.kind, self.values)
        return lambda u: [float(x) for x in low + (high - low) * u]

    def _log_uniform(self):
        low, high = _bounds(self.name, self.kind, self.values, positive=True)
        return lambda u: [float(x) for x in low * (high / low) ** u]

    def _integers(self):
        low, high = _bounds(self.name, self.kind, self.values)
        if low != int(low) or high != int(high):
            raise ModelError(f"space: {self.name}: integers has two whole numbers, not {self.values!r}")
        return lambda u: [int(x) for x in np.minimum(low + np.floor(u * (high - low + 1)), high)]

    def _normal(self):
        values = self.values
        if not isinstance(values, list) or len(values) != 2 or not values[1] > 0:
            raise ModelError(f"space: {self.name}: normal has mean and standard deviation above 0, not {values!r}")
        return lambda u: [float(x) for x in norm.ppf(np.clip(u, 1e-12, 1 - 1e-12), values[0], values[1])]

    def _choice(self):
        if not isinstance(self.values, list) or not self.values:
            raise ModelError(f"space: {self.name}: choice has a list of values, not {self.values!r}")
        count = len(self.values)
        return lambda u: [self.values[min(int(x * count), count - 1)] for x in u]


def read_space(space: Mapping) -> list[Distribution]:
    """The distributions of a space, in its order. Raises ModelError naming the parameter."""
    if not isinstance(space, Mapping) or not space:
        raise ModelError("space: it is not a dict of parameters and their distributions")
    return [Distribution(name, spec) for name, spec in plain(space, "space").items()]


def expand(config: dict, distributions: list[Distribution]) -> list[Distribution]:
    """Expands `plant.mass_scale.*` and the like to one parameter for each link or joint."""
    expanded = []
    for d in distributions:
        match = SCALE.match(d.name)
        if match:
            owners = owners_of(config, match)
            if match["whose"] == "*":
                expanded += [Distribution(f"{d.name[:-1]}{owner}", d.spec()) for owner in owners]
                continue
        else:
            steps_of(d.name)
        expanded.append(d)
    names = [d.name for d in expanded]
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f"space: '{name}' is drawn twice")
    return expanded


def _sampler(kind: str, dimensions: int, seed: int):
    make = {"latin": qmc.LatinHypercube, "sobol": qmc.Sobol}[kind]
    generator = np.random.default_rng(seed)
    try:
        return make(dimensions, rng=generator)
    except TypeError:  # SciPy before 1.15
        return make(dimensions, seed=generator)


def draw(distributions: list[Distribution], n: int, seed: int, sampler: str) -> dict[str, list]:
    """n values of each parameter: stratified in each of them (latin), or evenly spread over all together (sobol)."""
    if sampler not in SAMPLERS:
        raise ModelError(f"sampler: '{sampler}' must be one of {', '.join(SAMPLERS)}")
    points = _sampler(sampler, len(distributions), seed)
    if sampler == "sobol":  # a whole power of 2 is balanced; the first n of it are spread nearly as well
        unit = points.random_base2(max(0, math.ceil(math.log2(n))))[:n]
    else:
        unit = points.random(n)
    return {d.name: d.at(unit[:, i]) for i, d in enumerate(distributions)}


def seeds(n: int, seed: int) -> list[int]:
    """One seed per run, for its plant's noise."""
    return [int(x) for x in np.random.SeedSequence([seed, 20260]).generate_state(n) & 0x7FFFFFFF]
