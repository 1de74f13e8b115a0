//===- OmitUnknownInputs.cpp - Inputs that have no extents ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/Transforms/Passes.h"

#include "nnhal/Dialect/NNHal/IR/HalForm.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

namespace nnhal {
#define GEN_PASS_DEF_OMITUNKNOWNINPUTS
#include "nnhal/Dialect/NNHal/Transforms/Passes.h.inc"

using namespace mlir;

namespace {
struct OmitUnknownInputsPass
    : impl::OmitUnknownInputsBase<OmitUnknownInputsPass> {
  void runOnOperation() override;
};
} // namespace

static bool hasUnknownExtents(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor)
    return false;
  // The HAL has no other word for an unknown extent than 0.
  return !tensor.hasRank() || llvm::any_of(tensor.getShape(), [](int64_t size) {
    return ShapedType::isDynamic(size) || size == 0;
  });
}

/// Whether a request may leave out what \p use reads.
static bool mayBeOmitted(OpOperand &use) {
  const rt::InputRow *row = inputRowOf(use);
  return row && row->isOmittable;
}

void OmitUnknownInputsPass::runOnOperation() {
  for (auto model : getOperation().getOps<ModelOp>()) {
    Block &body = model.getMainGraph().getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    for (BlockArgument input : body.getArguments()) {
      if (input.use_empty() || !hasUnknownExtents(input.getType()) ||
          !llvm::all_of(input.getUses(), mayBeOmitted))
        continue;
      input.replaceAllUsesWith(NoValueOp::create(
          builder, input.getLoc(), input.getType(), /*number=*/IntegerAttr()));
      ++numOmitted;
    }
  }
}

} // namespace nnhal
