//===- GpuApi.h - The table of libNNHalGpu ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libNNHalGpu.so exports one C function, nnhalGetGpuApi. The library is opened
// by name, so that only programs which ask for GPUs load it, and drivers with
// it. It speaks C++ with the runtime that opens it, and is of the same build of
// NNHal: `sdk` says so.
//
// C99-clean; fields are only ever appended.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_GPULOADER_GPUAPI_H
#define NNHAL_LIB_RUNTIME_GPULOADER_GPUAPI_H

#ifdef __cplusplus
#include <cstdint>
extern "C" {
#else
#include <stdint.h>
#endif

#define NNHAL_GPU_API_VERSION 6
#define NNHAL_GPU_API_SYMBOL "nnhalGetGpuApi"

typedef struct NNHalGpuApi {
  /// The NNHAL_GPU_API_VERSION of the library.
  uint32_t version;
  uint32_t structSize;
  /// The NNHAL_PLUGIN_SDK that the library was built with.
  const char *sdk;
  /// Assigns the ways to execute on a GPU of this machine to \p offers, a
  /// `Result<GpuOffers> *`. \p runtime is a `const GpuRuntime *` that nobody
  /// changes or unloads; the one of the last call is used. Throws nothing.
  void (*openDrivers)(const void *runtime, void *offers);
} NNHalGpuApi;

/// The type of nnhalGetGpuApi. The table lives as long as the library.
typedef const NNHalGpuApi *(*NNHalGetGpuApiFunction)(void);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // NNHAL_LIB_RUNTIME_GPULOADER_GPUAPI_H
