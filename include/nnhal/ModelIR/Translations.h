//===- Translations.h - Formats that nnhal-translate knows ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_MODELIR_TRANSLATIONS_H
#define NNHAL_MODELIR_TRANSLATIONS_H

#include "nnhal/Runtime/DeviceServices.h"

#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <vector>

namespace nnhal {

/// Returns the extensions that may claim custom operators
/// (rt::TFLiteImportOptions::extensions).
using InstalledExtensions =
    std::function<std::vector<rt::InstalledExtension>()>;

/// Registers tflite-to-mlir, json-to-mlir, mlir-to-json and mlir-to-dot. Call
/// once, before the command line is parsed. tflite-to-mlir calls \p extensions,
/// if that is not empty.
void registerTranslations(InstalledExtensions extensions = {});

/// Writes the graphs of every nnhal.model in \p op as one GraphViz digraph: a
/// cluster per graph, a node per input and operation; constants are left out.
void writeDot(mlir::Operation *op, llvm::raw_ostream &output);

} // namespace nnhal

#endif // NNHAL_MODELIR_TRANSLATIONS_H
