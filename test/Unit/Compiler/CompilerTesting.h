//===- CompilerTesting.h - What compiler tests share ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_COMPILER_COMPILERTESTING_H
#define NNHAL_TEST_UNIT_COMPILER_COMPILERTESTING_H

#include "nnhal/Runtime/CpuDevice.h"

#include <string>
#include <vector>

namespace nnhal::rt {

inline uint64_t argumentBytes(const PreparedModel &prepared) {
  uint64_t total = 0;
  for (const InterfaceTensor &tensor : prepared.interface().inputs)
    total += byteSizeOf(tensor).value_or(0);
  for (const InterfaceTensor &tensor : prepared.interface().outputs)
    total += byteSizeOf(tensor).value_or(0);
  return total;
}

/// Zero-filled memory for every argument, and the request that refers to it.
struct Arguments {
  explicit Arguments(const PreparedModel &prepared) {
    for (const InterfaceTensor &tensor : prepared.interface().inputs)
      inputs.emplace_back(byteSizeOf(tensor).value_or(0));
    for (const InterfaceTensor &tensor : prepared.interface().outputs)
      outputs.emplace_back(byteSizeOf(tensor).value_or(0));
    for (std::vector<std::byte> &input : inputs)
      request.inputs.push_back({Memory::borrow(input), {}});
    for (std::vector<std::byte> &output : outputs)
      request.outputs.push_back({OutputMemory::borrow(output), {}});
  }

  std::vector<std::vector<std::byte>> inputs;
  std::vector<std::vector<std::byte>> outputs;
  Request request;
};

/// A model that adds a tensor of four floats to itself, as text.
inline std::string addModelText() {
  return R"(nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %none = nnhal.constant_copy 0 : i32 -> i32
    %0 = nnhal.operation "ADD"(%x, %x, %none)
           : (tensor<4xf32>, tensor<4xf32>, i32) -> tensor<4xf32>
    nnhal.return %0 : tensor<4xf32>
  }
})";
}

} // namespace nnhal::rt

#endif // NNHAL_TEST_UNIT_COMPILER_COMPILERTESTING_H
