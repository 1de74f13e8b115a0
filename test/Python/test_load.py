"""Loading, compiling and what is known of a model."""

import json
import os
import subprocess
import sys
import unittest
import warnings

import nnhal
import numpy as np
from support import MODELS, SMALL_CNN, RefusalTest, ScratchTest, image


class LoadTest(ScratchTest):
    def test_sources_are_paths_and_bytes(self):
        expected = nnhal.load(SMALL_CNN)(image())[0]
        for source in (str(SMALL_CNN), SMALL_CNN.read_bytes(), bytearray(SMALL_CNN.read_bytes()),
                       memoryview(SMALL_CNN.read_bytes())):
            np.testing.assert_array_equal(nnhal.load(source)(image())[0], expected)

    def test_interface(self):
        model = nnhal.load(SMALL_CNN)
        self.assertEqual([tensor.name for tensor in model.inputs], ["image"])
        self.assertEqual(model.inputs[0].shape, (1, 32, 32, 3))
        self.assertEqual(model.inputs[0].dtype, np.float32)
        self.assertEqual(model.inputs[0].type, "TENSOR_FLOAT32")
        self.assertEqual(model.outputs[0].name, "probabilities")
        self.assertGreaterEqual(model.memory.arena, model.memory.arena_lower_bound)
        self.assertGreater(model.memory.artifact, 0)

    def test_devices_agree(self):
        results = [nnhal.load(SMALL_CNN, device=device)(image())[0]
                   for device in ("nnhal-cpu", "nnhal-reference", "auto", ["nnhal-cpu", "nnhal-reference"])]
        for result in results[1:]:
            np.testing.assert_allclose(result, results[0], atol=1e-6)

    def test_threads(self):
        np.testing.assert_allclose(nnhal.load(SMALL_CNN, threads=2)(image())[0], nnhal.load(SMALL_CNN)(image())[0],
                                   atol=1e-6)

    def test_cache(self):
        options = {"cache_dir": self.scratch / "cache", "state_dir": self.scratch / "state"}
        first, second = nnhal.load(SMALL_CNN, **options), nnhal.load(SMALL_CNN, **options)
        self.assertFalse(first.statistics.was_cached)
        self.assertTrue(second.statistics.was_cached)
        np.testing.assert_array_equal(first(image())[0], second(image())[0])

    def test_cache_that_cannot_be_written_warns(self):
        (self.scratch / "cache").write_text("")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            nnhal.load(SMALL_CNN, cache_dir=self.scratch / "cache", state_dir=self.scratch / "state")
        self.assertIn("the compiled model is not cached: ", str(caught[0].message))
        self.assertIs(caught[0].category, nnhal.CompileWarning)

    def test_artifact_without_the_compiler(self):
        artifact = self.scratch / "small.nncache"
        nnhal.compile(SMALL_CNN, artifact)
        program = ("import sys, nnhal, numpy as np; model = nnhal.load(sys.argv[1]);"
                   "print(model(np.ones((1, 32, 32, 3), np.float32))[0].shape)")
        printed = subprocess.run([sys.executable, "-c", program, artifact], check=True, text=True,
                                 stdout=subprocess.PIPE,
                                 env={**os.environ, "NNHAL_COMPILER": "/nowhere/libNNHalCompiler.so"}).stdout
        self.assertEqual(printed, "(1, 10)\n")
        np.testing.assert_array_equal(nnhal.load(artifact.read_bytes())(image())[0], nnhal.load(SMALL_CNN)(image())[0])

    def test_explain(self):
        model = nnhal.load(SMALL_CNN)
        self.assertRegex(model.explain().splitlines()[0], r"^operation 0 CONV_2D: nnhal-cpu, compiled: ")
        self.assertEqual(json.loads(model.explain(json=True))["operations"][0]["device"], "nnhal-cpu")
        divided = nnhal.load(SMALL_CNN, device="auto").explain()
        self.assertIn("nnhal-cpu", divided)

    def test_trace(self):
        model = nnhal.load(SMALL_CNN, trace=True)
        with model.trace(self.scratch / "trace.json"):
            model(image())
        events = json.loads((self.scratch / "trace.json").read_text())["traceEvents"]
        self.assertTrue(any("Execut" in event.get("name", "") or "execut" in json.dumps(event) for event in events))
        first = len(events)
        with model.trace(self.scratch / "trace.json"):
            pass
        self.assertLess(len(json.loads((self.scratch / "trace.json").read_text())["traceEvents"]), first)

    def test_compile_after(self):
        model = nnhal.load(SMALL_CNN, compile_after=1)
        first = model(image())[0]
        np.testing.assert_allclose(model(image())[0], first, atol=1e-6)


