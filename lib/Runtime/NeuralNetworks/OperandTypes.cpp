//===- OperandTypes.cpp - Operand types of C clients ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandTypes.h"

#include "Library.h"

#include "Runtime/Model/Validation.h"
#include "Runtime/Support/LogFormat.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::ndk;
using rt::Operand;
using rt::OperandType;

std::optional<rt::Extension::OperandTypeInfo>
ndk::extensionTypeOf(uint32_t code) {
  Library *library = code > 0xFFFF ? Library::find() : nullptr;
  return library ? library->extensions().find(code) : std::nullopt;
}

/// The bytes of the known extents, or nothing above 32 bits.
static std::optional<uint64_t> multiply(uint64_t size, const Operand &operand) {
  for (uint32_t extent : operand.dimensions) {
    size *= extent ? extent : 1;
    if (size > UINT32_MAX)
      return std::nullopt;
  }
  return size;
}

static bool isValidExtensionType(const Operand &operand,
                                 const rt::Extension::OperandTypeInfo &info) {
  if (operand.scale != 0 || operand.zeroPoint != 0)
    return false;
  return info.isTensor ? multiply(info.byteSize, operand).has_value()
                       : operand.dimensions.empty();
}

bool ndk::isValidOperand(std::string_view call, const Operand &operand) {
  static const rt::Model empty;
  static const rt::validation::Context context =
      rt::validation::Context::of(empty, rt::HalVersion::V1_3);
  rt::Status status = rt::validation::checkOperand(context, operand);
  Library *library = status.isOk() ? nullptr : Library::find();
  if (library)
    rt::writeLog(library->log(), rt::LogTag::model, "{}: {}", call,
                 status.message());
  return status.isOk();
}

static bool isValidType(const Operand &operand) {
  Operand plain = operand;
  switch (operand.type) {
  case OperandType::SUBGRAPH:
    return operand.dimensions.empty() && operand.scale == 0 &&
           operand.zeroPoint == 0;
  case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
    // The parameters of channels come later.
    plain.type = OperandType::TENSOR_BOOL8;
    break;
  case OperandType::TENSOR_INT32:
    plain.scale = 0;
    break;
  default:
    break;
  }
  return isValidOperand("operand type", plain);
}

bool ndk::makeOperand(const ANeuralNetworksOperandType &type, Openness openness,
                      Operand &operand) {
  if ((type.dimensionCount == 0) != (type.dimensions == nullptr))
    return false;
  operand.type = OperandType(uint32_t(type.type));
  operand.scale = type.scale;
  operand.zeroPoint = type.zeroPoint;
  auto extension = extensionTypeOf(uint32_t(type.type));
  if (rt::isExtension(operand.type) && !extension)
    return false;
  // A scalar has no extents to copy, however many there are.
  bool isTensor = extension ? extension->isTensor : rt::isTensor(operand.type);
  if (!isTensor && type.dimensionCount != 0)
    return false;
  // An overflow is found before a count that is not true leads far away.
  uint64_t size = 1;
  for (uint32_t i = 0; i < type.dimensionCount; ++i) {
    uint32_t extent = type.dimensions[i];
    if (extent == 0 && openness == Openness::refused)
      return false;
    size *= extent ? extent : 1;
    if (size > UINT32_MAX)
      return false;
  }
  if (isTensor && type.dimensionCount == 0 && openness == Openness::refused)
    return false;
  if (type.dimensions)
    operand.dimensions.assign(type.dimensions,
                              type.dimensions + type.dimensionCount);
  return extension ? isValidExtensionType(operand, *extension)
                   : isValidType(operand);
}

std::optional<uint32_t> ndk::sizeOf(const Operand &operand) {
  auto extension = extensionTypeOf(uint32_t(operand.type));
  if (!extension)
    return rt::byteSizeOf(operand);
  bool isOpen = extension->isTensor && operand.dimensions.empty();
  if (isOpen || std::ranges::count(operand.dimensions, 0u) != 0)
    return std::nullopt;
  auto size = multiply(extension->byteSize, operand);
  return size ? std::optional(uint32_t(*size)) : std::nullopt;
}
