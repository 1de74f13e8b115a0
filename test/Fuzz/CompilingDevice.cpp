//===- CompilingDevice.cpp - nnhal-cpu with another compiler --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilingDevice.h"

#include "FuzzTarget.h"

#include "nnhal/Runtime/CpuDevice.h"

#include <cstdlib>

namespace nnhal::rt::fuzz {

static std::unique_ptr<Device> makeDevice() {
  const char *path = std::getenv("NNHAL_FUZZ_COMPILER");
  require(path, "NNHAL_FUZZ_COMPILER names no compiler");
  CpuDeviceOptions options;
  options.compiler = std::make_shared<LazyCompiler>(path);
  Status status = options.compiler->get().status();
  require(status.isOk(), status.message());
  return createCpuDevice(std::move(options));
}

const Device &compilingDevice() {
  static const Device &device = *makeDevice().release();
  return device;
}

} // namespace nnhal::rt::fuzz
