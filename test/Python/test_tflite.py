"""The calls of TensorFlow Lite's interpreter."""

import os
import shutil
import unittest
from unittest import mock

import nnhal
import nnhal.lite
import numpy as np
from nnhal import _native, _tflite_file, tflite
from support import SMALL_CNN, ScratchTest, counter, image, tfliteFile

X = np.float32([[-3, 0, 3]])
BIAS = np.float32([1, 2, -5])


def chain(factor=1, **keywords):
    """The bytes of a .tflite file that gives relu(x + factor * BIAS); tensor 4 belongs to no operator."""
    tensor = {"shape": [1, 3], "shape_signature": [-1, 3], "type": "FLOAT32"}
    return tfliteFile(**{**dict(
        tensors=[{**tensor, "name": "x"}, {"shape": [3], "name": "bias", "buffer": 1}, {**tensor, "name": "sum"},
                 {**tensor, "name": "y"}, {**tensor, "name": "unused"}],
        operators=[{"inputs": [0, 1], "outputs": [2], "builtin_options_type": "AddOptions", "builtin_options": {}},
                   {"opcode_index": 1, "inputs": [2], "outputs": [3]}],
        codes=[{"builtin_code": "ADD", "version": 1}, {"builtin_code": "RELU", "version": 1}], inputs=[0], outputs=[3],
        buffers=[(factor * BIAS).tobytes()],
        signatures=[{"signature_key": key, "inputs": [{"name": "value", "tensor_index": 0}],
                     "outputs": [{"name": "z", "tensor_index": 3}, {"name": "a", "tensor_index": 2}]}
                    for key in ("second", "first")]), **keywords})


def two_entries(subgraph=1):
    """The bytes of a file whose signature "double" gives relu(2 * x) and, on the way, 2 * x."""
    tensor = {"shape": [1], "shape_signature": [-1], "type": "FLOAT32"}
    return chain(
        subgraphs=[{"tensors": [{**tensor, "name": name} for name in ("in", "twice", "out")], "inputs": [0],
                    "outputs": [2], "operators": [
                        {"inputs": [0, 0], "outputs": [1], "builtin_options_type": "AddOptions", "builtin_options": {}},
                        {"opcode_index": 1, "inputs": [1], "outputs": [2]}]}],
        signatures=[{"signature_key": "main", "inputs": [{"name": "value", "tensor_index": 0}],
                     "outputs": [{"name": "z", "tensor_index": 3}]},
                    {"signature_key": "double", "inputs": [{"name": "number", "tensor_index": 0}],
                     "outputs": [{"name": "clipped", "tensor_index": 2}], "subgraph_index": subgraph},
                    {"signature_key": "twice", "inputs": [{"name": "number", "tensor_index": 0}],
                     "outputs": [{"name": "twice", "tensor_index": 1}], "subgraph_index": 1}])


def relu(factor=1):
    return np.maximum(X + factor * BIAS, 0)


class InterpreterTest(ScratchTest):
    def interpreter(self, source=None, **options):
        """On the device that needs no compiler; the model is small."""
        return tflite.Interpreter(model_content=source or chain(), device="nnhal-reference", **options)

    def refuse(self, kind, text, function, *args, **keywords):
        with self.assertRaises(kind) as caught:
            function(*args, **keywords)
        self.assertIn(text, str(caught.exception))

    def run_on(self, interpreter, value=X):
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], value)
        interpreter.invoke()
        return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


