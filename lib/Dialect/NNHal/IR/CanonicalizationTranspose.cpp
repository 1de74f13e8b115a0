//===- CanonicalizationTranspose.cpp - Transposes that move and meet ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Raising puts transposes around each operation in NCHW order. They cancel once
// what is between them, which computes each element by itself, is computed in
// the other order. Transposes move toward results while there are not more of
// them then, and toward operands where there are fewer then: so they end.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"
#include "RuleAdapter.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace nnhal;
using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::failure;
using mlir::Operation;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Value;

/// Whether each element of the result follows from one element of each operand,
/// and attributes do not name dimensions.
static bool isElementwise(Operation *op) {
  return llvm::isa_and_present<
      // These have one operand.
      ReluOp, Relu1Op, Relu6Op, TanhOp, LogisticOp, HardSwishOp, EluOp, AbsOp,
      NegOp, ExpOp, LogOp, SinOp, SqrtOp, RsqrtOp, FloorOp, LogicalNotOp,
      CastOp, QuantizeOp, DequantizeOp,
      // These have several.
      AddOp, SubOp, MulOp, DivOp, PowOp, MaximumOp, MinimumOp, PreluOp, EqualOp,
      NotEqualOp, GreaterOp, GreaterEqualOp, LessOp, LessEqualOp, LogicalAndOp,
      LogicalOrOp, SelectOp>(op);
}

static RankedTensorType typeIn(Value value) {
  return llvm::cast<RankedTensorType>(value.getType());
}

static RankedTensorType permuted(RankedTensorType type,
                                 ArrayRef<int64_t> permutation) {
  auto shape = llvm::map_to_vector(permutation, [&](int64_t axis) {
    return type.getDimSize(unsigned(axis));
  });
  return RankedTensorType::get(shape, type.getElementType());
}

static SmallVector<int64_t> inverseOf(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [position, axis] : llvm::enumerate(permutation))
    inverse[size_t(axis)] = int64_t(position);
  return inverse;
}

//===----------------------------------------------------------------------===//
// Values in another order
//===----------------------------------------------------------------------===//

namespace {
/// States an element-wise operation with its dimensions permuted: dimension i
/// is dimension permutation[i]. Operands that broadcast have fewer dimensions
/// or extents of 1, which permute along.
class Permuter {
public:
  /// Without \p mayAdd no transposes are added.
  Permuter(ArrayRef<int64_t> permutation, bool mayAdd,
           PatternRewriter &rewriter)
      : permutation(permutation), mayAdd(mayAdd), rewriter(rewriter) {}

  /// By how much the number of transposes grows once \p op is replaced by
  /// itself on permuted operands; at least `never` where that is not possible.
  int64_t plan(Operation *op);
  /// \p op, which has been planned, with a permuted result of type \p type.
  Value permute(Operation *op, RankedTensorType type);
  /// Whether a transpose may state \p value permuted.
  bool mayTranspose(Value value) const;

  static constexpr int64_t never = 1 << 20;

private:
  /// A value stays the same, is a permuted constant, is read in front of its
  /// transpose, or gets a transpose, or the operation above it is permuted.
  enum class Way { same, constant, cancel, transpose, above };
  struct Step {
    Way way;
    int64_t cost;
  };

  /// Finds the operations that nothing reads once \p op is replaced.
  void findReplaced(Operation *op);
  bool isReadByReplacedOnly(Value value) const;
  /// Plans what has not been planned; returns the cost of that.
  int64_t visitOperands(Operation *op);
  int64_t visit(Value value);
  Step cheapestStep(Value value);
  Value permute(Value value);
  /// The type and elements of \p value permuted, where it is a constant.
  std::pair<RankedTensorType, mlir::ElementsAttr> constantOf(Value value) const;

  /// Layers of operations above the first one: activations and sums between two
  /// convolutions are few.
  static constexpr unsigned maxLayers = 4;

  ArrayRef<int64_t> permutation;
  bool mayAdd;
  PatternRewriter &rewriter;
  llvm::SetVector<Operation *> replaced;
  /// Operations whose results are cheaper to transpose.
  llvm::SmallPtrSet<Operation *, 4> kept;
  llvm::DenseMap<Value, Way> steps;
  llvm::DenseMap<Value, Value> results;
};
} // namespace

bool Permuter::mayTranspose(Value value) const {
  return typeIn(value).getRank() == int64_t(permutation.size()) &&
         rt::transpose(typeOf(value), permutation).isOk();
}

std::pair<RankedTensorType, mlir::ElementsAttr>
Permuter::constantOf(Value value) const {
  auto constant = value.getDefiningOp<ConstantOp>();
  RankedTensorType type = typeIn(value);
  if (!constant || type.getRank() > int64_t(permutation.size()))
    return {};
  // Dimensions that a broadcast operand leaves out have extent 1.
  SmallVector<int64_t> shape(permutation.size() - size_t(type.getRank()), 1);
  llvm::append_range(shape, type.getShape());
  auto full = RankedTensorType::get(shape, type.getElementType());
  RankedTensorType result = permuted(full, permutation);
  mlir::Attribute elements = transposeConstant(
      viewConstant(constant.getValue(), full), result, permutation);
  return {result, llvm::dyn_cast_if_present<mlir::ElementsAttr>(elements)};
}

bool Permuter::isReadByReplacedOnly(Value value) const {
  return llvm::all_of(value.getUsers(),
                      [&](Operation *user) { return replaced.contains(user); });
}

