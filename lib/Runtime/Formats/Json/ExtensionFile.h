//===- ExtensionFile.h - Extensions as files describe them ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_JSON_EXTENSIONFILE_H
#define NNHAL_LIB_RUNTIME_FORMATS_JSON_EXTENSIONFILE_H

#include "nnhal/Runtime/Interface.h"

#include <string>
#include <vector>

namespace nnhal::rt {

/// The contents of a file that describes an extension.
struct ExtensionFile {
  Extension extension;
  std::vector<CustomOperator> customOperators;
};

/// Reads the file \p path, which describes one extension; what
/// an element is and the custom operators may be left out:
///
///   {"name": "com.example.ext",
///    "operandTypes": [{"type": 0, "isTensor": true, "byteSize": 8,
///                      "element": "int64"}],
///    "customOperators": [{"name": "Sparkle", "operation": 3}]}
///
/// Fails with invalidArgument, which names the file and the member, when it
/// does not; checks no name.
Result<ExtensionFile> readExtensionFile(const std::string &path);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_FORMATS_JSON_EXTENSIONFILE_H
