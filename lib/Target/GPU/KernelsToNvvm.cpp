//===- KernelsToNvvm.cpp - Kernels in LLVM's dialect ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/GPU/Passes.h"

#include "ExpandMatrices.h"
#include "KernelMemory.h"
#include "KernelPreparation.h"

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Dialect/GPU/GPUOps.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace nnhal {
#define GEN_PASS_DEF_KERNELSTONVVM
#include "nnhal/Target/GPU/Passes.h.inc"

using namespace mlir;

static constexpr StringLiteral language = "PTX";

/// States the extents of the workgroups of \p kernel as the dialect gpu does.
static LogicalResult setBlockSize(gpu::GPUFuncOp kernel) {
  StringRef abiName = spirv::getEntryPointABIAttrName();
  if (auto abi = kernel->getAttrOfType<spirv::EntryPointABIAttr>(abiName)) {
    if (DenseI32ArrayAttr size = abi.getWorkgroupSize())
      kernel.setKnownBlockSizeAttr(size);
    kernel->removeAttr(abiName);
  }
  if (kernel.getKnownBlockSize())
    return success();
  return kernel.emitOpError("has no extents of workgroups: expected "
                            "'known_block_size' or 'spirv.entry_point_abi'");
}

/// Whether LLVM would call a library for \p op, a function of mathematics.
static bool isOfLibrary(Operation *op) {
  return isa_and_present<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
              math::CountLeadingZerosOp, math::CountTrailingZerosOp,
              math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
              math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp,
              math::RoundOp, math::RsqrtOp, math::SqrtOp, math::TruncOp>(op);
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

static NVVM::NVVMMemorySpace spaceOf(spirv::StorageClass storage) {
  switch (storage) {
  case spirv::StorageClass::StorageBuffer:
    return NVVM::NVVMMemorySpace::Global;
  case spirv::StorageClass::Workgroup:
    return NVVM::NVVMMemorySpace::Shared;
  default:
    // LLVM finds out which memory variables are in.
    return NVVM::NVVMMemorySpace::Generic;
  }
}

/// Flat buffers name their memory as SPIR-V does.
static void addMemorySpaces(LLVMTypeConverter &converter) {
  configureGpuToNVVMTypeConverter(converter);
  converter.addTypeAttributeConversion(
      [](BaseMemRefType type, spirv::StorageClassAttr storage) -> Attribute {
        return IntegerAttr::get(IntegerType::get(type.getContext(), 64),
                                int64_t(spaceOf(storage.getValue())));
      });
}

namespace {
/// Upstream's conversion leaves it to the code generator whether a vector.fma
/// is fused, and here that is told to fuse nothing by itself.
struct FuseVectors : OpRewritePattern<vector::FMAOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::FMAOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<math::FmaOp>(op, op.getLhs(), op.getRhs(),
                                             op.getAcc());
    return success();
  }
};
} // namespace

/// Applies the patterns that ConvertVectorToLLVM of upstream applies before its
/// conversion.
static LogicalResult lowerVectors(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  vector::populateVectorToVectorCanonicalizationPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  patterns.add<FuseVectors>(module.getContext());
  return applyPatternsGreedily(module, std::move(patterns));
}

namespace {
/// A product of quads, one instruction.
struct ConvertDot : ConvertOpToLLVMPattern<nngpu::Dot4x8Op> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(nngpu::Dot4x8Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr auto isSigned = NVVM::DotAccumulateType::SIGNED;
    auto quad = VectorType::get(4, rewriter.getI8Type());
    auto bytesOf = [&](Value word) -> Value {
      return LLVM::BitcastOp::create(rewriter, op.getLoc(), quad, word);
    };
    rewriter.replaceOpWithNewOp<NVVM::DotAccumulate4WayOp>(
        op, rewriter.getI32Type(), bytesOf(adaptor.getLhs()), isSigned,
        bytesOf(adaptor.getRhs()), isSigned, adaptor.getSum());
    return success();
  }
};
} // namespace

static LogicalResult convert(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  // No buffer has 2^31 elements; addresses are computed in half the registers.
  options.overrideIndexBitwidth(32);
  options.useBarePtrCallConv = true;
  LLVMTypeConverter converter(context, options);
  addMemorySpaces(converter);
  LLVMConversionTarget target(*context);
  target.addLegalDialect<NVVM::NVVMDialect>();
  target.addIllegalDialect<gpu::GPUDialect, nngpu::GPUDialect>();
  // The module stays, and what is converted is inside.
  target.addLegalOp<gpu::GPUModuleOp>();
  RewritePatternSet patterns(context);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns,
                                         /*reassociateFPReductions=*/false,
                                         /*force32BitVectorIndices=*/true);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false);
  populateGpuWMMAToNVVMConversionPatterns(converter, patterns);
  patterns.add<ConvertDot>(converter);
  // These have calls of a library for what the others have instructions for.
  populateGpuToNVVMConversionPatterns(converter, patterns, /*benefit=*/0);

  // The operations that are left tell more than the driver's error does.
  DenseSet<Operation *> left;
  ConversionConfig config;
  config.unlegalizedOps = &left;
  if (failed(
          applyPartialConversion(module, target, std::move(patterns), config)))
    return failure();
  return checkOperations(module, language,
                         [&](Operation *op) { return left.contains(op); });
}

/// States what the runtime promises of launches: extents of workgroups, which
/// the driver checks, and where bindings begin.
static void describeLaunches(gpu::GPUModuleOp module) {
  Builder builder(module.getContext());
  auto alignment = builder.getI64IntegerAttr(int64_t(rt::constantAlignment));
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!kernel->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()))
      continue;
    if (Attribute size =
            kernel->removeAttr(NVVM::NVVMDialect::getMaxntidAttrName()))
      kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), size);
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(), alignment);
  }
}

namespace {
struct KernelsToNvvmPass : impl::KernelsToNvvmBase<KernelsToNvvmPass> {
  void runOnOperation() override {
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>()) {
      if (failed(prepare(module)) || failed(convert(module)))
        return signalPassFailure();
      describeLaunches(module);
    }
  }

private:
  LogicalResult prepare(gpu::GPUModuleOp module) {
    for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
      if (failed(setBlockSize(kernel)) || failed(flattenBuffers(kernel)))
        return failure();
      expandSubgroupIds(kernel);
      ++numKernels;
    }
    OpPassManager pm(gpu::GPUModuleOp::getOperationName());
    addKernelPreparation(pm);
    if (failed(runPipeline(pm, module)))
      return failure();
    RewritePatternSet patterns(&getContext());
    populateUpliftToFMAPatterns(patterns);
    if (failed(applyPatternsGreedily(module, std::move(patterns))) ||
        failed(checkOperations(module, language, isOfLibrary)) ||
        failed(lowerVectors(module)))
      return failure();
    OpPassManager late(gpu::GPUModuleOp::getOperationName());
    late.addPass(createSCFToControlFlowPass());
    late.addPass(createCanonicalizerPass());
    return runPipeline(late, module);
  }
};
} // namespace

} // namespace nnhal
