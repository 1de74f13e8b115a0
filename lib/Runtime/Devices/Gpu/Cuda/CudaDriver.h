//===- CudaDriver.h - GPUs by way of CUDA -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_CUDADRIVER_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_CUDADRIVER_H

#include "Engine.h"

#include "Runtime/GpuLoader/GpuDriver.h"

namespace nnhal::rt::cuda {

/// Makes the interface to CUDA through which the device "nnhal-cuda" executes.
std::unique_ptr<GpuDriver> createDriver(EngineRef engine);

} // namespace nnhal::rt::cuda

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_CUDADRIVER_H
