# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""What the documents show works: the Python of README.md and docs/python.md, the notebook, the example of the sweep."""
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import dyn_control as dyn

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "python" / "examples" / "from_urdf_to_tracking.ipynb"


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_first_example_of_a_page(page):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S)
    assert blocks
    printed = subprocess.run([sys.executable, "-c", blocks[0]], capture_output=True, text=True, check=True).stdout
    assert len(printed) > 500


def test_sweep_of_the_page(tmp_path, monkeypatch):
    block = next(b for b in re.findall(r"```python\n(.*?)```", (ROOT / "docs/python.md").read_text(encoding="utf-8"), re.S)
                 if "dyn.sweep" in b)
    monkeypatch.chdir(tmp_path)
    config = dyn.load_config("arm7_computed_torque")
    config.update(duration_s=0.05, events=[])
    small = block.replace('"arm7_computed_torque"', "config").replace("1000, frame", "4, progress=False, frame")
    assert small != block
    names = {"dyn": dyn, "config": config}
    exec(small.replace("result.table.to_pandas()", "result.table.to_pydict()"), names)
    assert len(names["result"].table) == 4


def test_notebook(tmp_path):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # kept without its outputs
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [o for cell in notebook.cells for o in cell.get("outputs", []) if "image/png" in o.get("data", {})]
    assert len(shown) == 1


def test_example_of_the_sweep(tmp_path):
    call = [sys.executable, str(ROOT / "python" / "examples" / "gains_for_one_millimetre.py"), "--runs", "40", "--tried", "2",
            "--out", str(tmp_path / "s")]
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "1 mm at tool0 in 99 % of 40 runs" in done.stdout and len(list((tmp_path / "s").glob("p*/report.html"))) > 0
