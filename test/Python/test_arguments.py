"""Arrays as inputs and outputs, what is copied for them, and states."""

import array
import ctypes
import json
import os
import unittest

import nnhal
import numpy as np
from support import MODELS, SMALL_CNN, RefusalTest, addition, counter, image, tfliteFile


class Exporter:
    """A tensor of another library, which speaks nothing but DLPack."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, stream=None):
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class ArgumentTest(RefusalTest):
    def setUp(self):
        self.model = nnhal.load(addition(), device="nnhal-reference")
        self.a = np.arange(6, dtype=np.float32).reshape(2, 3)
        self.b = np.full((2, 3), 10, np.float32)
        self.sum = self.a + self.b

    def assertSum(self, outputs, copied):
        self.assertIsInstance(outputs, list)
        np.testing.assert_array_equal(outputs[0], self.sum)
        self.assertEqual(self.model.statistics.copied_bytes, copied)

    def test_contiguous_arrays_are_not_copied(self):
        self.assertSum(self.model(self.a, self.b), 0)
        readOnly = self.a.copy()
        readOnly.flags.writeable = False
        self.assertSum(self.model(readOnly, self.b), 0)

    def test_other_arrays_are_copied_and_counted(self):
        self.assertSum(self.model(np.asfortranarray(self.a), self.b), 24)
        wide = np.zeros((2, 6), np.float32)
        wide[:, ::2] = self.a
        self.assertSum(self.model(wide[:, ::2], self.b), 48)
        self.assertSum(self.model(self.a.astype(">f4"), self.b), 72)
        odd = np.zeros(25, np.uint8)[1:].view(np.uint8)
        odd[:] = self.a.reshape(-1).view(np.uint8)
        unaligned = np.ndarray((2, 3), np.float32, odd)
        self.assertFalse(unaligned.flags.aligned)
        self.assertSum(self.model(unaligned, self.b), 96)

    def test_dlpack_is_not_copied(self):
        self.assertSum(self.model(Exporter(self.a), Exporter(self.b)), 0)
        output, = self.model(self.a, self.b)
        np.testing.assert_array_equal(np.from_dlpack(output), self.sum)

    def test_buffers_are_not_copied(self):
        values = array.array("f", self.a.reshape(-1))
        self.assertSum(self.model(memoryview(values).cast("B").cast("f", (2, 3)), self.b), 0)
        self.assertSum(self.model((ctypes.c_float * 3 * 2).from_buffer(values), self.b), 0)

    def test_elements_of_an_extension_are_numbers(self):
        tensor = {"shape": [2, 2], "type": "INT64"}
        model = nnhal.load(tfliteFile(
            tensors=[{**tensor, "name": name} for name in "abc"],
            operators=[{"inputs": [0, 1], "outputs": [2], "builtin_options_type": "AddOptions", "builtin_options": {}}],
            codes=[{"builtin_code": "ADD", "version": 1}], inputs=[0, 1], outputs=[2]))
        values = np.int64([[1, 2], [3, 1 << 40]])
        self.assertEqual([(one.dtype, one.shape) for one in (*model.inputs, *model.outputs)], [(np.int64, (2, 2))] * 3)
        result, = model(values, values)
        np.testing.assert_array_equal(result, 2 * values)
        self.assertEqual(model.statistics.copied_bytes, 0)
        np.testing.assert_array_equal(model(values.tolist(), values)[0], 2 * values)
        text = "input 0 ('a') is an array of uint8, and the model takes int64"
        self.assertRefused(text, model, values.view(np.uint8).reshape(2, 2, 8), values)

    @unittest.skipUnless(os.path.exists(os.environ["NNHAL_FIBONACCI"]), "the plug-in is not built")
    def test_elements_of_a_device_that_does_not_describe_them_are_bytes(self):
        cases = json.loads((MODELS.parent.parent / "examples" / "fibonacci" / "cases.json").read_text())["cases"]
        document = next(case["model"] for case in cases if case["name"] == "int64_to_quant64")
        model = nnhal.load(json.dumps(document).encode(), device="example-fibonacci",
                           plugins=[os.environ["NNHAL_FIBONACCI"]])
        self.assertEqual([(one.dtype, one.shape) for one in (*model.inputs, *model.outputs)],
                         [(np.uint8, (8,)), (np.uint8, (10, 8))])
        result, = model(np.int64(10).reshape(1).view(np.uint8))
        self.assertEqual(result.shape, (10, 8))
        self.assertEqual(result.view(np.int64)[:3, 0].tolist(), [12, 12, 14])
        self.assertRefused("input 0 is of an extension type: its last dimension has to be the 8 bytes of an element",
                           model, np.zeros(4, np.uint8))

    def test_lists_and_numbers(self):
        self.assertSum(self.model(self.a.tolist(), self.b), 24)
        self.assertSum(self.model([[0, 1, 2], [3, 4, 5]], self.b), 48)

    def test_names(self):
        self.assertSum(self.model(self.a, **{"1": self.b}), 0)
        self.assertSum(self.model({"0": self.a, "1": self.b}), 0)
        np.testing.assert_array_equal(nnhal.load(SMALL_CNN)(image=image()), nnhal.load(SMALL_CNN)(image()))

    def test_outputs_of_the_caller(self):
        result = np.empty((2, 3), np.float32)
        self.assertIs(self.model(self.a, self.b, out=[result])[0], result)
        self.assertSum([result], 0)
        memory = bytearray(24)
        self.assertSum(self.model(self.a, self.b, out=[memoryview(memory).cast("f", (2, 3))]), 0)
        np.testing.assert_array_equal(np.frombuffer(memory, np.float32).reshape(2, 3), self.sum)
        fresh = self.model(self.a, self.b, out=[None])
        self.assertSum(fresh, 0)
        self.assertIsNot(fresh[0], result)

    def test_outputs_outlive_the_model(self):
        output = self.model(self.a, self.b)[0]
        del self.model
        np.testing.assert_array_equal(output, self.sum)

    def test_unknown_extents(self):
        for device in ("nnhal-reference", "nnhal-cpu"):
            model = nnhal.load(addition(shape=(0, 3)), device=device)
            self.assertEqual(model.outputs[0].shape, (None, 3))
            for rows in (4, 2, 6, 1):
                a = np.random.default_rng(rows).random((rows, 3), np.float32)
                np.testing.assert_array_equal(model(a, a)[0], a + a)
                self.assertEqual(model.statistics.copied_bytes, 0)
            given = np.empty((2, 3), np.float32)
            self.assertIs(model(a[:1], a[:1], out=[given[:1]])[0].base, given)
            self.assertRefused("", model, np.ones((8, 3), np.float32), np.ones((8, 3), np.float32), out=[given],
                               kind=nnhal.OutputInsufficientSizeError)

    def test_element_types(self):
        for kind, dtype, quantization in (("TENSOR_FLOAT16", np.float16, {}), ("TENSOR_INT32", np.int32, {}),
                                          ("TENSOR_QUANT8_ASYMM", np.uint8, {"scale": 1.0}),
                                          ("TENSOR_QUANT8_ASYMM_SIGNED", np.int8, {"scale": 1.0})):
            model = nnhal.load(addition(kind, **quantization), device="nnhal-reference")
            values = np.arange(6).astype(dtype).reshape(2, 3)
            output, = model(values, values)
            self.assertEqual(output.dtype, dtype)
            np.testing.assert_array_equal(output, values + values)
            self.assertEqual(model.statistics.copied_bytes, 0)
        self.assertEqual(model.inputs[0].scale, 1.0)

    def test_refusals(self):
        refuse = lambda text, *args, **keywords: self.assertRefused(text, self.model, *args, **keywords)
        refuse("input 0 is an array of float64, and the model takes float32", self.a.astype(np.float64), self.b)
        refuse("input 1 is missing", self.a)
        refuse("3 inputs are given, and the model has 2", self.a, self.b, self.b)
        refuse("the key 0 of an input is no text", {0: self.a})
        refuse("input 0 is given twice", self.a, self.b, **{"0": self.a})
        refuse("no input 'c'; there are: 0, 1", self.a, self.b, c=self.a)
        refuse("input 0 has rank 1 in the request and 2 in the model", self.a.reshape(-1), self.b)
        refuse("input 0 has extent 3 in dimension 0 of the request and 2 in the model", self.a.T, self.b)
        refuse("input 0 is no array: object", object(), self.b)
        refuse("input 0 is no array: ", [[1], [2, 3]], self.b)
        refuse("a timeout of -1 s is not 0 to ", self.a, self.b, timeout=-1)
        refuse("out has to be a sequence of 1 arrays", self.a, self.b, out=[])
        refuse("output 0 has shape (2, 3), and the array has (3, 2)", self.a, self.b, out=[np.empty((3, 2), np.float32)])
        refuse("output 0 is of float32, and the array of float64", self.a, self.b, out=[np.empty((2, 3))])
        refuse("output 0 is written in place: the array has to be contiguous, aligned and writable", self.a, self.b,
               out=[np.empty((3, 2), np.float32).T])
        refuse("output 0 cannot be written to int", self.a, self.b, out=[1])
        with self.assertRaises(nnhal.MissedDeadlineError) as caught:
            self.model(self.a, self.b, timeout=0)
        self.assertEqual(caught.exception.status, "MISSED_DEADLINE_PERSISTENT")
        self.assertFalse(caught.exception.is_transient)
        # The model is as good as before; one of the arrays above was transposed.
        self.assertSum(self.model(self.a, self.b), 24)

    def test_integers_beyond_their_type(self):
        model = nnhal.load(addition("TENSOR_QUANT8_ASYMM", scale=1.0), device="nnhal-reference")
        np.testing.assert_array_equal(model([[1, 2, 3]] * 2, [[1, 2, 3]] * 2)[0], [[2, 4, 6]] * 2)
        self.assertRefused("input 0 has a value beyond 0 to 255", model, [[1, 2, 256]] * 2, [[1, 2, 3]] * 2)
        self.assertRefused("input 0 is an array of float64, and the model takes uint8", model, [[0.5, 2, 3]] * 2,
                           [[1, 2, 3]] * 2)

    def test_huge_extents(self):
        model = nnhal.load(addition(shape=(0, 0)), device="nnhal-reference")
        huge = np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (1 << 33, 0), (0, 4))
        self.assertRefused("input 0 has an extent of 8589934592, above 4294967295", model, huge, huge)


class StateTest(RefusalTest):
    def setUp(self):
        self.model = nnhal.load(counter(), device="nnhal-reference")
        self.one = np.ones((1, 1), np.float32)

    def test_interface(self):
        self.assertEqual([one.is_state for one in self.model.inputs], [False, True])
        self.assertEqual([one.is_state for one in self.model.outputs], [False, True])

    def test_fed_states(self):
        state = np.zeros((1, 1), np.float32)
        for count in range(1, 4):
            output, state = self.model(self.one, state)
            self.assertEqual(output[0, 0], count)
        # Without a state an execution begins with the initial one.
        self.assertEqual(self.model(self.one)[0][0, 0], 1)

    def test_kept_states(self):
        stream, other = self.model.stream(), self.model.stream()
        for count in range(1, 5):
            outputs = stream(self.one)
            self.assertEqual(len(outputs), 1)
            self.assertEqual(outputs[0][0, 0], count)
        self.assertEqual(other(self.one)[0][0, 0], 1)
        (name, value), = stream.states.items()
        self.assertEqual(value[0, 0], 4)
        stream.states = {name: [[7]]}
        self.assertEqual(stream(self.one)[0][0, 0], 8)
        stream.reset()
        self.assertEqual(stream(self.one)[0][0, 0], 1)
        self.assertEqual(self.model.statistics.copied_bytes, 0)

    def test_failed_executions_keep_the_state(self):
        stream = self.model.stream()
        stream(self.one)
        self.assertRaises(nnhal.MissedDeadlineError, stream, self.one, timeout=0)
        self.assertEqual(stream(self.one)[0][0, 0], 2)

    def test_refusals(self):
        self.assertRefused("the model has no states", nnhal.load(SMALL_CNN).stream)
        stream = self.model.stream()
        with self.assertRaisesRegex(nnhal.InvalidArgumentError, "state 1 has 4 bytes, and 8 are given"):
            stream.states = {"1": [[1, 2]]}
        with self.assertRaisesRegex(nnhal.InvalidArgumentError, "input 0 is no state"):
            stream.states = {"0": [[1]]}


if __name__ == "__main__":
    unittest.main()
