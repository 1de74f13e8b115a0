//===- Device.h - A handle of a device --------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_DEVICE_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_DEVICE_H

#include "nnhal/Runtime/Device.h"

#include <android/NeuralNetworks.h>

#include <string>

/// The object that a client holds for a device. The strings are kept, because
/// clients read them at any time (J-003, J-005).
///
/// Threads: any.
struct ANeuralNetworksDevice {
  explicit ANeuralNetworksDevice(const nnhal::rt::Device &device);

  const nnhal::rt::Device &device;
  const std::string name;
  const std::string version;
  /// A DeviceTypeCode, or another number where the device says one (J-004).
  const int32_t type;
  const int64_t featureLevel;

  /// Makes a call that finds a restarted service (J-007). Whether the device is
  /// alive.
  bool wait() const;
};

namespace nnhal::ndk {
using Device = ::ANeuralNetworksDevice;
} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_DEVICE_H
