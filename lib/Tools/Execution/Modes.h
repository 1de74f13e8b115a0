//===- Modes.h - The ways to execute ----------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_EXECUTION_MODES_H
#define NNHAL_LIB_TOOLS_EXECUTION_MODES_H

#include "nnhal/Runtime/PreparedModel.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace nnhal::tools {

/// The member of PreparedModel that is called.
enum class ExecutionMode { sync, async, fenced };

std::string_view nameOf(ExecutionMode mode);

/// Reads modes separated by commas, or "all". Fails with invalidArgument, which
/// names the one that does not exist.
rt::Result<std::vector<ExecutionMode>> parseModes(std::string_view text);

/// Executes \p request in \p mode and waits for the end. A fenced execution
/// tells no shapes: they are those of the request or the interface. It waits
/// for a fence that signals after \p fenceAfter nanoseconds, if that is given.
rt::Status executeOnce(ExecutionMode mode, const rt::PreparedModel &model,
                       const rt::Request &request, rt::ExecutionResult &result,
                       std::optional<uint64_t> fenceAfter = {});

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_EXECUTION_MODES_H
