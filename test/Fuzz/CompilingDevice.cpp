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

static std::shared_ptr<LazyCompiler> openCompiler() {
  const char *path = std::getenv("NNHAL_FUZZ_COMPILER");
  require(path, "NNHAL_FUZZ_COMPILER names no compiler");
  auto compiler = std::make_shared<LazyCompiler>(path);
  Status status = compiler->get().status();
  require(status.isOk(), status.message());
  return compiler;
}

/// Not destroyed: see the header.
static const std::shared_ptr<LazyCompiler> &compiler() {
  static const auto &opened = *new std::shared_ptr(openCompiler());
  return opened;
}

static std::unique_ptr<Device> makeDevice() {
  CpuDeviceOptions options;
  options.compiler = compiler();
  return createCpuDevice(std::move(options));
}

const Compiler &otherCompiler() { return **compiler()->get(); }

const Device &compilingDevice() {
  static const Device &device = *makeDevice().release();
  return device;
}

} // namespace nnhal::rt::fuzz
