//===- Event.cpp - The end of an execution --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Event.h"

#include "Boundary.h"
#include "Library.h"

using namespace nnhal;
using namespace nnhal::ndk;

void Completion::set(int code) {
  std::lock_guard lock(mutex);
  result = code;
  // This is called under the lock: afterwards there may be nobody any more.
  arrived.notify_all();
}

int Completion::wait() {
  std::unique_lock lock(mutex);
  arrived.wait(lock, [this] { return result.has_value(); });
  return *result;
}

int ANeuralNetworksEvent::wait() {
  // The thread that would end the execution is not in a child.
  if (Library::isForked())
    return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
  if (completion)
    return completion->wait();
  rt::Status status;
  if (fence)
    status = fence->wait(rt::noDeadline);
  if (execution)
    return resultCodeOf(execution->executionInfo().status);
  return status.isOk() ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OP_FAILED;
}
