//===- FormPools.cpp - Pools of linalg as micro-kernels -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nnk.pool_2d pools floats, leaves padding out and divides by what is left. Of
// linalg, padding is a tensor.pad with what changes no result (0 in sums, the
// lowest number in maxima), and a mean a generic that divides sums by the
// product of two counts, which are constants for the rows and the columns of
// windows. Nothing is taken that says anything else.
//
// Integers are pooled as floats: f32 holds them and, of bytes, their sums. The
// mean of n integers is a whole number of fractions 1 / n, so that the division
// of floats, which is off by less than the smallest distance of such a number
// to a half, is rounded like that of the integers.
//
//===----------------------------------------------------------------------===//

#include "FormPools.h"

#include "IntegerRanges.h"

#include "Conversion/Common/PoolWindows.h"
#include "Conversion/Common/TensorBuilder.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace nnhal;
using matchers::m_Any;
using matchers::m_Val;

//===----------------------------------------------------------------------===//
// Facts about operations of linalg
//===----------------------------------------------------------------------===//

/// Whether \p op takes the larger one of an element and what it has so far, and
/// passes over NaN.
static bool takesLarger(linalg::GenericOp op) {
  Block *body = op.getBody();
  if (body->getNumArguments() != 3)
    return false;
  Value element = body->getArgument(0), largest = body->getArgument(2);
  auto select =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  return compare && compare.getPredicate() == arith::CmpFPredicate::OGT &&
         compare.getLhs() == element && compare.getRhs() == largest &&
         select.getTrueValue() == element && select.getFalseValue() == largest;
}

bool nnhal::isPool(linalg::LinalgOp op) {
  if (isa<linalg::PoolingNhwcSumOp, linalg::PoolingNhwcMaxOp>(
          op.getOperation()))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  return generic && generic.getNumReductionLoops() == 2 &&
         generic.getNumDpsInputs() == 2 && generic->getNumResults() == 1 &&
         takesLarger(generic);
}

//===----------------------------------------------------------------------===//
// One pool
//===----------------------------------------------------------------------===//

namespace {
/// A pool of linalg that becomes a kernel.
class PoolForming {
public:
  PoolForming(linalg::LinalgOp pool, FormedPools &formed)
      : pool(pool), formed(formed),
        rewriter(formed.getKernels().getRewriter()) {}

  bool form();

private:
  bool readWindow();
  bool readStrides();
  bool hasAllWindows(unsigned number) const;
  void replace(Operation *op, Value result) {
    formed.getKernels().replace(op, result);
  }
  bool formMaximum();
  bool formMean();
  bool countsAlong(linalg::GenericOp mean, Value count, unsigned number) const;
  bool countsPlaces(linalg::GenericOp mean, Value count) const;
  bool takeSquares();
  bool isImageWithin(int64_t low, int64_t high) const;
  Type elementType() const { return getElementTypeOrSelf(pool->getResult(0)); }
  PoolAxis axis(unsigned number) const;
  Value createKernel(kernel::PoolKind kind);
  Value createIntegerKernel(kernel::PoolKind kind, double added);

  linalg::LinalgOp pool;
  FormedPools &formed;
  RewriterBase &rewriter;
  /// Without its padding.
  Value image;
  SmallVector<int64_t, 2> strides;
  ArrayRef<int64_t> window, output;
  /// [top, bottom, left, right].
  std::array<int64_t, 4> pads = {0, 0, 0, 0};
};
} // namespace

bool PoolForming::readStrides() {
  auto read = [&](auto named) {
    strides =
        llvm::to_vector<2>(named.getStrides().template getValues<int64_t>());
    return llvm::all_of(named.getDilations().template getValues<int64_t>(),
                        [](int64_t dilation) { return dilation == 1; });
  };
  if (auto sum = dyn_cast<linalg::PoolingNhwcSumOp>(pool.getOperation()))
    return read(sum);
  if (auto maximum = dyn_cast<linalg::PoolingNhwcMaxOp>(pool.getOperation()))
    return read(maximum);
  // The first pixels of the window at column and row 1.
  SmallVector<AffineMap> maps = pool.getIndexingMapsArray();
  if (maps[0].getNumDims() != 6 || maps[0].getNumResults() != 4)
    return false;
  SmallVector<int64_t> first =
      maps[0].compose(ArrayRef<int64_t>{0, 1, 1, 0, 0, 0});
  strides = {first[1], first[2]};
  return ArrayRef(maps) == ArrayRef(poolMaps(pool->getContext(), strides));
}

