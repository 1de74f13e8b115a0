//===- ConvertToLLVM.cpp - Everything that is left to LLVM at once --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The patterns are those of upstream's passes convert-vector-to-llvm,
// convert-math-to-llvm, convert-arith-to-llvm, finalize-memref-to-llvm,
// convert-func-to-llvm, convert-cf-to-llvm and convert-ub-to-llvm, in one
// conversion. One pass after the other visits each operation seven times,
// rewrites every vector operation greedily before, and connects what it has
// converted with what it has not by casts that the next one takes away: half of
// the time that MLIR took (docs/Internals/Measurements/CompileTime.md).
// Upstream's convert-to-llvm has no way to say how functions pass buffers, and
// none to lower the vector operations that LLVM has no form of.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Codegen/Passes.h"

#include "CallConvention.h"

#include "mlir/Analysis/DataLayoutAnalysis.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace nnhal {
#define GEN_PASS_DEF_CONVERTTOLLVM
#include "nnhal/Codegen/Passes.h.inc"

using namespace mlir;

namespace {
struct ConvertToLLVMPass : impl::ConvertToLLVMBase<ConvertToLLVMPass> {
  void runOnOperation() override;

private:
  LogicalResult expandViews();
};
} // namespace

bool needsDescriptor(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  if (!buffer)
    return false;
  // To find the strides takes longer, and this is asked for each argument by
  // several passes. Without elements there are none.
  if (buffer.getLayout().isIdentity() && buffer.hasStaticShape() &&
      buffer.getNumElements() > 0)
    return false;
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  return failed(buffer.getStridesAndOffset(strides, offset)) ||
         !buffer.hasStaticShape() || ShapedType::isDynamic(offset) ||
         llvm::any_of(strides, ShapedType::isDynamic);
}

bool passesDynamicBuffers(func::FuncOp function) {
  return llvm::any_of(function.getArgumentTypes(), needsDescriptor);
}

/// Upstream's pattern would call `free` with a pointer of another space.
static LogicalResult checkDeallocations(ModuleOp module) {
  WalkResult result = module.walk([](memref::DeallocOp op) {
    Attribute space =
        cast<BaseMemRefType>(op.getMemref().getType()).getMemorySpace();
    if (!space)
      return WalkResult::advance();
    op.emitOpError("frees a buffer in memory space ")
        << space << ", expected the default one";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Makes offsets, extents and strides of views arithmetic: upstream's pass
/// expand-strided-metadata looks at all operations for it, of which most access
/// no view.
LogicalResult ConvertToLLVMPass::expandViews() {
  SmallVector<Operation *> views;
  getOperation().walk([&](Operation *op) {
    if (isa<ViewLikeOpInterface, memref::ExtractStridedMetadataOp,
            memref::ExtractAlignedPointerAsIndexOp>(op) &&
        isa_and_present<memref::MemRefDialect>(op->getDialect()))
      views.push_back(op);
  });
  RewritePatternSet patterns(&getContext());
  memref::populateExpandStridedMetadataPatterns(patterns);
  return applyOpPatternsGreedily(views, std::move(patterns));
}

/// The patterns of vector operations: those that LLVM has no form of, such as
/// transpositions and slices, become others that it has.
static void populateVectorPatterns(const LLVMTypeConverter &converter,
                                   RewritePatternSet &patterns) {
  // No vector has 2^32 elements.
  constexpr bool force32BitIndices = true;
  vector::populateVectorToVectorCanonicalizationPatterns(patterns);
  vector::populateVectorBitCastLoweringPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(
      patterns, vector::VectorTransposeLowering::EltWise);
  vector::populateVectorTransferLoweringPatterns(patterns,
                                                 /*maxTransferRank=*/1);
  vector::populateVectorMaskMaterializationPatterns(patterns,
                                                    force32BitIndices);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorRankReducingFMAPattern(patterns);
  vector::populateVectorGatherLoweringPatterns(patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns,
                                         /*reassociateFPReductions=*/false,
                                         force32BitIndices);
}

/// States how vectors in memory are aligned: as their elements are. Upstream's
/// patterns would make an LLVM context for each access to find that out, an
/// eighth of this pass.
static void stateAlignments(ModuleOp module) {
  module.walk([](Operation *op) {
    auto state = [](auto access, VectorType type) {
      unsigned bits = type.getElementType().isIntOrFloat()
                          ? type.getElementTypeBitWidth()
                          : 0;
      if (bits >= 8 && bits <= 64 && llvm::isPowerOf2_32(bits) &&
          !access.getAlignment())
        access.setAlignment(bits / 8);
    };
    if (auto load = dyn_cast<vector::LoadOp>(op))
      state(load, load.getVectorType());
    else if (auto store = dyn_cast<vector::StoreOp>(op))
      state(store, store.getVectorType());
  });
}

void ConvertToLLVMPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(checkDeallocations(module)) || failed(expandViews()))
    return signalPassFailure();
  stateAlignments(module);
  const DataLayoutAnalysis &layouts = getAnalysis<DataLayoutAnalysis>();
  LowerToLLVMOptions options(&getContext(), layouts.getAtOrAbove(module));
  options.useBarePtrCallConv =
      !module->hasAttr(passesDescriptorsAttrName) &&
      llvm::none_of(module.getOps<func::FuncOp>(), passesDynamicBuffers);
  LLVMTypeConverter converter(&getContext(), options, &layouts);
  RewritePatternSet patterns(&getContext());
  SymbolTableCollection symbols;
  populateVectorPatterns(converter, patterns);
  populateAffineToStdConversionPatterns(patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns, &symbols);
  populateFuncToLLVMConversionPatterns(converter, patterns, &symbols);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  unsigned functions = llvm::range_size(module.getOps<func::FuncOp>());
  LLVMConversionTarget target(getContext());
  target.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
  // An operation that no pattern converts would be left in a function whose
  // values have other types.
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    return signalPassFailure();
  numConverted += functions;
  numBare += options.useBarePtrCallConv ? functions : 0;
}

} // namespace nnhal
