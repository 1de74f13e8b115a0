//===- HalForm.h - Operations turned back into the HAL's form ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What checkOperation() of nnhal/Backend/Signatures.h needs: operands in the
// HAL's order with attributes as constant scalars. Threads: pure functions and
// values.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_HALFORM_H
#define NNHAL_DIALECT_NNHAL_IR_HALFORM_H

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Dialect/NNHal/IR/TensorTypes.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/ValueRange.h"

#include <deque>
#include <optional>

namespace nnhal {

class OperationOp;

/// One input of a HAL operation, as NNHal_FormOp lists them in ODS.
struct HalInput {
  enum Kind {
    // Operands.
    operand,
    spatial,
    optional,
    // Attributes.
    integer,
    real,
    flag,
    numberFlag,
    recurrentActivation,
    softNmsKernel,
    lshKind,
    // Neither: always NHWC.
    layout,
  };

  Kind kind;
  /// Empty for a layout.
  const char *name;
  /// The attribute that stands for a left-out input.
  std::optional<double> fallback = std::nullopt;

  bool isOperand() const { return kind <= optional; }
};

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
  void addOmitted() { operation.inputs.emplace_back().isOmitted = true; }
  /// A reference to a subgraph.
  void addReference();
  /// A constant scalar; \p attribute may be null where \p input has a fallback.
  void addAttribute(const HalInput &input, mlir::Attribute attribute);

  void addOutput(mlir::Type type);
  void addStatedOutput(mlir::Type type);
  /// \p count outputs of which nothing is known.
  void setOutputCount(unsigned count) { operation.outputs.resize(count); }

  const rt::Status &getStatus() const { return status; }
  /// What checkOperation() takes; refers to this view.
  const rt::OperationView &getOperation() const { return operation; }

private:
  void addInput(mlir::Value value, bool isStated);
  template <typename T> void addScalar(rt::OperandType type, T value);
  void addInteger(llvm::StringRef name, int64_t value);
  void addReal(double value);
  /// The value of the constant that defines \p value, where that is cheap.
  std::optional<std::span<const std::byte>> valueOf(mlir::Value value);
  rt::TensorType typeOf(mlir::Type type, bool isStated, llvm::StringRef what,
                        size_t index);

  rt::OperationView operation;
  rt::Status status;
  /// Elements stay where they are when others are added.
  std::deque<std::vector<uint8_t>> storage;
};

/// Checks \p view with the result types of \p op and reports a failure as an
/// error of \p op.
llvm::LogicalResult verifyHalForm(mlir::Operation *op, HalView &view);

/// What the rule gives \p view for \p resultCount results.
RuleResult inferHalForm(HalView &view, unsigned resultCount);

/// Verifies \p op, an operation as the HAL states it, of a name in the HAL's
/// table.
llvm::LogicalResult verifyStatedUse(OperationOp op, rt::OperationType type);

/// Reads \p op, an operation in the HAL's form, with what is known of its
/// extents. invalidArgument when the HAL has no such operation or type.
rt::Status readHalForm(OperationOp op, HalView &view);

/// Gives results of \p op the rank and extents that its rule infers where its
/// type leaves them open. Returns the rule's error, if it has one.
rt::Status refineResultTypes(OperationOp op);

/// Reads the inputs of an operation that is declared by NNHal_FormOp.
template <typename OpTy>
void readHalForm(typename OpTy::Adaptor adaptor, HalView &view) {
  view.setType(OpTy::getOperationCode());
  unsigned operand = 0;
  for (const HalInput &input : OpTy::getHalInputs()) {
    if (input.isOperand()) {
      mlir::ValueRange segment = adaptor.getODSOperands(operand++);
      segment.empty() ? view.addOmitted() : view.addInput(segment.front());
      continue;
    }
    // The context serves segment sizes only.
    mlir::Attribute attribute =
        OpTy::getInherentAttr(/*ctx=*/nullptr, adaptor.getProperties(),
                              input.name)
            .value_or(mlir::Attribute());
    view.addAttribute(input, attribute);
  }
}

} // namespace nnhal

#endif // NNHAL_DIALECT_NNHAL_IR_HALFORM_H