class ShapeTest(InterpreterTest):
    def test_tensors_that_are_computed(self):
        one = self.interpreter()
        one.allocate_tensors()
        one.resize_tensor_input(3, [1, 3])
        one.resize_tensor_input(2, (1, 3))
        np.testing.assert_array_equal(self.run_on(one), relu())
        one.resize_tensor_input(0, [2, 3])
        one.resize_tensor_input(3, [2, 3])
        one.allocate_tensors()
        np.testing.assert_array_equal(self.run_on(one, np.repeat(X, 2, 0)), np.repeat(relu(), 2, 0))
        # The shape of the output follows from that of the input, whatever is asked for.
        one.resize_tensor_input(3, [7, 3])
        self.refuse(RuntimeError, "Invoke called on model that is not ready", one.invoke)
        one.allocate_tensors()
        self.assertEqual(one.get_output_details()[0]["shape"].tolist(), [2, 3])

    def test_scalars(self):
        for kind, dtype in (("FLOAT32", np.float32), ("INT64", np.int64)):
            scalar = {"shape": [], "type": kind}
            interpreter = self.interpreter(tfliteFile(
                tensors=[{**scalar, "name": "x"}, {**scalar, "name": "y"}],
                operators=[{"inputs": [0, 0], "outputs": [1], "builtin_options_type": "AddOptions",
                            "builtin_options": {}}],
                codes=[{"builtin_code": "ADD", "version": 1}], inputs=[0], outputs=[1]))
            interpreter.allocate_tensors()
            for details in (*interpreter.get_input_details(), *interpreter.get_output_details()):
                self.assertEqual((details["shape"].tolist(), details["dtype"]), ([], dtype))
            interpreter.set_tensor(0, dtype(3))
            interpreter.invoke()
            self.assertEqual((interpreter.get_tensor(1).shape, interpreter.get_tensor(1)), ((), 6))
            with self.assertRaisesRegex(ValueError, "Got 1 but expected 0 for input 0"):
                interpreter.set_tensor(0, np.ones(1, dtype))

    def test_refusals(self):
        one = self.interpreter()
        resize = one.resize_tensor_input
        self.refuse(ValueError, "Shape should be 1D instead of 0.", resize, 0, 5)
        self.refuse(ValueError, "Shape should be 1D instead of 2.", resize, 3, [[1, 3]])
        self.refuse(ValueError, "tensor 0 cannot have the shape [-1, 3]", resize, 0, [-1, 3])
        self.refuse(RuntimeError, "Attempting to resize a fixed-size tensor: tensor 1 is a constant of shape [3], and "
                    "cannot have [4]", resize, 1, [4])
        resize(1, [3])
        self.refuse(ValueError, "Invalid tensor index 9 exceeds max tensor index 5", resize, 9, [1])
        self.refuse(RuntimeError, "Attempting to resize tensor 0 from rank 2 to 1", resize, 0, [3], strict=True)
        self.refuse(RuntimeError, "Attempting to resize dimension 1 of tensor 0 with value 3 to 4.", resize, 0, [1, 4],
                    strict=True)

    def test_values_before_the_allocation(self):
        one = self.interpreter()
        text = "Cannot set tensor: Tensor is unallocated. Try calling allocate_tensors() first"
        self.refuse(ValueError, text, one.set_tensor, 0, X)
        one.allocate_tensors()
        one.resize_tensor_input(0, [2, 3])
        self.refuse(ValueError, text, one.set_tensor, 0, np.repeat(X, 2, 0))
        self.refuse(ValueError, "Got 1 but expected 2 for dimension 0 of input 0", one.set_tensor, 0, X)


