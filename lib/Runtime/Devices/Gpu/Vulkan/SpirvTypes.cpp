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
  opTypeBool = 20,
  opTypeInt = 21,
  opTypeFloat = 22,
  opTypeVector = 23,
  opTypeMatrix = 24,
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

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// \p size up to the next multiple of \p alignment, within the bound of sizes.
static uint64_t roundUp(uint64_t size, uint32_t alignment) {
  return std::min((size + alignment - 1) / alignment * alignment,
                  SpirvTypes::mostBytes);
}

void SpirvTypes::note(uint32_t type, std::optional<Layout> layout) {
  if (layout && layout->size > 0)
    layouts[type] = *layout;
}

std::optional<SpirvTypes::Layout> SpirvTypes::layoutOf(uint32_t type) const {
  auto found = layouts.find(type);
  return found == layouts.end() ? std::nullopt : std::optional(found->second);
}

std::optional<SpirvTypes::Layout>
SpirvTypes::layoutOfNumber(uint32_t bits) const {
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return std::nullopt;
  return Layout{bits / 8, bits / 8};
}

std::optional<SpirvTypes::Layout>
SpirvTypes::layoutOfVector(uint32_t element, uint32_t count) const {
  std::optional<Layout> one = layoutOf(element);
  constexpr uint64_t widest = 8; // Elements are numbers.
  if (!one || one->size > widest || count < 2 || count > 4)
    return std::nullopt;
  return Layout{one->size * count, uint32_t(one->size) * (count == 2 ? 2 : 4)};
}

std::optional<SpirvTypes::Layout>
SpirvTypes::layoutOfArray(uint32_t element, uint64_t count) const {
  std::optional<Layout> one = layoutOf(element);
  if (!one || count == 0)
    return std::nullopt;
  uint64_t stride = roundUp(one->size, one->alignment);
  uint64_t size = stride * std::min(count, mostBytes / stride + 1);
  return Layout{std::min(size, mostBytes), one->alignment};
}

std::optional<SpirvTypes::Layout>
SpirvTypes::layoutOfStructure(std::span<const uint32_t> members) const {
  Layout all;
  for (uint32_t member : members) {
    std::optional<Layout> one = layoutOf(member);
    if (!one)
      return std::nullopt;
    all.size =
        std::min(roundUp(all.size, one->alignment) + one->size, mostBytes);
    all.alignment = std::max(all.alignment, one->alignment);
  }
  all.size = roundUp(all.size, all.alignment);
  return all;
}

uint64_t SpirvTypes::constantOf(uint32_t id) const {
  auto found = constants.find(id);
  return found == constants.end() ? 0 : found->second;
}

std::optional<SpirvTypes::Layout> SpirvTypes::pointeeLayout(uint32_t id) const {
  auto found = pointees.find(id);
  return found == pointees.end() ? std::nullopt : layoutOf(found->second);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Status SpirvTypes::read(uint32_t opcode, std::span<const uint32_t> operands) {
  switch (opcode) {
  case opTypeBool:
    NNHAL_RETURN_IF_ERROR(checkLength("a type of truth values", operands, 1));
    note(operands[0], Layout{4, 4});
    return Status::ok();
  case opTypeInt:
  case opTypeFloat:
    NNHAL_RETURN_IF_ERROR(checkLength("a type of numbers", operands, 2));
    note(operands[0], layoutOfNumber(operands[1]));
    return Status::ok();
  case opTypeVector:
    NNHAL_RETURN_IF_ERROR(checkLength("a type of vectors", operands, 3));
    note(operands[0], layoutOfVector(operands[1], operands[2]));
    return Status::ok();
  case opTypeMatrix:
    // The columns are an array.
    NNHAL_RETURN_IF_ERROR(checkLength("a type of columns", operands, 3));
    note(operands[0], layoutOfArray(operands[1], operands[2]));
    return Status::ok();
  case opTypeArray:
    NNHAL_RETURN_IF_ERROR(checkLength("a type of arrays", operands, 3));
    note(operands[0], layoutOfArray(operands[1], constantOf(operands[2])));
    return Status::ok();
  case opTypeStruct:
    NNHAL_RETURN_IF_ERROR(checkLength("a type of structures", operands, 1));
    note(operands[0], layoutOfStructure(operands.subspan(1)));
    return Status::ok();
  case opTypePointer:
    NNHAL_RETURN_IF_ERROR(checkLength("a type of pointers", operands, 3));
    pointees[operands[0]] = operands[2];
    return Status::ok();
  case opConstant:
    NNHAL_RETURN_IF_ERROR(checkLength("a constant", operands, 3));
    constants[operands[1]] = operands[2];
    if (operands.size() > 3) // The upper half of 64 bits.
      constants[operands[1]] |= uint64_t(operands[3]) << 32;
    return Status::ok();
  case opTypeCooperativeMatrix:
    return readMatrix(operands);
  default:
    return Status::ok();
  }
}

Status SpirvTypes::readMatrix(std::span<const uint32_t> operands) const {
  NNHAL_RETURN_IF_ERROR(checkLength("a type of matrices", operands, 6));
  uint64_t rows = constantOf(operands[3]);
  uint64_t columns = constantOf(operands[4]);
  if (rows != gpuMatrixSide || columns != gpuMatrixSide)
    return badData("the SPIR-V module has matrices of {} x {}, kernels have "
                   "those of {} x {}",
                   rows, columns, gpuMatrixSide, gpuMatrixSide);
  std::optional<Layout> element = layoutOf(operands[1]);
  if (element && element->size == 1 && !hasByteMatrices)
    return deviceUnavailable("the SPIR-V module has matrices of bytes, which "
                             "the GPU does not multiply");
  return Status::ok();
}
