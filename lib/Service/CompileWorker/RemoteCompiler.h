//===- RemoteCompiler.h - A compiler in another process ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_COMPILEWORKER_REMOTECOMPILER_H
#define NNHAL_LIB_SERVICE_COMPILEWORKER_REMOTECOMPILER_H

#include "nnhal/Runtime/Compiler.h"

#include <functional>
#include <memory>
#include <string>

namespace nnhal::service {

/// A process that runs serveCompiler() at the other end of a channel.
struct NewWorker {
  rt::UniqueFd channel;
  /// Waits until the process has ended, a second at most, and says how: "signal
  /// 9 (Killed)" for example; empty when it has not.
  std::function<std::string()> howEnded;
};

struct RemoteCompilerOptions {
  /// Starts a worker. Called from any thread, and may block.
  std::function<rt::Result<NewWorker>()> startWorker;
  /// The answer of buildIdentity().
  std::string identity;
  /// A compilation that takes longer loses its worker.
  uint64_t seconds = 600;
};

/// Makes a compiler that compiles in workers, one for each compilation that is
/// under way, which are kept for later ones.
///
/// compileModel() fails with generalFailure, which says how, when its worker
/// ends, when the compilation takes longer than it may and when it is
/// cancelled; the next call then gets another worker. Otherwise it fails like
/// the worker's compiler or startWorker. It tells its observer on the calling
/// thread. compileMlir() fails: nothing that is hosted has IR.
///
/// Fails with resourceExhaustedTransient when there is no thread for the
/// connections.
rt::Result<std::shared_ptr<const rt::Compiler>>
createRemoteCompiler(RemoteCompilerOptions options);

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_COMPILEWORKER_REMOTECOMPILER_H
