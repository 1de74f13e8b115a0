//===- Operator.h - What custom operators are made of -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A custom operator is a row of the table: its name, the rule that infers its
// results and the function that computes them. A Use is one operation in the
// form that nnhal/Runtime/Interface.h gives it: tensors, then the options.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_OPERATOR_H
#define NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_OPERATOR_H

#include "nnhal/Backend/ExtensionBackend.h"

#include <initializer_list>
#include <sstream>
#include <string_view>
#include <vector>

namespace nnhal::tflite_custom {

using rt::ExtensionOutputs;
using rt::OperandType;
using rt::OperandView;
using rt::OperationView;
using rt::Result;
using rt::Status;
using rt::StatusCode;
using rt::TensorType;
using rt::unknownExtent;

using Extents = std::vector<int64_t>;
using Types = std::vector<TensorType>;

/// Joins \p parts to the message of an operation that is not legal.
template <typename... Parts> Status refuse(const Parts &...parts) {
  std::ostringstream text;
  (text << ... << parts);
  return Status(StatusCode::invalidArgument, text.str());
}
/// Joins \p parts to the message of elements that break a rule.
template <typename... Parts> Status fail(const Parts &...parts) {
  std::ostringstream text;
  (text << ... << parts);
  return Status(StatusCode::generalFailure, text.str());
}

/// One use of an operator. The view must outlive it.
class Use {
public:
  /// Requires an input, which holds the options.
  explicit Use(const OperationView &view) : view(&view) {}

  size_t tensors() const { return view->inputs.size() - 1; }
  size_t results() const { return view->outputs.size(); }
  bool has(size_t tensor) const { return !view->inputs[tensor].isOmitted; }
  const TensorType &input(size_t tensor) const {
    return view->inputs[tensor].type;
  }
  const TensorType &output(size_t result) const {
    return view->outputs[result].type;
  }
  int64_t extent(size_t tensor, size_t axis) const {
    return input(tensor).dimensions[axis];
  }
  /// Returns the elements of a tensor, which are known and aligned.
  std::span<const std::byte> bytes(size_t tensor) const {
    return *view->inputs[tensor].value;
  }
  /// Returns the bytes of the options, none where they are omitted. Fails with
  /// invalidArgument where they are not constant or not bytes.
  Result<std::span<const uint8_t>> options() const;

  /// Rules that operators share. Each fails with a message that names the
  /// tensor, the found value and the bound.
  Status checkCounts(size_t tensors, size_t results) const;
  /// Checks that tensor \p index, called \p name, is of floats or quantized
  /// bytes and has \p extents, of which unknown ones may be any.
  Status checkReal(size_t index, std::string_view name,
                   std::initializer_list<int64_t> extents) const;

private:
  const OperationView *view;
};

struct OperatorRow {
  std::string_view name;
  /// Infers the types of the results.
  Result<Types> (*check)(const Use &use);
  /// Computes what check() accepts with everything known.
  Status (*execute)(const Use &use, ExtensionOutputs &outputs);
};

/// Returns all rows; the number of an operation is its place.
std::span<const OperatorRow> operatorTable();

/// Returns the type of a result of floats.
TensorType floatType(Extents extents);

/// Reads elements of a tensor that checkReal() accepts, as many as \p to has
/// places, from element \p begin on, as reals times \p factor: (q - zero point)
/// * (scale * factor).
void readReals(const Use &use, size_t tensor, size_t begin, std::span<float> to,
               float factor = 1.0f);
/// Returns all elements of a tensor in that way.
std::vector<float> realsOf(const Use &use, size_t tensor, float factor = 1.0f);

/// Returns memory for the floats of result \p index, all 0.
Result<std::span<float>> allocateFloats(ExtensionOutputs &outputs, size_t index,
                                        const Extents &extents);

// The operators, by the files that have them.
extern const OperatorRow detectionRow, posenetRow, spectrogramRow, mfccRow;

} // namespace nnhal::tflite_custom

#endif // NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_OPERATOR_H
