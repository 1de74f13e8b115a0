//===- Seccomp.h - System calls ---------------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_SANDBOX_SECCOMP_H
#define NNHAL_LIB_SERVICE_SANDBOX_SECCOMP_H

#include "nnhal/Runtime/Device.h"

#include <string>

namespace nnhal::service {

/// Lets every thread of this process make only the system calls that work on
/// memory, threads, files and connections needs, and those of \p needs.
///
/// A call that is not among them fails with EPERM, and does not end the
/// process: it has no effect either way, libraries probe for calls that they
/// can do without, and the end of a host ends the work of all of its clients.
/// Calls of another architecture do end it: nothing here makes them.
///
/// Needs no_new_privs. Returns what is in force. Fails with generalFailure when
/// the kernel has no filters.
rt::Result<std::string> restrictCalls(const rt::ProcessNeeds &needs);

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_SANDBOX_SECCOMP_H
