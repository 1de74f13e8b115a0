//===- LoopPolling.cpp - Event loops that poll before they sleep ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPolling.h"

#include "nnhal/Runtime/Execution.h"

using namespace nnhal;
using namespace nnhal::service;

void LoopPolling::begin() {
  deadline = rt::steadyNow() + std::chrono::nanoseconds(window).count();
  if (isPolling)
    return;
  isPolling = true;
  polling = poll().eagerlyEvaluate(nullptr);
}

// An event that is always there keeps the loop from sleeping; it comes after
// all others.
kj::Promise<void> LoopPolling::poll() {
  return kj::evalLast([this]() -> kj::Promise<void> {
    if (rt::steadyNow() < deadline)
      return poll();
    isPolling = false;
    return kj::READY_NOW;
  });
}
