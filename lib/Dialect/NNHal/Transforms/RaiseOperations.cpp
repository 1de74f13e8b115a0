//===- RaiseOperations.cpp - HAL operations to canonical operations -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/Transforms/Passes.h"

#include "Raising.h"

#include "nnhal/Dialect/NNHal/IR/DiscardableAttributes.h"
#include "nnhal/Dialect/NNHal/IR/ExtensionInterface.h"

namespace nnhal {
#define GEN_PASS_DEF_RAISEOPERATIONS
#include "nnhal/Dialect/NNHal/Transforms/Passes.h.inc"
} // namespace nnhal

using namespace mlir;
using namespace nnhal;

static RaiseTable makeTable() {
  RaiseTable table;
  addControlFlowRows(table);
  addHalFormRows(table);
  return table;
}

/// Removes operand operations that nothing reads any more.
static void eraseUnusedOperands(GraphOp graph) {
  for (Operation &op :
       llvm::make_early_inc_range(graph.getBody().front().without_terminator()))
    if (isa<NoValueOp, SubgraphReferenceOp, ConstantCopyOp, ConstantReferenceOp,
            ConstantOp>(op) &&
        op.use_empty())
      op.erase();
}

static void eraseUnusedPools(ModelOp model) {
  llvm::DenseSet<StringAttr> used;
  model.walk([&](ConstantReferenceOp reference) {
    used.insert(reference.getPoolAttr().getAttr());
  });
  for (PoolOp pool : llvm::make_early_inc_range(model.getOps<PoolOp>()))
    if (!used.contains(pool.getSymNameAttr()))
      pool.erase();
}

namespace {
struct RaiseOperationsPass
    : public nnhal::impl::RaiseOperationsBase<RaiseOperationsPass> {
  using RaiseOperationsBase::RaiseOperationsBase;

  void runOnOperation() override {
    bool hasFailed = false;
    getOperation()->walk([&](ModelOp model) {
      llvm::DenseMap<Operation *, ConstantCache> constants;
      for (GraphOp graph : model.getOps<GraphOp>())
        hasFailed |= failed(
            raiseGraph(graph, constants[graph], /*ofControlFlow=*/false));
      // The types of graphs are final now.
      for (GraphOp graph : model.getOps<GraphOp>()) {
        hasFailed |=
            failed(raiseGraph(graph, constants[graph], /*ofControlFlow=*/true));
        eraseUnusedOperands(graph);
      }
      eraseUnusedPools(model);
    });
    if (hasFailed)
      signalPassFailure();
  }

private:
  /// Raises either branches and loops or everything else.
  LogicalResult raiseGraph(GraphOp graph, ConstantCache &constants,
                           bool ofControlFlow);
  LogicalResult raiseOperation(OperationOp op, ConstantCache &constants);
  LogicalResult raiseExtension(OperationOp op, ConstantCache &constants);
  /// Says that \p op stays in the HAL's form.
  LogicalResult keep(OperationOp op, const std::string &reason);

  /// Puts constants beside \p op, checks it by its rule and infers what its
  /// results' types leave open.
  rt::Status settle(OperationOp op, ConstantCache &constants);

  RaiseTable table = makeTable();
};
} // namespace

static bool isControlFlow(OperationOp op) {
  std::optional<rt::OperationType> type = op.getOperationType();
  return type == rt::OperationType::IF || type == rt::OperationType::WHILE;
}

rt::Status RaiseOperationsPass::settle(OperationOp op,
                                       ConstantCache &constants) {
  NNHAL_RETURN_IF_ERROR(settleConstants(op, constants));
  // The graphs of IF and WHILE tell more than their rules.
  bool isRanked = llvm::all_of(op.getInputs(), [](Value input) {
    return !isa<UnrankedTensorType>(input.getType()) ||
           input.getDefiningOp<NoValueOp>();
  });
  if (!isRanked || isControlFlow(op))
    return rt::Status::ok();
  return refineResultTypes(op);
}

/// Folds the operations from \p first on that are before \p end, so that
/// operations behind them see what follows from constants as constants.
static void foldBetween(Operation *first, Operation *end) {
  while (first != end) {
    Operation *op = first;
    first = op->getNextNode();
    OpBuilder builder(op);
    SmallVector<Value> folded;
    if (failed(builder.tryFold(op, folded)) || folded.empty())
      continue;
    op->replaceAllUsesWith(folded);
    op->erase();
  }
}

static rt::Status raiseBy(const NNHalExtensionInterface &extension,
                          OperationOp op) {
  std::string reason;
  OpBuilder builder(op);
  Block *block = op->getBlock();
  Operation *before = op->getPrevNode(), *end = op->getNextNode();
  FailureOr<SmallVector<Value>> results = extension.raise(op, builder, reason);
  if (failed(results))
    return rt::badData("{}", reason);
  assert(TypeRange(*results) == op->getResultTypes() &&
         "what stands for the results has their types");
  op->replaceAllUsesWith(*results);
  op.erase();
  foldBetween(before ? before->getNextNode() : &block->front(), end);
  return rt::Status::ok();
}

LogicalResult RaiseOperationsPass::raiseExtension(OperationOp op,
                                                  ConstantCache &constants) {
  const NNHalExtensionInterface *extension = findExtension(op);
  rt::Status status = settleConstants(op, constants);
  if (status.isOk())
    status = extension ? raiseBy(*extension, op)
                       : rt::badData("no dialect brings its extension");
  if (!status.isOk()) {
    op->setAttr(callReasonAttrName,
                StringAttr::get(op.getContext(), status.message()));
    return keep(op, status.message());
  }
  ++numRaised;
  return success();
}

LogicalResult RaiseOperationsPass::keep(OperationOp op,
                                        const std::string &reason) {
  ++numGeneric;
  if (strict)
    return op.emitError("cannot raise ") << op.getHalName() << ": " << reason;
  op.emitRemark("not raised: ") << op.getHalName() << ": " << reason;
  return success();
}

LogicalResult RaiseOperationsPass::raiseOperation(OperationOp op,
                                                  ConstantCache &constants) {
  if (op.getHalOperation().isExtension())
    return raiseExtension(op, constants);
  std::optional<rt::OperationType> type = op.getOperationType();
  auto row = type ? table.find(*type) : table.end();
  if (row == table.end())
    return keep(op, "no canonical operation stands for it");
  if (rt::Status status = settle(op, constants); !status.isOk())
    return op.emitError("cannot compile ")
           << op.getHalName() << ": " << status.message();
  Raising raising(op, constants);
  row->second(raising);
  if (raising.hasFailed())
    return keep(op, raising.message());
  ++numRaised;
  return success();
}

LogicalResult RaiseOperationsPass::raiseGraph(GraphOp graph,
                                              ConstantCache &constants,
                                              bool ofControlFlow) {
  bool hasFailed = false;
  Block &body = graph.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body)) {
    auto operation = dyn_cast<OperationOp>(op);
    if (!operation)
      continue;
    if (isControlFlow(operation) == ofControlFlow)
      hasFailed |= failed(raiseOperation(operation, constants));
  }
  // Inference may have made output types more precise.
  graph.setType(FunctionType::get(graph.getContext(), graph.getArgumentTypes(),
                                  body.getTerminator()->getOperandTypes()));
  return failure(hasFailed);
}
