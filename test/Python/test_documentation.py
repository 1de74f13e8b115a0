"""Examples in docstrings, and the types of the stubs."""

import asyncio
import doctest
import importlib
import inspect
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import nnhal
import numpy
from nnhal import _arrays, _native, _shards, _tflite_file, _waiting, errors, evaluation, lite, tflite
from support import SMALL_CNN, ScratchTest

PACKAGE = pathlib.Path(nnhal.__file__).parent


class DocumentationTest(ScratchTest):
    def setUp(self):
        super().setUp()
        shutil.copy(SMALL_CNN, self.scratch)
        before = os.getcwd()
        os.chdir(self.scratch)
        self.addCleanup(os.chdir, before)

    def examples(self):
        """The examples of the modules, and of the classes in C++, which doctest does not look at."""
        names = {"nnhal": nnhal, "numpy": numpy, "asyncio": asyncio, "json": json, "pathlib": pathlib}
        for module in (nnhal, errors, evaluation, lite, tflite, _arrays, _shards, _tflite_file, _waiting):
            yield from doctest.DocTestFinder(exclude_empty=True).find(module, extraglobs=names)
        parser = doctest.DocTestParser()
        for holder in (member for _, member in inspect.getmembers(_native, inspect.isclass)):
            for name, member in [(holder.__name__, holder), *vars(holder).items()]:
                if text := inspect.getdoc(member):
                    yield parser.get_doctest(text, dict(names), f"{holder.__name__}.{name}", None, None)

    def test_examples(self):
        runner, count = doctest.DocTestRunner(verbose=False), 0
        for example in self.examples():
            count += len(example.examples)
            runner.run(example)
        self.assertEqual(runner.summarize(verbose=False).failed, 0)
        self.assertGreater(count, 40)

    def test_public_names_are_documented(self):
        for module in (nnhal, errors, evaluation, tflite):
            for name in module.__all__:
                member = getattr(module, name)
                self.assertTrue(inspect.getdoc(member), f"{module.__name__}.{name}")
                for part, value in vars(member).items() if inspect.isclass(member) else ():
                    if not part.startswith("_") and (callable(value) or isinstance(value, property)):
                        self.assertTrue(inspect.getdoc(value), f"{module.__name__}.{name}.{part}")


@unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
class TypeTest(ScratchTest):
    def run_tool(self, *command):
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.scratch,
                              env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})
        self.assertEqual(done.returncode, 0, done.stdout)

    def mypy(self, *arguments):
        self.run_tool("mypy", "--strict", f"--python-executable={sys.executable}",
                      f"--cache-dir={self.scratch / 'mypy'}", *arguments)

    def test_package(self):
        self.mypy("-p", "nnhal")

    def test_programs(self):
        program = self.scratch / "program.py"
        program.write_text("import numpy as np\nimport nnhal\nfrom nnhal import tflite\n"
                           "model = nnhal.load('m.tflite', device=['a', 'b'], threads=2, shapes={0: [1]})\n"
                           "first: np.ndarray[object, np.dtype[np.generic]] = model(np.zeros(1), out=[None])[0]\n"
                           "name: str = model.inputs[0].name\n"
                           "async def run() -> int:\n    return len(await model.run_async(first))\n"
                           "with model.burst() as burst:\n    burst(first)\n"
                           "tflite.Interpreter('m.tflite').invoke()\n"
                           "nnhal.lite.Interpreter(b'm.tflite').get_tensor_details(subgraph_index=0)\n"
                           "tflite.experimental.OpResolverType.AUTO\n")
        self.mypy(str(program))
        program.write_text("import nnhal\nnnhal.load('m.tflite', treads=2)\n")
        with self.assertRaisesRegex(AssertionError, 'Unexpected keyword argument "treads"'):
            self.mypy(str(program))

    def test_stubs_match_the_module(self):
        # pybind11's classes have a class of their own, and take anything that makes none of them.
        allowed = self.scratch / "allowed"
        allowed.write_text("nnhal._native.(Burst|DataSet|Evaluator|Execution|Fence|Model|Report|Runner|Sample|Stream)\nnnhal._native.Execution.__init__\n")
        self.run_tool("stubtest", "nnhal._native", f"--allowlist={allowed}")


if __name__ == "__main__":
    unittest.main()
