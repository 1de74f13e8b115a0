//===- Engine.h - A device of CUDA ------------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_ENGINE_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_ENGINE_H

#include "CudaApi.h"

#include "Runtime/Devices/Gpu/OwnedHandle.h"
#include "nnhal/Runtime/Status.h"

#include <atomic>
#include <memory>
#include <string>

namespace nnhal::rt::cuda {

/// Pointers to the functions of Functions.def.
struct Functions {
#define NNHAL_CUDA_FUNCTION(NAME, SYMBOL, PARAMETERS)                          \
  CUresult(*NAME) PARAMETERS = nullptr;
#include "Functions.def"
};

/// The identity of a driver and a device: machine code of another one is
/// compiled again.
struct DriverIdentity {
  /// The version of CUDA that cuDriverGetVersion() returns.
  uint32_t version = 0;
  /// The compute capability of the device.
  uint32_t major = 0;
  uint32_t minor = 0;
  bool operator==(const DriverIdentity &) const = default;
};

/// The first device that the driver shows, with its primary context, which a
/// process shares.
///
/// Ownership: shared with everything that was made with it.
/// Threads:   every member may be called from any thread.
class Engine {
public:
  /// Opens \p library, the driver. Fails with deviceUnavailable, which says
  /// why, when there is no driver or no device that suits.
  static Result<std::shared_ptr<Engine>>
  open(const char *library = "libcuda.so.1");
  ~Engine();
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;

  /// The name of the device, and the versions.
  const std::string &description() const { return deviceText; }
  const DriverIdentity &driver() const { return identity; }
  const Functions &functions() const { return calls; }
  CUcontext context() const { return primary; }

  /// Success, or for \p result of the function \p function:
  /// resourceExhaustedTransient without memory, deadObject when a kernel or the
  /// hardware has ruined the context, otherwise generalFailure.
  Status check(CUresult result, const char *function);
  /// Fails with deadObject from the first loss on.
  Status checkAlive() const;
  /// Destroys \p handle by the function \p Destroy of the driver.
  template <auto Destroy, typename Handle> void destroy(Handle handle) const;

private:
  Engine() = default;

  Status openDriver(const char *library);
  Status selectDevice();
  Status checkDevice(int ordinal);
  std::string nameOf(CUresult result) const;

  Functions calls;
  CUdevice device = 0;
  CUcontext primary = nullptr;
  std::string deviceText;
  DriverIdentity identity;
  std::atomic<bool> isLost = false;
};

using EngineRef = std::shared_ptr<Engine>;

/// Makes the context of an engine that of the calling thread, and afterwards
/// again what was that before.
class ContextScope {
public:
  explicit ContextScope(const Engine &engine);
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

private:
  const Engine &engine;
  bool isPushed;
};

template <auto Destroy, typename Handle>
void Engine::destroy(Handle handle) const {
  ContextScope scope(*this);
  (void)(calls.*Destroy)(handle);
}

/// An object of the driver that destroys itself. Move-only.
template <typename Handle, auto Destroy>
using Owned = OwnedHandle<Engine, Handle, Destroy>;

} // namespace nnhal::rt::cuda

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_ENGINE_H
