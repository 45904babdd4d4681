# Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
"""Base of the tests that call functions of an installed Python program of dyn_control."""
import importlib.util
import os
import sys
import unittest

import rclpy
from ament_index_python.packages import get_package_prefix


class ProgramTest(unittest.TestCase):
    """`program` is the module of the file PROGRAM."""

    PROGRAM = ''

    @classmethod
    def setUpClass(cls):
        folder = os.path.join(get_package_prefix('dyn_control'), 'lib', 'dyn_control')
        sys.path.insert(0, folder)  # as Python does for a program that is called
        spec = importlib.util.spec_from_file_location(cls.PROGRAM.removesuffix('.py'), os.path.join(folder, cls.PROGRAM))
        cls.program = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(cls.program)
        rclpy.init()

    @classmethod
    def tearDownClass(cls):
        rclpy.shutdown()
