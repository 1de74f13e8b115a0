//===- ReportOperations.cpp - What became of the operations ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Codegen/Passes.h"

#include "OperationLocation.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace nnhal {
#define GEN_PASS_DEF_REPORTOPERATIONS
#include "nnhal/Codegen/Passes.h.inc"

using namespace mlir;

namespace {

/// What is left of one operation of the model.
struct Remains {
  std::optional<Location> location;
  /// Names of operations that compute it.
  llvm::SetVector<StringRef> forms;
  /// Why the runtime is called; empty where it is not, or nobody has said it.
  StringRef callReason;
  /// Operations of the model that were fused into those.
  OperationNumbers partners;
  /// Operations of the model that it was fused into.
  OperationNumbers hosts;
};

struct ReportOperationsPass : impl::ReportOperationsBase<ReportOperationsPass> {
  void runOnOperation() override;

private:
  void add(Operation &op);

  llvm::MapVector<uint32_t, Remains> operations;
};

} // namespace

/// Views, places and sizes of tensors need no code that touches elements.
static bool touchesElements(Operation &op) {
  if (op.hasTrait<OpTrait::ConstantLike>() ||
      isa<tensor::EmptyOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::CastOp, tensor::DimOp, tensor::ExtractSliceOp,
          bufferization::ToTensorOp, bufferization::ToBufferOp,
          bufferization::MaterializeInDestinationOp>(op))
    return false;
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return op.getNumRegions() > 0 || llvm::any_of(op.getResultTypes(), isTensor);
}

void ReportOperationsPass::add(Operation &op) {
  std::optional<uint32_t> number = operationIndexOf(&op);
  if (!number)
    return;
  Remains &own = operations[*number];
  if (!own.location)
    own.location = op.getLoc();
  if (!touchesElements(op))
    return;
  own.forms.insert(op.getName().getStringRef());
  if (auto call = dyn_cast<runtime::CallRoutineOp>(op))
    own.callReason = call.getReason().value_or("");
  OperationNumbers numbers;
  op.walk([&](Operation *inner) {
    // Constants are shared between operations.
    if (!inner->hasTrait<OpTrait::ConstantLike>())
      collectOperations(inner->getLoc(), numbers);
  });
  numbers.remove(*number);
  own.partners.insert_range(numbers);
  for (uint32_t partner : numbers) {
    Remains &other = operations[partner];
    other.hosts.insert(*number);
    if (!other.location)
      other.location = op.getLoc();
  }
}

/// "operation 3" or "operations 3, 5".
static std::string listed(const OperationNumbers &numbers) {
  SmallVector<uint32_t> sorted(numbers.begin(), numbers.end());
  llvm::sort(sorted);
  return (sorted.size() == 1 ? "operation " : "operations ") +
         llvm::join(llvm::map_range(
                        sorted, [](uint32_t n) { return std::to_string(n); }),
                    ", ");
}

static std::string describe(const Remains &remains) {
  if (remains.forms.empty() && remains.hosts.empty())
    return "no code of its own";
  if (remains.forms.empty())
    return "fused into " + listed(remains.hosts);
  std::string text = llvm::join(remains.forms, ", ");
  if (!remains.callReason.empty())
    text += (", because " + remains.callReason).str();
  if (!remains.partners.empty())
    text += " with " + listed(remains.partners);
  if (!remains.hosts.empty())
    text += ", partly fused into " + listed(remains.hosts);
  return text;
}

void ReportOperationsPass::runOnOperation() {
  FailureOr<func::FuncOp> found = findEntryFunction(getOperation());
  if (failed(found))
    return signalPassFailure();
  func::FuncOp entry = *found;
  if (!entry || !getContext().getRemarkEngine())
    return;
  operations.clear();
  for (Operation &op : entry.getBody().front())
    add(op);
  for (const auto &[number, remains] : operations)
    remark::passed(*remains.location,
                   remark::RemarkOpts::name("operation").category("nnhal"))
        << remark::detail::Remark::Arg("operation", number)
        << describe(remains);
}

} // namespace nnhal
