//===- NdkPreparedModel.h - Executions by the NDK API -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_NDK_NDKPREPAREDMODEL_H
#define NNHAL_TEST_NDK_NDKPREPAREDMODEL_H

#include "FeedModel.h"
#include "NdkDevice.h"

#include "nnhal/Runtime/Device.h"

#include <memory>
#include <mutex>
#include <span>

namespace nnhal::test {

/// A finished compilation of the NDK API as a prepared model.
class NdkPreparedModel final : public rt::PreparedModel {
public:
  /// \p canMeasure: the compilation is for exactly one device.
  static rt::Result<rt::PreparedModelRef>
  create(const NdkUse &use, std::unique_ptr<const rt::AnnotatedModel> model,
         FedModel fed, NdkCompilation compilation, bool canMeasure);

  const rt::Interface &interface() const override { return description; }
  rt::Status execute(const rt::Request &request,
                     rt::ExecutionResult &result) const override;
  rt::Status executeAsync(rt::Request request,
                          rt::ExecutionCallback callback) const override;
  rt::Result<std::shared_ptr<rt::FencedExecution>>
  executeFenced(rt::Request request, std::vector<rt::FenceRef> waitFor,
                std::optional<uint64_t> durationAfterFence) const override;

  const ANeuralNetworksCompilation *handle() const { return compilation.get(); }
  const rt::Model &source() const { return model->model; }
  /// Whether the compilation is for exactly one device.
  bool hasOneDevice() const { return canMeasure; }

private:
  friend class NdkExecutionOf;
  NdkPreparedModel() = default;

  NdkUse use;
  std::unique_ptr<const rt::AnnotatedModel> model;
  FedModel fed;
  NdkCompilation compilation;
  NdkBurst burst;
  mutable std::mutex burstMutex; // A burst computes one execution at a time.
  rt::Interface description;
  bool canMeasure = false;
};

/// Makes memory for roles of prepared models by a memory description (F.6), or
/// shared memory where no device has all of the roles (F-070).
rt::Result<std::shared_ptr<rt::Buffer>>
allocateFromDesc(const rt::BufferDesc &desc,
                 std::span<const rt::PreparedModelRef> models,
                 std::span<const rt::BufferRole> inputRoles,
                 std::span<const rt::BufferRole> outputRoles);

/// The memory of a buffer, and the bytes of it to state with an argument: none
/// for memory of a description.
struct NdkBufferMemory {
  ANeuralNetworksMemory *memory = nullptr;
  size_t length = 0;
};

/// The memory of the living buffer with \p token; null where there is none.
NdkBufferMemory memoryOfToken(uint32_t token);

/// How many buffers are shared memory.
uint64_t sharedBuffers();

} // namespace nnhal::test

#endif // NNHAL_TEST_NDK_NDKPREPAREDMODEL_H