class DetailsTest(InterpreterTest):
    def test_signatures(self):
        one = self.interpreter()
        names = {"inputs": ["value"], "outputs": ["a", "z"]}
        self.assertEqual(one.get_signature_list(), {"second": names, "first": names})
        # In the order of the file.
        self.assertEqual([*one.get_signature_list()], ["second", "first"])
        full = one._get_full_signature_list()
        self.assertEqual([*full], ["second", "first"])
        self.assertEqual(full["first"], {"inputs": {"value": 0}, "outputs": {"a": 2, "z": 3}})

    def test_operators(self):
        one = self.interpreter()
        add, rectify = one._get_ops_details()
        self.assertEqual((add["index"], add["op_name"], rectify["op_name"]), (0, "ADD", "RELU"))
        self.assertEqual((add["inputs"].tolist(), add["outputs"].tolist()), ([0, 1], [2]))
        self.assertEqual({add["inputs"].dtype, add["outputs"].dtype}, {np.dtype(np.int32)})
        self.assertEqual((add["operand_types"], add["result_types"]), ([np.float32] * 2, [np.float32]))
        self.assertEqual(one._get_op_details(1)["inputs"].tolist(), [2])
        inner = one._interpreter
        self.assertEqual((inner.NumTensors(), inner.NumNodes(), inner.NodeName(1)), (5, 2, "RELU"))
        self.assertEqual((inner.NodeInputs(1).tolist(), inner.NodeOutputs(1).tolist()), ([2], [3]))
        for index in (-1, 2):
            self.refuse(ValueError, f"Invalid node index {index}: the model has 2 nodes", one._get_op_details, index)

    def test_operators_without_inputs_and_names(self):
        one = self.interpreter(chain(
            codes=[{"builtin_code": "CUSTOM", "custom_code": "Mine"}, {"builtin_code": "CUSTOM"},
                   {"deprecated_builtin_code": 9}],
            operators=[{"inputs": [0, -1], "outputs": [2]}, {"opcode_index": 1, "inputs": [2], "outputs": [3]},
                       {"opcode_index": 2}, {"opcode_index": 3}, {"inputs": [7]}]))
        inner = one._interpreter
        self.assertEqual([inner.NodeName(index) for index in range(inner.NumNodes())],
                         ["Mine", "UnknownCustomOp", "FULLY_CONNECTED", "", "Mine"])
        self.assertEqual(one._get_op_details(0)["inputs"].tolist(), [0, -1])
        self.assertEqual(one._get_op_details(0)["operand_types"], [np.float32])
        self.assertEqual(one._get_op_details(2)["inputs"].tolist(), [])
        self.refuse(ValueError, "Invalid tensor index 7 exceeds max tensor index 5", one._get_op_details, 4)

    def test_subgraphs(self):
        tensors = [{"shape": [2], "name": "free"}, {"shape": [3], "type": "FLOAT32", "name": "fixed", "buffer": 1}]
        one = self.interpreter(chain(subgraphs=[{"tensors": tensors, "inputs": [0], "outputs": [0], "operators": []}]))
        self.assertEqual(one.num_subgraphs(), 2)
        self.assertEqual([each["name"] for each in one.get_tensor_details()], ["x", "bias", "sum", "y", "unused"])
        self.assertEqual([each["name"] for each in one.get_tensor_details(subgraph_index=1)], ["free", "fixed"])
        self.assertEqual(one._get_tensor_details(1)["name"], "bias")
        self.assertEqual(one._get_tensor_details(1, subgraph_index=1)["shape"].tolist(), [3])
        self.assertEqual(one._interpreter.NumTensors(1), 2)
        np.testing.assert_array_equal(one.get_tensor(1, 1), BIAS)
        self.refuse(ValueError, "tensor 0 of subgraph 1 is no constant", one.get_tensor, 0, 1)
        for index in (-1, 2):
            text = f"subgraph_index is out of range: {index} for the model, which has 2 subgraphs."
            self.refuse(ValueError, text, one.get_tensor_details, index)
            self.refuse(ValueError, text, one._get_tensor_details, 0, index)
            self.refuse(ValueError, text, one.get_tensor, 0, index)


class SignatureTest(InterpreterTest):
    def test_another_subgraph(self):
        one = self.interpreter(two_entries())
        double = one.get_signature_runner("double")
        for numbers in ([1, -2], [3, -4, 5]):
            given = np.float32(numbers)
            np.testing.assert_array_equal(double(number=given)["clipped"], np.maximum(2 * given, 0))
            self.assertEqual(double.get_input_details()["number"]["shape"].tolist(), [given.size])
        self.assertEqual(double.get_output_details()["clipped"]["index"], 2)
        # The main subgraph is another model.
        np.testing.assert_array_equal(one.get_signature_runner("main")(value=X)["z"], relu())
        self.assertEqual(one.get_input_details()[0]["shape"].tolist(), [1, 3])
        with self.assertRaisesRegex(ValueError, "tensor 1 is an intermediate result"):
            one.get_signature_runner("twice")(number=X[0])

    def test_intermediate_results_of_another_subgraph(self):
        one = self.interpreter(two_entries(), experimental_preserve_all_tensors=True)
        np.testing.assert_array_equal(one.get_signature_runner("twice")(number=X[0])["twice"], 2 * X[0])

    def test_a_subgraph_that_is_not_there(self):
        self.refuse(ValueError, "signature double is of subgraph 7, and the model has 2",
                    self.interpreter(two_entries(7)).get_signature_runner, "double")

    def test_load(self):
        model = nnhal.load(two_entries(), device="nnhal-reference", signature="double", shapes={"number": [3]})
        np.testing.assert_array_equal(model(number=X[0])[0], np.maximum(2 * X[0], 0))
        self.assertEqual(model.outputs[0].name, "clipped")
        self.refuse(nnhal.InvalidArgumentError, "the file has no signature 'half', only 'main', 'double', 'twice'",
                    nnhal.load, two_entries(), device="nnhal-reference", signature="half")
        self.refuse(TypeError, "unexpected keyword argument 'signature'", self.interpreter, signature="double")

    def test_compile(self):
        artifact = self.scratch / "double.nncache"
        nnhal.compile(two_entries(), artifact, signature="double")
        self.assertEqual(nnhal.load(artifact).outputs[0].name, "clipped")


