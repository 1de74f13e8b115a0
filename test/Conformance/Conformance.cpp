//===- Conformance.cpp - What all tests of the suite share ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include <limits>
#include <numeric>
#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

std::optional<std::string>
conformance::unsupportedReason(const Device &device,
                               const AnnotatedModel &model) {
  auto supported = device.supportedOperations(model);
  if (!supported.isOk())
    return supported.status().message();
  for (const Status &status : *supported)
    if (!status.isOk())
      return status.message();
  return std::nullopt;
}

static std::vector<Dimensions>
shapesOf(const std::vector<InterfaceTensor> &tensors) {
  std::vector<Dimensions> shapes;
  shapes.reserve(tensors.size());
  for (const InterfaceTensor &tensor : tensors)
    shapes.push_back(tensor.dimensions);
  return shapes;
}

FloatArguments::FloatArguments(const PreparedModel &model) {
  bind(shapesOf(model.interface().inputs), shapesOf(model.interface().outputs));
}

FloatArguments::FloatArguments(const std::vector<Dimensions> &inputShapes,
                               const std::vector<Dimensions> &outputShapes) {
  bind(inputShapes, outputShapes);
}

static size_t elementCount(const Dimensions &shape) {
  return std::accumulate(shape.begin(), shape.end(), size_t(1),
                         std::multiplies<>());
}

void FloatArguments::bind(const std::vector<Dimensions> &inputShapes,
                          const std::vector<Dimensions> &outputShapes) {
  for (const Dimensions &shape : inputShapes) {
    inputs.emplace_back(elementCount(shape));
    std::iota(inputs.back().begin(), inputs.back().end(), 1.0f);
    request.inputs.push_back(
        {Memory::borrow(std::as_bytes(std::span(inputs.back()))), shape});
  }
  for (const Dimensions &shape : outputShapes) {
    outputs.emplace_back(elementCount(shape),
                         std::numeric_limits<float>::quiet_NaN());
    request.outputs.push_back({OutputMemory::borrow(std::as_writable_bytes(
                                   std::span(outputs.back()))),
                               shape});
  }
}

LoopArguments::LoopArguments(int32_t first) : input(first) {
  request.inputs.push_back(
      {Memory::borrow(std::as_bytes(std::span(&input, 1))), {}});
  request.outputs.push_back(
      {OutputMemory::borrow(std::as_writable_bytes(std::span(&output, 1))),
       {}});
}

bool conformance::eventually(const std::function<bool()> &condition) {
  Deadline end = steadyNow() + 10'000 * millisecond;
  while (!condition()) {
    if (steadyNow() >= end)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

ExecutionCallback
conformance::notifying(std::shared_ptr<Notified<Executed>> notified) {
  return [notified = std::move(notified)](Status status,
                                          const ExecutionResult &result) {
    notified->notify({std::move(status), result});
  };
}

std::string conformance::toString(Mode mode) {
  switch (mode) {
  case Mode::sync:
    return "sync";
  case Mode::async:
    return "async";
  case Mode::fenced:
    return "fenced";
  }
  return "";
}

static Executed executeFenced(const PreparedModel &model,
                              const Request &request) {
  Executed executed;
  auto launched = model.executeFenced(request);
  if (!launched.isOk()) {
    executed.status = launched.status();
    return executed;
  }
  Status waited = (*launched)->fence()->wait(noDeadline);
  ExecutionInfo info = (*launched)->executionInfo();
  EXPECT_EQ(waited.code(), info.status.code());
  executed.status = info.status;
  executed.result.timing = info.timingLaunched;
  return executed;
}

Executed conformance::executeIn(Mode mode, const PreparedModel &model,
                                const Request &request) {
  if (mode == Mode::fenced)
    return executeFenced(model, request);
  Executed executed;
  if (mode == Mode::sync) {
    executed.status = model.execute(request, executed.result);
    return executed;
  }
  auto notified = std::make_shared<Notified<Executed>>();
  Status launched = model.executeAsync(request, notifying(notified));
  executed = notified->wait();
  // A launch that failed says the same (D-013, D-015).
  if (!launched.isOk())
    EXPECT_EQ(launched.code(), executed.status.code());
  return executed;
}
