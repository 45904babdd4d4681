# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Robots whose structure is changed as an author's mistakes change it, read by `dyn` and by Pinocchio's own URDF reader:
where both take the file, M and h agree; where `dyn` does not, it says why in one line; nothing crashes.

urdf_structure.py DYN [--count 200 | --seconds S] [--seed 1]      (exit code 1 with the file where they disagree)
"""
import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio

sys.path.insert(0, str(Path(__file__).parents[1] / "dyn_core" / "test" / "oracle"))
from random_urdf import random_urdf  # noqa: E402

SIMPLE = {"revolute", "continuous", "prismatic", "fixed"}
TOLERANCE = 1e-9


def numbers(chance):
    return chance.choice(["0", "1", "-1", "0.5", "1e-9", "1e9", "-0.3", "1e300", "nan", "", "1 2", "x"])


def change(root, chance):
    """One change of structure or of a number."""
    joints, links = root.findall("joint"), root.findall("link")
    joint, link = chance.choice(joints), chance.choice(links)
    kind = chance.randrange(12)
    if kind == 0:
        joint.set("type", chance.choice(["revolute", "continuous", "prismatic", "fixed", "floating", "planar", "ball"]))
    elif kind == 1:
        joint.find("parent").set("link", chance.choice(links).get("name"))
    elif kind == 2:
        joint.find("child").set("link", chance.choice(links).get("name"))
    elif kind == 3:
        root.remove(chance.choice(joints + links))
    elif kind == 4:
        element = chance.choice(list(root.iter()))
        if element.attrib:
            key = chance.choice(sorted(element.attrib))
            element.set(key, " ".join(numbers(chance) for _ in element.get(key).split()))
    elif kind == 5:
        joint.find("axis").set("xyz", " ".join(chance.choice(["0", "1", "-1", "0.5"]) for _ in range(3)))
    elif kind == 6 and link.find("inertial") is not None:
        link.remove(link.find("inertial"))
    elif kind == 7:
        joint.set("name", chance.choice(joints).get("name"))
    elif kind == 8:
        root.append(chance.choice(joints + links))
    elif kind == 9:
        ElementTree.SubElement(joint, "mimic", joint=chance.choice(joints).get("name"), multiplier="1.5", offset="0.2")
    elif kind == 10:
        order = list(root)
        chance.shuffle(order)
        root[:] = order
    else:
        for inertial in link.findall("inertial"):
            inertial.find("mass").set("value", chance.choice(["0", "1e-6", "1e6", "-1"]))


def comparable(text):
    """No joints whose coordinates differ between the two, and no mimics: Pinocchio counts them."""
    root = ElementTree.fromstring(text)
    return all(j.get("type") in SIMPLE and j.find("mimic") is None for j in root.findall("joint"))


def disagreement(dyn, file, text, states):
    """What is wrong, or nothing; whether Pinocchio was asked."""
    done = subprocess.run([dyn, "info", file, "--json"], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode not in (0, 1):
        return f"exit code {done.returncode}: {done.stderr[-300:]}", False
    if done.returncode == 1:
        ours = [line for line in done.stderr.splitlines() if not line.startswith("warning")]
        return "" if len(ours) == 1 and len(ours[0]) > 20 else f"no sentence: {done.stderr!r}", False
    names = json.loads(done.stdout)["joints"]
    names = [joint["name"] if isinstance(joint, dict) else joint for joint in names]
    if not comparable(text):
        return "", False
    try:
        model = pinocchio.buildModelFromXML(text)
    except (ValueError, RuntimeError):
        return "", False
    if sorted(names) != sorted(model.names[1:]):
        return f"joints: {names} beside {list(model.names[1:])}", True
    states = [{key: value[:len(names)] for key, value in state.items()} for state in states]
    lines = "".join(json.dumps(state) + "\n" for state in states)
    done = subprocess.run([dyn, "eval", file], input=lines, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        return f"dyn eval: {done.stderr[-300:]}", True
    data = model.createData()
    for state, answer in zip(states, map(json.loads, done.stdout.splitlines())):
        q, v = pinocchio.neutral(model), np.zeros(model.nv)
        places = []
        for i, name in enumerate(names):
            joint = model.joints[model.getJointId(name)]
            places.append(joint.idx_v)
            v[joint.idx_v] = state["v"][i]
            angle = state["q"][i]
            q[joint.idx_q:joint.idx_q + joint.nq] = [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
        M = pinocchio.crba(model, data, q)
        M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(places, places)]
        h = pinocchio.rnea(model, data, q, v, np.zeros(model.nv))[places]
        for name, mine, theirs in (("M", np.array(answer["M"]), M), ("h", np.array(answer["h"]), h)):
            scale = max(np.abs(theirs).max(initial=0.0), 1e-12)
            error = np.abs(mine - theirs).max(initial=0.0) / scale
            if not error <= TOLERANCE:
                return f"{name} differs by {error:.1e} of its largest entry", True
    return "", True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dyn")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    generator = np.random.default_rng(arguments.seed)
    begin, done, compared = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "changed.urdf"
        while done < arguments.count if arguments.seconds is None else time.monotonic() - begin < arguments.seconds:
            root = ElementTree.fromstring(random_urdf(generator, chance.randrange(3, 9)))
            for joint in root.findall("joint"):  # mostly joints that both count alike
                if joint.get("type") not in SIMPLE and chance.random() < 0.9:
                    joint.set("type", "continuous")
                if joint.find("mimic") is not None and chance.random() < 0.9:
                    joint.remove(joint.find("mimic"))
            for _ in range(chance.randrange(0, 4)):
                try:
                    change(root, chance)
                except (IndexError, AttributeError):  # nothing there to be changed
                    pass
            text = ElementTree.tostring(root, encoding="unicode")
            file.write_text(text, encoding="utf-8")
            states = [{"q": list(generator.uniform(-2, 2, 60)), "v": list(generator.uniform(-2, 2, 60))} for _ in range(2)]
            wrong, asked = disagreement(arguments.dyn, str(file), text, states)
            done += 1
            compared += asked
            if wrong:
                kept = Path.cwd() / f"structure-{arguments.seed}-{done}.urdf"
                kept.write_text(text, encoding="utf-8")
                print(f"robot {done}, kept as {kept}: {wrong}")
                return 1
    print(f"{done} robots with a changed structure: nothing crashed; both read {compared} of them and agree on M and h")
    return 0 if compared > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
