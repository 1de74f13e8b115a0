//===- DataType.h - Element types of the protocol ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_DATATYPE_H
#define NNHAL_LIB_SERVING_CORE_DATATYPE_H

#include "nnhal/Runtime/Interface.h"
#include "nnhal/Runtime/Status.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace nnhal::serving {

/// The data types of the Open Inference Protocol that tensors of NNAPI can
/// have. The protocol's BYTES and BF16 are those of no operand type.
enum class DataType : uint8_t {
  boolean,
  uint8,
  uint16,
  uint32,
  uint64,
  int8,
  int16,
  int32,
  int64,
  fp16,
  fp32,
  fp64,
};

/// Returns the protocol's name, "FP32" for example.
std::string_view nameOf(DataType type);

/// Bytes of an element.
uint32_t sizeOf(DataType type);

/// Reads the protocol's name of a type. Fails with invalidArgument, which says
/// of BYTES and BF16 that no model has them.
rt::Result<DataType> parseDataType(std::string_view name);

/// The type in which clients send or receive \p tensor: quantized tensors as
/// the integers that they are. Nothing for an extension type whose elements are
/// no numbers, and for complex ones.
std::optional<DataType> dataTypeOf(const rt::InterfaceTensor &tensor);

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_DATATYPE_H
