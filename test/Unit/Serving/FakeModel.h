//===- FakeModel.h - A prepared model that tests command --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_SERVING_FAKEMODEL_H
#define NNHAL_TEST_UNIT_SERVING_FAKEMODEL_H

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/PreparedModel.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <vector>

namespace nnhal::serving {

/// Adds 1 to the floats of its input, and stops before it does while it is told
/// to.
class FakeModel final : public rt::PreparedModel {
public:
  /// Rows of two floats, of which there are \p rows, 0 for any number.
  explicit FakeModel(uint32_t rows) {
    description.inputs = {{.name = "x",
                           .type = rt::OperandType::TENSOR_FLOAT32,
                           .dimensions = {rows, 2}}};
    description.outputs = {{.name = "y",
                            .type = rt::OperandType::TENSOR_FLOAT32,
                            .dimensions = {rows, 2}}};
  }

  const rt::Interface &interface() const override { return description; }

  rt::Status execute(const rt::Request &request,
                     rt::ExecutionResult &result) const override {
    std::unique_lock lock(mutex);
    std::vector<uint32_t> dimensions = request.inputs[0].dimensions;
    extents.push_back(dimensions[0]);
    deadlines.push_back(request.deadline);
    changed.notify_all();
    changed.wait(lock, [this] { return !isHeld; });
    std::span<const std::byte> bytes = *request.inputs[0].memory.bytes();
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    if (std::ranges::find(values, failing) != values.end())
      return rt::failure("a value is {}", failing);
    dimensions[0] += excess;
    result.outputShapes = {{dimensions, true}};
    const auto &output =
        std::get<rt::OutputMemory::Borrowed>(request.outputs[0].memory.kind());
    if (output.size < bytes.size()) {
      result.outputShapes[0].isSufficient = false;
      return rt::Status(rt::StatusCode::outputInsufficientSize, "too small");
    }
    for (float &value : values)
      value += 1.0f;
    std::memcpy(output.data, values.data(), bytes.size());
    return rt::Status::ok();
  }

  rt::Status executeAsync(rt::Request, rt::ExecutionCallback) const override {
    return rt::failure("unused");
  }
  rt::Result<std::shared_ptr<rt::FencedExecution>>
  executeFenced(rt::Request, std::vector<rt::FenceRef>,
                std::optional<uint64_t>) const override {
    return rt::failure("unused");
  }
  rt::Result<std::unique_ptr<rt::BurstContext>>
  configureBurst(std::shared_ptr<rt::BurstCallback>,
                 rt::BurstChannels) const override {
    return rt::failure("unused");
  }

  /// Lets executions stop, or go on.
  void hold(bool held) {
    std::lock_guard lock(mutex);
    isHeld = held;
    changed.notify_all();
  }
  /// Waits until \p count executions have begun.
  void awaitExecutions(size_t count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return extents.size() >= count; });
  }

  rt::Interface description;
  /// Rows that outputs claim to have beside those of the inputs.
  uint32_t excess = 0;
  /// Executions with this value fail.
  float failing = -1.0f;
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  /// The rows and the deadline of each execution.
  mutable std::vector<uint32_t> extents;
  mutable std::vector<rt::Deadline> deadlines;
  bool isHeld = false;
};

} // namespace nnhal::serving

#endif // NNHAL_TEST_UNIT_SERVING_FAKEMODEL_H
