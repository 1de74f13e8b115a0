//===- InlineGraph.h - Graphs as operations of a function -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOFUNC_INLINEGRAPH_H
#define NNHAL_LIB_CONVERSION_NNHALTOFUNC_INLINEGRAPH_H

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nnhal {

/// The buffer that holds a tensor or scalar of \p type; null where there is
/// none.
mlir::MemRefType bufferTypeOf(mlir::Type type);
/// What \p buffer holds, as a value of \p type.
mlir::Value readBuffer(mlir::ImplicitLocOpBuilder &builder, mlir::Value buffer,
                       mlir::Type type);
/// \p value as a tensor of stored elements.
mlir::Value storedValue(mlir::ImplicitLocOpBuilder &builder, mlir::Value value);
/// \p value in \p buffer.
void writeBuffer(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                 mlir::Value buffer);

struct LoopStates;

/// An IF or WHILE, canonical or as the HAL states it.
struct GraphCall {
  bool isLoop() const;

  mlir::Operation *op;
  /// The two branches; the condition and the body of a loop.
  llvm::SmallVector<GraphOp, 2> graphs;
  /// The condition of an IF and what is passed.
  llvm::SmallVector<mlir::Value> inputs;
};

/// Copies graphs of a model to where its builder stands; IF becomes scf.if and
/// WHILE scf.while around copies of the graphs that they name.
class GraphInliner {
public:
  GraphInliner(ModelOp model, mlir::OpBuilder &builder)
      : model(model), builder(builder) {}

  /// What \p graph yields for \p inputs. Operations infer
  /// their results' types again, from those of \p inputs.
  llvm::FailureOr<llvm::SmallVector<mlir::Value>>
  inlineGraph(GraphOp graph, mlir::ValueRange inputs);

  /// How many copies of graphs there are.
  unsigned graphCount() const { return copies; }

  /// castExtents() where the builder stands.
  mlir::Value castTo(mlir::Location loc, mlir::Value value, mlir::Type type);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  llvm::LogicalResult inlineOperation(mlir::Operation *op,
                                      mlir::IRMapping &mapping);
  llvm::FailureOr<GraphCall> readCall(mlir::Operation *op,
                                      const mlir::IRMapping &mapping);
  llvm::FailureOr<Values> inlineIf(const GraphCall &call);
  llvm::FailureOr<Values> inlineWhile(const GraphCall &call);
  llvm::FailureOr<LoopStates> beginStates(mlir::Operation *op, GraphOp body,
                                          mlir::ValueRange initial);
  llvm::LogicalResult endRound(mlir::Operation *op, const LoopStates &states,
                               mlir::ValueRange next);
  /// The only element of \p condition, as i1.
  mlir::Value truthOf(mlir::Location loc, mlir::Value condition);
  llvm::FailureOr<Values> inlineBranch(GraphOp graph, mlir::ValueRange inputs,
                                       mlir::Region &region);

  /// Fails when \p graph cannot be copied once more.
  llvm::LogicalResult enterGraph(GraphOp graph);
  llvm::FailureOr<Values> copyGraph(GraphOp graph, mlir::ValueRange inputs);

  ModelOp model;
  mlir::OpBuilder &builder;
  /// The graphs that are being copied, each into the one before.
  llvm::SmallVector<GraphOp> active;
  unsigned copies = 0;
};

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOFUNC_INLINEGRAPH_H