void Permuter::findReplaced(Operation *op) {
  replaced.clear();
  replaced.insert(op);
  for (unsigned layer = 0; layer < maxLayers; ++layer)
    for (Operation *user : llvm::to_vector(replaced))
      for (Value operand : user->getOperands()) {
        Operation *above = operand.getDefiningOp();
        if (isElementwise(above) && !kept.contains(above) &&
            isReadByReplacedOnly(operand))
          replaced.insert(above);
      }
}

Permuter::Step Permuter::cheapestStep(Value value) {
  auto type = llvm::dyn_cast<RankedTensorType>(value.getType());
  int64_t rank = int64_t(permutation.size());
  // Scales per channel belong to a dimension, which no transpose moves.
  if (!type || type.getRank() > rank ||
      llvm::isa<mlir::quant::UniformQuantizedPerAxisType>(
          type.getElementType()))
    return {Way::transpose, never};
  if (type.hasStaticShape() && type.getNumElements() == 1)
    return {Way::same, 0};
  if (constantOf(value).second)
    return {Way::constant, 0};
  auto inner = value.getDefiningOp<TransposeOp>();
  bool isLastUse = isReadByReplacedOnly(value);
  if (inner && inner.getPermutation() == ArrayRef(inverseOf(permutation)))
    return {Way::cancel, isLastUse ? -1 : 0};
  // Two transposes in a row become one.
  int64_t more = inner && isLastUse ? 0 : 1;
  Step step = {Way::transpose, mayAdd && mayTranspose(value) ? more : never};
  Operation *op = value.getDefiningOp();
  if (!op || !replaced.contains(op) || type.getRank() != rank)
    return step;
  int64_t above = visitOperands(op);
  if (above < step.cost)
    return {Way::above, above};
  kept.insert(op);
  return step;
}

int64_t Permuter::visit(Value value) {
  if (steps.contains(value))
    return 0;
  Step step = cheapestStep(value);
  steps[value] = step.way;
  return step.cost;
}

int64_t Permuter::visitOperands(Operation *op) {
  int64_t cost = 0;
  for (Value operand : op->getOperands())
    cost += visit(operand);
  return cost;
}

int64_t Permuter::plan(Operation *op) {
  while (true) {
    size_t keptBefore = kept.size();
    findReplaced(op);
    steps.clear();
    int64_t cost = visitOperands(op);
    if (kept.size() == keptBefore)
      return cost;
  }
}

Value Permuter::permute(Value value) {
  if (Value known = results.lookup(value))
    return known;
  mlir::Location location = value.getLoc();
  Value result;
  switch (steps.at(value)) {
  case Way::same:
    result = value;
    break;
  case Way::constant: {
    auto [constantType, elements] = constantOf(value);
    result = ConstantOp::create(rewriter, location, constantType, elements);
    break;
  }
  case Way::cancel:
    result = value.getDefiningOp<TransposeOp>().getInput();
    break;
  case Way::transpose:
    result = TransposeOp::create(rewriter, location,
                                 permuted(typeIn(value), permutation), value,
                                 permutation);
    break;
  case Way::above:
    result =
        permute(value.getDefiningOp(), permuted(typeIn(value), permutation));
    break;
  }
  results[value] = result;
  return result;
}

Value Permuter::permute(Operation *op, RankedTensorType type) {
  mlir::IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, permute(operand));
  Operation *copy = rewriter.clone(*op, operands);
  rewriter.modifyOpInPlace(copy, [&] { copy->getResult(0).setType(type); });
  return copy->getResult(0);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// transpose(transpose(x)) -> transpose(x) with the permutation of both.
struct MergeTransposes : mlir::OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  llvm::LogicalResult
  matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    auto permutation =
        llvm::map_to_vector(op.getPermutation(), [&](int64_t axis) {
          return inner.getPermutation()[size_t(axis)];
        });
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getInput(),
                                             permutation);
    return success();
  }
};

/// add(transpose(x), transpose(y)) -> transpose(add(x, y)), likewise for all
/// element-wise operations whose operands are transposes of the same
/// permutation, constants, single elements, or made of these by others.
struct SinkTranspose : mlir::OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  llvm::LogicalResult
  matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    for (Operation *user : op->getUsers())
      if (succeeded(sink(op, user, rewriter)))
        return success();
    return failure();
  }

private:
  static llvm::LogicalResult sink(TransposeOp op, Operation *user,
                                  PatternRewriter &rewriter) {
    SmallVector<int64_t> inverse = inverseOf(op.getPermutation());
    Permuter permuter(inverse, /*mayAdd=*/false, rewriter);
    if (!isElementwise(user))
      return failure();
    Value result = user->getResult(0);
    if (!permuter.mayTranspose(result) || permuter.plan(user) > -1)
      return failure();
    rewriter.setInsertionPoint(user);
    Value below = permuter.permute(user, permuted(typeIn(result), inverse));
    rewriter.replaceOpWithNewOp<TransposeOp>(user, result.getType(), below,
                                             op.getPermutation());
    return success();
  }
};

/// transpose(add(x, transpose(y))) -> add(transpose(x), y) where the transposes
/// cancel each other, likewise for all element-wise operations and for several
/// of them, one after another.
struct HoistTranspose : mlir::OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  llvm::LogicalResult
  matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    Operation *above = op.getInput().getDefiningOp();
    Permuter permuter(op.getPermutation(), /*mayAdd=*/true, rewriter);
    if (!isElementwise(above) || !op.getInput().hasOneUse() ||
        permuter.plan(above) > 0)
      return failure();
    rewriter.replaceOp(op, permuter.permute(above, op.getType()));
    return success();
  }
};
} // namespace

void TransposeOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns,
                                              mlir::MLIRContext *context) {
  patterns.add<MergeTransposes, SinkTranspose, HoistTranspose>(context);
}
