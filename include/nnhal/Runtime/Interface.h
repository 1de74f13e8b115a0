//===- Interface.h - Inputs and outputs of a model --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_INTERFACE_H
#define NNHAL_RUNTIME_INTERFACE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nnhal::rt {

/// One input or output of a model.
struct InterfaceTensor {
  std::string name;
  OperandType type = OperandType::TENSOR_FLOAT32;
  /// An extent of 0 is a dimension that each execution supplies.
  std::vector<uint32_t> dimensions;
  float scale = 0.0f;
  int32_t zeroPoint = 0;
  bool operator==(const InterfaceTensor &) const = default;
};

/// A prepared model as seen from outside.
struct Interface {
  std::vector<InterfaceTensor> inputs;
  std::vector<InterfaceTensor> outputs;
  std::vector<StatePair> statePairs;
};

/// Returns the bytes of the elements of \p tensor; nothing while an extent or
/// the rank is unknown, and for types without an element size.
NNHAL_API std::optional<uint32_t> byteSizeOf(const InterfaceTensor &tensor);

/// Returns the interface of \p model, which is valid.
NNHAL_API Interface interfaceOf(const AnnotatedModel &model);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_INTERFACE_H
