//===- Process.h - The process of every tool --------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_PROCESS_PROCESS_H
#define NNHAL_LIB_TOOLS_PROCESS_PROCESS_H

#include "nnhal/Runtime/Status.h"

#include <span>
#include <string_view>

namespace nnhal::tools {

/// The exit statuses of every tool; 0 is success.
inline constexpr int exitFailure = 1;
inline constexpr int exitUsage = 2;

/// Does the work of a tool's main(): calls \p tool with the arguments behind
/// the program's name and returns the exit status, that of a failure when
/// \p tool throws.
///
/// Before that, it occupies standard descriptors that are closed, so that no
/// file of the program's own becomes one and gets its output; writing to
/// standard output then still fails. A write beyond the file-size limit of the
/// process fails as one to a full disk does, instead of ending the process
/// before it has cleaned up.
int runProcess(int argc, char **argv,
               int (*tool)(std::span<const std::string_view> arguments));

/// Prints "error: " and the message of \p status. Returns \p exitStatus.
int fail(const rt::Status &status, int exitStatus);

/// Ends the work whose outcome is \p status: flushes standard output, says what
/// is wrong, and returns the exit status.
int finish(rt::Status status);

/// Fails when what was printed could not be written.
rt::Status flushOutput();

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_PROCESS_PROCESS_H
