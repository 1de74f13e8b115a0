//===- SpirvTypes.cpp - The types that a module declares ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpirvTypes.h"

#include "Runtime/Artifact/GpuMatrices.h"
#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::vulkan;

// Numbers of the SPIR-V specification.
enum SpirvTypeOpcode : uint32_t {
  opTypeInt = 21,
  opTypeFloat = 22,
  opTypeVector = 23,
  opTypeArray = 28,
  opTypeStruct = 30,
  opTypePointer = 32,
  opConstant = 43,
  opTypeCooperativeMatrix = 4456,
};

Status vulkan::checkLength(const char *what, std::span<const uint32_t> operands,
                           size_t least) {
  if (operands.size() < least)
    return badData("{} of the SPIR-V module has {} operands, {} are needed",
                   what, operands.size(), least);
  return Status::ok();
}

uint64_t SpirvTypes::sizeOf(uint32_t type) const {
  auto found = sizes.find(type);
  return found == sizes.end() ? 0 : found->second;
}

uint32_t SpirvTypes::constantOf(uint32_t id) const {
  auto found = constants.find(id);
  return found == constants.end() ? 0 : found->second;
}

uint64_t SpirvTypes::pointeeSize(uint32_t id) const {
  auto found = pointees.find(id);
  return found == pointees.end() ? 0 : sizeOf(found->second);
}

Status SpirvTypes::read(uint32_t opcode, std::span<const uint32_t> operands) {
  switch (opcode) {
  case opTypeInt:
  case opTypeFloat:
    NNHAL_RETURN_IF_ERROR(checkLength("a type of numbers", operands, 2));
    sizes[operands[0]] = operands[1] / 8;
    return Status::ok();
  case opTypeVector:
    NNHAL_RETURN_IF_ERROR(checkLength("a type of vectors", operands, 3));
    sizes[operands[0]] =
        std::min(sizeOf(operands[1]) * uint64_t(operands[2]), mostBytes);
    return Status::ok();
  case opTypeArray:
    NNHAL_RETURN_IF_ERROR(checkLength("a type of arrays", operands, 3));
    sizes[operands[0]] =
        std::min(sizeOf(operands[1]) * constantOf(operands[2]), mostBytes);
    return Status::ok();
  case opTypeStruct: {
    NNHAL_RETURN_IF_ERROR(checkLength("a type of structures", operands, 1));
    uint64_t size = 0;
    for (uint32_t member : operands.subspan(1))
      size = std::min(size + sizeOf(member), mostBytes);
    sizes[operands[0]] = size;
    return Status::ok();
  }
  case opTypePointer:
    NNHAL_RETURN_IF_ERROR(checkLength("a type of pointers", operands, 3));
    pointees[operands[0]] = operands[2];
    return Status::ok();
  case opConstant:
    NNHAL_RETURN_IF_ERROR(checkLength("a constant", operands, 3));
    constants[operands[1]] = operands[2];
    return Status::ok();
  case opTypeCooperativeMatrix:
    return readMatrix(operands);
  default:
    return Status::ok();
  }
}

Status SpirvTypes::readMatrix(std::span<const uint32_t> operands) const {
  NNHAL_RETURN_IF_ERROR(checkLength("a type of matrices", operands, 6));
  uint32_t rows = constantOf(operands[3]);
  uint32_t columns = constantOf(operands[4]);
  if (rows != gpuMatrixSide || columns != gpuMatrixSide)
    return badData("the SPIR-V module has matrices of {} x {}, kernels have "
                   "those of {} x {}",
                   rows, columns, gpuMatrixSide, gpuMatrixSide);
  if (sizeOf(operands[1]) == 1 && !hasByteMatrices)
    return deviceUnavailable("the SPIR-V module has matrices of bytes, which "
                             "the GPU does not multiply");
  return Status::ok();
}
