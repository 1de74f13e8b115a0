//===- Backend.h - What makes a device out of code --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The place to plug in an engine: something that executes models in this
// process. A backend knows which operations it can execute, turns a model into
// something executable and executes invocations of it, on the thread that it
// is called on or on its own. It may bring its own memory and fences.
// createDevice() adds everything else that the HAL promises: validation,
// asynchronous and fenced executions, deadlines, priorities, queues, pools,
// buffers, timing, tracing. What only passes the HAL on, to another process or
// to several devices, implements Device instead (docs/Compiler/Rationale.md,
// "Engines are backends, proxies are devices").
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_BACKEND_H
#define NNHAL_BACKEND_BACKEND_H

#include "nnhal/Backend/Invocation.h"
#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Device.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nnhal::rt {

/// A model that a backend has made executable. One that executes compiled code
/// on this machine's processor is a HostCodeModel (HostCodeModel.h).
///
/// Threads: every member may be called from any number of threads at once.
class NNHAL_API LoadedModel {
public:
  virtual ~LoadedModel() = default;

  virtual const Interface &interface() const = 0;

  virtual MemoryUse memoryUse() const { return {}; }

  /// Asked when more executions run at once than ever before. Null where an
  /// execution needs nothing. resourceExhausted* when there is no memory.
  virtual Result<std::unique_ptr<Workspace>>
  createWorkspace(const std::shared_ptr<MemoryBudget> &budget) const;

  /// Whether submit() is called, and not run().
  virtual bool isAsynchronous() const { return false; }

  /// Whether submit() returns before the execution has ended, waits for the
  /// fences of Invocation::waitFor and may set Invocation::fence. Once true it
  /// stays so.
  virtual bool usesFences() const { return false; }

  /// Executes on the calling thread. Writes to every output its shape, whether
  /// it sufficed and, if so, its elements. outputInsufficientSize, or success
  /// with an output that does not suffice, makes the runtime run it again where
  /// it can find more room.
  virtual Status run(Invocation &invocation) const;

  /// Begins an execution, which ends as run() does. Success: \p completion is
  /// told once, from any thread, perhaps before this returns. Otherwise the
  /// execution has not begun and \p completion is never told.
  virtual Status submit(Invocation &invocation, Completion &completion) const;
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
  /// How many byte strings of each kind a cache entry of the backend has, up to
  /// maxCacheFiles.
  CacheFiles cacheFiles;
  Capabilities capabilities;
  DeviceTraits traits;
};

/// What compiled code depends on beside the model, its options and the device:
/// texts that differ when what would be compiled differs.
struct CompilationIdentity {
  std::string compiler;
  /// The machine for which a model is compiled when the options name none.
  std::string cpu;
};

/// The contents of the files of a cache entry, as many as
/// DeviceInfo::cacheFiles says. What is executed, or decides what memory is
/// touched, belongs into modelCache: no byte of it can change unnoticed, while
/// dataCache, where constants are, is not read before it is used (E-058).
struct CacheContents {
  std::vector<Memory> modelCache;
  std::vector<Memory> dataCache;
};

/// Whom Backend::load() tells about itself. Each function may be empty.
struct NNHAL_API LoadObserver {
  CompileObserver compile;
  /// Takes an artifact for loadArtifact(). A failure fails the loading.
  std::function<Status(const CompiledModel &)> keepArtifact;
  /// Takes what loadFromCache() shall get later. May be called again: the last
  /// call counts.
  std::function<void(const CacheContents &)> keepEntry;

  /// Both, of a backend whose entry is an artifact's two parts.
  Status keep(const CompiledModel &compiled) const;
};

/// Threads: every member may be called from any thread at once.
class NNHAL_API Backend {
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
  load(const AnnotatedModel &model, const PrepareOptions &options,
       const LoadObserver &observer) const = 0;

  /// Something that executes \p model at once, if slowly, until load() is done
  /// (PrepareOptions::compileAfter). \p model is valid and supported. It may be
  /// another backend's, so it may meet memory of this one.
  virtual Result<std::unique_ptr<LoadedModel>>
  loadBaseline(const AnnotatedModel &model) const;

  /// See Device::prepareModelFromArtifact().
  virtual Result<std::unique_ptr<LoadedModel>>
  loadArtifact(std::span<const std::byte> modelCache,
               const Memory &dataCache) const;

  /// Loads what LoadObserver::keepEntry was given. The bytes of \p contents are
  /// at hand (Memory::bytes()), aligned to constantAlignment, and nobody
  /// changes them; those of the model cache live as long as the call.
  virtual Result<std::unique_ptr<LoadedModel>>
  loadFromCache(const CacheContents &contents) const;

  /// Asked, once, by a device that is to cache something. A failure makes it
  /// cache nothing.
  virtual Result<CompilationIdentity> compilationIdentity() const {
    return CompilationIdentity();
  }

  /// The memory of a new buffer (the HAL's memory domains). By default the
  /// host's.
  virtual Result<std::unique_ptr<DeviceMemory>>
  allocate(const DeviceMemoryRequest &request) const;

  /// Whether models of this backend use \p pool by its descriptor: the runtime
  /// then neither maps nor copies it, whatever its kind and alignment, and an
  /// argument in it has a pool and no data. Such a pool can be shortened by
  /// others at any time unless it is stable.
  virtual bool importsPool(const SharedMemory &) const { return false; }

  /// Whether submit() can wait for \p fence by itself (Invocation::waitFor).
  /// Such an execution holds its place and its buffers while it waits, so this
  /// is true only for fences that signal without anything that a client still
  /// has to do: those of this backend and of drivers of the operating system.
  virtual bool waitsFor(const Fence &) const { return false; }
};

/// A device that prepares and executes by means of \p backend.
NNHAL_API std::unique_ptr<Device> createDevice(std::unique_ptr<Backend> backend,
                                               DeviceServices services = {});

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_BACKEND_H
