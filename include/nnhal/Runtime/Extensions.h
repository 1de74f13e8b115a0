//===- Extensions.h - What models use of extensions -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Threads: functions of values.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_EXTENSIONS_H
#define NNHAL_RUNTIME_EXTENSIONS_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/CompileOptions.h"
#include "nnhal/Runtime/DeviceServices.h"
#include "nnhal/Runtime/Model.h"

#include <span>
#include <string>
#include <vector>

namespace nnhal::rt {

/// Returns "com.example.ext:3" for type or operation 3 of an extension that
/// \p model lists, and otherwise the name without a model.
NNHAL_API std::string nameOf(const Model &model, OperandType type);
NNHAL_API std::string nameOf(const Model &model, OperationType type);

/// Fails with invalidArgument when an operation or operand of \p model, of any
/// subgraph, is of an extension, and names the first one.
NNHAL_API Status checkNoExtensions(const Model &model);

/// Returns what a compiler has to know of \p extensions, of the first of each
/// name.
NNHAL_API std::vector<CompiledExtension>
compiledExtensions(std::span<const InstalledExtension> extensions);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_EXTENSIONS_H
