//===- ReferenceDevice.h - The device nnhal-reference -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_REFERENCEDEVICE_H
#define NNHAL_RUNTIME_REFERENCEDEVICE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/DeviceServices.h"

#include <cstdint>
#include <memory>

namespace nnhal::rt {

class Backend;

struct ReferenceDeviceOptions {
  DeviceServices services;
  /// The bytes of one tensor; an execution that needs a larger one fails with
  /// resourceExhaustedPersistent.
  uint64_t tensorLimit = UINT32_MAX;
};

/// Makes the device "nnhal-reference", which executes every operation of the
/// HAL plainly. It is made to be right, not to be fast; quantized values are
/// rounded twice (decisions 17). It needs no compiler and keeps no artifacts.
NNHAL_API std::unique_ptr<Device>
createReferenceDevice(ReferenceDeviceOptions options = {});

/// Makes the backend of that device, for a device that executes models with it
/// until it has compiled them (CpuDeviceOptions::baseline).
NNHAL_API std::unique_ptr<Backend>
createReferenceBackend(ReferenceDeviceOptions options = {});

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_REFERENCEDEVICE_H
