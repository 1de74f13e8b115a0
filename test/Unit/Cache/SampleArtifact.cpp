//===- SampleArtifact.cpp - An artifact with something in every field -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleArtifact.h"

#include <algorithm>

using namespace nnhal::rt;

Artifact nnhal::rt::sampleArtifact() {
  static const std::vector<std::byte> first(5000, std::byte(7)),
      second(10, std::byte(9));
  Artifact artifact;
  artifact.inputs = {
      {"image", OperandType::TENSOR_FLOAT32, {0, 4, 4, 3}, 0.0f, 0},
      {"state", OperandType::TENSOR_QUANT8_ASYMM, {1, 8}, 0.5f, 128}};
  artifact.outputs = {
      {"", OperandType::TENSOR_INT32, {}, 0.0f, 0},
      {"next", OperandType::TENSOR_QUANT8_ASYMM, {1, 8}, 0.5f, 128}};
  artifact.statePairs = {{1, 1}};
  artifact.code.push_back(
      {TargetKind::x86_64Elf, "x86-64-v3", "+avx2,+fma", first});
  artifact.code.push_back(
      {TargetKind::spirv, "", "", second, DataRange{128, 4}});
  artifact.entries = {{"run_small", 0, {0b11}, {{1, 4, 4, 3}, {1, 8}}, 128},
                      {"run", 1, {}, {}, 4096}};
  artifact.constants = {{0, 100, "weights"}, {128, 4, "bias"}};
  artifact.dataCacheSize = 132;
  artifact.routineSlots = {3, 5};
  artifact.contentKey.fill(0xAB);
  artifact.buildIdentity = "nnhal 0.1.0";
  artifact.rounding = "double";
  return artifact;
}

static bool isSame(const CodeSection &left, const CodeSection &right) {
  return left.target == right.target && left.cpu == right.cpu &&
         left.features == right.features && left.constants == right.constants &&
         std::ranges::equal(left.bytes, right.bytes);
}

bool nnhal::rt::isSame(const Artifact &left, const Artifact &right) {
  if (left.code.size() != right.code.size())
    return false;
  for (size_t i = 0; i < left.code.size(); ++i)
    if (!::isSame(left.code[i], right.code[i]))
      return false;
  return left.inputs == right.inputs && left.outputs == right.outputs &&
         left.statePairs == right.statePairs && left.entries == right.entries &&
         left.constants == right.constants &&
         left.dataCacheSize == right.dataCacheSize &&
         left.routineSlots == right.routineSlots &&
         left.contentKey == right.contentKey &&
         left.buildIdentity == right.buildIdentity &&
         left.rounding == right.rounding;
}
