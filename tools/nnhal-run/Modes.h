//===- Modes.h - The ways to execute ----------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_RUN_MODES_H
#define NNHAL_TOOLS_NNHAL_RUN_MODES_H

#include "nnhal/Runtime/PreparedModel.h"

#include <string_view>
#include <vector>

namespace nnhal::run {

/// Which member of PreparedModel is called.
enum class ExecutionMode { sync, async, fenced };

std::string_view nameOf(ExecutionMode mode);

/// Modes separated by commas, or "all". invalidArgument names the one that
/// there is not.
rt::Result<std::vector<ExecutionMode>> parseModes(std::string_view text);

/// Executes \p request in \p mode and waits for the end. A fenced execution
/// tells no shapes: they are those of the request or the interface.
rt::Status executeOnce(ExecutionMode mode, const rt::PreparedModel &model,
                       const rt::Request &request, rt::ExecutionResult &result);

} // namespace nnhal::run

#endif // NNHAL_TOOLS_NNHAL_RUN_MODES_H
