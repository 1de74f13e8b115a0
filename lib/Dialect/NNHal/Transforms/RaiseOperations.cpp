//===- RaiseOperations.cpp - HAL operations to canonical operations -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/Transforms/Passes.h"

#include "Raising.h"

#include "Runtime/Devices/Cpu/Support/CpuSupport.h"

namespace nnhal {
#define GEN_PASS_DEF_RAISEOPERATIONS
#include "nnhal/Dialect/NNHal/Transforms/Passes.h.inc"
} // namespace nnhal

using namespace mlir;
using namespace nnhal;

static RaiseTable makeTable() {
  RaiseTable table;
  addActivationRows(table);
  addContractionRows(table);
  addControlFlowRows(table);
  addDataMovementRows(table);
  addElementwiseRows(table);
  addHalFormRows(table);
  addReductionRows(table);
  addSliceRows(table);
  addWindowRows(table);
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
            raiseGraph(graph, constants[graph], /*isControlFlow=*/false));
      // The types of graphs are final now.
      for (GraphOp graph : model.getOps<GraphOp>()) {
        hasFailed |=
            failed(raiseGraph(graph, constants[graph], /*isControlFlow=*/true));
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
                           bool isControlFlow);
  LogicalResult raiseOperation(OperationOp op, ConstantCache &constants);

  /// Infers results of \p op, which stays in the HAL's form.
  LogicalResult settle(OperationOp op);

  RaiseTable table = makeTable();
};
} // namespace

static bool isForKernels(OperationOp op) {
  HalView view;
  return readHalForm(op, view).isOk() &&
         rt::isLoweredCanonically(view.getOperation());
}

LogicalResult RaiseOperationsPass::settle(OperationOp op) {
  rt::Status status;
  StringRef name = op.getHalName();
  // The graphs of IF and WHILE tell more than their rules.
  bool isRanked = llvm::all_of(op.getInputs(), [](Value input) {
    return !isa<UnrankedTensorType>(input.getType());
  });
  if (isRanked && name != "IF" && name != "WHILE")
    status = refineResultTypes(op);
  if (!status.isOk())
    return op.emitError("cannot compile ") << name << ": " << status.message();
  return success();
}

LogicalResult RaiseOperationsPass::raiseOperation(OperationOp op,
                                                  ConstantCache &constants) {
  const rt::OperationInfo *info =
      rt::lookUpOperation(std::string_view(op.getHalName()));
  auto row = info ? table.find(info->type) : table.end();
  if (forKernels) {
    if (rt::Status status = settleConstants(op, constants); !status.isOk())
      return op.emitError("cannot compile ")
             << op.getHalName() << ": " << status.message();
    if (!isForKernels(op)) {
      ++numGeneric;
      return settle(op);
    }
  }
  std::string reason = "no canonical operation stands for it";
  if (row != table.end()) {
    Raising raising(op, constants);
    row->second(raising);
    if (!raising.hasFailed()) {
      ++numRaised;
      return success();
    }
    reason = raising.message();
  }
  ++numGeneric;
  if (forKernels)
    return settle(op);
  if (strict)
    return op.emitError("cannot raise ") << op.getHalName() << ": " << reason;
  op.emitRemark("not raised: ") << op.getHalName() << ": " << reason;
  return success();
}

LogicalResult RaiseOperationsPass::raiseGraph(GraphOp graph,
                                              ConstantCache &constants,
                                              bool isControlFlow) {
  bool hasFailed = false;
  Block &body = graph.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body)) {
    auto operation = dyn_cast<OperationOp>(op);
    if (!operation)
      continue;
    StringRef name = operation.getHalName();
    if ((name == "IF" || name == "WHILE") == isControlFlow)
      hasFailed |= failed(raiseOperation(operation, constants));
  }
  // Inference may have made output types more precise.
  graph.setType(FunctionType::get(graph.getContext(), graph.getArgumentTypes(),
                                  body.getTerminator()->getOperandTypes()));
  return failure(hasFailed);
}
