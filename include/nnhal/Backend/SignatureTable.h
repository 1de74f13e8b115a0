//===- SignatureTable.h - The inputs of each operation ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// One table of data says which inputs each operation of the HAL has: their
// names and kinds, the types and the HAL version that accepts them, the form of
// padding that has them, and which may be omitted or left out. Validation, the
// decoding of parameters, compliance with older versions, trailing defaults
// and docs/Using/Operations.md read it, and the operands and attributes of the
// dialect's operations are made from it. Shapes, and types of results, are left
// to the rules (Rules.h). Threads: constants and pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_SIGNATURETABLE_H
#define NNHAL_BACKEND_SIGNATURETABLE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Model.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace nnhal::rt {

enum class InputKind : uint8_t {
  tensor,
  /// An INT32, a BOOL.
  int32,
  boolean,
  /// A FLOAT16 where input 0 is TENSOR_FLOAT16, a FLOAT32 otherwise (M-058,
  /// M-256).
  real,
  /// A TENSOR_INT32 of rank 1, of rank 2 with pairs.
  int32List,
  int32Pairs,
  /// A scalar with the value of an element: an INT32 in the units of storage
  /// where elements are not floats (M-117, M-118).
  element,
  /// An INT32 number of elements or a real factor (M-199).
  extent,
  subgraph,
};

enum class InputPresence : uint8_t {
  /// Every use states the input.
  stated,
  /// The input may be left out, with all that follow.
  trailing,
  /// There are InputRow::least or more inputs of this kind.
  repeated,
};

/// The forms of an operation that have an input.
enum class InputForm : uint8_t { every, implicitPadding, explicitPadding };

/// The meaning of an input beyond its kind.
enum class InputRole : uint8_t {
  none,
  /// A tensor whose dimensions are in the order that the layout says.
  spatial,
  layout,
  /// An INT32 that is 0 or 1, one that means true where it is positive.
  flag,
  positiveFlag,
  /// An INT32 with a meaning per value.
  fusedActivation,
  recurrentActivation,
  softNmsKernel,
  lshKind,
  /// Two extents, which follow each other in this order (M-075).
  width,
  height,
  /// The dimensions of extent 1, all dimensions in reverse where it is omitted.
  unitAxes,
  permutation,
  /// Shape and number of the outputs.
  resultShape,
  resultCount,
};

/// A type and the lowest version that accepts it in a place.
struct TypeSince {
  OperandType type;
  HalVersion since;
};

struct InputRow {
  std::string_view name;
  /// The name of the operand or attribute of the dialect's operation where it
  /// is another one, in words, too. A width has that of both extents.
  std::string_view canonicalName = {};
  InputKind kind = InputKind::tensor;
  InputRole role = InputRole::none;
  InputPresence presence = InputPresence::stated;
  InputForm form = InputForm::every;
  /// The operand that is stated may be NO_VALUE, and the request may omit it.
  bool isOmittable = false;
  /// A trailing input is stated with the one before it or not at all.
  bool isJoined = false;
  uint8_t least = 0;
  /// The lowest version in which an operation may state the input.
  HalVersion since = HalVersion::V1_0;
  /// The meaning of an input that is left out or omitted, where it has a value;
  /// for inputs that every use states, of an attribute that the operation of
  /// the dialect does not have.
  std::optional<int32_t> defaultValue = std::nullopt;
  /// The types of a tensor; empty where they follow from other operands.
  std::span<const TypeSince> types = {};
};

/// A number of outputs and the lowest version that accepts it.
struct OutputCount {
  uint8_t count;
  HalVersion since = HalVersion::V1_0;
};

struct Signature {
  OperationType operation;
  std::span<const InputRow> inputs;
  /// The counts in ascending order; empty where any number is legal.
  std::span<const OutputCount> outputs;
  /// Inputs may have no elements (M-027).
  bool takesEmpty = false;
};

/// Returns the row of \p operation; null for those that are not of the HAL.
NNHAL_API const Signature *signatureOf(OperationType operation);

/// Returns the numbers of inputs that \p signature allows, in ascending order;
/// the least alone where inputs repeat.
NNHAL_API std::vector<size_t> inputCountsOf(const Signature &signature);

/// Returns whether some input of \p signature repeats.
NNHAL_API bool hasRepeatedInputs(const Signature &signature);

/// Returns the row of each input of a use whose inputs have \p types: where
/// two forms have as many inputs, those of the form whose scalars have these
/// types (M-072, M-080). Empty where no form has as many inputs.
NNHAL_API std::vector<const InputRow *>
inputRowsOf(const Signature &signature, std::span<const OperandType> types);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_SIGNATURETABLE_H
