"""Pictures as inputs, and labels of outputs."""

import struct
import unittest
import unittest.mock
import zlib

import nnhal
import numpy as np
from support import SMALL_CNN, RefusalTest, ScratchTest, addition


def writePng(path, pixels):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    return path


def picture(height=32, width=32):
    return np.random.default_rng(1).integers(0, 256, (height, width, 3), np.uint8)


class PicturesTest(RefusalTest, ScratchTest):
    def test_files_are_read(self):
        pixels = picture(3, 5)
        np.testing.assert_array_equal(nnhal.read_picture(writePng(self.scratch / "a.png", pixels)), pixels)

    def test_inputs_of_real_numbers(self):
        model = nnhal.load(SMALL_CNN)
        pixels = picture()
        prepared = model.prepare_picture(writePng(self.scratch / "a.png", pixels))
        self.assertEqual(prepared.dtype, np.float32)
        np.testing.assert_array_equal(prepared[0], (pixels.astype(np.float32) - np.float32(127.5)) / np.float32(127.5))
        np.testing.assert_array_equal(model.prepare_picture(pixels, input="image"), prepared)
        np.testing.assert_array_equal(model.prepare_picture(pixels[::, ::-1], mean=0, deviation=1)[0],
                                      pixels[::, ::-1].astype(np.float32))
        whole = np.zeros((64, 64, 3), np.uint8)
        whole[16:48, 16:48] = pixels
        np.testing.assert_array_equal(model.prepare_picture(whole, crop=0.5), prepared)
        self.assertEqual(model(prepared)[0].shape, (1, 10))

    def test_inputs_of_bytes_take_pixels_as_they_are(self):
        model = nnhal.load(addition("TENSOR_QUANT8_ASYMM", (1, 4, 4, 3), scale=0.5, zeroPoint=3))
        pixels = picture(4, 4)
        np.testing.assert_array_equal(model.prepare_picture(pixels)[0], pixels)
        np.testing.assert_array_equal(model.prepare_picture(pixels, mean=0, deviation=2)[0],
                                      np.clip(np.floor(pixels / 2 / 0.5 + 3 + 0.5), 0, 255))

    def test_top(self):
        model = nnhal.load(SMALL_CNN)
        values = np.float32([[0, 3, 1, 3, float("nan"), 2, -1, 0, 0, 0]])
        self.assertEqual([one.place for one in model.top(values, 4)], [1, 3, 5, 2])
        labels = self.scratch / "labels.txt"
        labels.write_text("".join(f"label {number}\n" for number in range(10)))
        self.assertEqual(model.top(values, 1, output="probabilities", labels=labels), [(1, 3.0, "label 1")])

    def test_classes_of_a_detector(self):
        model = nnhal.load(SMALL_CNN)
        with unittest.mock.patch.object(nnhal.Model, "_value_labels", [["cat", "dog"]]):
            self.assertEqual(model.value_labels, (["cat", "dog"],))
            self.assertEqual(model.top(np.float32([[1, 0, 2, -1, np.nan, 1]]), 4),
                             [(0, 1.0, "dog"), (1, 0.0, "cat"), (2, 2.0, ""), (3, -1.0, "")])
        quantized = nnhal.load(addition("TENSOR_QUANT8_ASYMM", (1, 3), scale=0.5, zeroPoint=3))
        self.assertEqual(quantized.top(np.uint8([[3, 5, 1]]), 2), [(1, 1.0, ""), (0, 0.0, "")])

    def test_refusals(self):
        model = nnhal.load(SMALL_CNN)
        text = self.scratch / "text.png"
        text.write_text("text")
        self.assertRefused(f"'{text}': neither a JPEG nor a PNG file", nnhal.read_picture, text)
        self.assertRefused("a picture is an array of uint8 with shape (height, width, 3), found float32 with shape (2, 2, 3)",
                     model.prepare_picture, np.zeros((2, 2, 3), np.float32))
        self.assertRefused("found uint8 with shape (2, 2)", model.prepare_picture, np.zeros((2, 2), np.uint8))
        self.assertRefused("an input of shape [2,3] takes no photo, which needs [1,height,width,3]",
                     nnhal.load(addition()).prepare_picture, picture())
        self.assertRefused("crop is 1.5, and not above 0 and at most 1", model.prepare_picture, picture(), crop=1.5)
        self.assertRefused("deviation is 0, and not finite and above 0", model.prepare_picture, picture(), deviation=0)
        for message, call in (("no input 'x'; there are: 'image'", lambda: model.prepare_picture(picture(), input="x")),
                              ("2 numbers, and not 1 or 3", lambda: model.prepare_picture(picture(), mean=[1, 2])),
                              ("1 labels for an output of shape (1, 10)", lambda: model.top(np.zeros((1, 10)), labels=["cat"]))):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertEqual(str(caught.exception), message)


if __name__ == "__main__":
    unittest.main()
