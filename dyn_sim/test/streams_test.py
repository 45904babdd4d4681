# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Pipes, closed streams and long lines."""
import json
import os
import subprocess
import unittest

from dyn_process import BRANCH, DYN, PATIENCE, evaluate, fails, run

STATE = '{"q":[0.1,0.2,0.3,0.4]}\n'


def shell(command, stdin=None):
    return subprocess.run(["sh", "-c", command, DYN, BRANCH], input=stdin, capture_output=True, timeout=60 * PATIENCE, check=False)


class Streams(unittest.TestCase):
    def test_answers_at_once_through_a_pipe(self):
        with subprocess.Popen([DYN, "eval", BRANCH], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for _ in range(3):
                process.stdin.write(STATE.encode())
                process.stdin.flush()
                self.assertIn("qdd", json.loads(process.stdout.readline()))
            process.stdin.close()
            self.assertEqual(process.wait(timeout=10 * PATIENCE), 0)

    def test_no_input(self):
        for stdin in (b"", b"\n", b"  \n\r\n\n"):
            done = run("eval", BRANCH, stdin=stdin)
            self.assertEqual((done.returncode, done.text, done.error), (0, "", ""))

    def test_last_line_without_line_feed_and_dos_line_ends(self):
        self.assertEqual(run("eval", BRANCH, stdin=STATE.strip()).text, run("eval", BRANCH, stdin=STATE).text)
        self.assertEqual(run("eval", BRANCH, stdin=STATE.strip() + "\r\n").text, run("eval", BRANCH, stdin=STATE).text)

    def test_a_long_line_is_read(self):
        (short,) = evaluate(BRANCH, STATE.strip())
        (long,) = evaluate(BRANCH, '{"q":[0.1,0.2,' + " " * 3000000 + '0.3,0.4]}')
        self.assertEqual(short, long)

    def test_an_endless_line_is_refused(self):
        command = 'yes "[0,0,0,0," | tr -d "\\n" | "$0" eval "$1"'
        done = shell(command)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"line 1: longer than", done.stderr)

    def test_many_lines(self):
        done = run("eval", BRANCH, stdin=STATE * 5000)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.text.count("\n"), 5000)
        self.assertEqual(len(set(done.text.splitlines())), 1)

    def closed(self, done, word):
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertIn(word, done.stderr)

    def test_closed_stdin(self):
        self.closed(shell('"$0" eval "$1" <&-'), b"standard input")

    def test_closed_stdout(self):
        self.closed(shell('"$0" eval "$1" >&-', STATE.encode()), b"standard output")
        for command in ('info "$1"', "algorithms --json", "count --chain 2", "--help", "eval --help"):
            with self.subTest(command):
                self.closed(shell('"$0" ' + command + ' >&-'), b"standard output")

    def test_full_disk(self):
        if os.path.exists("/dev/full"):
            self.closed(shell('"$0" eval "$1" >/dev/full', STATE.encode()), b"standard output")

    def test_a_reader_that_went_away(self):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([DYN, "eval", BRANCH], input=STATE.encode(), stdout=write, stderr=subprocess.PIPE,
                              timeout=60 * PATIENCE, check=False)
        os.close(write)
        self.closed(done, b"standard output: Broken pipe")

    def test_a_directory_as_input(self):
        done = shell('"$0" eval "$1" < /')
        self.closed(done, b"standard input")

    def test_closed_stderr_keeps_the_exit_code(self):
        self.assertEqual(shell('"$0" info nonsense 2>&-').returncode, 1)
        self.assertEqual(shell('"$0" nonsense 2>&-').returncode, 2)


class Eval(unittest.TestCase):
    def test_a_line_too_long_names_the_bytes(self):
        done = run("eval", BRANCH, stdin=b" " * (65 << 20))
        fails(self, done, 1, "line 1: longer than")


if __name__ == "__main__":
    unittest.main()
