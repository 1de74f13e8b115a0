//===- ExpandMatrices.cpp - Products of matrices one by one ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandMatrices.h"

#include "KernelPreparation.h"
#include "Tiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using nnhal::nngpu::MatrixTile;

/// Neighboring elements of a row that an invocation has of each sum.
static constexpr int64_t width =
    MatrixTile::side * MatrixTile::side / MatrixTile::subgroupSize;

/// Whether \p type is that of a factor of sums of \p sum.
static bool isFactor(Type type, Type sum) {
  auto matrix = cast<gpu::MMAMatrixType>(type);
  bool isOfSum = sum.isF32() ? matrix.getElementType().isF16()
                             : matrix.getElementType().isSignedInteger(8);
  return isOfSum && matrix.getShape() ==
                        ArrayRef<int64_t>{MatrixTile::side, MatrixTile::side};
}

static bool isSum(Type type) {
  auto matrix = dyn_cast<gpu::MMAMatrixType>(type);
  return matrix && matrix.getOperand() == "COp" &&
         (matrix.getElementType().isF32() ||
          matrix.getElementType().isInteger(32)) &&
         matrix.getShape() ==
             ArrayRef<int64_t>{MatrixTile::side, MatrixTile::side};
}

namespace {
/// The elements of a matrix that an invocation has, as numbers in the array
/// that the matrix is in.
struct Part {
  Part(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {
    Value id = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
    Value lane = arith::RemUIOp::create(builder, loc, id,
                                        constant(MatrixTile::subgroupSize));
    Value perRow = constant(MatrixTile::side / width);
    row = arith::DivUIOp::create(builder, loc, lane, perRow);
    column = arith::MulIOp::create(
        builder, loc, arith::RemUIOp::create(builder, loc, lane, perRow),
        constant(width));
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  /// The number of the element at \p row and \p column of the matrix that
  /// begins at \p first, and whose rows are \p stride apart.
  Value number(Value first, const APInt &stride, Value row, Value column) {
    Value start = arith::MulIOp::create(builder, loc, row,
                                        constant(stride.getSExtValue()));
    return add(add(first, start), column);
  }

  OpBuilder &builder;
  Location loc;
  Value row, column;
};

struct ExpandConstant : OpConversionPattern<gpu::SubgroupMmaConstantMatrixOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(gpu::SubgroupMmaConstantMatrixOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op,
                                   {SmallVector<Value>(width, op.getValue())});
    return success();
  }
};

struct ExpandStore : OpConversionPattern<gpu::SubgroupMmaStoreMatrixOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(gpu::SubgroupMmaStoreMatrixOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Part part(rewriter, loc);
    Value first = part.number(op.getIndices()[0], op.getLeadDimension(),
                              part.row, part.column);
    for (auto [i, element] : llvm::enumerate(adaptor.getSrc()))
      memref::StoreOp::create(
          rewriter, loc, element, op.getDstMemref(),
          ValueRange{part.add(first, part.constant(int64_t(i)))});
    rewriter.eraseOp(op);
    return success();
  }
};

/// The load of the factor \p matrix, from an array that nobody writes to before
/// \p user; null where there is none.
gpu::SubgroupMmaLoadMatrixOp findFactor(Value matrix, Operation *user) {
  auto load = matrix.getDefiningOp<gpu::SubgroupMmaLoadMatrixOp>();
  if (!load || load->getBlock() != user->getBlock())
    return {};
  auto mayWrite = [](Operation *op) {
    auto effects = getEffectsRecursively(op);
    return !effects ||
           llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &one) {
             return isa<MemoryEffects::Write>(one.getEffect());
           });
  };
  for (Operation *op = load->getNextNode(); op != user; op = op->getNextNode())
    if (mayWrite(op))
      return {};
  return load;
}

/// Whether the factors of \p op have been loaded as ExpandCompute reads them.
bool isProductOfFactors(gpu::SubgroupMmaComputeOp op) {
  if (!isSum(op.getType()))
    return false;
  Type sum = cast<gpu::MMAMatrixType>(op.getType()).getElementType();
  gpu::SubgroupMmaLoadMatrixOp left = findFactor(op.getOpA(), op);
  gpu::SubgroupMmaLoadMatrixOp right = findFactor(op.getOpB(), op);
  return left && right && isFactor(left.getType(), sum) &&
         isFactor(right.getType(), sum) &&
         left.getTranspose() == op.getATranspose() &&
         right.getTranspose() == op.getBTranspose();
}

