//===- PlanBarriers.cpp - Barriers between dependent commands -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/GPU/Passes.h"

#include "ProgramBuffers.h"

#include "nnhal/Codegen/EntryFunction.h"
#include "nnhal/Dialect/GPU/GPUOps.h"

namespace nnhal {
#define GEN_PASS_DEF_PLANBARRIERS
#include "nnhal/Target/GPU/Passes.h.inc"

using namespace mlir;

namespace {
/// Bytes that a command touches.
struct Access {
  rt::GpuBinding range;
  bool isWrite = false;

  bool dependsOn(const Access &earlier) const {
    return (isWrite || earlier.isWrite) && range.space == earlier.range.space &&
           range.argument == earlier.range.argument &&
           range.offset < earlier.range.offset + earlier.range.size &&
           earlier.range.offset < range.offset + range.size;
  }
};
} // namespace

/// The accesses of \p command.
static LogicalResult collect(Operation *command,
                             const nngpu::ProgramBuffers &buffers,
                             SmallVectorImpl<Access> &accesses) {
  auto add = [&](Value buffer, bool isWrite) -> LogicalResult {
    FailureOr<rt::GpuBinding> range = buffers.find(buffer, command);
    if (failed(range))
      return failure();
    accesses.push_back({*range, isWrite});
    return success();
  };
  if (auto dispatch = dyn_cast<nngpu::DispatchOp>(command)) {
    for (auto [buffer, isWritten] :
         llvm::zip_equal(dispatch.getBuffers(), dispatch.getWrites()))
      if (failed(add(buffer, isWritten)))
        return failure();
    return success();
  }
  if (auto copy = dyn_cast<nngpu::CopyOp>(command))
    return success(succeeded(add(copy.getSource(), false)) &&
                   succeeded(add(copy.getTarget(), true)));
  if (auto fill = dyn_cast<nngpu::FillOp>(command))
    return add(fill.getTarget(), true);
  return success();
}

namespace {
/// The accesses of commands since the last barrier, for which the host does not
/// wait.
using Pending = SmallVector<Access>;

struct PlanBarriersPass : impl::PlanBarriersBase<PlanBarriersPass> {
  void runOnOperation() override;

private:
  LogicalResult planBlock(Block &block, Pending &pending);
  LogicalResult planCommand(Operation &op, Pending &pending);

  std::optional<nngpu::ProgramBuffers> buffers;
};
} // namespace

/// Puts a barrier before \p op where it needs one.
LogicalResult PlanBarriersPass::planCommand(Operation &op, Pending &pending) {
  SmallVector<Access> accesses;
  if (failed(collect(&op, *buffers, accesses)))
    return failure();
  bool mustWait = llvm::any_of(accesses, [&](const Access &access) {
    return llvm::any_of(pending, [&](const Access &earlier) {
      return access.dependsOn(earlier);
    });
  });
  if (mustWait) {
    OpBuilder builder(&op);
    nngpu::BarrierOp::create(builder, op.getLoc());
    ++numBarriers;
    pending.clear();
  }
  pending.append(accesses);
  return success();
}

/// Plans the commands of \p block after those of \p pending, which becomes what
/// the commands after the block come after.
LogicalResult PlanBarriersPass::planBlock(Block &block, Pending &pending) {
  for (Operation &op : block) {
    if (isa<nngpu::BarrierOp>(op)) {
      pending.clear();
    } else if (auto branch = dyn_cast<nngpu::IfOp>(op)) {
      pending.clear();
      Pending otherwise;
      if (failed(planBlock(branch.getThenRegion().front(), pending)) ||
          failed(planBlock(branch.getElseRegion().front(), otherwise)))
        return failure();
      pending.append(otherwise);
    } else if (auto loop = dyn_cast<nngpu::WhileOp>(op)) {
      // The host waits before a round and after a condition, but not between a
      // round and the next condition.
      pending.clear();
      if (failed(planBlock(loop.getBody().front(), pending)) ||
          failed(planBlock(loop.getCondition().front(), pending)))
        return failure();
      pending.clear();
    } else if (failed(planCommand(op, pending))) {
      return failure();
    }
  }
  return success();
}

void PlanBarriersPass::runOnOperation() {
  FailureOr<func::FuncOp> entry = findEntryFunction(getOperation());
  if (failed(entry))
    return signalPassFailure();
  if (!*entry)
    return;
  FailureOr<nngpu::ProgramBuffers> found = nngpu::ProgramBuffers::of(*entry);
  if (failed(found))
    return signalPassFailure();
  buffers = *found;
  Pending pending;
  if (failed(planBlock(entry->getBody().front(), pending)))
    return signalPassFailure();
}

} // namespace nnhal