class ErrorTest(ScratchTest, RefusalTest):
    def test_files(self):
        self.assertRefused("cannot open ", nnhal.load, self.scratch / "missing.tflite")
        self.assertRefused("is not a .tflite, .json, .mlir or .nncache file", nnhal.load, self.scratch / "model.onnx")
        self.assertRefused("the bytes of the model is not a .tflite, .json, .mlir or .nncache file", nnhal.load, b"\0")
        self.assertRefused("the bytes of the model: damaged TensorFlow Lite file", nnhal.load,
                            SMALL_CNN.read_bytes()[:2000])

    def test_options(self):
        self.assertRefused("unknown device 'gpu9'; known devices: nnhal-cpu, nnhal-reference", nnhal.load, SMALL_CNN,
                            device="gpu9")
        self.assertRefused("the list of devices is empty", nnhal.load, SMALL_CNN, device=[])
        self.assertRefused("threads: 1025 is more than 1024", nnhal.load, SMALL_CNN, threads=1025)
        self.assertRefused("device nnhal-reference executes on one thread: threads has no effect", nnhal.load,
                            SMALL_CNN, device="nnhal-reference", threads=2)
        self.assertRefused("rounding: 'up' is not", nnhal.load, SMALL_CNN, rounding="up")
        self.assertRefused("preference: 'none' is not", nnhal.load, SMALL_CNN, preference="none")
        self.assertRefused("priority: 'none' is not", nnhal.load, SMALL_CNN, priority="none")
        self.assertRefused("a shape is given for input 'other', which the model does not have", nnhal.load, SMALL_CNN,
                            shapes={"other": [1]})
        self.assertRaises(TypeError, nnhal.load, 7)
        self.assertRaisesRegex(TypeError, "threads: 'two' is of type str", nnhal.load, SMALL_CNN, threads="two")
        self.assertRaises(TypeError, nnhal.load, SMALL_CNN, threads=-1)

    def test_artifacts(self):
        artifact = self.scratch / "small.nncache"
        nnhal.compile(SMALL_CNN, artifact)
        self.assertRefused("several devices take .tflite and .json models only", nnhal.load, artifact, device="auto")
        self.assertRefused("device nnhal-reference compiles nothing: it takes .tflite and .json models", nnhal.load,
                            artifact, device="nnhal-reference")
        self.assertRefused("is compiled already", nnhal.compile, artifact, self.scratch / "again.nncache")
        self.assertRefused("has no operations of the HAL to explain: load the .tflite or .json model",
                            nnhal.load(artifact).explain)
        self.assertRefused("there is no target 'abacus': the targets are ", nnhal.compile, SMALL_CNN, artifact, target="abacus")

    def test_service(self):
        self.assertRefused("service", nnhal.load, SMALL_CNN, service=self.scratch / "socket", kind=nnhal.Error)

    def test_missing_compiler(self):
        program = ("import nnhal, sys\n"
                   "try: nnhal.load(sys.argv[1])\n"
                   "except nnhal.DeviceUnavailableError as error: print(error.status, error)")
        printed = subprocess.run([sys.executable, "-c", program, SMALL_CNN], check=True, text=True,
                                 stdout=subprocess.PIPE, env={**os.environ, "NNHAL_COMPILER": "/nowhere/lib.so"}).stdout
        self.assertIn("DEVICE_UNAVAILABLE", printed)
        self.assertIn("cannot open the compiler", printed)

    def test_trace(self):
        model = nnhal.load(SMALL_CNN)
        with self.assertRaisesRegex(nnhal.InvalidArgumentError, "the model was loaded without trace=True"):
            with model.trace(self.scratch / "trace.json"):
                pass


class MemoryTest(unittest.TestCase):
    def test_a_thousand_loads_are_flat(self):
        source = (MODELS / "floor.tflite").read_bytes()
        page = os.sysconf("SC_PAGE_SIZE")

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * page

        def descriptors():
            return len(os.listdir("/proc/self/fd"))

        def load(count):
            for _ in range(count):
                model = nnhal.load(source, device="nnhal-reference")
                model(np.zeros(model.inputs[0].shape, np.float32))

        load(200)
        before, open_before = resident(), descriptors()
        load(1000)
        self.assertLess(resident() - before, 2 << 20)
        self.assertEqual(descriptors(), open_before)

    def test_loads_of_artifacts_are_flat(self):
        page = os.sysconf("SC_PAGE_SIZE")
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            artifact = os.path.join(folder, "small.nncache")
            nnhal.compile(SMALL_CNN, artifact)
            sizes = []
            for count in (200, 1000):
                for _ in range(count):
                    nnhal.load(artifact)(image())
                with open("/proc/self/statm") as file:
                    sizes.append(int(file.read().split()[1]) * page)
            self.assertLess(sizes[1] - sizes[0], 2 << 20)


if __name__ == "__main__":
    unittest.main()
