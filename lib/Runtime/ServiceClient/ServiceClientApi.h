//===- ServiceClientApi.h - The table of libNNHalServiceClient --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libNNHalServiceClient.so exports one C function, nnhalGetServiceClientApi.
// The library is opened by name, so that only programs which ask for devices of
// a service load Cap'n Proto. It speaks C++ with the runtime that opens it, and
// is of the same build of NNHal: `sdk` says so.
//
// C99-clean; fields are only ever appended.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SERVICECLIENT_SERVICECLIENTAPI_H
#define NNHAL_LIB_RUNTIME_SERVICECLIENT_SERVICECLIENTAPI_H

#ifdef __cplusplus
#include <cstdint>
extern "C" {
#else
#include <stdint.h>
#endif

#define NNHAL_SERVICE_CLIENT_VERSION 1
#define NNHAL_SERVICE_CLIENT_SYMBOL "nnhalGetServiceClientApi"

typedef struct NNHalServiceClientApi {
  /// The NNHAL_SERVICE_CLIENT_VERSION of the library.
  uint32_t version;
  uint32_t structSize;
  /// The NNHAL_PLUGIN_SDK that the library was built with.
  const char *sdk;
  /// Assigns the devices of the service at \p path to \p devices, a
  /// `Result<std::vector<std::unique_ptr<Device>>> *`. \p services is a
  /// `const DeviceServices *`. Throws nothing.
  void (*connectDevices)(const char *path, const void *services, void *devices);
} NNHalServiceClientApi;

/// The type of nnhalGetServiceClientApi. The table lives as long as the
/// library.
typedef const NNHalServiceClientApi *(*NNHalGetServiceClientApiFunction)(void);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // NNHAL_LIB_RUNTIME_SERVICECLIENT_SERVICECLIENTAPI_H
