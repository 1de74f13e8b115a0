//===- ConstantUses.cpp - What constants are used for ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantUses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nnhal;

namespace {
/// Follows what elements of a constant become.
class ElementUses {
public:
  /// True when one becomes part of an address.
  bool follow(Value constant);

private:
  /// Buffers that are parts of the constant, and values that follow from its
  /// elements.
  void followBuffer(OpOperand &use);
  bool followValue(OpOperand &use);
  void followTerminator(OpOperand &use);
  void add(ValueRange values) {
    for (Value value : values)
      reached.insert(value);
  }

  llvm::SetVector<Value> reached;
};
} // namespace

static bool isBuffer(Value value) {
  return isa<BaseMemRefType>(value.getType());
}

/// Whether \p op bounds the operand of \p use and another operation, its only
/// user or what it uses, does so on the other side.
static bool isClamp(Operation *op) {
  bool isMinimum = isa<arith::MinSIOp>(op);
  if (!isMinimum && !isa<arith::MaxSIOp>(op))
    return isa<arith::MinUIOp, arith::RemUIOp, arith::RemSIOp>(op);
  auto isOther = [&](Operation *other) {
    return isMinimum ? isa_and_nonnull<arith::MaxSIOp>(other)
                     : isa_and_nonnull<arith::MinSIOp>(other);
  };
  if (llvm::any_of(op->getOperands(), [&](Value operand) {
        return isOther(operand.getDefiningOp());
      }))
    return true;
  return !op->use_empty() && llvm::all_of(op->getUsers(), isOther);
}

void ElementUses::followBuffer(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto generic = dyn_cast<linalg::LinalgOp>(user)) {
    if (generic->getNumRegions() == 1 && generic.isDpsInput(&use))
      reached.insert(generic.getMatchingBlockArgument(&use));
    return;
  }
  // Views, and elements that are loaded.
  if (isa<ViewLikeOpInterface>(user) || isa<memref::LoadOp>(user) ||
      isa<vector::LoadOp, vector::TransferReadOp, vector::GatherOp>(user))
    add(user->getResults());
}

void ElementUses::followTerminator(OpOperand &use) {
  Operation *user = use.getOwner();
  Operation *parent = user->getParentOp();
  unsigned index = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    reached.insert(loop.getRegionIterArg(index));
  if (isa<scf::ForOp, scf::IfOp>(parent))
    reached.insert(parent->getResult(index));
}

/// True when the operand is part of an address.
bool ElementUses::followValue(OpOperand &use) {
  Operation *user = use.getOwner();
  if (user->hasTrait<OpTrait::IsTerminator>()) {
    followTerminator(use);
    return false;
  }
  if (auto loop = dyn_cast<scf::ForOp>(user)) {
    // A bound of a loop bounds what the loop counts.
    if (use.getOperandNumber() < loop.getNumControlOperands()) {
      reached.insert(loop.getInductionVar());
      return false;
    }
    reached.insert(loop.getTiedLoopRegionIterArg(&use));
    reached.insert(loop.getTiedLoopResult(&use));
    return false;
  }
  // A value of another type than index is stored.
  if (llvm::any_of(user->getOperands(), isBuffer) ||
      llvm::any_of(user->getResults(), isBuffer))
    return use.get().getType().isIndex() ||
           isa<vector::GatherOp, vector::ScatterOp>(user);
  if (user->getNumRegions() == 0 && !isClamp(user))
    add(user->getResults());
  return false;
}

/// Whether \p use gives the extents of a buffer that is reshaped: what is
/// addressed later is bounded by them.
static bool isShapeOfReshape(OpOperand &use) {
  auto reshape = dyn_cast<memref::ReshapeOp>(use.getOwner());
  return reshape && &use == &reshape.getShapeMutable();
}

bool ElementUses::follow(Value constant) {
  reached.insert(constant);
  for (size_t next = 0; next < reached.size(); ++next) {
    Value value = reached[next];
    for (OpOperand &use : value.getUses()) {
      if (isShapeOfReshape(use))
        return true;
      if (isBuffer(value))
        followBuffer(use);
      else if (!isa<FloatType>(getElementTypeOrSelf(value.getType())) &&
               followValue(use))
        return true;
    }
  }
  return false;
}

bool nnhal::addressesMemory(memref::GetGlobalOp constant) {
  Type element = constant.getType().getElementType();
  return isa<IntegerType, IndexType>(element) &&
         ElementUses().follow(constant.getResult());
}
