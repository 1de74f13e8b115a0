//===- FormKernels.cpp - Micro-kernels of operations of linalg ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormKernels.h"

#include "FormContractions.h"
#include "FormPools.h"

#include "nnhal/Codegen/Passes.h"
#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace nnhal {
#define GEN_PASS_DEF_FORMKERNELS
#include "nnhal/Codegen/Passes.h.inc"
} // namespace nnhal

using namespace mlir;
using namespace nnhal;

//===----------------------------------------------------------------------===//
// Facts about operations of linalg
//===----------------------------------------------------------------------===//

Attribute nnhal::constantElement(Value value) {
  Attribute constant;
  if (value)
    (void)matchPattern(value, m_Constant(&constant));
  return constant;
}

Attribute nnhal::filling(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill ? constantElement(fill.getInputs().front()) : Attribute();
}

Value nnhal::elementOf(linalg::GenericOp op) {
  bool isElementwise =
      op && op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
      op.getNumParallelLoops() == op.getNumLoops() &&
      op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity();
  return isElementwise ? op.getBody()->getTerminator()->getOperand(0) : Value();
}

bool nnhal::isPlainElementwise(linalg::GenericOp op) {
  if (!elementOf(op))
    return false;
  Block *body = op.getBody();
  return body->getArguments().back().use_empty() &&
         llvm::all_of(body->without_terminator(), [](Operation &inner) {
           return inner.hasTrait<OpTrait::ConstantLike>() ||
                  OpTrait::hasElementwiseMappableTraits(&inner);
         });
}

Value nnhal::behindReshapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

PaddedImage nnhal::withoutPadding(Value image, Attribute element) {
  PaddedImage padded;
  padded.image = image;
  auto pad = image.getDefiningOp<tensor::PadOp>();
  if (!pad)
    return padded;
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  bool isKnown = pad.getSourceType().hasStaticShape() &&
                 llvm::none_of(low, ShapedType::isDynamic) &&
                 llvm::none_of(high, ShapedType::isDynamic);
  bool isOfPixels =
      isKnown && low[0] == 0 && high[0] == 0 && low[3] == 0 && high[3] == 0;
  if (!isOfPixels || !element ||
      constantElement(pad.getConstantPaddingValue()) != element)
    return padded;
  padded.image = pad.getSource();
  padded.pads = {low[1], high[1], low[2], high[2]};
  return padded;
}

//===----------------------------------------------------------------------===//
// All kernels
//===----------------------------------------------------------------------===//

void FormedKernels::replace(Operation *op, Value result) {
  rewriter.replaceAllUsesWith(op->getResult(0), result);
  unread.insert(op);
}

void FormedKernels::eraseUnread() {
  while (!unread.empty()) {
    Operation *op = unread.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        unread.insert(definition);
    rewriter.eraseOp(op);
  }
}

namespace {
struct FormKernelsPass : nnhal::impl::FormKernelsBase<FormKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> contractions, pools;
    SmallVector<linalg::Conv2DNhwgcGfhwcOp> groups;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (auto inGroups =
              dyn_cast<linalg::Conv2DNhwgcGfhwcOp>(op.getOperation()))
        groups.push_back(inGroups);
      else if (isContraction(op))
        contractions.push_back(op);
      else if (isPool(op))
        pools.push_back(op);
    });
    if (contractions.empty() && pools.empty() && groups.empty())
      return markAllAnalysesPreserved();
    IRRewriter rewriter(&getContext());
    FormedKernels formed(rewriter);
    for (linalg::Conv2DNhwgcGfhwcOp inGroups : groups)
      if (splitGroups(inGroups, formed, contractions))
        ++numSplitGroups;
    for (linalg::LinalgOp contraction : contractions)
      if (formContraction(contraction, formed))
        ++numContractions;
    FormedPools formedPools(formed);
    for (linalg::LinalgOp pool : pools)
      if (formedPools.form(pool))
        ++numPools;
    formed.eraseUnread();
  }
};
} // namespace
