# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Sweeps (sweep.py is what users call). Nothing is imported here: a worker needs neither SciPy nor Arrow."""
