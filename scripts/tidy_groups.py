"""clang-tidy over many files in acceptable time: tidy_groups.py BUILD JOBS [FILE.cpp...]

clang-tidy 14 processes all that a file includes; Eigen and the standard library take ten seconds and more for every
file. So files of one target with the same compiler flags are concatenated into one file, which is then the main file for
every check and for the static analyzer; findings are reported with their original place. Files that cannot be combined
(two functions of one name) are found by a syntax check, and the group is halved.
"""

import concurrent.futures
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, ".deps", "tidy")
LARGEST_GROUP = 10
INCLUDE = re.compile(r"\s*#\s*include\s*([<\"][^>\"]+[>\"])")
NEEDLESS = re.compile(r"-Wno-restrict|--param=.*|-O\d|-c")  # unknown to clang, or irrelevant for it


def flags_of(entry):
    """The compiler's arguments without compiler, source and output."""
    words = shlex.split(entry["command"]) if "command" in entry else entry["arguments"]
    flags = []
    skip = False
    for index, word in enumerate(words):
        if skip or index == 0 or NEEDLESS.fullmatch(word):
            skip = False
        elif word == "-o":
            skip = True
        elif word != entry["file"] and not (index == 1 and "/" in word and not word.startswith("-")):
            flags.append(word)
    return tuple(flags)


def write_group(files, path):
    """The files one after another; returns where each line came from. An include that a file before had is left out."""
    seen, origin = set(), []
    with open(path, "w", encoding="utf-8") as out:
        for file in files:
            own = set()
            with open(file, encoding="utf-8") as source:
                for number, line in enumerate(source.read().splitlines(), 1):
                    match = INCLUDE.match(line)
                    if match:
                        name = match.group(1)
                        again = name in seen and name not in own
                        own.add(name)
                        line = "" if again else line
                    out.write(line + "\n")
                    origin.append((file, number))
            seen |= own
    return origin


def analyse(name, plain, files):
    """The findings of a group, as a set of lines, and clang-tidy's errors; halves it where it does not compile."""
    path = os.path.join(FOLDER, name + ".cpp")
    beside = [word for folder in sorted({os.path.dirname(file) for file in files}) for word in ("-iquote", folder)]
    flags = [*plain, *beside]
    origin = write_group(files, path)
    if len(files) > 1:
        syntax = subprocess.run(["clang++-14", *flags, "-w", "-fsyntax-only", path], capture_output=True, check=False)
        if syntax.returncode != 0:
            half = len(files) // 2
            return analyse(name + "a", plain, files[:half]) | analyse(name + "b", plain, files[half:])
    started = time.monotonic()
    command = ["clang-tidy-14", "--quiet", "--config-file=" + config_of(files[0]), "--warnings-as-errors=*", path, "--", *flags]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    findings, any_at_all = set(), False
    for line in run.stdout.splitlines():
        match = re.match(r"(.*?):(\d+):(\d+): (warning|error): (.*)", line)
        if not match:
            continue
        any_at_all = True
        file, number = match.group(1), int(match.group(2))
        if os.path.basename(file) == name + ".cpp":
            file, number = origin[number - 1]
        if not is_generated(file):
            findings.add(f"{os.path.relpath(file, ROOT)}:{number}:{match.group(3)}: {match.group(5)}")
    if run.returncode != 0 and not any_at_all:
        findings.add(f"clang-tidy failed on {', '.join(files)}: {run.stderr.strip()[-400:]}")
    print(f"   {len(files):2} files, {time.monotonic() - started:4.0f} s: {os.path.relpath(files[0], ROOT)} ...", flush=True)
    return findings


def is_generated(file):
    """Headers that a build writes (messages, parameters) are not ours to mend."""
    return os.path.realpath(file).startswith(os.path.realpath(sys.argv[1]) + os.sep)


def config_of(file):
    """A .clang-tidy beside the file replaces the root's checks only where it says so, which --config-file cannot do."""
    folder = os.path.dirname(file)
    while not os.path.exists(os.path.join(folder, ".clang-tidy")):
        folder = os.path.dirname(folder)
    return os.path.join(folder, ".clang-tidy")


def main():
    build, jobs, wanted = sys.argv[1], int(sys.argv[2]), {os.path.abspath(file) for file in sys.argv[3:]}
    listed = subprocess.run(["git", "ls-files", "--", "dyn_*/src/*.cpp"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = {os.path.join(ROOT, file) for file in listed.stdout.split()}
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as database:
        entries = {entry["file"]: entry for entry in json.load(database)}
    left_out = sorted(files - set(entries))
    groups = {}
    for file in sorted(files & set(entries)):
        if not wanted or file in wanted:
            groups.setdefault(flags_of(entries[file]) + (config_of(file),), []).append(file)
    os.makedirs(FOLDER, exist_ok=True)
    work = []
    for index, (key, members) in enumerate(groups.items()):
        count = -(-len(members) // LARGEST_GROUP)
        work += [(f"group{index}_{part}", key[:-1], members[part::count]) for part in range(count)]
    unknown = sorted(wanted - files)
    if unknown:
        sys.exit(f"error: {os.path.relpath(unknown[0], ROOT)} is not one of the files that clang-tidy looks at (dyn_*/src)")
    findings = set()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(lambda group: analyse(*group), sorted(work, key=lambda group: -len(group[2]))):
            findings |= found
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"   {used.ru_utime + used.ru_stime:.0f} s of processor time")
    for file in left_out:
        print(f"   not in this build, so not looked at: {os.path.relpath(file, ROOT)}")
    for finding in sorted(findings):
        print(finding)
    if findings:
        print("0 passed, 1 failed")
        sys.exit(1)
    print(f"   {sum(len(members) for _, _, members in work)} files are clean")
    print("1 passed, 0 failed")


main()
