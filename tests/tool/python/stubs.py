# SPDX-License-Identifier: MIT
"""The types of the extension are told as it is, and all of the package has types and a
docstring. Usage: stubs.py _core.pyi"""

import ast
import inspect
import re
import sys
import unittest

import pimdimm
from pimdimm import _core

with open(sys.argv.pop(1)) as file:
    STUBS = ast.parse(file.read())


def functions(body):
    """Names of their arguments, by name, without self."""
    return {node.name: [arg.arg for arg in node.args.args if arg.arg != 'self']
            for node in body if isinstance(node, ast.FunctionDef)}


def public(owner):
    return {name: value for name, value in vars(owner).items() if not name.startswith('_')}


class Stubs(unittest.TestCase):
    def told(self, where, real, stubs):
        """Functions are those of the stubs, and their docstrings begin with a call of as
        many arguments."""
        self.assertEqual(sorted(real), sorted(stubs), where)
        for name, function in real.items():
            call = re.match(r'(\w+)\(([^)]*)\)', function.__doc__)
            self.assertEqual(call[1], name, where)
            if call[2] != '...':
                self.assertEqual(call[2].split(', ') if call[2] else [], stubs[name],
                                 f'{where}.{name}')

    def test_the_extension(self):
        stubs = {node.name: node for node in STUBS.body if isinstance(node, ast.ClassDef)}
        types = {name: value for name, value in public(_core).items()
                 if isinstance(value, type)}
        self.assertEqual(sorted(types), sorted(stubs))
        for name, kind in types.items():
            if name != 'Error':
                self.told(name, public(kind), functions(stubs[name].body))
        self.assertEqual([base.id for base in stubs['Error'].bases], ['OSError'])
        self.told('_core', {name: value for name, value in public(_core).items()
                            if callable(value) and name not in types},
                  functions(STUBS.body))
        for node in ast.walk(STUBS):
            if isinstance(node, ast.FunctionDef):
                self.assertIsNotNone(node.returns, node.name)
                for arg in node.args.args:
                    self.assertTrue(arg.annotation or arg.arg == 'self', node.name)

    def whole(self, where, function):
        self.assertTrue(function.__doc__, where)
        signature = inspect.signature(function)
        self.assertIsNot(signature.return_annotation, inspect.Signature.empty, where)
        for name, parameter in signature.parameters.items():
            if name != 'self':
                self.assertIsNot(parameter.annotation, inspect.Parameter.empty,
                                 f'{where}({name})')

    def test_the_package(self):
        seen = 0
        for name in pimdimm.__all__:
            owner = getattr(pimdimm, name)
            if inspect.isfunction(owner):
                self.whole(name, owner)
            if not inspect.isclass(owner) or owner.__module__ == 'pimdimm._core':
                continue
            self.assertTrue(owner.__doc__, name)
            for member, value in public(owner).items():
                if isinstance(value, property):
                    value = value.fget
                if inspect.isfunction(value):
                    self.whole(f'{name}.{member}', value)
                    seen += 1
            if '__init__' in vars(owner):
                self.assertTrue(all(p.annotation is not p.empty for p in inspect.signature(
                    owner).parameters.values()), name)
        self.assertGreater(seen, 60)


if __name__ == '__main__':
    unittest.main()