/// Reads the window, if the kernel has such.
bool PoolForming::readWindow() {
  if (!pool.hasPureTensorSemantics() || pool.hasDynamicShape() ||
      !readStrides() ||
      llvm::any_of(strides, [](int64_t stride) { return stride < 1; }))
    return false;
  window = cast<RankedTensorType>(pool.getDpsInputOperand(1)->get().getType())
               .getShape();
  output = cast<RankedTensorType>(pool->getResult(0).getType()).getShape();
  Value source = pool.getDpsInputOperand(0)->get();
  if (getElementTypeOrSelf(source) != elementType() ||
      !(elementType().isF32() || elementType().isInteger(32)))
    return false;
  PaddedImage padded =
      withoutPadding(source, filling(pool.getDpsInitOperand(0)->get()));
  image = padded.image;
  pads = padded.pads;
  // Windows that are nothing but padding have no mean.
  for (auto [index, pad] : llvm::enumerate(pads))
    if (pad < 0 || pad >= window[index / 2])
      return false;
  return hasAllWindows(0) && hasAllWindows(1);
}

/// Whether there is a result for each window that the image has room for along
/// one axis. linalg takes fewer results, too.
bool PoolForming::hasAllWindows(unsigned number) const {
  PoolAxis along = axis(number);
  int64_t room = pads[2 * number] + along.input + pads[2 * number + 1];
  return along.input > 0 && room >= along.window &&
         (room - along.window) / along.stride + 1 == along.output;
}

/// Whether the integers of the image are computed by themselves, from \p low to
/// \p high.
bool PoolForming::isImageWithin(int64_t low, int64_t high) const {
  auto integers = image.getDefiningOp<linalg::GenericOp>();
  Value element = elementOf(integers);
  return element && integers.getBody()->getArguments().back().use_empty() &&
         IntegerRanges(pool->getParentOfType<ModuleOp>())
             .isWithin(element, low, high);
}

PoolAxis PoolForming::axis(unsigned number) const {
  return {cast<RankedTensorType>(image.getType()).getDimSize(number + 1),
          window[number], strides[number], pads[2 * number],
          output[number + 1]};
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Value PoolForming::createKernel(kernel::PoolKind kind) {
  Location loc = pool.getLoc();
  Value init =
      tensor::EmptyOp::create(rewriter, loc, output, rewriter.getF32Type());
  return kernel::Pool2DOp::create(rewriter, loc, kind, image, init, window,
                                  strides, pads)
      ->getResult(0);
}

/// The integers that the results of a kernel on the image's, with \p added to
/// them, are cut to.
Value PoolForming::createIntegerKernel(kernel::PoolKind kind, double added) {
  image = formed.floatsOf(image.getDefiningOp<linalg::GenericOp>());
  Value floats = createKernel(kind);
  TensorBuilder build(pool.getLoc(), rewriter);
  Tensor pooled(build.getBuilder(), floats, {});
  return build
      .define(rewriter.getI32Type(), pooled.extents(),
              [&](Indices at) {
                Scalar value = pooled.stored(at);
                return (added == 0 ? value : value + added).toI32();
              })
      .get();
}

bool PoolForming::formMaximum() {
  Attribute first = filling(pool.getDpsInitOperand(0)->get());
  if (auto lowest = dyn_cast_if_present<FloatAttr>(first)) {
    // linalg's own operation hands on NaN.
    if (!isa<linalg::GenericOp>(pool.getOperation()) ||
        !lowest.getValue().isInfinity() || !lowest.getValue().isNegative())
      return false;
    replace(pool, createKernel(kernel::PoolKind::max));
    return true;
  }
  constexpr int64_t mostExact = 1 << 24;
  auto lowest = dyn_cast_if_present<IntegerAttr>(first);
  if (!lowest || lowest.getInt() < -mostExact ||
      !isImageWithin(lowest.getInt(), mostExact))
    return false;
  replace(pool, createIntegerKernel(kernel::PoolKind::max, /*added=*/0));
  return true;
}

/// Takes the image from behind its squares.
bool PoolForming::takeSquares() {
  auto squares = image.getDefiningOp<linalg::GenericOp>();
  Value element = elementOf(squares);
  if (!element || squares.getNumDpsInputs() != 1 ||
      !squares.getIndexingMapsArray().front().isIdentity() ||
      squares.getDpsInputOperand(0)->get().getType() != image.getType())
    return false;
  Value argument = squares.getBody()->getArgument(0);
  if (!matchPattern(element,
                    m_Op<arith::MulFOp>(m_Val(argument), m_Val(argument))))
    return false;
  image = squares.getDpsInputOperand(0)->get();
  return true;
}

/// Whether \p count, of \p mean, is how many places of a window are not padding
/// along one axis.
bool PoolForming::countsAlong(linalg::GenericOp mean, Value count,
                              unsigned number) const {
  auto argument = dyn_cast<BlockArgument>(count);
  if (!argument || argument.getOwner() != mean.getBody())
    return false;
  OpOperand *counts = mean.getMatchingOpOperand(argument);
  AffineMap map = mean.getMatchingIndexingMap(counts);
  if (map.getNumResults() != 1 || constantElement(counts->get()) !=
                                      countPlaces(axis(number), elementType()))
    return false;
  AffineExpr place = map.getResult(0);
  return place == rewriter.getAffineDimExpr(number + 1) ||
         (output[number + 1] == 1 &&
          place == rewriter.getAffineConstantExpr(0));
}

/// Whether \p count, of \p mean, is how many places of a window are not
/// padding.
bool PoolForming::countsPlaces(linalg::GenericOp mean, Value count) const {
  Operation *product = count ? count.getDefiningOp() : nullptr;
  return isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product) &&
         countsAlong(mean, product->getOperand(0), 0) &&
         countsAlong(mean, product->getOperand(1), 1);
}

