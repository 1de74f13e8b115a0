//===- DataType.cpp - Element types of the protocol -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataType.h"

#include "Runtime/Support/Errors.h"
#include "Tools/Tensors/Npy.h"

#include <algorithm>
#include <iterator>

using namespace nnhal;
using namespace nnhal::serving;

namespace {
struct Row {
  DataType type;
  std::string_view name;
  uint32_t size;
  /// tools::ElementFormat::descr.
  std::string_view stored;
};
} // namespace

/// In the order of the enumeration.
static constexpr Row rows[] = {{DataType::boolean, "BOOL", 1, "|b1"},
                               {DataType::uint8, "UINT8", 1, "|u1"},
                               {DataType::uint16, "UINT16", 2, "<u2"},
                               {DataType::uint32, "UINT32", 4, "<u4"},
                               {DataType::uint64, "UINT64", 8, "<u8"},
                               {DataType::int8, "INT8", 1, "|i1"},
                               {DataType::int16, "INT16", 2, "<i2"},
                               {DataType::int32, "INT32", 4, "<i4"},
                               {DataType::int64, "INT64", 8, "<i8"},
                               {DataType::fp16, "FP16", 2, "<f2"},
                               {DataType::fp32, "FP32", 4, "<f4"},
                               {DataType::fp64, "FP64", 8, "<f8"}};

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

std::optional<DataType> serving::dataTypeOf(const rt::InterfaceTensor &tensor) {
  bool isOpaque = tensor.extension
                      ? tensor.extension->kind == rt::ElementKind::opaque
                      : tensor.type == rt::OperandType::OEM ||
                            tensor.type == rt::OperandType::SUBGRAPH;
  if (isOpaque)
    return std::nullopt;
  std::string_view stored = tools::formatOf(tensor).descr;
  const auto *row = std::ranges::find(rows, stored, &Row::stored);
  return row == std::end(rows) ? std::nullopt : std::optional(row->type);
}
