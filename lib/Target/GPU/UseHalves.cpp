//===- UseHalves.cpp - Half precision in memory ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs on tensors, after fusion: what stays in the registers of a kernel stays
// f32, and only what one kernel stores for others becomes f16: in a relaxed
// model anything, otherwise what has been rounded to f16 before. A value
// becomes f16 only where whoever computes it can round it while it stores it,
// and everybody who reads it can widen it while loading it, so that no kernel
// is added. A filter becomes f16 where the input that it is multiplied by is.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/GPU/Passes.h"

#include "Tiles.h"

#include "Conversion/Common/ConstantData.h"
#include "Runtime/Support/Float16.h"
#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/NNHal/IR/DiscardableAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>
#include <cstring>

namespace nnhal {
#define GEN_PASS_DEF_USEHALVES
#include "nnhal/Target/GPU/Passes.h.inc"

using namespace mlir;
using kernel::KernelOpInterface;

namespace {
struct UseHalvesPass : impl::UseHalvesBase<UseHalvesPass> {
  void runOnOperation() override;

private:
  void storeHalves(OpBuilder &builder, OpResult result);
  void narrowFilter(arith::ConstantOp op, bool isRelaxed);
};
} // namespace

//===----------------------------------------------------------------------===//
// Which values
//===----------------------------------------------------------------------===//

static bool isOfF32(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getElementType().isF32();
}

static bool isReshape(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

/// Whether the operation of \p use widens elements while it loads them.
static bool mayReadHalves(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto generic = dyn_cast<linalg::GenericOp>(user))
    return generic.hasPureTensorSemantics() && generic.isDpsInput(&use);
  if (auto kernel = dyn_cast<KernelOpInterface>(user)) {
    unsigned number = use.getOperandNumber();
    unsigned firstExtra = kernel.getExtras().getBeginOperandIndex();
    return number == 0 || (number >= firstExtra &&
                           number < firstExtra + kernel.getExtras().size());
  }
  return isReshape(user) && llvm::all_of(user->getUses(), mayReadHalves);
}

/// Whether the operation of \p result computes each of its elements once, so
/// that it may round them while it stores them.
static bool mayStoreHalves(OpResult result) {
  if (isa<KernelOpInterface>(result.getOwner()))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(result.getOwner());
  if (!generic || !generic.hasPureTensorSemantics() ||
      generic.getNumParallelLoops() != generic.getNumLoops())
    return false;
  OpOperand *init = generic.getDpsInitOperand(result.getResultNumber());
  // A map to a part of the result leaves the other elements of the init.
  return generic.getMatchingBlockArgument(init).use_empty() &&
         generic.getMatchingIndexingMap(init).isPermutation();
}

static bool isOfIntegers(Value value) {
  return isa<IntegerType, IndexType>(getElementTypeOrSelf(value));
}

/// Whether \p result is between integers, which have to come out as they are:
/// its operation reads some, or one that reads it computes some.
static bool isBetweenIntegers(OpResult result) {
  return llvm::any_of(result.getOwner()->getOperands(), isOfIntegers) ||
         llvm::any_of(result.getUsers(), [](Operation *user) {
           return llvm::any_of(user->getResults(), isOfIntegers);
         });
}

/// The terminator that yields the elements of \p result, and the number of its
/// operand; null where there is no body.
static std::pair<Operation *, unsigned> findYield(OpResult result) {
  if (auto generic = dyn_cast<linalg::GenericOp>(result.getOwner()))
    return {generic.getBody()->getTerminator(), result.getResultNumber()};
  Region &epilogue = cast<KernelOpInterface>(result.getOwner()).getEpilogue();
  return {epilogue.empty() ? nullptr : epilogue.front().getTerminator(), 0};
}

/// Whether the elements of \p result are numbers of f16 that were widened.
static bool isWidened(OpResult result) {
  auto [yield, number] = findYield(result);
  auto extend = yield ? yield->getOperand(number).getDefiningOp<arith::ExtFOp>()
                      : arith::ExtFOp();
  return extend && extend.getIn().getType().isF16();
}

//===----------------------------------------------------------------------===//
// Those who compute and read them
//===----------------------------------------------------------------------===//

/// Lets the body of \p result yield its elements as f16.
static void yieldHalves(OpBuilder &builder, OpResult result) {
  auto [yield, number] = findYield(result);
  Value element = yield->getOperand(number);
  if (isWidened(result)) {
    auto extend = element.getDefiningOp<arith::ExtFOp>();
    yield->setOperand(number, extend.getIn());
    if (extend->use_empty())
      extend->erase();
    return;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(yield);
  yield->setOperand(number,
                    arith::TruncFOp::create(builder, yield->getLoc(),
                                            builder.getF16Type(), element));
}

/// Makes \p argument of a body one of f16, which is widened there.
static void widenArgument(OpBuilder &builder, BlockArgument argument) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(argument.getOwner());
  argument.setType(builder.getF16Type());
  auto wide = arith::ExtFOp::create(builder, argument.getLoc(),
                                    builder.getF32Type(), argument);
  argument.replaceAllUsesExcept(wide, wide);
}

static void readHalves(OpBuilder &builder, OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto generic = dyn_cast<linalg::GenericOp>(user))
    return widenArgument(builder, generic.getMatchingBlockArgument(&use));
  if (auto kernel = dyn_cast<KernelOpInterface>(user)) {
    // The kernel itself widens its input.
    if (use.getOperandNumber() != 0)
      widenArgument(builder,
                    kernel.getEpilogue().getArgument(
                        use.getOperandNumber() -
                        kernel.getExtras().getBeginOperandIndex() + 1));
    return;
  }
  Value reshaped = user->getResult(0);
  reshaped.setType(
      cast<ShapedType>(reshaped.getType()).clone(builder.getF16Type()));
  for (OpOperand &inner : reshaped.getUses())
    readHalves(builder, inner);
}

