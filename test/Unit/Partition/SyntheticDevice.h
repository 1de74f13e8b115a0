//===- SyntheticDevice.h - Devices made up for tests ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_PARTITION_SYNTHETICDEVICE_H
#define NNHAL_TEST_UNIT_PARTITION_SYNTHETICDEVICE_H

#include "nnhal/Runtime/Device.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nnhal::rt::partitiontest {

/// The failures of a synthetic device, and what it has done. It may be changed
/// while the device works.
struct SyntheticState {
  /// Preparations fail with this.
  std::atomic<StatusCode> failPreparations = StatusCode::none;
  /// Executions from number `failFrom` on, `failCount` of them, fail with this.
  std::atomic<StatusCode> failExecutions = StatusCode::none;
  std::atomic<uint64_t> failFrom = 0;
  std::atomic<uint64_t> failCount = UINT64_MAX;
  /// Fenced executions are launched and then fail.
  std::atomic<bool> failsAfterLaunch = false;
  /// Everything fails with deadObject.
  std::atomic<bool> isDead = false;
  /// Preparations succeed without a model.
  std::atomic<bool> preparesNothing = false;
  /// The answers to a question are one too few.
  std::atomic<bool> forgetsAnAnswer = false;
  /// Every operation is supported, without a look at it.
  std::atomic<bool> takesAll = false;
  /// Executions do not write anything and report that an output has no room.
  std::atomic<bool> hasNoRoom = false;

  std::atomic<uint64_t> questions = 0;
  std::atomic<uint64_t> preparations = 0;
  std::atomic<uint64_t> executions = 0;

  std::mutex mutex;
  /// The models, options and tokens of preparations.
  std::vector<AnnotatedModel> models;
  std::vector<PrepareOptions> options;
  /// The last request of each execution is given to this, if it is there.
  std::function<void(const Request &)> onExecution;
};

struct SyntheticOptions {
  std::string name = "synthetic";
  Capabilities capabilities = uniformCapabilities({0.5f, 0.5f});
  /// Returns success for operations that the device takes. Empty: all.
  std::function<Status(const Model &, const Subgraph &, const Operation &)>
      supports;
  HalVersion halVersion = HalVersion::V1_3;
  DeviceType type = DeviceType::accelerator;
  bool isRemote = false;
  CacheFiles cacheFiles;
  std::vector<Extension> extensions;
};

/// A device that computes what \p reference computes, for the operations that
/// its options say. IF and WHILE are taken when all operations inside are.
///
/// Ownership: \p reference and the device outlive what it prepares.
/// Threads:   any.
class SyntheticDevice final : public Device {
public:
  /// Bytes that each prepared model states for its artifact.
  static constexpr uint64_t artifactSize = 1000;

  SyntheticDevice(const Device &reference, SyntheticOptions options)
      : reference(reference), options(std::move(options)) {}

  std::shared_ptr<SyntheticState> state = std::make_shared<SyntheticState>();

  std::string_view name() const override { return options.name; }
  std::string_view version() const override { return "1"; }
  DeviceType type() const override { return options.type; }
  HalVersion halVersion() const override { return options.halVersion; }
  const std::vector<Extension> &extensions() const override {
    return options.extensions;
  }
  CacheFiles cacheFiles() const override { return options.cacheFiles; }
  DeviceTraits traits() const override;
  const Capabilities &capabilities() const override {
    return options.capabilities;
  }
  DeviceStatus status() const override { return DeviceStatus::available; }
  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override;
  Result<PreparedModelRef>
  prepareModel(const AnnotatedModel &model, const PrepareOptions &options,
               const PrepareObserver &observer) const override;
  Status prepareModelAsync(std::shared_ptr<const AnnotatedModel> model,
                           const PrepareOptions &options,
                           PrepareCallback callback,
                           const PrepareObserver &observer) const override;
  Result<PreparedModelRef>
  prepareModelFromCache(const CacheHandles &handles, const CacheToken &token,
                        const PrepareOptions &options,
                        const PrepareObserver &observer) const override;
  Result<PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte> modelCache,
                           const Memory &dataCache,
                           const PrepareOptions &options) const override;
  Result<std::shared_ptr<Buffer>>
  allocate(const BufferDesc &desc, std::span<const PreparedModelRef> models,
           std::span<const BufferRole> inputRoles,
           std::span<const BufferRole> outputRoles) const override;

private:
  Status checkSupport(const Model &model, const Subgraph &subgraph,
                      const Operation &operation, unsigned depth) const;

  const Device &reference;
  const SyntheticOptions options;
};

/// Takes operations of \p types alone.
std::function<Status(const Model &, const Subgraph &, const Operation &)>
supportsOnly(std::set<OperationType> types);

/// A device number \p index whose operations and capabilities \p seed draws. It
/// takes each type of operation with a chance of \p percent.
SyntheticOptions drawDevice(uint64_t seed, unsigned index,
                            unsigned percent = 60);

} // namespace nnhal::rt::partitiontest

#endif // NNHAL_TEST_UNIT_PARTITION_SYNTHETICDEVICE_H