class ConstructionTest(InterpreterTest):
    def test_names(self):
        self.assertIs(nnhal.lite.Interpreter, tflite.Interpreter)
        self.assertEqual(nnhal.lite.__all__, tflite.__all__)
        for name in tflite.__all__:
            self.assertIs(getattr(nnhal.lite, name), getattr(tflite, name))
        self.assertIs(tflite.experimental.OpResolverType, tflite.OpResolverType)
        self.assertIs(tflite.experimental.load_delegate, tflite.load_delegate)
        for kind in tflite.OpResolverType:
            self.interpreter(experimental_op_resolver_type=kind)

    def test_delegates(self):
        text = "Failed to load delegate from none.so: NNHal has devices in the place of delegates"
        for kind in (ValueError, OSError):
            self.refuse(kind, text, tflite.load_delegate, "none.so", {"option": 1})
        self.refuse(ValueError, "NNHal has devices in the place of delegates: Interpreter(device=...)",
                    self.interpreter, experimental_delegates=[object()])

    def test_sources(self):
        content = SMALL_CNN.read_bytes()
        for source in ({"model_path": SMALL_CNN}, {"model_path": os.fsencode(SMALL_CNN)}, {"model_content": content},
                       {"model_path": "", "model_content": content}, {"model_path": SMALL_CNN, "model_content": b""}):
            self.assertEqual(tflite.Interpreter(**source).get_input_details()[0]["name"], "image")
        for source in ({}, {"model_path": ""}, {"model_content": b""}):
            self.refuse(ValueError, "`model_path` or `model_content` must be specified.", tflite.Interpreter, **source)
        self.refuse(ValueError, "Can't both provide `model_path` and `model_content`", tflite.Interpreter, SMALL_CNN,
                    content)
        self.refuse(ValueError, f"Could not open '{self.scratch}'.", tflite.Interpreter, self.scratch)
        self.refuse(ValueError, "Could not open 'missing'.", tflite.Interpreter, b"missing")

    def test_options(self):
        self.refuse(TypeError, "unexpected keyword argument 'treads'; options of NNHal are: device, threads, ",
                    self.interpreter, treads=2)
        self.refuse(TypeError, "unexpected keyword argument 'shapes'", self.interpreter, shapes={})
        self.refuse(ValueError, "Unrecognized passed in op resolver type: BUILTIN", self.interpreter,
                    experimental_op_resolver_type="BUILTIN")
        self.refuse(ValueError, "type of num_threads should be int", self.interpreter, num_threads="2")
        self.refuse(ValueError, "num_threads should >= 1", self.interpreter, num_threads=0)


class FileTest(InterpreterTest):
    """A model stays what it was when its file was read."""

    def setUp(self):
        super().setUp()
        self.path = self.scratch / "model.tflite"
        self.path.write_bytes(chain())

    def fresh(self, path=None):
        return tflite.Interpreter(model_path=path or self.path, device="nnhal-reference")

    def check(self, interpreter):
        interpreter.allocate_tensors()
        np.testing.assert_array_equal(self.run_on(interpreter), relu())

    def test_deleted(self):
        one, other = self.fresh(), self.fresh()
        other.allocate_tensors()
        other.resize_tensor_input(0, [2, 3])
        self.path.unlink()
        self.check(one)
        other.resize_tensor_input(0, [1, 3])
        self.check(other)

    def test_overwritten(self):
        one = self.fresh()
        self.path.write_bytes(chain(2))
        self.check(one)
        other = self.fresh()
        other.allocate_tensors()
        np.testing.assert_array_equal(self.run_on(other), relu(2))

    def test_another_folder(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.scratch)
        one = self.fresh("model.tflite")
        os.chdir(before)
        self.check(one)

    def test_overwritten_while_it_is_compiled(self):
        sources = []

        def load(source, **options):
            sources.append(source)
            if isinstance(source, str):
                self.path.write_bytes(contents.pop())
            return nnhal.load(source, **options)

        for content in (chain(2), b"damaged"):
            self.path.write_bytes(chain())
            contents = [content]
            with mock.patch.object(_tflite_file, "load", load):
                self.check(self.fresh())
        self.assertEqual([type(one) for one in sources], [str, bytes] * 2)

    def test_other_names(self):
        for name in ("model", "model.json", "model.bin"):
            self.check(self.fresh(shutil.copy(self.path, self.scratch / name)))

    def test_cache(self):
        options = {"cache_dir": self.scratch / "cache", "state_dir": self.scratch / "state"}
        for was_cached in (False, True):
            one = tflite.Interpreter(model_path=self.path, **options)
            one.allocate_tensors()
            self.assertEqual(one._model.statistics.was_cached, was_cached)
        self.assertTrue(nnhal.load(self.path, **options).statistics.was_cached)

    def test_refused(self):
        self.path.write_bytes(chain(codes=[{"builtin_code": "CUSTOM", "custom_code": "Mine"}] * 2))
        self.refuse(RuntimeError, f"'{self.path}': operator 0 (CUSTOM 'Mine')", self.fresh().allocate_tensors)