/// Whether \p op is about matrices in a way that has no pattern here.
bool isOther(Operation *op) {
  if (auto compute = dyn_cast<gpu::SubgroupMmaComputeOp>(op))
    return !isProductOfFactors(compute);
  if (auto load = dyn_cast<gpu::SubgroupMmaLoadMatrixOp>(op))
    return load.getIndices().size() != 1 || isSum(load.getType());
  if (auto constant = dyn_cast<gpu::SubgroupMmaConstantMatrixOp>(op))
    return !isSum(constant.getType());
  if (auto store = dyn_cast<gpu::SubgroupMmaStoreMatrixOp>(op))
    return !isSum(store.getSrc().getType()) || store.getTranspose() ||
           store.getIndices().size() != 1;
  return isa<gpu::SubgroupMmaElementwiseOp,
             gpu::SubgroupMmaExtractThreadLocalOp,
             gpu::SubgroupMmaInsertThreadLocalOp>(op);
}

struct ExpandCompute : OpConversionPattern<gpu::SubgroupMmaComputeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(gpu::SubgroupMmaComputeOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    gpu::SubgroupMmaLoadMatrixOp left = findFactor(op.getOpA(), op);
    gpu::SubgroupMmaLoadMatrixOp right = findFactor(op.getOpB(), op);
    Location loc = op.getLoc();
    Part part(rewriter, loc);
    bool isFloat = adaptor.getOpC().front().getType().isF32();
    auto load = [&](gpu::SubgroupMmaLoadMatrixOp factor, Value row,
                    Value column) -> Value {
      if (factor.getTranspose())
        std::swap(row, column);
      Value number = part.number(factor.getIndices()[0],
                                 factor.getLeadDimension(), row, column);
      Value element = memref::LoadOp::create(
          rewriter, loc, factor.getSrcMemref(), ValueRange{number});
      if (isFloat)
        return arith::ExtFOp::create(rewriter, loc, rewriter.getF32Type(),
                                     element);
      return arith::ExtSIOp::create(rewriter, loc, rewriter.getI32Type(),
                                    element);
    };
    auto addProduct = [&](Value a, Value b, Value sum) -> Value {
      if (isFloat)
        return math::FmaOp::create(rewriter, loc, a, b, sum);
      Value product = arith::MulIOp::create(rewriter, loc, a, b);
      return arith::AddIOp::create(rewriter, loc, sum, product);
    };
    auto loop = scf::ForOp::create(
        rewriter, loc, part.constant(0), part.constant(MatrixTile::side),
        part.constant(1), adaptor.getOpC(),
        [&](OpBuilder &, Location, Value depth, ValueRange sums) {
          Value factor = load(left, part.row, depth);
          SmallVector<Value> after;
          for (auto [i, sum] : llvm::enumerate(sums)) {
            Value column = part.add(part.column, part.constant(int64_t(i)));
            after.push_back(
                addProduct(factor, load(right, depth, column), sum));
          }
          scf::YieldOp::create(rewriter, loc, after);
        });
    rewriter.replaceOpWithMultiple(op, {loop.getResults()});
    return success();
  }
};
} // namespace

void nnhal::expandSubgroupIds(gpu::GPUFuncOp kernel) {
  kernel.walk([](gpu::SubgroupIdOp op) {
    OpBuilder builder(op);
    Value id = gpu::ThreadIdOp::create(builder, op.getLoc(), gpu::Dimension::x);
    Value size = arith::ConstantIndexOp::create(builder, op.getLoc(),
                                                MatrixTile::subgroupSize);
    op.replaceAllUsesWith(
        arith::DivUIOp::create(builder, op.getLoc(), id, size).getResult());
    op.erase();
  });
}

LogicalResult nnhal::expandMatrices(gpu::GPUFuncOp kernel) {
  if (failed(checkOperations(kernel, "SPIR-V", isOther)))
    return failure();
  MLIRContext *context = kernel.getContext();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion(
      [](gpu::MMAMatrixType type,
         SmallVectorImpl<Type> &elements) -> std::optional<LogicalResult> {
        if (!isSum(type))
          return std::nullopt;
        elements.append(width, type.getElementType());
        return success();
      });
  RewritePatternSet patterns(context);
  patterns.add<ExpandConstant, ExpandStore, ExpandCompute>(converter, context);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([&](Operation *op) {
    return !llvm::any_of(op->getOperandTypes(), isSum) &&
           !llvm::any_of(op->getResultTypes(), isSum);
  });
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
  if (failed(applyPartialConversion(kernel, target, std::move(patterns))))
    return failure();
  kernel.walk([](gpu::SubgroupMmaLoadMatrixOp load) {
    if (load.use_empty())
      load.erase();
  });
  return success();
}
