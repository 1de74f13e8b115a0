//===- ExecutionEntries.cpp - The C functions about executions and events -===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"
#include "Event.h"
#include "Execution.h"
#include "Library.h"

#include <algorithm>
#include <limits>

using namespace nnhal;
using namespace nnhal::ndk;

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation,
                                    ANeuralNetworksExecution **execution) {
  if (execution)
    *execution = nullptr;
  if (!compilation || !execution)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  if (Library::isForked())
    return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
  if (!compilation->isFinished())
    return ANEURALNETWORKS_BAD_STATE;
  return create(execution, *compilation);
}

void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution) {
  if (!execution || Library::isForked())
    return;
  // Somebody writes to an execution that runs: it stays for ever (J-104).
  if (execution->isComputing()) {
    if (Library *library = Library::find())
      library->log().error("an execution is freed that has not ended");
    return;
  }
  delete execution;
}

int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution,
                                      int32_t index,
                                      const ANeuralNetworksOperandType *type,
                                      const void *buffer, size_t length) {
  if (!execution || (!buffer && length != 0))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return execution->setInput(index, type, buffer, length); });
}

int ANeuralNetworksExecution_setInputFromMemory(
    ANeuralNetworksExecution *execution, int32_t index,
    const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory,
    size_t offset, size_t length) {
  if (!execution || !memory)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    return execution->setInputFromMemory(index, type, *memory, offset, length);
  });
}

int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution,
                                       int32_t index,
                                       const ANeuralNetworksOperandType *type,
                                       void *buffer, size_t length) {
  if (!execution || (!buffer && length != 0))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return execution->setOutput(index, type, buffer, length); });
}

int ANeuralNetworksExecution_setOutputFromMemory(
    ANeuralNetworksExecution *execution, int32_t index,
    const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory,
    size_t offset, size_t length) {
  if (!execution || !memory)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    return execution->setOutputFromMemory(index, type, *memory, offset, length);
  });
}

int ANeuralNetworksExecution_setMeasureTiming(
    ANeuralNetworksExecution *execution, bool measure) {
  return execution ? execution->setMeasureTiming(measure)
                   : ANEURALNETWORKS_UNEXPECTED_NULL;
}

int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution,
                                        uint64_t duration) {
  return execution ? execution->setTimeout(duration)
                   : ANEURALNETWORKS_UNEXPECTED_NULL;
}

int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution,
                                            uint64_t duration) {
  return execution ? execution->setLoopTimeout(duration)
                   : ANEURALNETWORKS_UNEXPECTED_NULL;
}

int ANeuralNetworksExecution_enableInputAndOutputPadding(
    ANeuralNetworksExecution *execution, bool enable) {
  return execution ? execution->enablePadding(enable)
                   : ANEURALNETWORKS_UNEXPECTED_NULL;
}

int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution,
                                         bool reusable) {
  return execution ? execution->setReusable(reusable)
                   : ANEURALNETWORKS_UNEXPECTED_NULL;
}

int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution) {
  if (!execution)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return execution->compute(); });
}

int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksEvent **event) {
  if (event)
    *event = nullptr;
  if (!execution || !event)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return execution->start(event); });
}

int ANeuralNetworksExecution_startComputeWithDependencies(
    ANeuralNetworksExecution *execution,
    const ANeuralNetworksEvent *const *dependencies, uint32_t numDependencies,
    uint64_t duration, ANeuralNetworksEvent **event) {
  if (event)
    *event = nullptr;
  if (!execution || !event || (!dependencies && numDependencies != 0))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  std::span events(dependencies, numDependencies);
  if (std::ranges::count(events, nullptr) != 0)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return execution->startAfter(events, duration, event); });
}

int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksBurst *burst) {
  if (!execution || !burst)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return execution->computeInBurst(*burst); });
}

int ANeuralNetworksExecution_getOutputOperandRank(
    ANeuralNetworksExecution *execution, int32_t index, uint32_t *rank) {
  if (!execution || !rank)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return execution->rankOfOutput(index, rank); });
}

int ANeuralNetworksExecution_getOutputOperandDimensions(
    ANeuralNetworksExecution *execution, int32_t index, uint32_t *dimensions) {
  if (!execution || !dimensions)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return execution->dimensionsOfOutput(index, dimensions); });
}

int ANeuralNetworksExecution_getDuration(
    const ANeuralNetworksExecution *execution, int32_t durationCode,
    uint64_t *duration) {
  if (duration)
    *duration = std::numeric_limits<uint64_t>::max();
  if (!execution || !duration)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  // The end of a fenced execution is noticed by whoever asks.
  auto *asked = const_cast<ANeuralNetworksExecution *>(execution);
  return guarded([&] { return asked->duration(durationCode, duration); });
}

int ANeuralNetworksEvent_createFromSyncFenceFd(int syncFenceFd,
                                               ANeuralNetworksEvent **event) {
  if (!event)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  *event = nullptr;
  if (syncFenceFd <= 0)
    return ANEURALNETWORKS_BAD_DATA;
  return guarded([&]() -> int {
    auto duplicate = rt::duplicate(syncFenceFd);
    if (!duplicate.isOk())
      return ANEURALNETWORKS_BAD_DATA;
    auto fence = rt::Fence::adopt(*std::move(duplicate));
    if (!fence.isOk())
      return ANEURALNETWORKS_BAD_DATA;
    *event = new Event(*std::move(fence));
    return ANEURALNETWORKS_NO_ERROR;
  });
}

int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event,
                                        int *syncFenceFd) {
  if (syncFenceFd)
    *syncFenceFd = -1;
  if (!event || !syncFenceFd)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  if (!event->fence)
    return ANEURALNETWORKS_BAD_DATA;
  return guarded([&]() -> int {
    auto shared = event->fence->share();
    if (!shared.isOk())
      return resultCodeOf(shared.status());
    *syncFenceFd = shared->release();
    return ANEURALNETWORKS_NO_ERROR;
  });
}

int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event) {
  if (!event)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return event->wait(); });
}

void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event) {
  // The thread that would end the execution is not in a child.
  if (!event || Library::isForked())
    return;
  int code = guarded([&] { return event->wait(); });
  (void)code; // Whoever frees an event does not ask.
  delete event;
}
