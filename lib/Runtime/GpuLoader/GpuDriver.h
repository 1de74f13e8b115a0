//===- GpuDriver.h - One way to execute on a GPU ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_GPULOADER_GPUDRIVER_H
#define NNHAL_LIB_RUNTIME_GPULOADER_GPUDRIVER_H

#include "Runtime/Artifact/GpuProgram.h"
#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Backend/Backend.h"
#include "nnhal/Backend/DeviceMemory.h"

#include <fmt/core.h>
#include <openssl/sha.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// The machine code that a driver compiles the kernels of a model to, kept for
/// the next preparation. Nothing depends on it but time: code that cannot be
/// used is left out.
class DriverCache {
public:
  virtual ~DriverCache() = default;
  /// The machine code so far; nothing where the driver does not hand it out.
  virtual std::vector<std::byte> data() const = 0;
};

/// A compiled model for a GPU, whose program has been checked against it.
struct GpuArtifact {
  /// The code and the interface; the only entry is that of `program`.
  Artifact artifact;
  /// The module is a view of the model cache that `artifact` was read from.
  GpuProgram program;
  uint64_t modelCacheSize = 0;
  /// The constants of the program alone (selectTarget()).
  std::span<const std::byte> constants;
  /// Bytes of the inputs and outputs; 0 for inputs whose extents the model does
  /// not state.
  std::vector<uint64_t> inputSizes;
  std::vector<uint64_t> outputSizes;
};

/// An execution that has been submitted to a GPU.
struct GpuLaunch {
  /// A sync_file that signals when the GPU has finished; none where it has
  /// already, or where the host has to wait for it.
  UniqueFd syncFile;
  /// Whether the execution has ended by then: nothing is left to copy.
  bool isWhole = false;
};

/// A model that a driver has loaded.
class GpuCode : public LoadedModel {
public:
  /// Whether launch() gives sync_files, and no execution fails but for the loss
  /// of the GPU. The answer never changes.
  virtual bool hasSyncFiles() const = 0;
  /// Begins an execution, which conclude() ends. After a failure there is
  /// nothing to end.
  virtual Result<GpuLaunch> launch(Invocation &invocation) const = 0;
  /// Waits for the GPU, and ends as run() does.
  virtual Status conclude(Invocation &invocation) const = 0;
};

/// The calls that the backend of a GPU makes of CUDA or Vulkan: the seam
/// between the runtime, which judges, compiles and reads models for GPUs, and
/// libNNHalGpu, which executes them.
///
/// Threads: every member may be called from any thread.
class GpuDriver {
public:
  virtual ~GpuDriver() = default;

  /// The name of the device that executes through it.
  virtual std::string_view deviceName() const = 0;
  /// The compiler's name of what it executes.
  virtual std::string_view targetName() const = 0;
  /// The kind of the code sections that it executes.
  virtual TargetKind targetKind() const = 0;
  /// The compiler's name for devices of this kind, by which it divides kernels
  /// and decides what is f16 in memory.
  virtual std::string_view deviceClass() const = 0;
  /// A cache that begins with \p kept, which DriverCache::data() has returned
  /// once; with nothing where that is of another driver or damaged.
  virtual std::unique_ptr<DriverCache>
  createCache(std::span<const std::byte> kept) const = 0;
  /// See Device::prepareModelFromArtifact(). What \p code has views of need not
  /// live any longer than the call. \p cache is one of createCache(), or null.
  virtual Result<std::unique_ptr<GpuCode>> load(GpuArtifact code,
                                                DriverCache *cache) const = 0;
  /// Memory that executions use where it is.
  virtual std::unique_ptr<DeviceMemory>
  allocate(std::shared_ptr<MemoryBudget> budget) const = 0;
};

/// Functions of the runtime that opens libNNHalGpu, which that calls instead of
/// a second copy for as long as the process lives.
struct GpuRuntime {
  /// fmt::vformat().
  std::string (*format)(fmt::string_view format, fmt::format_args args);
  /// SHA256_Init(), SHA256_Update() and SHA256_Final() of OpenSSL.
  int (*beginDigest)(SHA256_CTX *context);
  int (*updateDigest)(SHA256_CTX *context, const void *data, size_t size);
  int (*finishDigest)(unsigned char *digest, SHA256_CTX *context);
};

/// A way to execute on a GPU, or why this machine has none of the kind.
struct GpuOffer {
  /// GpuDriver::deviceName().
  std::string_view device;
  Result<std::unique_ptr<GpuDriver>> driver;
};

/// The best way comes first.
using GpuOffers = std::vector<GpuOffer>;

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_GPULOADER_GPUDRIVER_H
