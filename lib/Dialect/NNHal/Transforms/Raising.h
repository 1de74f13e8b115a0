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

  unsigned size() { return op.getInputs().size(); }
  /// False when input \p index is left out, by count or by NO_VALUE.
  bool isGiven(unsigned index);
  /// True when input \p index is a BOOL scalar.
  bool isFlag(unsigned index);
  /// True when input \p index is a floating-point scalar.
  bool isReal(unsigned index);

  /// A tensor of known rank.
  mlir::Value tensor(unsigned index);
  /// Constant scalars: INT32, FLOAT32 or FLOAT16, BOOL.
  int64_t integer(unsigned index);
  float real(unsigned index);
  bool flag(unsigned index);
  /// The elements of a constant TENSOR_INT32.
  llvm::SmallVector<int64_t> integers(unsigned index);
  FusedActivation activation(unsigned index);
  /// The layout input: true for NCHW; false where it is left out.
  bool isNchw(unsigned index) { return isGiven(index) && flag(index); }
  /// The graph that input \p index refers to.
  mlir::FlatSymbolRefAttr graph(unsigned index);
  /// Tensor \p index with channels last.
  mlir::Value channelsLast(unsigned index, bool isNchw);

  /// The shape of \p value, which tensor() returned.
  static llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  unsigned resultCount() { return op->getNumResults(); }
  /// The type of result \p index as stated, with what it leaves open taken from
  /// \p shape where that is given; fails when they contradict each other.
  mlir::Type resultType(unsigned index,
                        std::optional<llvm::ArrayRef<int64_t>> shape = {});

  /// Replaces the operation by an OpTy of \p arguments; results keep what their
  /// stated types say and learn the rest from the operation's rule.
  template <typename OpTy, typename... Arguments>
  void replace(Arguments &&...arguments) {
    if (hasFailed())
      return;
    finish<OpTy>(makeOp<OpTy>(op->getResultTypes(),
                              std::forward<Arguments>(arguments)...),
                 /*isNchw=*/false);
  }

  /// The same for one result of type \p type.
  template <typename OpTy, typename... Arguments>
  void replaceWithType(mlir::Type type, Arguments &&...arguments) {
    if (hasFailed())
      return;
    finish<OpTy>(makeOp<OpTy>({type}, std::forward<Arguments>(arguments)...),
                 /*isNchw=*/false);
  }

  /// The same for several results of types \p types.
  template <typename OpTy, typename... Arguments>
  void replaceWithTypes(mlir::TypeRange types, Arguments &&...arguments) {
    if (hasFailed())
      return;
    finish<OpTy>(makeOp<OpTy>(types, std::forward<Arguments>(arguments)...),
                 /*isNchw=*/false);
  }

  /// The same for an operation with channels last; \p isNchw transposes its
  /// result back.
  template <typename OpTy, typename... Arguments>
  void replaceSpatial(bool isNchw, Arguments &&...arguments) {
    if (hasFailed())
      return;
    finish<OpTy>(makeOp<OpTy>({spatialResultType(isNchw)},
                              std::forward<Arguments>(arguments)...),
                 isNchw);
  }
  /// The same for an operation that reads its result's shape, \p shape.
  template <typename OpTy, typename... Arguments>
  void replaceResized(bool isNchw, llvm::ArrayRef<int64_t> shape,
                      Arguments &&...arguments) {
    if (hasFailed())
      return;
    finish<OpTy>(makeOp<OpTy>({statedType(spatialResultType(isNchw), shape)},
                              std::forward<Arguments>(arguments)...),
                 isNchw);
  }
  /// The same for an operation that is declared by NNHal_FormOp.
  template <typename OpTy>
  void replaceForm(bool isNchw, mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes) {
    if (hasFailed())
      return;
    llvm::SmallVector<mlir::Type> types(op->getResultTypes());
    if (isNchw)
      types = {spatialResultType(true)};
    mlir::OperationState state(op.getLoc(), OpTy::getOperationName(), operands,
                               types, attributes);
    mlir::Operation *created = builder.create(state);
    typename OpTy::Adaptor adaptor{llvm::cast<OpTy>(created)};
    refine(created, OpTy::inferTypes(adaptor, unsigned(types.size())));
    replaceBy(created, isNchw);
  }
  /// The same for an operation whose results are those of graphs.
  template <typename OpTy, typename... Arguments>
  void replaceGraphs(Arguments &&...arguments) {
    if (hasFailed())
      return;
    replaceBy(OpTy::create(builder, op.getLoc(), op->getResultTypes(),
                           std::forward<Arguments>(arguments)...),
              /*isNchw=*/false);
  }
  /// The stated type of result 0 with channels last.
  mlir::Type spatialResultType(bool isNchw);

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
  template <typename OpTy, typename... Arguments>
  OpTy makeOp(mlir::TypeRange types, Arguments &&...arguments) {
    if constexpr (OpTy::template hasTrait<mlir::OpTrait::OneResult>())
      return OpTy::create(builder, op.getLoc(), mlir::TypeRange(types[0]),
                          std::forward<Arguments>(arguments)...);
    else
      return OpTy::create(builder, op.getLoc(), types,
                          std::forward<Arguments>(arguments)...);
  }

  template <typename OpTy> void finish(OpTy created, bool isNchw) {
    if constexpr (requires {
                    OpTy::inferTypes(typename OpTy::Adaptor(created));
                  })
      refine(created, OpTy::inferTypes(typename OpTy::Adaptor(created)));
    replaceBy(created, isNchw);
  }

  /// withKnownExtents(); fails when \p stated says otherwise.
  mlir::Type statedType(mlir::Type stated, llvm::ArrayRef<int64_t> shape);
  /// Fills unknown extents of results of \p created in from \p inferred.
  void refine(mlir::Operation *created, const RuleResult &inferred);
  void replaceBy(mlir::Operation *created, bool isNchw);
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
/// of \p constants, scalars by nnhal.constant_copy. invalidArgument when a
/// value is not available.
rt::Status settleConstants(OperationOp op, ConstantCache &constants);

/// Integer elements of a constant; nullopt when \p value holds no integers.
std::optional<llvm::SmallVector<int64_t>> integersOf(mlir::Attribute value);

/// An operation whose inputs are exactly its operands.
template <typename OpTy> void raiseUnary(Raising &raising) {
  raising.replace<OpTy>(raising.tensor(0));
}
template <typename OpTy> void raiseBinary(Raising &raising) {
  mlir::Value lhs = raising.tensor(0), rhs = raising.tensor(1);
  raising.replace<OpTy>(lhs, rhs);
}

// One per family file; each adds the rows of its operations.
void addActivationRows(RaiseTable &table);
void addContractionRows(RaiseTable &table);
void addControlFlowRows(RaiseTable &table);
void addDataMovementRows(RaiseTable &table);
void addElementwiseRows(RaiseTable &table);
void addHalFormRows(RaiseTable &table);
void addReductionRows(RaiseTable &table);
void addSliceRows(RaiseTable &table);
void addWindowRows(RaiseTable &table);

/// Pads [head, tail] of one dimension for padding scheme \p scheme (M-007,
/// M-008). SAME needs \p input unless \p stride is 1.
std::pair<int64_t, int64_t> implicitPads(Raising &raising, int64_t scheme,
                                         int64_t input, int64_t filter,
                                         int64_t stride, int64_t dilation);

} // namespace nnhal

#endif // NNHAL_LIB_DIALECT_NNHAL_TRANSFORMS_RAISING_H
