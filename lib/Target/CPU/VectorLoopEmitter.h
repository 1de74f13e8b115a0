//===- VectorLoopEmitter.h - Loops over native vectors ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_VECTORLOOPEMITTER_H
#define NNHAL_LIB_TARGET_CPU_VECTORLOOPEMITTER_H

#include "CostModel.h"
#include "LaneReduction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

#include <optional>

namespace nnhal {

/// Emits one linalg operation as a loop nest whose innermost loop works on
/// vectors along one dimension of the iteration space, the lane dimension.
class VectorLoopEmitter {
public:
  VectorLoopEmitter(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op,
                    const kernel::KernelTarget &target)
      : builder(builder), op(op), loc(op.getLoc()), target(target) {}

  /// Picks the lane dimension; failure when no dimension serves.
  llvm::LogicalResult analyze();
  void emit();

private:
  llvm::LogicalResult analyzeParallel();
  llvm::LogicalResult analyzeReduction();
  llvm::LogicalResult analyzeBody();
  bool isUsable(mlir::OpOperand &operand);
  bool readsAlongLanes(mlir::memref::LoadOp load);
  bool isContiguousElementwise();
  void collapseToOneDimension();

  mlir::Block *beginLoop(unsigned dim, mlir::Value lower, mlir::Value upper,
                         int64_t step);
  void emitOuterLoops(unsigned position);
  void emitLanes();
  std::optional<unsigned> findJoinedDim();
  void emitJoinedRounds(unsigned position);
  void beginRound(size_t round);
  void emitUniform();
  mlir::IRMapping emitUniformOfRound();
  bool isUniform(mlir::Operation &bodyOp, const mlir::IRMapping &uniform);
  void emitBody(int64_t width, mlir::Value laneIndex);
  mlir::IRMapping cloneBody(int64_t width, mlir::Value laneIndex, size_t round,
                            mlir::ValueRange carried);
  mlir::Value load(mlir::Value memref, mlir::AffineMap map, int64_t width);
  llvm::SmallVector<mlir::Value> indicesOf(mlir::AffineMap map);
  mlir::Value cloneBodyOp(mlir::Operation &bodyOp, int64_t width,
                          mlir::IRMapping &mapping);
  mlir::Value widen(mlir::Value value, int64_t width);

  int64_t reductionWidth();
  void emitReducedLanes();
  mlir::Value accumulate(mlir::Value carried, int64_t begin, int64_t end);
  mlir::Value joinHalves(mlir::Value carried);
  mlir::Value join(mlir::Value carried, mlir::Value element);

  mlir::OpBuilder &builder;
  mlir::linalg::LinalgOp op;
  mlir::Location loc;
  const kernel::KernelTarget &target;

  int64_t maxLanes = 1;
  unsigned laneDim = 0;
  /// The reduction along the lane dimension, unless each lane is a result of
  /// its own.
  std::optional<LaneReduction> reduction;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::AffineMap> maps;
  /// Induction variable of every dimension, while emitting.
  llvm::SmallVector<mlir::Value> ivs;
  llvm::SmallVector<unsigned> outerDims;
  /// The dimension, if any, of which a loop takes several rounds at once.
  std::optional<unsigned> joinedDim;
  /// Its values in the rounds that are emitted together; one null value if none
  /// are.
  llvm::SmallVector<mlir::Value> rounds = {mlir::Value()};
  /// Values of the body that are the same for all lanes, for each round, while
  /// emitting.
  llvm::SmallVector<mlir::IRMapping> uniforms;
};

/// Whether rounds of dimension \p dim write different elements of each result
/// of \p op, whose operands are read and written by \p maps.
bool isParallel(mlir::linalg::LinalgOp op, llvm::ArrayRef<mlir::AffineMap> maps,
                unsigned dim);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_VECTORLOOPEMITTER_H
