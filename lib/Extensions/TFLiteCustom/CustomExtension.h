//===- CustomExtension.h - The extension nnhal.tflite_custom ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_CUSTOMEXTENSION_H
#define NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_CUSTOMEXTENSION_H

#include "nnhal/Backend/ExtensionBackend.h"

#include <memory>

namespace nnhal::tflite_custom {

/// Creates the extension nnhal.tflite_custom: custom operators of published
/// TensorFlow Lite files (docs/Spec/TFLiteCustomExtension.md).
std::unique_ptr<rt::ExtensionBackend> createCustomExtension();

} // namespace nnhal::tflite_custom

#endif // NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_CUSTOMEXTENSION_H
