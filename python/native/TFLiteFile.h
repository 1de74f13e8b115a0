//===- TFLiteFile.h - What a TensorFlow Lite file says ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_PYTHON_NATIVE_TFLITEFILE_H
#define NNHAL_PYTHON_NATIVE_TFLITEFILE_H

#include "nnhal/Runtime/Status.h"

#include <pybind11/numpy.h>

#include <string_view>

namespace nnhal::python {

/// Returns what nnhal.tflite has to know of the file with the bytes \p bytes: a
/// dictionary of the main subgraph's tensors, inputs and outputs, and the
/// signatures of the file. Throws for bytes that are no such file.
pybind11::dict readTFLiteFile(std::string_view bytes);

} // namespace nnhal::python

#endif // NNHAL_PYTHON_NATIVE_TFLITEFILE_H