/// Makes \p result, which whoever uses it reads as f16 from then on, one of
/// f16.
void UseHalvesPass::storeHalves(OpBuilder &builder, OpResult result) {
  auto op = cast<DestinationStyleOpInterface>(result.getOwner());
  builder.setInsertionPoint(op);
  Type half = builder.getF16Type();
  auto type = cast<RankedTensorType>(result.getType());
  op.setDpsInitOperand(
      result.getResultNumber(),
      tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(), half));
  result.setType(type.clone(half));
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation())) {
    generic
        .getMatchingBlockArgument(
            generic.getDpsInitOperand(result.getResultNumber()))
        .setType(half);
  } else {
    auto kernel = cast<KernelOpInterface>(op.getOperation());
    Region &epilogue = kernel.getEpilogue();
    if (epilogue.empty()) {
      OpBuilder::InsertionGuard guard(builder);
      Block *body = builder.createBlock(
          &epilogue, {}, {kernel.getAccumulatorType()}, {op.getLoc()});
      kernel::YieldOp::create(builder, op.getLoc(), body->getArgument(0));
    }
  }
  yieldHalves(builder, result);
  for (OpOperand &use : result.getUses())
    readHalves(builder, use);
  ++numStored;
}

//===----------------------------------------------------------------------===//
// Filters
//===----------------------------------------------------------------------===//

/// The f32 numbers of \p wide as f16; nothing where one of them is beyond the
/// finite numbers of f16, or, unless \p mayRound, is none.
static std::optional<std::vector<char>> narrowed(ArrayRef<char> wide,
                                                 bool mayRound) {
  std::vector<char> result(wide.size() / 2);
  for (size_t i = 0; i < wide.size() / sizeof(float); ++i) {
    float number = 0;
    std::memcpy(&number, wide.data() + i * sizeof(number), sizeof(number));
    uint16_t bits = rt::float16FromDouble(number);
    float back = rt::floatFromFloat16(bits);
    if (!std::isfinite(back) || (!mayRound && back != number))
      return std::nullopt;
    std::memcpy(result.data() + i * sizeof(bits), &bits, sizeof(bits));
  }
  return result;
}

/// Whether \p use is that of a filter beside an input of f16.
static bool isFilterOfHalves(OpOperand &use) {
  auto conv = dyn_cast<kernel::Conv2DOp>(use.getOwner());
  return conv && use.get() == conv.getFilter() &&
         getElementTypeOrSelf(conv.getInput()).isF16();
}

void UseHalvesPass::narrowFilter(arith::ConstantOp op, bool isRelaxed) {
  // Another use would keep the wide filter beside the narrow one.
  if (!isOfF32(op) || op->use_empty() ||
      !llvm::all_of(op->getUses(), isFilterOfHalves))
    return;
  ElementsAttr constant = foldedConstantOf(op);
  std::optional<ConstantBytes> wide = ConstantBytes::of(constant);
  if (!wide)
    return;
  std::optional<std::vector<char>> halves = narrowed(wide->bytes(), isRelaxed);
  if (!halves)
    return;
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op.getType());
  ElementsAttr narrow =
      makeResource(cast<RankedTensorType>(type.clone(builder.getF16Type())),
                   *halves, constant, "filter", "_half");
  op.replaceAllUsesWith(
      arith::ConstantOp::create(builder, op.getLoc(), cast<TypedAttr>(narrow))
          .getResult());
  op.erase();
  ++numFilters;
}

void UseHalvesPass::runOnOperation() {
  func::FuncOp func = getOperation();
  if (!nngpu::deviceClassOf(findTarget(func)).hasHalves)
    return;
  bool isRelaxed = func->hasAttr(relaxedAttrName);
  SmallVector<OpResult> results;
  func.walk([&](Operation *op) {
    for (OpResult result : op->getResults())
      if (isOfF32(result) && mayStoreHalves(result) && !result.use_empty() &&
          llvm::all_of(result.getUses(), mayReadHalves) &&
          ((isRelaxed && !isBetweenIntegers(result)) || isWidened(result)))
        results.push_back(result);
  });
  OpBuilder builder(func);
  for (OpResult result : results)
    storeHalves(builder, result);
  func.walk([&](arith::ConstantOp op) { narrowFilter(op, isRelaxed); });
}

} // namespace nnhal
