//===- Operator.h - What custom operators are made of -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A custom operator is a row of the table: its name, the rule that infers its
// results and the function that computes them. A Use is one operation in the
// form that nnhal/Runtime/Interface.h gives it: tensors, then the options, then
// states.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_OPERATOR_H
#define NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_OPERATOR_H

#include "nnhal/Backend/ExtensionBackend.h"

#include <algorithm>
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

// Operand types of tensors. 16-bit integers of signals count as numbers,
// whatever scale a file gives them.
inline constexpr OperandType floatType = OperandType::TENSOR_FLOAT32,
                             int32Type = OperandType::TENSOR_INT32,
                             int16Type = OperandType::TENSOR_QUANT16_SYMM,
                             boolType = OperandType::TENSOR_BOOL8;
// The extension's own operand types have the numbers that nnhal.tflite gives
// them.
inline constexpr OperandType tensorUint32 = rt::ownOperandType(1),
                             tensorUint64 = rt::ownOperandType(3);

/// One use of an operator. The view must outlive it.
class Use {
public:
  /// The last \p states inputs and outputs are states. Requires an input before
  /// them, which holds the options, and as many outputs.
  Use(const OperationView &view, size_t states)
      : view(&view), stateCount(states) {}

  size_t tensors() const { return view->inputs.size() - 1 - stateCount; }
  size_t results() const { return view->outputs.size() - stateCount; }
  bool has(size_t tensor) const { return !view->inputs[tensor].isOmitted; }
  /// Returns the place of state \p index among the inputs, as of a tensor.
  size_t stateInput(size_t index) const { return tensors() + 1 + index; }
  const TensorType &input(size_t tensor) const {
    return view->inputs[tensor].type;
  }
  const TensorType &output(size_t result) const {
    return view->outputs[result].type;
  }
  int64_t extent(size_t tensor, size_t axis) const {
    return input(tensor).dimensions[axis];
  }
  /// Returns the elements of a tensor that is there. They are known and
  /// aligned.
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
  /// Checks that tensor \p index, called \p name, is of \p type and has
  /// \p leastRank dimensions or more.
  Status checkType(size_t index, std::string_view name, OperandType type,
                   size_t leastRank = 1) const;
  /// Checks that tensor \p index, called \p name, is of \p type and has
  /// \p extents, of which unknown ones may be any.
  Status checkTensor(size_t index, std::string_view name, OperandType type,
                     std::initializer_list<int64_t> extents) const;

private:
  Status checkExtents(size_t index, std::string_view name,
                      std::initializer_list<int64_t> extents) const;

  const OperationView *view;
  size_t stateCount;
};

struct OperatorRow {
  std::string_view name;
  /// Infers the types of the results, less the states.
  Result<Types> (*check)(const Use &use);
  /// Computes what check() accepts with everything known, and the states, which
  /// are results behind the others.
  Status (*execute)(const Use &use, ExtensionOutputs &outputs);
  size_t stateCount = 0;
  /// Infers the types of the states of what check() accepts.
  Result<Types> (*states)(const Use &use) = nullptr;
};

/// Returns all rows; the number of an operation is its place.
std::span<const OperatorRow> operatorTable();

/// Returns the type of a result, whose scale and zero point may be any.
TensorType typeOf(OperandType type, Extents extents);
/// Returns the type of a state, with scale 1 where it has one.
TensorType stateOf(OperandType type, Extents extents);

/// Returns the elements of tensor \p index.
template <typename T>
std::span<const T> elementsOf(const Use &use, size_t index) {
  std::span<const std::byte> bytes = use.bytes(index);
  return {reinterpret_cast<const T *>(bytes.data()), bytes.size() / sizeof(T)};
}
/// Returns memory for the elements of result \p index, all 0.
template <typename T>
Result<std::span<T>> allocate(ExtensionOutputs &outputs, size_t index,
                              const Extents &extents) {
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> memory,
                         outputs.allocate(index, extents));
  std::span<T> elements(reinterpret_cast<T *>(memory.data()),
                        memory.size() / sizeof(T));
  std::ranges::fill(elements, T());
  return elements;
}

/// Returns the real that a byte of a tensor of \p type stands for, whose scale
/// is multiplied by \p factor.
inline float realOf(const TensorType &type, int byte, float factor = 1.0f) {
  return (float(byte) - float(type.zeroPoint)) * (type.scale * factor);
}
/// Reads elements of a tensor that checkReal() accepts, as many as \p to has
/// places, from element \p begin on, as reals times \p factor: (q - zero point)
/// * (scale * factor).
void readReals(const Use &use, size_t tensor, size_t begin, std::span<float> to,
               float factor = 1.0f);
/// Returns all elements of a tensor in that way.
std::vector<float> realsOf(const Use &use, size_t tensor, float factor = 1.0f);

// The operators, by the files that have them.
extern const OperatorRow detectionRow, posenetRow, spectrogramRow, mfccRow;
extern const OperatorRow windowRow, autoScaleRow, transformRow, inverseRow,
    energyRow;
extern const OperatorRow filterBankRow, squareRootRow, subtractionRow, gainRow,
    logarithmRow;
extern const OperatorRow delayRow, framerRow, stackerRow, overlapAddRow;
extern const OperatorRow poolRow, unpoolRow;
extern const OperatorRow cropRow, moveRow, sampleRow;

} // namespace nnhal::tflite_custom

#endif // NNHAL_LIB_EXTENSIONS_TFLITECUSTOM_OPERATOR_H
