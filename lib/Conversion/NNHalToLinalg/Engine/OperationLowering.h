//===- OperationLowering.h - One HAL operation being lowered ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operation of the HAL has one lowering, canonical or not: for every
// type, extents and parameters known or not. It reads the operation in the
// HAL's form (HalFormOpInterface); the form is decoded by the functions of
// nnhal/Backend/Signatures that validation and the reference device use. A
// result element is stated as an expression over elements of the inputs. What
// it reads at its own indices, or at some of them, becomes an operand of the
// linalg operation with an indexing map; only what no map can say is read by
// tensor.extract. Moved, filled and folded tensors are upstream's operations.
//
// Pictures are in NHWC order here: nnhal-raise-operations transposes those of
// an operation in NCHW order, canonical or not. Only routines of the runtime
// read both.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_OPERATIONLOWERING_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_OPERATIONLOWERING_H

#include "Runtime/Artifact/FailureReasons.h"
#include "Runtime/Numerics/Quantization.h"
#include "nnhal/Backend/Signatures.h"
#include "nnhal/Conversion/NNHalToLinalg.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "../../Common/TensorBuilder.h"

#include <array>
#include <span>

namespace nnhal {

using rt::FailureReason;

class OperationLowering : public TensorBuilder {
public:
  OperationLowering(HalFormOpInterface op, mlir::ValueRange operands,
                    mlir::ConversionPatternRewriter &rewriter,
                    LinalgLowering &shared);

  /// Reads the operation; fails with a reason when that is not possible.
  llvm::LogicalResult prepare();
  /// Replaces the operation by its results.
  llvm::LogicalResult finish(const mlir::TypeConverter &converter);

  rt::Rounding rounding() const { return shared.getRounding(); }
  const LoweringPolicy &policy() const { return shared.getPolicy(); }
  /// Of the decoders: types and constant values.
  const rt::OperationView &view() const { return halView.getOperation(); }
  rt::OperationType type() const { return view().type; }

  /// The value of \p result, or an error that lowering ends with.
  template <typename T> llvm::FailureOr<T> decoded(rt::Result<T> result) {
    if (!result.isOk())
      return fail(result.status().message());
    return *std::move(result);
  }

  //===--------------------------------------------------------------------===//
  // Inputs
  //===--------------------------------------------------------------------===//

  size_t inputCount() const { return view().inputs.size(); }
  /// The place of the input that the table of signatures calls \p name, in the
  /// form that this use has; inputCount() where it is left out at the end or
  /// another form has it.
  size_t indexOf(std::string_view name) const { return places.indexOf(name); }
  bool states(std::string_view name) const { return places.has(name); }
  /// False where the model leaves input \p index out, by count or by NO_VALUE.
  bool hasInput(size_t index) const {
    return index < inputCount() && !view().inputs[index].isOmitted;
  }
  /// Whether this execution has input \p index, as i1: a model input may be
  /// omitted by the request. Constant false where hasInput() is.
  Scalar isPresent(size_t index);
  /// A tensor of known rank. \p index has an input.
  Tensor input(size_t index);
  /// A scalar input, known or computed, in its storage type.
  Scalar scalar(size_t index);
  /// The elements of input \p index in the IR, if it is constant; else null.
  mlir::ElementsAttr constantOf(size_t index) const;
  /// The \p count elements of a vector of integers or of a matrix of pairs,
  /// row by row, known or computed; their number is checked.
  llvm::SmallVector<Scalar> integers(size_t index, int64_t count);
  /// Whether the value of input \p index is known now.
  bool isConstant(size_t index) const {
    return view().inputs[index].value.has_value();
  }

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  /// The stated type with what the rules add; extents may be unknown.
  const rt::TensorType &outputType(size_t index = 0) const {
    return facts.results[index];
  }
  /// The rank of a result; an error where neither the rule nor the model tells
  /// it.
  llvm::FailureOr<int64_t> resultRank(size_t index = 0);
  /// \p extents with those that the model states in place of computed ones,
  /// which are checked.
  llvm::SmallVector<Scalar> stated(Indices extents, size_t index = 0);
  void setOutput(size_t index, const Tensor &result);
  void setOutput(const Tensor &result) { setOutput(0, result); }
  /// A scalar result, as of RANK.
  void setScalarOutput(Scalar result) { results[0] = result; }

  //===--------------------------------------------------------------------===//
  // Building
  //===--------------------------------------------------------------------===//

  /// Stops the execution unless \p condition holds.
  void check(Scalar condition, FailureReason reason, Scalar found,
             Scalar bound);
  void checkEqual(Scalar found, Scalar expected,
                  FailureReason reason = FailureReason::extentsDiffer);
  /// Checks a condition for each index below \p count; \p found is reported for
  /// the first one that breaks it.
  struct Condition {
    Scalar holds;
    Scalar found;
  };
  void checkEach(Scalar count, llvm::function_ref<Condition(Scalar)> condition,
                 FailureReason reason, Scalar bound);
  /// No extent of \p tensor is 0, as most operations demand (M-027).
  void checkNotEmpty(const Tensor &tensor);
  /// \p index counted from the front, checked to be within \p rank.
  Scalar checkedAxis(Scalar index, int64_t rank);