bool PoolForming::formMean() {
  auto mean = pool->hasOneUse()
                  ? dyn_cast<linalg::GenericOp>(*pool->user_begin())
                  : nullptr;
  Attribute first = filling(pool.getDpsInitOperand(0)->get());
  Value element = elementOf(mean);
  if (!element || first != rewriter.getZeroAttr(elementType()) ||
      mean.getDpsInputOperand(0)->get() != pool->getResult(0) ||
      !mean.getIndexingMapsArray()[0].isIdentity())
    return false;
  Value sum = mean.getBody()->getArgument(0), count;
  auto quotient = m_Op<arith::DivFOp>(m_Val(sum), m_Any(&count));
  if (matchPattern(element, quotient)) {
    if (!countsPlaces(mean, count))
      return false;
    replace(mean, createKernel(kernel::PoolKind::average));
    return true;
  }
  if (matchPattern(element, m_Op<math::SqrtOp>(quotient))) {
    if (!countsPlaces(mean, count) || !takeSquares())
      return false;
    replace(mean, createKernel(kernel::PoolKind::l2));
    return true;
  }
  Value halved;
  llvm::APInt two;
  // The half of a fraction that is added to a mean below 2^8 over so many
  // places is 2^-14 or more, and f32 is off by less than 2^-15.
  constexpr int64_t mostAveraged = 4096;
  PoolAxis rows = axis(0), columns = axis(1);
  int64_t most = std::min(rows.window, rows.input) *
                 std::min(columns.window, columns.input);
  if (!matchPattern(element, m_Op<arith::DivSIOp>(
                                 m_Op<arith::AddIOp>(
                                     m_Val(sum),
                                     m_Op<arith::DivSIOp>(m_Any(&halved),
                                                          m_ConstantInt(&two))),
                                 m_Any(&count))) ||
      halved != count || two != 2 || !countsPlaces(mean, count) ||
      most > mostAveraged || !isImageWithin(0, UINT8_MAX))
    return false;
  // Beyond a half, half of the smallest distance to one is added.
  double added = 0.5 + 0.25 / double(most);
  replace(mean, createIntegerKernel(kernel::PoolKind::average, added));
  return true;
}

bool PoolForming::form() {
  if (!readWindow())
    return false;
  rewriter.setInsertionPoint(pool);
  return isa<linalg::PoolingNhwcSumOp>(pool.getOperation()) ? formMean()
                                                            : formMaximum();
}

//===----------------------------------------------------------------------===//
// All pools
//===----------------------------------------------------------------------===//

bool FormedPools::form(linalg::LinalgOp pool) {
  return PoolForming(pool, *this).form();
}

/// The generic of the floats is that of the integers with a conversion at its
/// end, and serves all pools of one image.
Value FormedPools::floatsOf(linalg::GenericOp image) {
  Value &result = floats[image];
  if (result)
    return result;
  RewriterBase &rewriter = kernels.getRewriter();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(image);
  Location loc = image.getLoc();
  auto type = cast<RankedTensorType>(image.getResult(0).getType());
  Type f32 = rewriter.getF32Type();
  Value init = tensor::EmptyOp::create(rewriter, loc, type.getShape(), f32);
  auto body = [&](OpBuilder &nested, Location at, ValueRange arguments) {
    Block *block = image.getBody();
    IRMapping mapping;
    mapping.map(block->getArguments(), arguments);
    for (Operation &inner : block->without_terminator())
      nested.clone(inner, mapping);
    Value element = mapping.lookupOrDefault(elementOf(image));
    Value real = arith::SIToFPOp::create(nested, at, f32, element);
    linalg::YieldOp::create(nested, at, real);
  };
  result = linalg::GenericOp::create(rewriter, loc, TypeRange(type.clone(f32)),
                                     image.getInputs(), init,
                                     image.getIndexingMapsArray(),
                                     image.getIteratorTypesArray(), body)
               .getResult(0);
  return result;
}
