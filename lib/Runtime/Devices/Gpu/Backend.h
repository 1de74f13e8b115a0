//===- Backend.h - The backends of GPUs -------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_BACKEND_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_BACKEND_H

#include "GpuDriver.h"

#include "Runtime/GpuLoader/GpuBackendOptions.h"

namespace nnhal::rt {

/// Makes the backend of the device that executes through \p driver.
std::unique_ptr<Backend> createGpuBackend(std::unique_ptr<GpuDriver> driver,
                                          GpuBackendOptions options);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_BACKEND_H
