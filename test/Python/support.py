"""Models of the tests and scratch folders."""

import pathlib
import tempfile
import unittest

import numpy as np

MODELS = pathlib.Path(__file__).resolve().parent.parent / "Models"
CASES = MODELS.parent / "Cases"
SMALL_CNN = MODELS / "small_cnn.tflite"


def image(seed=1):
    """An input of small_cnn.tflite."""
    return np.random.default_rng(seed).random((1, 32, 32, 3), np.float32)


class ScratchTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = pathlib.Path(folder.name)