class PreservationTest(InterpreterTest):
    def test_values(self):
        for device in ("nnhal-reference", "nnhal-cpu"):
            one = tflite.Interpreter(model_content=chain(), device=device, experimental_preserve_all_tensors=True)
            one.allocate_tensors()
            for count in (1, 2):
                np.testing.assert_array_equal(self.run_on(one, np.repeat(X, count, 0)), np.repeat(relu(), count, 0))
                np.testing.assert_array_equal(one.get_tensor(2), np.repeat(X + BIAS, count, 0))
                self.assertEqual(one._get_tensor_details(2)["shape"].tolist(), [count, 3])
                self.assertEqual([each["index"] for each in one.get_output_details()], [3])
                one.resize_tensor_input(0, [2, 3])
                one.allocate_tensors()
            self.refuse(ValueError, "tensor 4 is an intermediate result, and it cannot be preserved", one.get_tensor, 4)

    def test_without(self):
        one = self.interpreter()
        one.allocate_tensors()
        self.refuse(ValueError, "Tensor data is null: tensor 2 is an intermediate result, and compiled models keep "
                    "none without experimental_preserve_all_tensors=True", one.get_tensor, 2)

    def test_small_cnn(self):
        one = tflite.Interpreter(SMALL_CNN, experimental_preserve_all_tensors=True)
        plain = tflite.Interpreter(SMALL_CNN)
        one.allocate_tensors()
        plain.allocate_tensors()
        np.testing.assert_allclose(self.run_on(one, image()), self.run_on(plain, image()), rtol=1e-5)
        for operator in one._get_ops_details():
            for index in operator["outputs"]:
                self.assertTrue(one.get_tensor(index).any())

    def test_states(self):
        one = self.interpreter(counter(), experimental_preserve_all_tensors=True)
        one.allocate_tensors()
        for count in range(1, 4):
            self.assertEqual(self.run_on(one, np.ones((1, 1), np.float32))[0, 0], count)

    def test_results_that_cannot_be_outputs(self):
        one = self.interpreter(experimental_preserve_all_tensors=True)
        with mock.patch.object(_tflite_file.Subgraph, "intermediates", lambda self: [4, 2]):
            one.allocate_tensors()
        self.run_on(one)
        np.testing.assert_array_equal(one.get_tensor(2), X + BIAS)

    def test_refusals(self):
        custom = chain(codes=[{"builtin_code": "CUSTOM", "custom_code": "Mine"}] * 2)
        self.refuse(RuntimeError, "operator 0 (CUSTOM 'Mine')",
                    self.interpreter(custom, experimental_preserve_all_tensors=True).allocate_tensors)
        one = self.interpreter(experimental_preserve_all_tensors=True)
        with mock.patch.object(_tflite_file, "_PRESERVABLE_SIZE", 100):
            self.refuse(ValueError, f"the intermediate results of a file of {len(chain())} bytes cannot be preserved, "
                        "which takes one of 100 at most", one.allocate_tensors)
        self.refuse(nnhal.InvalidArgumentError, "subgraph 0 has no outputs", _native.tflite_with_outputs,
                    chain(outputs=None), 0, [2])
        self.refuse(nnhal.InvalidArgumentError, "subgraph 1 of 1", _native.tflite_with_outputs, chain(), 1, [2])
        self.refuse(nnhal.InvalidArgumentError, "not a TensorFlow Lite file", _native.tflite_with_outputs, b"", 0, [])


if __name__ == "__main__":
    unittest.main()
