//===- Raising.h - One HAL operation while it is raised ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_DIALECT_NNHAL_TRANSFORMS_RAISING_H
#define NNHAL_LIB_DIALECT_NNHAL_TRANSFORMS_RAISING_H

#include "Runtime/Support/Errors.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <map>

namespace nnhal {

/// The nnhal.constant of each constant operand of a graph, made on demand.
using ConstantCache = llvm::DenseMap<mlir::Value, mlir::Value>;

/// Reads the inputs of one generic operation and replaces it.
///
/// The first failure sticks: readers then return defaults and replace() does
/// nothing, so that a family's function can read everything in a row.
class Raising {
public:
  Raising(OperationOp op, ConstantCache &constants);

  //===--------------------------------------------------------------------===//
  // Inputs
  //===--------------------------------------------------------------------===//

  /// The operation as the HAL states it.
  OperationOp getOperation() { return op; }
  unsigned size() { return op.getInputs().size(); }
  /// False when input \p index is left out, by count or by NO_VALUE.
  bool isGiven(unsigned index);
  /// True when input \p index is a floating-point scalar.
  bool isReal(unsigned index);

  /// Fails unless all inputs that are given have a known rank: the rule of the
  /// operation has been checked then.
  void checkRanks();
  /// A tensor of known rank.
  mlir::Value tensor(unsigned index);
  /// Constant scalars, of the types that the rule demands: INT32, FLOAT32 or
  /// FLOAT16, BOOL.
  int64_t integer(unsigned index);
  float real(unsigned index);
  bool flag(unsigned index);
  /// The elements of a constant TENSOR_INT32.
  llvm::SmallVector<int64_t> integers(unsigned index);
  /// The layout input: true for NCHW; false where it is left out.
  bool isNchw(unsigned index) { return isGiven(index) && flag(index); }
  /// The graph that input \p index refers to.
  mlir::FlatSymbolRefAttr graph(unsigned index);
  /// Tensor \p index with channels last.
  mlir::Value channelsLast(unsigned index, bool isNchw);
  /// Result 0 of \p created, which has channels last, in NCHW order.
  mlir::Value channelsFirst(mlir::Operation *created);

  /// The shape of \p value, which tensor() returned.
  static llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  /// The stated type of result \p index with what its rule has inferred.
  mlir::Type resultType(unsigned index) {
    return op->getResult(index).getType();
  }
  /// The type of result 0 with channels last.
  mlir::Type spatialResultType(bool isNchw);
  /// Replaces the operation by one of type \p name that is declared by
  /// NNHal_FormOp; \p isNchw transposes its result, which has the type
  /// \p spatialType, back.
  void replaceForm(mlir::OperationName name, mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes, bool isNchw,
                   mlir::Type spatialType);
  /// Replaces the operation by an OpTy whose results are those of graphs.
  template <typename OpTy, typename... Arguments>
  void replaceGraphs(Arguments &&...arguments) {
    if (hasFailed())
      return;
    replaceBy(OpTy::create(builder, op.getLoc(), op->getResultTypes(),
                           std::forward<Arguments>(arguments)...),
              /*isNchw=*/false);
  }

  //===--------------------------------------------------------------------===//
  // Failure
  //===--------------------------------------------------------------------===//

  template <typename... Arguments>
  void fail(fmt::format_string<Arguments...> format, Arguments &&...arguments) {
    if (status.isOk())
      status = rt::badData(format, std::forward<Arguments>(arguments)...);
  }
  bool hasFailed() const { return !status.isOk(); }
  const std::string &message() const { return status.message(); }
  mlir::OpBuilder &getBuilder() { return builder; }

private:
  void replaceBy(mlir::Operation *created, bool isNchw);
  void eraseMade();
  /// The constant that defines input \p index; null after fail().
  mlir::Attribute constant(unsigned index);

  OperationOp op;
  ConstantCache &constants;
  mlir::OpBuilder builder;
  rt::Status status;
  /// Erased again on failure, last first.
  llvm::SmallVector<mlir::Operation *> made;
};

using RaiseFunction = void (*)(Raising &raising);
using RaiseTable = std::map<rt::OperationType, RaiseFunction>;

/// The constant value of \p value: of an nnhal.constant, nnhal.constant_copy or
/// nnhal.constant_reference. Null when something else defines it or its bytes
/// are not available.
mlir::Attribute constantValueOf(mlir::Value value);

/// Replaces constants that \p op reads from pools by values: tensors by those
/// of \p constants, scalars by nnhal.constant_copy. Tensors of elements that
/// are not stored as numbers stay. invalidArgument when a value is not
/// available.
rt::Status settleConstants(OperationOp op, ConstantCache &constants);

/// Integer elements of a constant; nullopt when \p value holds no integers.
std::optional<llvm::SmallVector<int64_t>> integersOf(mlir::Attribute value);

void addControlFlowRows(RaiseTable &table);
void addHalFormRows(RaiseTable &table);

} // namespace nnhal

#endif // NNHAL_LIB_DIALECT_NNHAL_TRANSFORMS_RAISING_H
