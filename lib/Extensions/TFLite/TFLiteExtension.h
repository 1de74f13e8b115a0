//===- TFLiteExtension.h - The extension nnhal.tflite -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_TFLITEEXTENSION_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_TFLITEEXTENSION_H

#include "nnhal/Backend/ExtensionBackend.h"

namespace nnhal::tflite {

/// Creates the extension nnhal.tflite: operators of TensorFlow Lite in forms
/// that the HAL's operations do not have (docs/Spec/TFLiteExtension.md).
std::unique_ptr<rt::ExtensionBackend> createTFLiteExtension();

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_TFLITEEXTENSION_H
