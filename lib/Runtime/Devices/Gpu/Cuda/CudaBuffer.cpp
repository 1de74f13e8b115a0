//===- CudaBuffer.cpp - Memory of a device, and beside it -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaBuffer.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::cuda;

Result<DeviceBuffer> DeviceBuffer::allocate(const EngineRef &engine,
                                            uint64_t size,
                                            MemoryBudget *budget) {
  DeviceBuffer result;
  if (budget) {
    NNHAL_ASSIGN_OR_RETURN(result.reservation, budget->reserve(size));
  }
  ContextScope scope(*engine);
  CUdeviceptr made = 0;
  NNHAL_RETURN_IF_ERROR(engine->check(
      engine->functions().MemAlloc(&made, std::max<uint64_t>(size, 1)),
      "cuMemAlloc"));
  result.memory = {engine, made};
  result.byteSize = size;
  return result;
}

Result<PinnedBuffer> PinnedBuffer::allocate(const EngineRef &engine,
                                            uint64_t size,
                                            MemoryBudget *budget) {
  PinnedBuffer result;
  if (budget) {
    NNHAL_ASSIGN_OR_RETURN(result.reservation, budget->reserve(size));
  }
  ContextScope scope(*engine);
  void *made = nullptr;
  NNHAL_RETURN_IF_ERROR(engine->check(
      engine->functions().MemHostAlloc(&made, std::max<uint64_t>(size, 1), 0),
      "cuMemHostAlloc"));
  result.memory = {engine, made};
  result.byteSize = size;
  return result;
}

/// Calls \p enqueue with a stream and waits for what that puts there.
template <typename Function>
static Status runAlone(const EngineRef &engine, Function enqueue) {
  NNHAL_RETURN_IF_ERROR(engine->checkAlive());
  ContextScope scope(*engine);
  const Functions &call = engine->functions();
  CUstream made = nullptr;
  NNHAL_RETURN_IF_ERROR(engine->check(
      call.StreamCreate(&made, CU_STREAM_NON_BLOCKING), "cuStreamCreate"));
  Owned<CUstream, &Functions::StreamDestroy> stream(engine, made);
  NNHAL_RETURN_IF_ERROR(enqueue(made));
  return engine->check(call.StreamSynchronize(made), "cuStreamSynchronize");
}

Status cuda::upload(const EngineRef &engine, std::span<const std::byte> bytes,
                    const DeviceBuffer &target) {
  if (bytes.empty())
    return Status::ok();
  return runAlone(engine, [&](CUstream stream) {
    return engine->check(
        engine->functions().MemcpyHtoDAsync(target.address(), bytes.data(),
                                            bytes.size(), stream),
        "cuMemcpyHtoDAsync");
  });
}

Status cuda::download(const EngineRef &engine, const DeviceBuffer &source,
                      std::span<std::byte> bytes) {
  if (bytes.empty())
    return Status::ok();
  return runAlone(engine, [&](CUstream stream) {
    return engine->check(
        engine->functions().MemcpyDtoHAsync(bytes.data(), source.address(),
                                            bytes.size(), stream),
        "cuMemcpyDtoHAsync");
  });
}
