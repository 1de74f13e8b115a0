//===- ExecutionResults.cpp - What an execution tells afterwards ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include <algorithm>
#include <limits>

using namespace nnhal;
using namespace nnhal::ndk;

/// Returns the dimensions that output \p index has, or would need.
std::span<const uint32_t>
ANeuralNetworksExecution::shapeOfOutput(size_t index) const {
  if (index < result.outputShapes.size())
    return result.outputShapes[index].dimensions;
  const std::vector<uint32_t> &given = request.outputs[index].dimensions;
  return given.empty() ? compilation.outputs()[index].tensor.dimensions : given;
}

/// Whether the execution can tell about output \p index (J-019, J-097).
int ANeuralNetworksExecution::outputState(int32_t index) const {
  bool isKnown = state == State::completed &&
                 (code == ANEURALNETWORKS_NO_ERROR ||
                  code == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
  if (!isKnown)
    return ANEURALNETWORKS_BAD_STATE;
  if (index < 0 || size_t(index) >= request.outputs.size())
    return ANEURALNETWORKS_BAD_DATA;
  return ANEURALNETWORKS_NO_ERROR;
}

static int sufficiency(const rt::ExecutionResult &result, size_t index) {
  bool isSufficient = index >= result.outputShapes.size() ||
                      result.outputShapes[index].isSufficient;
  return isSufficient ? ANEURALNETWORKS_NO_ERROR
                      : ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
}

int ANeuralNetworksExecution::rankOfOutput(int32_t index, uint32_t *rank) {
  settle();
  if (int failed = outputState(index))
    return failed;
  *rank = uint32_t(shapeOfOutput(size_t(index)).size());
  return sufficiency(result, size_t(index));
}

int ANeuralNetworksExecution::dimensionsOfOutput(int32_t index,
                                                 uint32_t *dimensions) {
  settle();
  if (int failed = outputState(index))
    return failed;
  std::span<const uint32_t> shape = shapeOfOutput(size_t(index));
  if (shape.empty())
    return ANEURALNETWORKS_BAD_DATA; // A scalar has none (J-020).
  std::ranges::copy(shape, dimensions);
  return sufficiency(result, size_t(index));
}

/// Microseconds as nanoseconds (D-045).
static uint64_t nanosecondsOf(uint64_t microseconds) {
  constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
  return microseconds > most / 1000 ? most : microseconds * 1000;
}

int ANeuralNetworksExecution::duration(int32_t which, uint64_t *nanoseconds) {
  settle();
  *nanoseconds = std::numeric_limits<uint64_t>::max();
  if (which < ANEURALNETWORKS_DURATION_ON_HARDWARE ||
      which > ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER)
    return ANEURALNETWORKS_BAD_DATA;
  if (state != State::completed || !request.measureTiming)
    return ANEURALNETWORKS_BAD_STATE;
  // The device that would tell has died since.
  if (fenced && code == ANEURALNETWORKS_DEAD_OBJECT)
    return ANEURALNETWORKS_OP_FAILED;
  if (code != ANEURALNETWORKS_NO_ERROR)
    return ANEURALNETWORKS_BAD_STATE;
  if (compilation.ignoresTiming())
    return ANEURALNETWORKS_NO_ERROR;
  bool isFromFence = which >= ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE;
  // Without fences both times are the same (J-099).
  const rt::Timing &timing =
      isFromFence && fenced ? fencedTiming : result.timing;
  bool isOnDevice = which == ANEURALNETWORKS_DURATION_ON_HARDWARE ||
                    which == ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE;
  *nanoseconds =
      nanosecondsOf(isOnDevice ? timing.timeOnDevice : timing.timeInDriver);
  return ANEURALNETWORKS_NO_ERROR;
}
