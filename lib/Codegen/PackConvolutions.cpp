//===- PackConvolutions.cpp - Filters in panels for the target ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedPanels.h"
#include "PackIntegers.h"

#include "nnhal/Codegen/Passes.h"
#include "nnhal/Dialect/Kernel/Packing.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <map>

namespace nnhal {
#define GEN_PASS_DEF_PACKCONVOLUTIONS
#include "nnhal/Codegen/Passes.h.inc"
} // namespace nnhal

using namespace mlir;
using namespace nnhal;

namespace {

/// Constants that were packed so far. Equal requests give the same attribute.
class PackedConstants {
public:
  /// The filter \p source, [out, height, width, in] of \p ohwi, in panels of
  /// \p width output channels.
  TypedAttr filter(ElementsAttr source, ArrayRef<int64_t> ohwi, int64_t width);
  /// The bias \p source in panels of \p width.
  TypedAttr bias(ElementsAttr source, int64_t width);

private:
  using Key = std::pair<const void *, int64_t>;
  std::map<Key, TypedAttr> filters, biases;
};

/// Packs the convolutions of f32.
class FloatPacking {
public:
  FloatPacking(kernel::Conv2DFhwcOp op, OpBuilder &builder,
               PackedConstants &constants, int64_t width)
      : op(op), build(op.getLoc(), builder), constants(constants),
        width(width) {}

  Value pack();

private:
  Value filter();
  Value bias();
  Tensor floats(Value value);

  kernel::Conv2DFhwcOp op;
  TensorBuilder build;
  PackedConstants &constants;
  int64_t width;
};

struct PackConvolutionsPass
    : nnhal::impl::PackConvolutionsBase<PackConvolutionsPass> {
  using Base::Base;
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

TypedAttr PackedConstants::filter(ElementsAttr source, ArrayRef<int64_t> ohwi,
                                  int64_t width) {
  TypedAttr &packed = filters[{source.getAsOpaquePointer(), width}];
  std::optional<ConstantBytes> elements = ConstantBytes::of(source);
  if (packed || !elements)
    return packed;
  std::vector<char> bytes = kernel::packConvFilter(
      elements->bytes(), {ohwi[0], ohwi[1], ohwi[2], ohwi[3]}, width);
  auto type = RankedTensorType::get(
      {kernel::panelCount(ohwi[0], width), ohwi[1], ohwi[2], ohwi[3], width},
      source.getElementType());
  packed =
      cast<TypedAttr>(makeResource(type, bytes, source, "filter", "_packed"));
  return packed;
}

TypedAttr PackedConstants::bias(ElementsAttr source, int64_t width) {
  TypedAttr &packed = biases[{source.getAsOpaquePointer(), width}];
  std::optional<ConstantBytes> elements = ConstantBytes::of(source);
  if (packed || !elements)
    return packed;
  auto type = RankedTensorType::get(
      {kernel::panelCount(source.getNumElements(), width), width},
      source.getElementType());
  packed = cast<TypedAttr>(
      makeResource(type, kernel::packConvBias(elements->bytes(), width), source,
                   "bias", "_packed"));
  return packed;
}

Tensor FloatPacking::floats(Value value) {
  rt::TensorType type;
  type.type = rt::OperandType::TENSOR_FLOAT32;
  return {build.getBuilder(), value, type};
}

Value FloatPacking::filter() {
  auto shape = cast<RankedTensorType>(op.getFilter().getType()).getShape();
  if (ElementsAttr constant = foldedConstantOf(op.getFilter()))
    if (TypedAttr packed = constants.filter(constant, shape, width))
      return arith::ConstantOp::create(build.getBuilder(), packed);
  return packComputedPanels(build, floats(op.getFilter()), shape, width);
}

Value FloatPacking::bias() {
  if (ElementsAttr constant = foldedConstantOf(op.getBias()))
    if (TypedAttr packed = constants.bias(constant, width))
      return arith::ConstantOp::create(build.getBuilder(), packed);
  return packComputedBias(build, floats(op.getBias()), width);
}

Value FloatPacking::pack() {
  Value panels = filter(), biases = bias();
  auto packed = kernel::Conv2DOp::create(
      build.getBuilder(), op.getInput(), panels, biases, op.getInit(),
      op.getStrides(), op.getDilations(), op.getPads());
  packed.getExtrasMutable().assign(op.getExtras());
  packed.getEpilogue().takeBody(op.getEpilogue());
  return packed->getResult(0);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void PackConvolutionsPass::runOnOperation() {
  SmallVector<kernel::Conv2DFhwcOp> convolutions;
  getOperation()->walk(
      [&](kernel::Conv2DFhwcOp op) { convolutions.push_back(op); });
  if (convolutions.empty())
    return markAllAnalysesPreserved();
  std::unique_ptr<LoweringPolicy> policy = loweringPolicyOf(getOperation());
  if (!policy)
    return signalPassFailure();
  PackedConstants constants;
  IRRewriter rewriter(&getContext());
  for (kernel::Conv2DFhwcOp op : convolutions) {
    int64_t channels =
        cast<RankedTensorType>(op.getInit().getType()).getDimSize(3);
    int64_t width = policy->panelWidth(channels);
    if (width == 0) {
      op.emitOpError("cannot be packed: the target has no micro-kernels");
      return signalPassFailure();
    }
    rewriter.setInsertionPoint(op);
    Value packed = getElementTypeOrSelf(op.getInput()).isF32()
                       ? FloatPacking(op, rewriter, constants, width).pack()
                       : packIntegers(op, rewriter, *policy);
    rewriter.replaceOp(op, packed);
    ++numPacked;
  }
}
