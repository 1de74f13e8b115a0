//===- CooperativeMatrix.cpp - Matrices that subgroups multiply -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CooperativeMatrix.h"

#include "Runtime/Artifact/GpuMatrices.h"

#include <algorithm>
#include <vector>

using namespace nnhal::rt;
using namespace nnhal::rt::vulkan;

MatrixProducts vulkan::findProducts(GetCooperativeMatrixProperties get,
                                    VkPhysicalDevice device) {
  uint32_t count = 0;
  if (get(device, &count, nullptr) != VK_SUCCESS)
    return {};
  std::vector<CooperativeMatrixProperties> found(count);
  VkResult result = get(device, &count, found.data());
  if (result != VK_SUCCESS && result != VK_INCOMPLETE)
    return {};
  found.resize(std::min(size_t(count), found.size()));
  auto multiplies = [&](MatrixComponent factor, MatrixComponent sum) {
    return std::ranges::any_of(
        found, [&](const CooperativeMatrixProperties &each) {
          return each.scope == MatrixScope::subgroup &&
                 each.mSize == gpuMatrixSide && each.nSize == gpuMatrixSide &&
                 each.kSize == gpuMatrixSide && each.a == factor &&
                 each.b == factor && each.c == sum && each.result == sum &&
                 !each.saturatingAccumulation;
        });
  };
  return {multiplies(MatrixComponent::float16, MatrixComponent::float32),
          multiplies(MatrixComponent::sint8, MatrixComponent::sint32)};
}
