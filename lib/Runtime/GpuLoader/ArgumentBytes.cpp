//===- ArgumentBytes.cpp - Copies of arguments ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentBytes.h"

#include "nnhal/Backend/DeviceMemory.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <cstring>

using namespace nnhal::rt;

Status nnhal::rt::readInput(const InvocationArgument &argument,
                            std::span<std::byte> bytes) {
  if (argument.data) {
    std::memcpy(bytes.data(), argument.data, bytes.size());
    return Status::ok();
  }
  return argument.memory ? argument.memory->read(bytes)
                         : argument.pool->read(argument.offset, bytes);
}

Status nnhal::rt::writeOutput(const InvocationArgument &argument,
                              std::span<const std::byte> bytes) {
  if (argument.data) {
    std::memcpy(argument.data, bytes.data(), bytes.size());
    return Status::ok();
  }
  return argument.memory ? argument.memory->write(bytes)
                         : argument.pool->write(argument.offset, bytes);
}
