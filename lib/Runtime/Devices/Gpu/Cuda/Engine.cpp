//===- Engine.cpp - A device of CUDA --------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine.h"

#include "Runtime/Support/Errors.h"

#include <dlfcn.h>

using namespace nnhal::rt;
using namespace nnhal::rt::cuda;

/// PTX is made for this compute capability.
static constexpr int neededMajor = 8;
static constexpr int neededMinor = 0;

/// The first driver that has all functions, of CUDA 12.0.
static constexpr int neededVersion = 12000;

static std::string versionText(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Whether nothing works in the context any more after \p result.
static bool isLoss(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
    return true;
  default:
    return false;
  }
}

std::string Engine::nameOf(CUresult result) const {
  const char *name = nullptr;
  if (calls.GetErrorName(result, &name) != CUDA_SUCCESS || !name)
    return fmt::format("CUresult {}", result);
  return name;
}

Status Engine::check(CUresult result, const char *function) {
  if (result == CUDA_SUCCESS)
    return Status::ok();
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return outOfResources("{} has no memory ({})", function, nameOf(result));
  if (!isLoss(result))
    return failure("{} returned {}", function, nameOf(result));
  isLost.store(true, std::memory_order_relaxed);
  return Status(StatusCode::deadObject, fmt::format("{} has lost the GPU ({})",
                                                    function, nameOf(result)));
}

Status Engine::checkAlive() const {
  if (isLost.load(std::memory_order_relaxed))
    return Status(StatusCode::deadObject, "the GPU was lost before");
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// The driver and its devices
//===----------------------------------------------------------------------===//

Status Engine::openDriver(const char *library) {
  // It stays open: it has threads of its own.
  void *driver = ::dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!driver) {
    const char *reason = ::dlerror();
    return deviceUnavailable("there is no CUDA: {}",
                             reason ? reason : "unknown reason");
  }
  const char *missing = nullptr;
  auto find = [&](const char *symbol) {
    void *function = ::dlsym(driver, symbol);
    if (!function && !missing)
      missing = symbol;
    return function;
  };
#define NNHAL_CUDA_FUNCTION(NAME, SYMBOL, PARAMETERS)                          \
  calls.NAME = reinterpret_cast<decltype(calls.NAME)>(find(SYMBOL));
#include "Functions.def"
  if (missing)
    return deviceUnavailable("'{}' lacks {}: a driver of CUDA {} is needed",
                             library, missing, versionText(neededVersion));
  return Status::ok();
}

Status Engine::selectDevice() {
  CUresult result = calls.Init(0);
  if (result == CUDA_ERROR_NO_DEVICE)
    return deviceUnavailable("CUDA has no device");
  if (result != CUDA_SUCCESS)
    return deviceUnavailable("cuInit returned {}", nameOf(result));
  int version = 0;
  (void)calls.DriverGetVersion(&version);
  if (version < neededVersion)
    return deviceUnavailable("the driver is of CUDA {}, {} is needed",
                             versionText(version), versionText(neededVersion));
  identity.version = uint32_t(version);
  int count = 0;
  result = calls.DeviceGetCount(&count);
  if (result != CUDA_SUCCESS)
    return deviceUnavailable("cuDeviceGetCount returned {}", nameOf(result));
  std::string reasons;
  for (int i = 0; i < count; ++i) {
    Status status = checkDevice(i);
    if (status.isOk())
      return status;
    reasons += (reasons.empty() ? "" : "; ") + status.message();
  }
  if (reasons.empty())
    return deviceUnavailable("CUDA has no device");
  return deviceUnavailable("no device of CUDA suits: {}", reasons);
}

Status Engine::checkDevice(int ordinal) {
  char name[256] = {};
  int major = 0;
  int minor = 0;
  CUresult result = calls.DeviceGet(&device, ordinal);
  if (result == CUDA_SUCCESS)
    result = calls.DeviceGetName(name, sizeof(name) - 1, device);
  if (result == CUDA_SUCCESS)
    result = calls.DeviceGetAttribute(
        &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  if (result == CUDA_SUCCESS)
    result = calls.DeviceGetAttribute(
        &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  if (result != CUDA_SUCCESS)
    return deviceUnavailable("device {} answers with {}", ordinal,
                             nameOf(result));
  if (major < neededMajor)
    return deviceUnavailable(
        "'{}' has compute capability {}.{}, {}.{} is needed", name, major,
        minor, neededMajor, neededMinor);
  result = calls.DevicePrimaryCtxRetain(&primary, device);
  if (result != CUDA_SUCCESS)
    return deviceUnavailable("'{}' gives no context: {}", name, nameOf(result));
  identity.major = uint32_t(major);
  identity.minor = uint32_t(minor);
  deviceText = fmt::format("{} (compute capability {}.{}, CUDA {})", name,
                           major, minor, versionText(int(identity.version)));
  return Status::ok();
}

Result<std::shared_ptr<Engine>> Engine::open(const char *library) {
  std::shared_ptr<Engine> engine(new Engine);
  NNHAL_RETURN_IF_ERROR(engine->openDriver(library));
  NNHAL_RETURN_IF_ERROR(engine->selectDevice());
  return engine;
}

Engine::~Engine() {
  if (primary)
    (void)calls.DevicePrimaryCtxRelease(device);
}

ContextScope::ContextScope(const Engine &engine)
    : engine(engine),
      isPushed(engine.functions().CtxPushCurrent(engine.context()) ==
               CUDA_SUCCESS) {}

ContextScope::~ContextScope() {
  CUcontext popped = nullptr;
  if (isPushed)
    (void)engine.functions().CtxPopCurrent(&popped);
}
