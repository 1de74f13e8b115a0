//===- Backend.h - What makes a device out of code --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The place to plug in. A backend knows which operations it can execute, turns
// a model into something executable and executes it on the calling thread.
// createDevice() adds everything else that the HAL promises: validation,
// asynchronous and fenced executions, deadlines, priorities, queues, pools,
// buffers, timing, tracing.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_BACKEND_H
#define NNHAL_RUNTIME_BACKEND_H

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/DeviceServices.h"
#include "nnhal/Runtime/EntryAbi.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nnhal::rt {

/// A model that a backend has made executable.
///
/// Threads: run() may be called from any number of threads at once.
class LoadedModel {
public:
  virtual ~LoadedModel() = default;

  virtual const Interface &interface() const = 0;

  /// Bytes of the arena that run() needs.
  virtual uint64_t arenaSize() const = 0;

  virtual MemoryUse memoryUse() const { return {.arena = arenaSize()}; }

  /// Executes once on the calling thread. Sizes, shapes and alignment of all
  /// arguments have been checked against interface(). Writes to every output
  /// its shape, whether it sufficed and, if so, its elements (EntryAbi.h).
  /// Returns soon after *context.cancelFlag is not 0, with
  /// missedDeadlineTransient.
  virtual Status run(NNHalExecutionContext &context) const = 0;
};

/// What a device says about itself. Constant for its life (C-024).
struct DeviceInfo {
  /// "VENDOR-DEVICE" with one hyphen (C-012).
  std::string name;
  /// Changes whenever what is compiled changes (C-010).
  std::string version;
  DeviceType type = DeviceType::other;
  HalVersion halVersion = HalVersion::V1_3;
  std::vector<Extension> extensions;
  /// Of a device that createDevice() makes: one of each, or none.
  CacheFiles cacheFiles;
  Capabilities capabilities;
};

/// What compiled code depends on beside the model, its options and the device:
/// texts that differ when what would be compiled differs.
struct CompilationIdentity {
  std::string compiler;
  /// The machine for which a model is compiled when the options name none.
  std::string cpu;
};

/// Threads: every member may be called from any thread at once.
class Backend {
public:
  virtual ~Backend() = default;

  virtual const DeviceInfo &info() const = 0;

  /// One per operation of the main subgraph of a valid model; see
  /// Device::supportedOperations().
  virtual Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const = 0;

  /// \p model is valid. invalidArgument for operations that are not supported
  /// (C-108).
  virtual Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &options) const = 0;

  /// Something that executes \p model at once, if slowly, until load() is done
  /// (PrepareOptions::compileAfter). \p model is valid and supported.
  virtual Result<std::unique_ptr<LoadedModel>>
  loadBaseline(const AnnotatedModel &model) const;

  /// See Device::prepareModelFromArtifact().
  virtual Result<std::unique_ptr<LoadedModel>>
  loadFromCache(std::span<const std::byte> modelCache,
                const Memory &dataCache) const = 0;

  /// Asked, once, by a device that is to cache something. A failure makes it
  /// cache nothing.
  virtual Result<CompilationIdentity> compilationIdentity() const {
    return CompilationIdentity();
  }
};

/// A device that prepares and executes by means of \p backend.
std::unique_ptr<Device> createDevice(std::unique_ptr<Backend> backend,
                                     DeviceServices services = {});

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_BACKEND_H
