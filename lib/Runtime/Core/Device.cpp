//===- Device.cpp - Names of what devices are -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Device.h"

using namespace nnhal::rt;

std::string_view nnhal::rt::toString(DeviceType type) {
  switch (type) {
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
