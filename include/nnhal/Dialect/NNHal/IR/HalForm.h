//===- HalForm.h - Operations turned back into the HAL's form ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What checkOperation() of nnhal/Backend/Signatures.h needs: operands in the
// HAL's order with attributes as constants. Threads: pure functions and
// values.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_HALFORM_H
#define NNHAL_DIALECT_NNHAL_IR_HALFORM_H

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Dialect/NNHal/IR/TensorTypes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/ValueRange.h"

#include <deque>
#include <optional>

namespace nnhal {

class OperationOp;

/// One input of a HAL operation, as NNHal_HalSignature lists them in ODS.
struct HalInput {
  enum Kind {
    // Operands.
    operand,
    spatial,
    optional,
    variadic,
    // Attributes.
    integer,
    real,
    flag,
    numberFlag,
    positiveFlag,
    number,
    integers,
    pairs,
    unitAxes,
    permutation,
    activation,
    recurrentActivation,
    softNmsKernel,
    lshKind,
    size,
    pads,
    transposedPads,
    width,
    height,
    // Neither: result types say it, and the layout is always NHWC.
    resultShape,
    resultCount,
    layout,
  };

  Kind kind;
  /// The name of the operand or attribute; empty where there is neither.
  const char *name;
  /// The attribute that stands for a left-out input.
  std::optional<double> fallback = std::nullopt;

  bool isOperand() const { return kind <= variadic; }
  bool isAttribute() const { return !isOperand() && kind < resultShape; }
};

/// How many inputs of the HAL \p input stands for in a use with \p places,
/// where it begins at place \p at.
unsigned countInputs(const HalInput &input, const rt::InputPlaces &places,
                     size_t at);

/// Returns the row of the table of signatures for \p use, an input of an
/// operation as the HAL states it; null for other operations and forms that the
/// HAL lacks.
const rt::InputRow *inputRowOf(mlir::OpOperand &use);

/// The attribute of \p kind, an enumeration, for the HAL's \p code; null when
/// it has no such code.
mlir::Attribute enumeratorAttr(mlir::MLIRContext *context, HalInput::Kind kind,
                               int64_t code);

/// The constant that defines \p value: that of an nnhal.constant or
/// nnhal.constant_copy; null when something else defines it.
mlir::Attribute definingConstant(mlir::Value value);

/// One use of an operation as the HAL states it, which owns the values of its
/// scalars. The first failure sticks.
class HalView {
public:
  HalView() = default;
  /// Values of the operation lie in here.
  HalView(const HalView &) = delete;
  HalView &operator=(const HalView &) = delete;

  void setType(rt::OperationType type) { operation.type = type; }

  /// An operand with the value of the constant that defines it, or omitted by
  /// nnhal.no_value. Static extents are known, 0 included.
  void addInput(mlir::Value value);
  /// An operand as the HAL's validation sees it: there 0 is an unknown extent.
  void addStatedInput(mlir::Value value);
  void addOmitted() { addView({}).isOmitted = true; }
  /// A reference to a subgraph.
  void addReference();
  /// What \p input stands for beside operands, as constants; \p attribute is
  /// null where it is left out. Outputs that it is read from must be there.
  void addParameter(const HalInput &input, mlir::Attribute attribute);

  void addOutput(mlir::Type type);
  void addStatedOutput(mlir::Type type);
  /// \p count outputs of which nothing is known.
  void setOutputCount(unsigned count);

  const rt::Status &getStatus() const { return status; }
  /// Keeps the first failure.
  void fail(rt::Status reason) {
    if (status.isOk())
      status = std::move(reason);
  }
  /// Which operand input \p index is; nullopt for a parameter and for what is
  /// left out.
  std::optional<unsigned> operandOf(size_t index) const {
    return operandNumbers[index];
  }
  /// What checkOperation() takes; refers to this view.
  const rt::OperationView &getOperation() const { return operation; }

private:
  rt::OperandView &addView(rt::OperandView view,
                           std::optional<unsigned> operand = std::nullopt);
  void addInput(mlir::Value value, bool isStated);
  template <typename T> void addScalar(rt::OperandType type, T value);
  void addInteger(llvm::StringRef name, int64_t value);
  void addReal(double value);
  void addNumber(llvm::StringRef name, mlir::Attribute attribute);
  /// A TENSOR_INT32 of \p shape; without \p values nothing is known of them.
  void addIntegers(llvm::StringRef name, std::vector<int64_t> shape,
                   std::optional<llvm::ArrayRef<int64_t>> values);
  /// [height, width] as a width and a height.
  void addSize(llvm::StringRef name, llvm::ArrayRef<int64_t> size);
  void addPads(const HalInput &input, mlir::DenseI64ArrayAttr pads);
  void addResultExtent(const HalInput &input, mlir::FloatAttr factor);
  void addResultShape(bool isSpatial);
  /// The value of the constant that defines \p value, where that is cheap.
  std::optional<std::span<const std::byte>> valueOf(mlir::Value value);
  rt::TensorType typeOf(mlir::Type type, bool isStated, llvm::StringRef what,
                        size_t index);

  rt::OperationView operation;
  /// Parallel to the inputs.
  std::vector<std::optional<unsigned>> operandNumbers;
  unsigned operandCount = 0;
  rt::Status status;
  /// Elements stay where they are when others are added.
  std::deque<std::vector<uint8_t>> storage;
};

/// Checks \p op, which implements HalFormOpInterface, by its rule and reports a
/// failure as an error of \p op.
llvm::LogicalResult verifyHalForm(mlir::Operation *op);

/// What the rule gives \p view for its results.
RuleResult inferHalForm(const HalView &view);

/// Verifies \p op, an operation as the HAL states it, of a name in the HAL's
/// table.
llvm::LogicalResult verifyStatedUse(OperationOp op, rt::OperationType type);

/// Gives results of \p op, which implements HalFormOpInterface, the rank and
/// extents that its rule infers where its type leaves them open. Returns the
/// rule's error, if it has one.
rt::Status refineResultTypes(mlir::Operation *op);

/// Reads a use of an operation that is declared by NNHal_FormOp. Without
/// \p results the outputs of \p view stay as they are.
template <typename OpTy>
void readHalForm(typename OpTy::Adaptor adaptor, mlir::TypeRange results,
                 HalView &view) {
  view.setType(OpTy::getOperationCode());
  for (mlir::Type result : results)
    view.addOutput(result);
  unsigned segment = 0;
  for (const HalInput &input : OpTy::getHalInputs()) {
    if (input.isOperand()) {
      mlir::ValueRange operands = adaptor.getODSOperands(segment++);
      if (operands.empty() && input.kind != HalInput::variadic)
        view.addOmitted();
      for (mlir::Value operand : operands)
        view.addInput(operand);
      continue;
    }
    // The context serves segment sizes only.
    mlir::Attribute attribute;
    if (input.isAttribute())
      attribute = OpTy::getInherentAttr(/*ctx=*/nullptr,
                                        adaptor.getProperties(), input.name)
                      .value_or(mlir::Attribute());
    view.addParameter(input, attribute);
  }
}

} // namespace nnhal

#endif // NNHAL_DIALECT_NNHAL_IR_HALFORM_H
