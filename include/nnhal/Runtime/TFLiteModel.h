//===- TFLiteModel.h - TensorFlow Lite import -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_TFLITEMODEL_H
#define NNHAL_RUNTIME_TFLITEMODEL_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/DeviceServices.h"
#include "nnhal/Runtime/Model.h"

#include <map>
#include <string>
#include <vector>

namespace nnhal::rt {

struct TFLiteImportOptions {
  /// The dimensions of main inputs, by name or by decimal index. Unknown
  /// dimensions of inputs that are not listed become 1.
  std::map<std::string, std::vector<uint32_t>> inputShapes;
  /// Operators and types that the HAL cannot express become operations and
  /// operand types of the extension nnhal.tflite; otherwise a file that needs
  /// them fails to import.
  bool useExtensions = true;
  /// The extensions that may claim custom operators (ExtensionBackend::
  /// customOperators()), in the order of DeviceServices::extensions: of several
  /// with one name the first is asked. See installedExtensions().
  std::vector<InstalledExtension> extensions = {};
  /// The signature whose subgraph is imported, and whose names inputs and
  /// outputs have; the first subgraph where it is empty.
  std::string signature = {};
};

/// Turns a .tflite file into a validated HAL model.
///
/// \p file is verified before any field is read. Constants that need no
/// conversion point into \p file (a pool), float16 and sparse constants are
/// expanded, missing shapes are inferred, variable tensors become pairs of a
/// state input and a state output after the model's own. Fails with
/// invalidArgument for a damaged file, and for an operator that neither the HAL
/// nor an extension can express: the message names the operator, its index and
/// why.
NNHAL_API Result<AnnotatedModel>
importTFLite(const Memory &file, const TFLiteImportOptions &options = {});

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_TFLITEMODEL_H
