//===- Root.h - The root of a TensorFlow Lite file --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_ROOT_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_ROOT_H

#include "TFLiteSchema_generated.h"

#include "nnhal/Runtime/Status.h"

#include <cstddef>
#include <span>

namespace nnhal::rt::tflite {

/// Verifies \p bytes before any field is read and returns their root, which has
/// a subgraph. Fails with invalidArgument for bytes that are damaged or of
/// another version of the format.
Result<const schema::Model *> readRoot(std::span<const std::byte> bytes);

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_ROOT_H
