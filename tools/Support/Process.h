//===- Process.h - What every tool does as a process ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_SUPPORT_PROCESS_H
#define NNHAL_TOOLS_SUPPORT_PROCESS_H

#include "nnhal/Runtime/Status.h"

namespace nnhal::tools {

/// The exit statuses of every tool; 0 is success.
inline constexpr int exitFailure = 1;
inline constexpr int exitUsage = 2;

/// To be called first in main(). Occupies standard descriptors that are closed,
/// so that no file of the program's own becomes one and gets its output;
/// writing to standard output then still fails. A write beyond the file-size
/// limit of the process fails as one to a full disk does, instead of ending the
/// process before it has cleaned up.
void prepareProcess();

/// Prints "error: " and the message of \p status. Returns \p exitStatus.
int fail(const rt::Status &status, int exitStatus);

/// Ends the work whose outcome is \p status: flushes standard output, says what
/// is wrong, and returns the exit status.
int finish(rt::Status status);

/// Fails when what was printed could not be written.
rt::Status flushOutput();

} // namespace nnhal::tools

#endif // NNHAL_TOOLS_SUPPORT_PROCESS_H
