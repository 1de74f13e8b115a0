//===- Backend.h - The seam for engines -------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A backend is the place to plug in an engine: something that executes models
// in this process. It knows which operations it can execute, turns a model into
// something executable and executes invocations of it, on the thread that it is
// called on or on its own. It may bring its own memory and fences.
// createDevice() adds everything else that the HAL promises: validation,
// asynchronous and fenced executions, deadlines, priorities, queues, pools,
// buffers, timing, tracing. A proxy, which only passes the HAL on to another
// process or to several devices, implements Device instead
// (docs/Compiler/Rationale.md, "Engines are backends, proxies are devices").
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

/// A model that a backend has made executable. A model of compiled code for
/// this machine's processor is a HostCodeModel (HostCodeModel.h).
///
/// Threads: every member may be called from any number of threads at once.
class NNHAL_API LoadedModel {
public:
  virtual ~LoadedModel() = default;

  /// Returns the same object for the life of the model.
  virtual const Interface &interface() const = 0;

  virtual MemoryUse memoryUse() const { return {}; }

  /// Makes a workspace. The runtime calls this when more executions run at once
  /// than ever before. Returns null where an execution needs nothing; fails
  /// with resourceExhausted* when there is no memory.
  virtual Result<std::unique_ptr<Workspace>>
  createWorkspace(const std::shared_ptr<MemoryBudget> &budget) const;

  /// Whether the runtime calls submit() in place of run().
  virtual bool isAsynchronous() const { return false; }

  /// Whether submit() returns before the execution has ended, waits for the
  /// fences of Invocation::waitFor and may set Invocation::fence. The answer
  /// never changes from true to false.
  virtual bool usesFences() const { return false; }

  /// Executes on the calling thread. Writes to every output its shape, whether
  /// it sufficed and, if so, its elements. When this returns
  /// outputInsufficientSize, or success with an output that does not suffice,
  /// the runtime runs the execution again where it can find more room.
  virtual Status run(Invocation &invocation) const;

  /// Begins an execution, which ends as run() does. After success,
  /// \p completion is told once, from any thread, perhaps before this returns.
  /// After a failure the execution has not begun, and \p completion is never
  /// told.
  virtual Status submit(Invocation &invocation, Completion &completion) const;
};

/// The description that a device gives of itself. It is constant for the life
/// of the device (C-024).
struct DeviceInfo {
  /// The name has the form "VENDOR-DEVICE" with one hyphen (C-012).
  std::string name;
  /// The version changes whenever compiled code changes (C-010).
  std::string version;
  DeviceType type = DeviceType::other;
  /// A plug-in's device of an older version is held to it (asHalVersion()).
  HalVersion halVersion = HalVersion::V1_3;
  std::vector<Extension> extensions;
  /// The numbers of byte strings of each kind in a cache entry of the backend,
  /// up to maxCacheFiles each.
  CacheFiles cacheFiles;
  Capabilities capabilities;
  DeviceTraits traits;
};

/// Everything that compiled code depends on beside the model, its options and
/// the device: two identities differ when the code compiled under them may
/// differ.
struct CompilationIdentity {
  std::string compiler;
  /// The machine for which a model is compiled when the options name none.
  std::string cpu;
};

/// The contents of the files of a cache entry, as many as
/// DeviceInfo::cacheFiles says. Everything that is executed, or that decides
/// which memory is touched, belongs into modelCache, because no byte of that
/// can change unnoticed. The data cache, where constants are, is not checked
/// before it is used (E-058).
struct CacheContents {
  std::vector<Memory> modelCache;
  std::vector<Memory> dataCache;
};

/// The functions through which Backend::load() tells about itself. Each
/// function may be empty.
struct NNHAL_API LoadObserver {
  CompileObserver compile;
  /// Takes an artifact for loadArtifact(). A failure fails the loading.
  std::function<Status(const CompiledModel &)> keepArtifact;
  /// Takes the contents that loadFromCache() shall get later. It may be called
  /// again: the last call counts.
  std::function<void(const CacheContents &)> keepEntry;

  /// Calls both functions for a backend whose entry consists of the two parts
  /// of an artifact.
  Status keep(const CompiledModel &compiled) const;
};

/// An engine that executes models in this process.
///
/// Threads: every member may be called from any thread at once.
class NNHAL_API Backend {
public:
  virtual ~Backend() = default;

  virtual const DeviceInfo &info() const = 0;

  /// Returns one status per operation of the main subgraph of a valid model;
  /// see Device::supportedOperations().
  virtual Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const = 0;

  /// Loads \p model, which is valid. Fails with invalidArgument when an
  /// operation is not supported (C-108).
  virtual Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &options,
       const LoadObserver &observer) const = 0;

  /// Makes something that executes \p model at once, if slowly, until load() is
  /// done (PrepareOptions::compileAfter). \p model is valid and supported. The
  /// result may come from another backend, and so it may meet memory of this
  /// one.
  virtual Result<std::unique_ptr<LoadedModel>>
  loadBaseline(const AnnotatedModel &model) const;

  /// Loads an artifact under the rules of Device::prepareModelFromArtifact().
  virtual Result<std::unique_ptr<LoadedModel>>
  loadArtifact(std::span<const std::byte> modelCache,
               const Memory &dataCache) const;

  /// Loads the contents that LoadObserver::keepEntry was given. The bytes of
  /// \p contents are at hand (Memory::bytes()), aligned to constantAlignment,
  /// and nobody changes them; those of the model cache live as long as the
  /// call.
  virtual Result<std::unique_ptr<LoadedModel>>
  loadFromCache(const CacheContents &contents) const;

  /// Returns the identity under which the device caches. A device asks once,
  /// before it caches anything, and caches nothing after a failure.
  virtual Result<CompilationIdentity> compilationIdentity() const {
    return CompilationIdentity();
  }

  /// Allocates the memory of a new buffer (the HAL's memory domains). The
  /// default is memory of the host.
  virtual Result<std::unique_ptr<DeviceMemory>>
  allocate(const DeviceMemoryRequest &request) const;

  /// Whether models of this backend use \p pool by its descriptor. The runtime
  /// then neither maps nor copies the pool, whatever its kind and alignment,
  /// and an argument in it has a pool and no data. Others can shorten such a
  /// pool at any time unless it is stable.
  virtual bool importsPool(const SharedMemory &) const { return false; }

  /// Whether submit() can wait for \p fence by itself (Invocation::waitFor).
  /// Such an execution holds its place and its buffers while it waits, so this
  /// is true only for fences that signal without anything that a client still
  /// has to do: those of this backend and of drivers of the operating system.
  virtual bool waitsFor(const Fence &) const { return false; }
};

/// Makes a device that prepares and executes by means of \p backend.
NNHAL_API std::unique_ptr<Device> createDevice(std::unique_ptr<Backend> backend,
                                               DeviceServices services = {});

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_BACKEND_H
