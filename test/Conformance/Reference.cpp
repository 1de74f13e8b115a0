//===- Reference.cpp - The suite on nnhal-reference -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "nnhal/Runtime/ReferenceDevice.h"

using namespace nnhal::rt;

std::unique_ptr<Device>
conformance::createDeviceUnderTest(DeviceServices services) {
  ReferenceDeviceOptions options;
  options.services = std::move(services);
  return createReferenceDevice(std::move(options));
}
