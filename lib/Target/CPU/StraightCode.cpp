//===- StraightCode.cpp - Loops of what is outside of loops ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StraightCode.h"

#include "KernelArguments.h"

#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace nnhal {

using namespace mlir;

bool asksRuntime(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa_and_present<runtime::RuntimeDialect>(inner->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

using Operations = llvm::SetVector<Operation *>;

static bool usesResultOf(const Operations &operations, Operation *op) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *definition = operand.getDefiningOp();
    return definition && operations.contains(definition);
  });
}

namespace {
/// Operations of a block that follow each other, but for what is known without
/// them.
class Run {
public:
  explicit Run(Block &block) {
    for (Operation &op : block)
      positions.insert({&op, static_cast<int64_t>(positions.size())});
  }

  const Operations &getMembers() const { return members; }

  void add(Operation *op) {
    members.insert(op);
    hasLoop |= isa<scf::ForOp>(op);
    op->walk([&](Operation *) { ++size; });
    for (Operation *user : op->getUsers()) {
      Operation *ofBlock = op->getBlock()->findAncestorOpInBlock(*user);
      lastUse = std::max(lastUse, positions.lookup(ofBlock));
    }
  }

  /// Whether what comes after \p op uses no result of the run.
  bool endsAt(Operation *op) const { return lastUse <= positions.lookup(op); }

  /// Whether a call costs less than it saves. One loop in the entry function is
  /// enough that code for all of it is made as slowly as for kernels.
  bool isWorthACall() const {
    constexpr int64_t fewOperations = 24;
    return hasLoop || size >= fewOperations;
  }

  void clear() {
    members.clear();
    hasLoop = false;
    size = 0;
    lastUse = 0;
  }

  /// Moves the members into a loop of one round behind the last of them.
  scf::ForOp moveIntoLoop() const {
    OpBuilder builder(members.back()->getNextNode());
    Location loc = members.front()->getLoc();
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto loop = scf::ForOp::create(builder, loc, zero, one, one);
    Operation *end = loop.getBody()->getTerminator();
    for (Operation *op : members)
      op->moveBefore(end);
    return loop;
  }

private:
  llvm::DenseMap<Operation *, int64_t> positions;
  Operations members;
  bool hasLoop = false;
  int64_t size = 0;
  /// The position of the last operation that uses a result of a member.
  int64_t lastUse = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// What lies in the entry function
//===----------------------------------------------------------------------===//

/// Whether \p op says where something is.
static bool isAddress(Operation *op) {
  return isa<memref::AllocaOp>(op) ||
         (op->getNumRegions() == 0 && isPure(op) &&
          llvm::all_of(op->getResultTypes(), [](Type type) {
            return isa<BaseMemRefType, IndexType>(type);
          }));
}

/// Whether \p op is an instruction of the processor that works on registers
/// alone. MLIR does not know what intrinsics do to memory.
static bool isRegisterInstruction(Operation *op) {
  return isa<LLVM::CallIntrinsicOp>(op) &&
         llvm::all_of(op->getOperandTypes(), [](Type type) {
           return isa<VectorType, IntegerType, FloatType>(type);
         });
}

/// Whether \p op computes elements of tensors, or moves them.
static bool computes(Operation *op) {
  if (asksRuntime(op))
    return false;
  if (isa<scf::ForOp>(op))
    return op->getNumResults() > 0 &&
           llvm::none_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
  if (op->getNumRegions() > 0 || isa<memref::CopyOp>(op))
    return false;
  return isPure(op) || isa<MemoryEffectOpInterface>(op) ||
         isRegisterInstruction(op);
}

SmallVector<scf::ForOp> moveIntoLoops(Block &block) {
  SmallVector<scf::ForOp> loops;
  Run run(block);
  // What depends on constants and numbers of a layer alone, and what stays in
  // the entry function.
  Operations known;
  Operations staying;
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    if (loadsNumber(&op)) {
      known.insert(&op);
      continue;
    }
    bool isPureHere = op.getNumRegions() == 0 && isPure(&op);
    if (isPureHere && llvm::all_of(op.getOperands(), [&](Value operand) {
          Operation *definition = operand.getDefiningOp();
          return definition && known.contains(definition);
        })) {
      known.insert(&op);
      continue;
    }
    if (isAddress(&op) && !usesResultOf(run.getMembers(), &op))
      continue;
    if (!computes(&op) || usesResultOf(staying, &op)) {
      staying.insert(&op);
      staying.insert_range(run.getMembers());
      run.clear();
      continue;
    }
    run.add(&op);
    if (!run.endsAt(&op))
      continue;
    if (run.isWorthACall())
      loops.push_back(run.moveIntoLoop());
    run.clear();
  }
  return loops;
}

} // namespace nnhal
