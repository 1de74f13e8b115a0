//===- CompileServer.h - Compiles for a host --------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_COMPILEWORKER_COMPILESERVER_H
#define NNHAL_LIB_SERVICE_COMPILEWORKER_COMPILESERVER_H

#include "nnhal/Runtime/Compiler.h"

#include <memory>

namespace nnhal::service {

/// Compiles with \p compiler for the host at the other end of \p channel, until
/// that is closed. A call that the host drops is cancelled.
///
/// Threads: compilations run on threads of their own, one each, which may be
///          running still when this returns: the caller ends the process
///          without waiting for them.
rt::Status serveCompiler(std::shared_ptr<const rt::Compiler> compiler,
                         rt::UniqueFd channel);

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_COMPILEWORKER_COMPILESERVER_H
