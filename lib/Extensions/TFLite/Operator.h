//===- Operator.h - What operators are made of ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operator of TensorFlow Lite is a row of the table: its tensors, its
// options, the rule that infers its results and the function that computes
// them. A Use is one operation in that form, decoded and held against the row.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_OPERATOR_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_OPERATOR_H

#include "Element.h"

#include "nnhal/Backend/ExtensionBackend.h"

#include <cstring>
#include <limits>
#include <sstream>
#include <vector>

namespace nnhal::tflite {

using rt::ExtensionOutputs;
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

enum class OptionKind : uint8_t { integer, real, truth };

struct OptionRow {
  std::string_view name;
  OptionKind kind = OptionKind::integer;
  /// The bounds of an integer.
  int32_t least = std::numeric_limits<int32_t>::min();
  int32_t most = std::numeric_limits<int32_t>::max();
};

class Use;
class Run;

struct OperatorRow {
  /// TensorFlow Lite's BuiltinOperator, the number of the operation.
  uint16_t number;
  std::string_view name;
  /// The names of the tensors, each followed by a blank. One that ends in `?`
  /// may be NO_VALUE; one that ends in `*` stands for any number of tensors.
  std::string_view tensors;
  /// The tensor whose element type is one of `elements`.
  uint8_t principal;
  ElementSet elements;
  std::span<const OptionRow> options;
  /// The number of results; 0 where an option or the stated number decides.
  uint8_t results;
  /// Infers the types of the results, whose quantization is the stated one.
  Result<Types> (*check)(const Use &use);
  Status (*execute)(Run &run);
  /// Whether extents of results depend on elements that no rule reads.
  bool findsExtents = false;
};

/// Returns all rows, sorted by number.
std::span<const OperatorRow> operatorTable();
/// Returns the row of operation \p number; null where there is none.
const OperatorRow *lookUpOperator(uint16_t number);

/// One use of an operator. The view must outlive it.
class Use {
public:
  /// Checks numbers, types and options of \p view against its row. Fails with
  /// invalidArgument.
  static Result<Use> decode(const OperationView &view);

  const OperatorRow &row() const { return *operatorRow; }
  size_t tensors() const { return tensorCount; }
  size_t results() const { return view->outputs.size(); }
  bool has(size_t tensor) const { return !view->inputs[tensor].isOmitted; }
  const TensorType &input(size_t tensor) const {
    return view->inputs[tensor].type;
  }
  const TensorType &output(size_t result) const {
    return view->outputs[result].type;
  }
  int64_t rank(size_t tensor) const { return input(tensor).rank(); }
  int64_t extent(size_t tensor, int64_t axis) const {
    return input(tensor).dimensions[size_t(axis)];
  }
  Element element(size_t tensor) const { return *elementOf(input(tensor)); }
  Element resultElement(size_t result) const {
    return *elementOf(output(result));
  }

  int32_t integer(std::string_view option) const;
  float real(std::string_view option) const;
  bool truth(std::string_view option) const;

  /// Returns the elements of a tensor of integers; nothing while they are not
  /// known.
  std::optional<Extents> integers(size_t tensor) const;
  /// Returns the elements of a tensor, which are known and aligned.
  std::span<const std::byte> bytes(size_t tensor) const {
    return *view->inputs[tensor].value;
  }
  template <typename T> const T *data(size_t tensor) const {
    return reinterpret_cast<const T *>(bytes(tensor).data());
  }

  /// Names a tensor for messages: "input 1 (filter)".
  std::string nameOf(size_t tensor) const;

  /// Rules that many operators share. Each fails with a message that names the
  /// tensor, the found value and the bound.
  Status checkElement(size_t tensor, ElementSet allowed) const;
  Status checkResultElement(size_t result, ElementSet allowed) const;
  Status checkRank(size_t tensor, int64_t least, int64_t most) const;
  Status checkExtent(size_t tensor, int64_t axis, int64_t expected) const;
  Status checkOneElement(size_t tensor) const;
  Status checkScale(const TensorType &type, std::string_view name) const;
  /// Checks the scales of all quantized tensors among the first \p count and of
  /// the results.
  Status checkScales(size_t count) const;

private:
  Use(const OperationView &view, const OperatorRow &row, size_t tensorCount)
      : view(&view), operatorRow(&row), tensorCount(tensorCount) {}
  Status checkTensors() const;
  Status checkOptions() const;
  const OperandView &option(std::string_view name) const;

  const OperationView *view;
  const OperatorRow *operatorRow;
  size_t tensorCount;
};

/// One execution of a use.
class Run {
public:
  Run(const Use &use, const Types &results, ExtensionOutputs &outputs)
      : use(use), types(results), outputs(outputs) {}

  const Use &use;
  /// The inferred types of the results.
  const Types &types;

  /// Returns the memory of a result with the inferred extents.
  Result<std::span<std::byte>> allocateBytes(size_t result) {
    return outputs.allocate(result, types[result].dimensions);
  }
  /// The same, with \p extents that only the execution finds.
  Result<std::span<std::byte>> allocateBytes(size_t result,
                                             const Extents &extents) {
    return outputs.allocate(result, extents);
  }
  template <typename T> Result<T *> allocate(size_t result) {
    NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> memory, allocateBytes(result));
    return reinterpret_cast<T *>(memory.data());
  }

private:
  ExtensionOutputs &outputs;
};

/// Returns the stated type of a result with \p extents in place of its own.
TensorType resultType(const Use &use, size_t result, Extents extents);
/// Returns the only result of an operator.
inline Types onlyResult(const Use &use, Extents extents) {
  return {resultType(use, 0, std::move(extents))};
}

/// Checks that each of \p extents, which elements of a tensor state, can be
/// one.
Status checkNewShape(std::span<const int64_t> extents);

/// Returns \p extents without dimension \p axis where that has one element and
/// the stated result has a dimension less: a scalar of the file is stated as a
/// tensor of shape [1].
Extents withoutScalar(const Use &use, Extents extents, size_t axis);

/// Returns the product of known \p extents, which fits (checkSize).
int64_t elementCount(std::span<const int64_t> extents);
inline int64_t elementCount(const TensorType &type) {
  return elementCount(type.dimensions);
}
/// Whether all extents are known.
bool isKnown(std::span<const int64_t> extents);
/// Returns "1x?x3".
std::string extentsText(std::span<const int64_t> extents);

/// Returns the axis that \p axis, which may count from the end, names.
Result<int64_t> resolveAxis(int64_t axis, int64_t rank);
/// Returns whether two extents may be equal.
inline bool mayEqual(int64_t a, int64_t b) {
  return a == b || a == unknownExtent || b == unknownExtent;
}
/// Returns the extents to which two shapes broadcast.
Result<Extents> broadcastExtents(std::span<const int64_t> a,
                                 std::span<const int64_t> b);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_OPERATOR_H
