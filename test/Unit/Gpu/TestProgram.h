//===- TestProgram.h - A program of the kernels of the tests ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_GPU_TESTPROGRAM_H
#define NNHAL_TEST_UNIT_GPU_TESTPROGRAM_H

#include "Runtime/Artifact/GpuProgram.h"
#include "Runtime/Artifact/ModelCache.h"
#include "Runtime/Devices/Gpu/Vulkan/Engine.h"
#include "Runtime/GpuLoader/GpuBackend.h"
#include "nnhal/Runtime/Execution.h"

#include <vector>

namespace nnhal::rt::test {

/// Elements of "x" and "y".
inline constexpr uint32_t elementCount = 256;
inline constexpr uint64_t bytesOfX = elementCount * sizeof(float);

/// The module that Inputs/NAME.spvasm describes, for \p name.
std::vector<std::byte> assembledModule(std::string_view name);
/// The module "Kernels".
const std::vector<std::byte> &kernelModule();

/// y = x * factor for floats, where "index" is below 10.
GpuProgram scaleProgram();
/// A copy of x to y, without kernels.
GpuProgram copyProgram();
/// scaleProgram() with entry points of PTX, whose bodies are empty.
GpuProgram scaleProgramOfPtx();
/// The artifact of \p program for the target \p target, with one constant, the
/// factor, and an arena for y. The bytes of its code are kept in \p code.
Artifact artifactOf(const GpuProgram &program, std::vector<std::byte> &code,
                    std::string_view target = vulkanTargetName);
/// artifactOf() as bytes.
std::vector<std::byte> modelCacheOf(const GpuProgram &program,
                                    std::string_view target = vulkanTargetName);
/// The factor 3.
std::vector<std::byte> constantsOf();

/// A request to the program that scales by 3, with its memory, for one thread.
struct ScaleCaller {
  explicit ScaleCaller(float first = 0.0f) {
    for (uint32_t i = 0; i < elementCount; ++i)
      x[i] = first + float(i);
    request.inputs = {{Memory::borrow(std::as_bytes(std::span(x))), {}},
                      {Memory::borrow(std::as_bytes(std::span(index))), {}}};
    request.outputs = {
        {OutputMemory::borrow(std::as_writable_bytes(std::span(y))), {}}};
  }

  bool isCorrect() const {
    for (uint32_t i = 0; i < elementCount; ++i)
      if (y[i] != 3.0f * x[i])
        return false;
    return true;
  }

  float x[elementCount] = {};
  int32_t index[1] = {};
  float y[elementCount] = {};
  Request request;
  ExecutionResult result;
};

/// A compiler that gives the program of the tests for any model, and expects
/// to be asked for \p target.
GpuCompiler scaleCompiler(std::string_view target = vulkanTargetName);

/// Fails: there is no compiler.
GpuCompiler noCompiler();

/// The engine of all tests; null where there is no Vulkan. A second one would
/// find other devices lost.
vulkan::EngineRef testEngine();

} // namespace nnhal::rt::test

/// Skips a test that executes. CI has lavapipe, and a machine without Vulkan
/// says so for each test.
#define NNHAL_NEEDS_VULKAN()                                                   \
  if (!::nnhal::rt::test::testEngine())                                        \
  GTEST_SKIP() << "THIS MACHINE HAS NO VULKAN DEVICE: nothing was executed"

#endif // NNHAL_TEST_UNIT_GPU_TESTPROGRAM_H
