//===- Device.h - Something that prepares and executes models ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_DEVICE_H
#define NNHAL_RUNTIME_DEVICE_H

#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/PreparedModel.h"

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// The HAL's DeviceType.
enum class DeviceType : uint32_t {
  other = 1,
  cpu = 2,
  gpu = 3,
  accelerator = 4
};
std::string_view toString(DeviceType type);

struct PrepareOptions {
  CompileOptions compile;
  CompileObserver observer;
  /// Receives the artifact before it is loaded, so that a cache or a file can
  /// keep it. A failure that it returns fails the preparation. May be empty.
  std::function<Status(const CompiledModel &)> keepArtifact;
};

/// Something that executes models.
///
/// Ownership: whoever created it; prepared models live on without it.
/// Threads:   every member may be called from any thread at once.
class Device {
public:
  virtual ~Device() = default;

  /// Unique among the devices of a process, "nnhal-cpu" for example.
  virtual std::string_view name() const = 0;
  virtual std::string_view version() const = 0;
  virtual DeviceType type() const = 0;
  /// The newest HAL version that the device speaks.
  virtual HalVersion halVersion() const = 0;

  /// One per operation of the main subgraph: success when the device can
  /// execute it, otherwise why not. invalidArgument for a model that is not
  /// valid.
  virtual Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const = 0;

  /// Compiles and loads. invalidArgument for a model that is not valid;
  /// otherwise what Compiler::compileModel() reports.
  virtual Result<std::shared_ptr<PreparedModel>>
  prepareModel(const AnnotatedModel &model,
               const PrepareOptions &options = {}) const = 0;

  /// Loads what keepArtifact was given, without a compiler. Takes a reference
  /// to \p dataCache and copies it where it is not aligned to
  /// constantAlignment or behind a descriptor. invalidArgument when a part is
  /// damaged, of another version or for another machine.
  virtual Result<std::shared_ptr<PreparedModel>>
  prepareModelFromCache(std::span<const std::byte> modelCache,
                        const Memory &dataCache) const = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_DEVICE_H
