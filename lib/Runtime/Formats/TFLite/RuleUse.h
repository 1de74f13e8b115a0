//===- RuleUse.h - Shapes by the rules of an operation ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_RULEUSE_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_RULEUSE_H

#include "Operator.h"

#include "nnhal/Backend/Signatures.h"

#include <deque>

namespace nnhal::rt::tflite {

/// A use of an operation of the HAL that is made only to ask for the shape of
/// its result. Tensors are of floats, whatever the type of the operator's: all
/// operations of which this is asked take them.
class RuleUse {
public:
  explicit RuleUse(OperationType type);

  RuleUse &tensor(const Shape &shape);
  RuleUse &int32(int32_t value);
  RuleUse &boolean(bool value);
  RuleUse &list(std::span<const int32_t> values);
  /// The list \p values, omitted when it is empty.
  RuleUse &optionalList(std::span<const int32_t> values);
  /// A TENSOR_INT32 of \p shape.
  RuleUse &list(std::span<const int32_t> values, const Shape &shape);

  /// The shape of the result, of which all extents are known.
  Result<Shape> shapeOfOutput() const;
  /// Returns the shape of the result as a list of one; empty dimensions where
  /// \p isScalar says that the one element of the HAL is a scalar of the file.
  Result<std::vector<Shape>> shapes(bool isScalar = false) const;

private:
  RuleUse &add(OperandType type, const Shape &shape,
               std::span<const std::byte> value);

  OperationView view;
  /// The values to which the view refers.
  std::deque<std::vector<std::byte>> values;
};

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_RULEUSE_H
