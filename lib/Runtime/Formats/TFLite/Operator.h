//===- Operator.h - One TFLite operator while it is imported ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_OPERATOR_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_OPERATOR_H

#include "Graph.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

struct OperatorRow;

/// The operator code of \p source; newer files state large codes in a second
/// field.
schema::BuiltinOperator builtinCode(const schema::OperatorCode &source);

/// The view that importers and shape functions of the families have of an
/// operator. Inputs that its row requires are present and have shapes.
class Operator {
public:
  Operator(Graph &graph, const schema::Operator &source, const OperatorRow &row)
      : graph(graph), source(source), row(row) {}

  size_t inputCount() const { return inputs.size(); }
  size_t outputCount() const { return outputs.size(); }
  bool hasInput(size_t i) const { return i < inputs.size() && inputs[i] >= 0; }
  /// Requires hasInput(i).
  Tensor &input(size_t i) { return graph.tensor(inputs[i]); }
  Tensor &output(size_t i) { return graph.tensor(outputs[i]); }
  const Shape &shape(size_t i) { return *input(i).shape; }
  /// Returns the same as shape(), for computations that may exceed 32 bits.
  std::vector<int64_t> dimensions(size_t i);
  bool isConstant(size_t i) { return hasInput(i) && input(i).isConstant; }

  /// The values of the constant integer input \p i.
  Result<std::vector<int32_t>> integers(size_t i);
  /// The only value of the constant integer input \p i.
  Result<int32_t> integer(size_t i);
  /// \p axis as a number in [0, rank).
  static Result<uint32_t> normalizeAxis(int64_t axis, size_t rank);

  /// Returns the options; all defaults when the file states none. Fails with
  /// invalidArgument when it states those of another operator.
  template <typename T> Result<const T *> options() const {
    auto kind = schema::BuiltinOptionsTraits<T>::enum_value;
    if (source.builtin_options_type() == kind && source.builtin_options())
      return static_cast<const T *>(source.builtin_options());
    if (source.builtin_options_type() != schema::BuiltinOptions::NONE)
      return badData(
          "has {}, expected {}",
          schema::EnumNameBuiltinOptions(source.builtin_options_type()),
          schema::EnumNameBuiltinOptions(kind));
    return static_cast<const T *>(defaultTable());
  }

  /// Likewise, the options that the operator must have of the second union.
  template <typename T> Result<const T *> options2() const {
    auto kind = schema::BuiltinOptions2Traits<T>::enum_value;
    if (source.builtin_options_2_type() == kind && source.builtin_options_2())
      return static_cast<const T *>(source.builtin_options_2());
    return badData(
        "has {}, expected {}",
        schema::EnumNameBuiltinOptions2(source.builtin_options_2_type()),
        schema::EnumNameBuiltinOptions2(kind));
  }

  /// Shapes as the file states them, for outputs whose shape depends on values
  /// that are not known yet.
  Result<std::vector<Shape>> declaredShapes();
  /// The shape of output \p i when a rule gives it the type \p result: as the
  /// file states it where extents depend on unknown values, or where one
  /// element is a scalar there.
  Result<Shape> outputShape(size_t i, const TensorType &result);

  Graph &graph;
  const schema::Operator &source;
  const OperatorRow &row;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  /// One per output, set before the importer runs or by OperationBuilder.
  std::vector<Shape> outputShapes;

private:
  static const void *defaultTable();
};

/// Imports \p source, operator \p index of the main subgraph. The message of a
/// failure begins with the operator's index and name.
Status importOperator(Graph &graph, const schema::Operator &source,
                      uint32_t index);

/// Imports \p source as if its code was \p code.
Status importAs(Graph &graph, const schema::Operator &source,
                schema::BuiltinOperator code);

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_OPERATOR_H
