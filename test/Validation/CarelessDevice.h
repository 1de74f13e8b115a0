//===- CarelessDevice.h - Faults that mutations find ------------*- C++ -*-===//
//-*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_VALIDATION_CARELESSDEVICE_H
#define NNHAL_TEST_VALIDATION_CARELESSDEVICE_H

#include "nnhal/Runtime/Device.h"

#include <memory>

namespace nnhal::mutations {

/// A mistake of a device.
enum class Carelessness {
  acceptsModels,
  refusesModels,
  acceptsRequests,
  /// The second time comes late: with the next call of the device, or with the
  /// end of the prepared model.
  callsBackTwice,
  neverCallsBack,
  neverSignals,
  /// Executions that fail report them.
  reportsDurations,
  reportsShapes,
  /// Fenced executions that fail say that they succeeded.
  hidesFailures,
  writesBehindOutputs,
  writesBeforeOutputs,
};

/// A device over another one, with one mistake. It has only the calls that
/// judgeCase() makes.
class CarelessDevice final : public rt::Device {
public:
  CarelessDevice(std::unique_ptr<rt::Device> careful, Carelessness fault)
      : careful(std::move(careful)), fault(fault) {}

  std::string_view name() const override { return "careless"; }
  std::string_view version() const override { return "1"; }
  rt::DeviceType type() const override { return rt::DeviceType::other; }
  rt::HalVersion halVersion() const override { return rt::HalVersion::V1_3; }
  const std::vector<rt::Extension> &extensions() const override {
    return careful->extensions();
  }
  rt::CacheFiles cacheFiles() const override { return {}; }
  rt::DeviceTraits traits() const override { return {}; }
  const rt::Capabilities &capabilities() const override {
    return careful->capabilities();
  }
  rt::DeviceStatus status() const override {
    return rt::DeviceStatus::available;
  }
  rt::Result<std::vector<rt::Status>>
  supportedOperations(const rt::AnnotatedModel &model) const override;
  rt::Result<rt::PreparedModelRef>
  prepareModel(const rt::AnnotatedModel &model,
               const rt::PrepareOptions &options,
               const rt::PrepareObserver &observer) const override;
  rt::Status
  prepareModelAsync(std::shared_ptr<const rt::AnnotatedModel> model,
                    const rt::PrepareOptions &options,
                    rt::PrepareCallback callback,
                    const rt::PrepareObserver &observer) const override;
  rt::Result<rt::PreparedModelRef>
  prepareModelFromCache(const rt::CacheHandles &handles,
                        const rt::CacheToken &token,
                        const rt::PrepareOptions &options,
                        const rt::PrepareObserver &observer) const override;
  rt::Result<rt::PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte> modelCache,
                           const rt::Memory &dataCache,
                           const rt::PrepareOptions &options) const override;
  rt::Result<std::shared_ptr<rt::Buffer>>
  allocate(const rt::BufferDesc &desc,
           std::span<const rt::PreparedModelRef> models,
           std::span<const rt::BufferRole> inputRoles,
           std::span<const rt::BufferRole> outputRoles) const override;

private:
  void callBackAgain() const;

  std::unique_ptr<rt::Device> careful;
  const Carelessness fault;
  /// The callback that is to be called a second time.
  mutable rt::PrepareCallback again;
};

} // namespace nnhal::mutations

#endif // NNHAL_TEST_VALIDATION_CARELESSDEVICE_H
