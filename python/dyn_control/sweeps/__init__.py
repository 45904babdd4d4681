# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Sweeps (users call sweep.py). Nothing is imported here, since a worker needs neither SciPy nor Arrow."""
