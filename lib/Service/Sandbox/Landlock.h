//===- Landlock.h - Files by path -------------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_SANDBOX_LANDLOCK_H
#define NNHAL_LIB_SERVICE_SANDBOX_LANDLOCK_H

#include "Sandbox.h"

namespace nnhal::service {

/// Lets this thread open nothing but what is in the folders and device nodes of
/// \p rules, and read the files of the program and its libraries; connect to no
/// TCP port, and signal and reach by abstract sockets no process outside; each
/// as far as the kernel's Landlock goes. Needs no_new_privs. Returns what is in
/// force.
rt::Result<std::string> restrictFiles(const SandboxRules &rules);

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_SANDBOX_LANDLOCK_H
