//===- Device.cpp - Names of what devices are -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Device.h"

#include <chrono>

using namespace nnhal::rt;

Deadline nnhal::rt::steadyNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string_view nnhal::rt::toString(DeviceType type) {
  switch (type) {
  case DeviceType::unknown:
    return "UNKNOWN";
  case DeviceType::other:
    return "OTHER";
  case DeviceType::cpu:
    return "CPU";
  case DeviceType::gpu:
    return "GPU";
  case DeviceType::accelerator:
    return "ACCELERATOR";
  }
  return "OTHER";
}

std::string_view nnhal::rt::toString(DeviceStatus status) {
  switch (status) {
  case DeviceStatus::available:
    return "AVAILABLE";
  case DeviceStatus::busy:
    return "BUSY";
  case DeviceStatus::offline:
    return "OFFLINE";
  case DeviceStatus::unknown:
    return "UNKNOWN";
  }
  return "UNKNOWN";
}

int nnhal::rt::featureLevel(HalVersion version) {
  return 27 + int(version) - int(HalVersion::V1_0);
}