  /// An output element from a real number: rounded to the float type, or
  /// quantized half away from zero and clamped (M-029); NaN becomes the zero
  /// point.
  Scalar encode(Scalar real, const rt::TensorType &type);
  /// An output element from an i32, clamped to the storage.
  Scalar encodeInteger(Scalar integer, const rt::TensorType &type);
  /// i1 as TENSOR_BOOL8.
  Scalar encodeTruth(Scalar truth);
  using UpdateBody =
      llvm::function_ref<Tensor(Tensor current, Indices indices)>;
  /// \p tensor after \p body for each of the indices below \p extents, in row-
  /// major order. \p body returns `current` with elements replaced by insert().
  Tensor update(const Tensor &tensor, Indices extents, UpdateBody body);
  /// update() of the elements themselves.
  Tensor fill(const Tensor &tensor, Indices extents, ElementBuilder element);

  using LoopBody = llvm::function_ref<llvm::SmallVector<Scalar>(
      Scalar index, llvm::ArrayRef<Scalar> values)>;
  /// Carries values through `for (index = begin; index < end; ++index)`.
  llvm::SmallVector<Scalar> loop(Scalar begin, Scalar end,
                                 llvm::ArrayRef<Scalar> initial, LoopBody body);
  using TensorLoopBody = llvm::function_ref<llvm::SmallVector<Tensor>(
      Scalar index, llvm::ArrayRef<Tensor> tensors)>;
  /// The same of tensors, which \p body must update() or insert() into: then
  /// all rounds share their memory.
  llvm::SmallVector<Tensor> loopOverTensors(Scalar begin, Scalar end,
                                            llvm::ArrayRef<Tensor> initial,
                                            TensorLoopBody body);
  /// The same from 0, of one value.
  Scalar fold(Scalar count, Scalar initial,
              llvm::function_ref<Scalar(Scalar index, Scalar value)> body);
  /// \p yes where \p condition holds, else \p no; only one is evaluated.
  Scalar branch(Scalar condition, llvm::function_ref<Scalar()> yes,
                llvm::function_ref<Scalar()> no);

  /// The integer \p at of \p indices as an index below \p extent: cut to that
  /// range, although it has been checked. The check of a constant folds away,
  /// the constant itself comes from the data cache, whose damage must not lead
  /// outside of a tensor (E-044).
  Scalar indexFrom(const Tensor &indices, Indices at, Scalar extent);

  /// The shape that \p lhs and \p rhs broadcast to (M-021), checked.
  llvm::SmallVector<Scalar> broadcast(Indices lhs, Indices rhs);
  /// Where an operand of \p extents is read for \p indices of a shape that it
  /// broadcasts to.
  llvm::SmallVector<Scalar> broadcastIndices(Indices extents, Indices indices);

  // A 1-D constant.
  Tensor constantTable(llvm::ArrayRef<int32_t> values);
  Tensor constantTable(llvm::ArrayRef<float> values);
  Tensor constantTable(llvm::ArrayRef<int8_t> values);
  /// Ends the lowering with \p reason, which completes "cannot be lowered: ".
  llvm::LogicalResult fail(const llvm::Twine &reason);

private:
  /// The operand that input \p index is, before conversion; null for a
  /// parameter.
  mlir::Value operandOf(size_t index) const;
  /// The value of input \p index, a parameter.
  mlir::TypedAttr parameterOf(size_t index);

  llvm::LogicalResult checkRanks();
  /// Pictures must be known to be in NHWC order.
  llvm::LogicalResult checkLayout();

  HalFormOpInterface op;
  mlir::ValueRange operands;
  mlir::ConversionPatternRewriter &rewriter;
  LinalgLowering &shared;
  HalView halView;
  rt::InputPlaces places;
  rt::OperationFacts facts;
  llvm::SmallVector<mlir::Value> results;
};

/// A real number within the bounds of \p activation; NaN stays (M-019).
Scalar activated(Scalar value, rt::FusedActivation activation);

using LoweringFunction = llvm::LogicalResult (*)(OperationLowering &lowering);
struct LoweringRow {
  rt::OperationType type;
  LoweringFunction lower;
};

// Of files of their own.
llvm::LogicalResult lowerSoftmax(OperationLowering &op);
llvm::LogicalResult lowerLogSoftmax(OperationLowering &op);

// One per family file.
std::span<const LoweringRow> activationRows();
std::span<const LoweringRow> contractionRows();
std::span<const LoweringRow> dataMovementRows();
std::span<const LoweringRow> detectionRows();
std::span<const LoweringRow> elementwiseRows();
std::span<const LoweringRow> lookupRows();
std::span<const LoweringRow> normalizationRows();
std::span<const LoweringRow> recurrentRows();
std::span<const LoweringRow> reductionRows();
std::span<const LoweringRow> resizeRows();
std::span<const LoweringRow> shapeRows();
std::span<const LoweringRow> windowRows();
std::span<const LoweringRow> routineRows();

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_OPERATIONLOWERING_H
