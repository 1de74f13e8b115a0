//===- LoopPolling.h - Event loops that poll before they sleep --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_PROTOCOL_LOOPPOLLING_H
#define NNHAL_LIB_SERVICE_PROTOCOL_LOOPPOLLING_H

#include <kj/async.h>

#include <chrono>
#include <cstdint>

namespace nnhal::service {

/// Lets an event loop poll for a while in place of sleeping: waking a thread
/// takes several times as long as a short call, as it does for the ends of a
/// burst (G-048).
///
/// Threads: that of the loop, which this object does not outlive.
class LoopPolling {
public:
  static constexpr std::chrono::microseconds window{50};

  explicit LoopPolling(kj::WaitScope &scope) { scope.setBusyPollInterval(1); }

  /// Polls for the window from now on.
  void begin();
  /// Sleeps again as soon as there is nothing to do.
  void end() { deadline = 0; }

private:
  kj::Promise<void> poll();

  int64_t deadline = 0;
  bool isPolling = false;
  kj::Promise<void> polling = nullptr;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_PROTOCOL_LOOPPOLLING_H
