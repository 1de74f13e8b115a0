//===- DataType.cpp - Element types of the protocol -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataType.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal;
using namespace nnhal::serving;

namespace {
struct Row {
  DataType type;
  std::string_view name;
  uint32_t size;
};
} // namespace

/// In the order of the enumeration.
static constexpr Row rows[] = {
    {DataType::boolean, "BOOL", 1},  {DataType::uint8, "UINT8", 1},
    {DataType::uint16, "UINT16", 2}, {DataType::uint32, "UINT32", 4},
    {DataType::uint64, "UINT64", 8}, {DataType::int8, "INT8", 1},
    {DataType::int16, "INT16", 2},   {DataType::int32, "INT32", 4},
    {DataType::int64, "INT64", 8},   {DataType::fp16, "FP16", 2},
    {DataType::fp32, "FP32", 4},     {DataType::fp64, "FP64", 8}};

std::string_view serving::nameOf(DataType type) {
  return rows[size_t(type)].name;
}

uint32_t serving::sizeOf(DataType type) { return rows[size_t(type)].size; }

rt::Result<DataType> serving::parseDataType(std::string_view name) {
  for (const Row &row : rows)
    if (row.name == name)
      return row.type;
  if (name == "BYTES" || name == "BF16")
    return rt::badData("datatype {} is that of no model: tensors of NNAPI have "
                       "no such elements",
                       name);
  return rt::badData("datatype '{}' is none of the protocol", name);
}

/// The type of the numbers of an extension type.
static std::optional<DataType> dataTypeOf(rt::ElementKind kind) {
  using enum rt::ElementKind;
  switch (kind) {
  case int8:
    return DataType::int8;
  case uint8:
    return DataType::uint8;
  case int16:
    return DataType::int16;
  case uint16:
    return DataType::uint16;
  case int32:
    return DataType::int32;
  case uint32:
    return DataType::uint32;
  case int64:
    return DataType::int64;
  case uint64:
    return DataType::uint64;
  case float16:
    return DataType::fp16;
  case float32:
    return DataType::fp32;
  case float64:
    return DataType::fp64;
  case opaque:
  case complex64:
    break;
  }
  return std::nullopt;
}

std::optional<DataType> serving::dataTypeOf(const rt::InterfaceTensor &tensor) {
  if (tensor.extension)
    return ::dataTypeOf(tensor.extension->kind);
  using enum rt::OperandType;
  switch (tensor.type) {
  case FLOAT32:
  case TENSOR_FLOAT32:
    return DataType::fp32;
  case FLOAT16:
  case TENSOR_FLOAT16:
    return DataType::fp16;
  case INT32:
  case TENSOR_INT32:
    return DataType::int32;
  case UINT32:
    return DataType::uint32;
  case BOOL:
  case TENSOR_BOOL8:
    return DataType::boolean;
  case TENSOR_QUANT8_ASYMM:
  case TENSOR_OEM_BYTE:
    return DataType::uint8;
  case TENSOR_QUANT8_SYMM:
  case TENSOR_QUANT8_SYMM_PER_CHANNEL:
  case TENSOR_QUANT8_ASYMM_SIGNED:
    return DataType::int8;
  case TENSOR_QUANT16_SYMM:
    return DataType::int16;
  case TENSOR_QUANT16_ASYMM:
    return DataType::uint16;
  default:
    return std::nullopt;
  }
}
