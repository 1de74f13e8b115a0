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
  /// Bytes of one tensor; an execution that needs a larger one fails with
  /// resourceExhaustedPersistent.
  uint64_t tensorLimit = UINT32_MAX;
};

/// The device "nnhal-reference": executes every operation of the HAL, plainly.
/// It says what results are right, not fast;
/// quantized values are rounded twice (decisions 17). It needs no compiler and
/// keeps no artifacts.
///
/// In libNNHalReference.
NNHAL_API std::unique_ptr<Device>
createReferenceDevice(ReferenceDeviceOptions options = {});

/// What that device is made of, for one that executes models with it until it
/// has compiled them (CpuDeviceOptions::baseline).
NNHAL_API std::unique_ptr<Backend>
createReferenceBackend(ReferenceDeviceOptions options = {});

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_REFERENCEDEVICE_H
