//===- BurstServer.h - The server's end of a burst --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_BURST_BURSTSERVER_H
#define NNHAL_LIB_RUNTIME_BURST_BURSTSERVER_H

#include "BurstExecutor.h"

#include "nnhal/Runtime/Burst.h"

#include <chrono>
#include <memory>

namespace nnhal::rt {

class Log;

struct BurstServerOptions {
  /// How long the server polls for a request before it sleeps (G-050).
  std::chrono::microseconds pollingWindow{50};
  /// Where refused packets are logged; null for nowhere.
  std::shared_ptr<const Log> log;
};

/// Serves the queues behind \p channels with \p executor on a thread of its
/// own (G-055), until the context is destroyed.
///
/// invalidArgument without a callback, generalFailure, naming the queue and
/// what is wrong with it, for channels that are not queues of requests and
/// results (G-001, G-064), resourceExhaustedTransient without a thread.
///
/// The client is not trusted: a packet that cannot be read is answered by
/// GENERAL_FAILURE, once for all that arrived with it (G-031, G-062); a result
/// that its queue has no room for by GENERAL_FAILURE without shapes and timing
/// (G-016), or by nothing when not even that fits, since only a client that
/// sends requests without reading results gets there.
Result<std::unique_ptr<BurstContext>>
serveBurst(std::unique_ptr<BurstExecutor> executor,
           std::shared_ptr<BurstCallback> callback, BurstChannels channels,
           const BurstServerOptions &options = {});

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_BURST_BURSTSERVER_H
