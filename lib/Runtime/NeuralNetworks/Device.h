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

  /// Tells the DeviceTypeCode. OP_FAILED where the device says another number
  /// (J-004).
  int tellType(int32_t *code) const;
  /// Tells the level of the device's HAL version. BAD_STATE for a version that
  /// there is not (J-006).
  int tellFeatureLevel(int64_t *level) const;

  /// Makes a call that finds a restarted service (J-007). Whether the device is
  /// alive.
  bool wait() const;

private:
  const int32_t type;
  const int64_t featureLevel;
};

namespace nnhal::ndk {
using Device = ::ANeuralNetworksDevice;
} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_DEVICE_H
