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

template <typename Region, typename Arguments>
static void addPools(const Arguments &arguments, Pools &pools) {
  for (const auto &argument : arguments)
    if (const auto *region = std::get_if<Region>(&argument.memory.kind()))
      pools.emplace_back(region->pool);
}

Pools ndk::poolsOf(const rt::Request &request) {
  Pools pools;
  addPools<rt::Memory::Descriptor>(request.inputs, pools);
  addPools<rt::OutputMemory::Region>(request.outputs, pools);
  return pools;
}

/// Whether nobody can reach the bytes of \p pool: a file is not what it was
/// when the memory was made, or only its maker knows the layout of a buffer.
static bool isUnmappable(const rt::SharedMemory &pool) {
  return pool.kind() == rt::PoolKind::hardwareBuffer || !pool.check().isOk();
}

int ndk::resultCodeOf(const rt::Status &status, const Pools &pools) {
  if (status.code() == rt::StatusCode::generalFailure)
    for (const auto &each : pools)
      if (auto pool = each.lock(); pool && isUnmappable(*pool))
        return ANEURALNETWORKS_UNMAPPABLE;
  return resultCodeOf(status);
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
    return resultCodeOf(execution->executionInfo().status, pools);
  return status.isOk() ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OP_FAILED;
}
