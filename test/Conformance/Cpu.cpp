//===- Cpu.cpp - The suite on nnhal-cpu -----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "nnhal/Runtime/CpuDevice.h"

using namespace nnhal::rt;

std::unique_ptr<Device>
conformance::createDeviceUnderTest(DeviceServices services) {
  // One compiler for all tests: it stays loaded in any case.
  static const auto compiler = std::make_shared<LazyCompiler>();
  CpuDeviceOptions options;
  options.services = std::move(services);
  options.compiler = compiler;
  return createCpuDevice(std::move(options));
}
