//===- TestArtifact.cpp - Artifacts around the test kernels ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestArtifact.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace nnhal::rt;

#if defined(__aarch64__)
static constexpr TargetKind hostTarget = TargetKind::aarch64Elf;
#else
static constexpr TargetKind hostTarget = TargetKind::x86_64Elf;
#endif

std::vector<std::byte> nnhal::rt::readTestLibrary(const std::string &name) {
  auto file =
      Memory::readFile(std::string(NNHAL_TEST_INPUTS) + "/" + name + ".so");
  EXPECT_TRUE(file.isOk()) << file.status().message();
  if (!file.isOk())
    return {};
  auto bytes = *file->bytes();
  return {bytes.begin(), bytes.end()};
}

static Artifact kernelArtifact() {
  static const std::vector<std::byte> kernels =
      readTestLibrary("NNHalTestKernels");
  Artifact artifact;
  artifact.code.push_back({hostTarget, "generic", "", kernels});
  artifact.buildIdentity = "test";
  artifact.rounding = "double";
  return artifact;
}

Artifact nnhal::rt::scaleAndAddArtifact() {
  Artifact artifact = kernelArtifact();
  artifact.inputs = {{"x", OperandType::TENSOR_FLOAT32, {4, 4}},
                     {"offset", OperandType::TENSOR_FLOAT32, {1}}};
  artifact.outputs = {{"y", OperandType::TENSOR_FLOAT32, {4, 4}}};
  artifact.entries = {{"scaleAndAdd", 0, {0b01}, {}, 64}};
  artifact.constants = {{0, 4, "factor"}};
  artifact.dataCacheSize = 4;
  return artifact;
}

std::vector<std::byte> nnhal::rt::scaleAndAddConstants() {
  float factor = 3.0f;
  std::vector<std::byte> bytes(sizeof(factor));
  std::memcpy(bytes.data(), &factor, sizeof(factor));
  return bytes;
}

Artifact nnhal::rt::intArtifact(const std::string &symbol, uint32_t inputExtent,
                                uint32_t outputExtent) {
  Artifact artifact = kernelArtifact();
  artifact.inputs = {{"x", OperandType::TENSOR_INT32, {inputExtent}}};
  artifact.outputs = {{"y", OperandType::TENSOR_INT32, {outputExtent}}};
  artifact.entries = {{symbol, 0, {}, {}, 192}};
  return artifact;
}
