# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Broken states: exit code 1, one sentence with the line, the joint and the value; what came before is answered."""
import unittest

from dyn_process import BRANCH, fails, run

BROKEN = [
    ('{"q":[0,0,NaN,0]}', "left_b", "q", "NaN"),
    ('{"v":[0,nan,0,0]}', "left_a", "v", "nan"),
    ('{"q":[0,Infinity,0,0]}', "left_a", "Infinity"),
    ('{"a":[0,0,0,-Infinity]}', "right_a", "a", "-Infinity"),
    ('{"tau":[-inf,0,0,0]}', "turn", "tau", "-inf"),
    ('{"q":[1e999,0,0,0]}', "turn", "1e999"),
    ('{"q":[0,"0.5",0,0]}', "left_a", '"0.5"'),
    ('{"q":[0,null,0,0]}', "left_a", "null"),
    ('{"q":[0,0,0,true]}', "right_a", "true"),
    ('{"q":[0,0,[0],0]}', "left_b", "array"),
    ('{"q":[0,0,{},0]}', "left_b", "object"),
    ('{"q":[0,0,0]}', "right_a", "3", "4"),
    ('{"q":[]}', "turn", "0"),
    ('{"q":[0,0,0,0,0.25]}', "right_a", "0.25", "5"),
    ('{"q":[[0,0,0,0]]}', "turn", "array"),
    ('{"q":0.5}', "q", "0.5"),
    ('{"q":null}', "q", "null"),
    ('{"q":"0 0 0 0"}', "q", "0 0 0 0"),
    ('{"q":{"turn":1}}', "q", "object"),
    ('{"v":[1e200,0,0,0]}', "turn", "1e+200"),
    ('{"tau":[0,1e308,0,1e307]}', "left_a", "tau", "1e+308"),
    ('{"q":[0,0,1e300,0]}', "left_b", "q", "1e+300"),
    ('{"position":[0,0,0,0]}', "position"),
    ('{"q":[0,0,0,0],"Q":[0,0,0,0]}', "Q"),
    ('{"q":[0,0,0,0],"q":[1,0,0,0]}', "duplicate key 'q'"),
    ('[0,0,0,0]', "array"),
    ('3', "3"),
    ('"q"', "q"),
    ('null', "null"),
    ('{"q":[0,0,0,0]', "JSON"),
    ('{"q":[0,0,0,0]} {}', "JSON"),
    ('{"q":[0,0,0,0,]}', "JSON"),
    ('{"q":[0,5,0,0,0.0.0]}', "JSON"),
    ('{"q":[0;0]}', "JSON"),
    ("{'q':[0,0,0,0]}", "JSON"),
    ('{"q":[0,0,0,01]}', "JSON"),
    ('{"q":[0x10,0,0,0]}', "JSON"),
    ('q = 0', "JSON"),
    ('{"q":[0,0,0,0]}}', "JSON"),
    ('{', "JSON"),
]


class BrokenStates(unittest.TestCase):
    def test_each(self):
        for line, *words in BROKEN:
            with self.subTest(line):
                done = run("eval", BRANCH, lines=["{}", "", line, "{}"], timeout=10)
                fails(self, done, 1, "dyn eval: line 3: ", *words)
                self.assertEqual(done.text.count("\n"), 1, "the sound state before it is answered, nothing after")

    def test_bytes_that_are_no_text(self):
        for stdin in (b"\xff\xfe\x00", b'{"q":["\xff"]}\n', b"\x00\n", b'{"\x01":1}\n', b"\x1b[31m\n"):
            with self.subTest(stdin):
                done = run("eval", BRANCH, stdin=stdin)
                fails(self, done, 1, "line 1")
                self.assertNotIn("\x1b", done.error)

    def test_deep_nesting(self):
        for line in ("[" * 200000, '{"q":' * 100000, '{"q":[' + "[" * 100000 + "]" * 100000 + "]}"):
            fails(self, run("eval", BRANCH, lines=[line], timeout=20), 1, "line 1")

    def test_messages_stay_short(self):
        done = run("eval", BRANCH, lines=['{"q":["' + "x" * 100000 + '"]}'])
        fails(self, done, 1, "turn")
        self.assertLess(len(done.error), 700)
        fails(self, run("eval", BRANCH, lines=['{"' + "k" * 100000 + '":1}']), 1, "kkk")


if __name__ == "__main__":
    unittest.main()
