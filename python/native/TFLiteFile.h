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

#include <cstdint>
#include <string_view>
#include <vector>

namespace nnhal::python {

/// Returns what nnhal.tflite has to know of the file with the bytes \p bytes: a
/// dictionary of its subgraphs, the main one first, with their tensors, inputs,
/// outputs and operators, and of its signatures. Throws for bytes that are no
/// such file.
pybind11::dict readTFLiteFile(std::string_view bytes);

/// Returns a copy of the file with the bytes \p bytes whose subgraph number
/// \p subgraph has the tensors \p outputs for outputs. The file has less than
/// 2 GiB. Throws for bytes that are no such file, for a number beyond its
/// subgraphs, and for a subgraph without outputs.
pybind11::bytes withOutputs(std::string_view bytes, uint32_t subgraph,
                            const std::vector<int32_t> &outputs);

} // namespace nnhal::python

#endif // NNHAL_PYTHON_NATIVE_TFLITEFILE_H
