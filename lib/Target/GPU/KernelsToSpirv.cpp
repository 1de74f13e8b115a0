//===- KernelsToSpirv.cpp - SPIR-V of kernels -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/GPU/Passes.h"

#include "CooperativeMatrices.h"
#include "ExpandMatrices.h"
#include "KernelMemory.h"
#include "KernelPreparation.h"
#include "Tiles.h"

#include "nnhal/Dialect/GPU/GPUOps.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/FuncToSPIRV/FuncToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/IndexToSPIRV/IndexToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/UBToSPIRV/UBToSPIRV.h"
#include "mlir/Conversion/VectorToSPIRV/VectorToSPIRV.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace nnhal {
#define GEN_PASS_DEF_KERNELSTOSPIRV
#include "nnhal/Target/GPU/Passes.h.inc"

using namespace mlir;

static constexpr StringLiteral language = "SPIR-V";

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Makes what a workgroup shares allocations, as upstream's conversion wants
/// it.
static void allocateShared(gpu::GPUFuncOp kernel) {
  Block &entry = kernel.getBody().front();
  OpBuilder builder(&entry, entry.begin());
  kernel.removeWorkgroupAttribAttrsAttr();
  while (kernel.getNumWorkgroupAttributions() > 0) {
    BlockArgument array = kernel.getWorkgroupAttributions().back();
    auto type = cast<MemRefType>(array.getType());
    array.replaceAllUsesWith(
        memref::AllocOp::create(builder, array.getLoc(), type).getResult());
    kernel->setAttr(
        gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName(),
        builder.getI64IntegerAttr(kernel.getNumWorkgroupAttributions() - 1));
    entry.eraseArgument(array.getArgNumber());
  }
}

/// What kernels may ask of a device: the runtime compares what they do ask for.
static spirv::TargetEnvAttr targetEnvironment(MLIRContext *context) {
  using enum spirv::Capability;
  constexpr spirv::Capability capabilities[] = {Shader,
                                                Int8,
                                                Int16,
                                                Int64,
                                                Float16,
                                                Float64,
                                                DotProduct,
                                                DotProductInput4x8BitPacked,
                                                StorageBuffer8BitAccess,
                                                StorageBuffer16BitAccess,
                                                CooperativeMatrixKHR,
                                                GroupNonUniform,
                                                VulkanMemoryModel};
  constexpr spirv::Extension extensions[] = {
      spirv::Extension::SPV_KHR_storage_buffer_storage_class,
      spirv::Extension::SPV_KHR_8bit_storage,
      spirv::Extension::SPV_KHR_16bit_storage,
      spirv::Extension::SPV_KHR_cooperative_matrix,
      spirv::Extension::SPV_KHR_vulkan_memory_model};
  return spirv::TargetEnvAttr::get(
      spirv::VerCapExtAttr::get(spirv::Version::V_1_6, capabilities, extensions,
                                context),
      spirv::getDefaultResourceLimits(context), spirv::ClientAPI::Vulkan,
      spirv::Vendor::Unknown, spirv::DeviceType::Unknown,
      spirv::TargetEnvAttr::kUnknownDeviceID);
}

/// States the extents of the workgroups of \p kernel as SPIR-V does.
static LogicalResult setAbi(gpu::GPUFuncOp kernel) {
  if (kernel->hasAttr(spirv::getEntryPointABIAttrName()))
    return success();
  std::optional<ArrayRef<int32_t>> size = kernel.getKnownBlockSize();
  if (!size)
    return kernel.emitOpError("has no extents of workgroups: expected "
                              "'known_block_size' or 'spirv.entry_point_abi'");
  kernel->setAttr(spirv::getEntryPointABIAttrName(),
                  spirv::getEntryPointABIAttr(kernel.getContext(), *size));
  return success();
}

namespace {
/// A signed remainder by way of the quotient. Vulkan leaves OpSRem of negative
/// numbers undefined, and upstream's form with magnitudes is wrong for the
/// least number, whose magnitude is itself.
struct ExpandRemainder : OpRewritePattern<arith::RemSIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::RemSIOp op,
                                PatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Value quotient =
        arith::DivSIOp::create(rewriter, location, op.getLhs(), op.getRhs());
    Value product =
        arith::MulIOp::create(rewriter, location, quotient, op.getRhs());
    rewriter.replaceOpWithNewOp<arith::SubIOp>(op, op.getLhs(), product);
    return success();
  }
};

/// A product of quads as Vulkan has it.
struct ConvertDot : OpConversionPattern<nngpu::Dot4x8Op> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(nngpu::Dot4x8Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type i32 = rewriter.getI32Type();
    Value products = spirv::SDotOp::create(
        rewriter, op.getLoc(), i32, adaptor.getLhs(), adaptor.getRhs(),
        spirv::PackedVectorFormatAttr::get(
            rewriter.getContext(),
            spirv::PackedVectorFormat::PackedVectorFormat4x8Bit));
    rewriter.replaceOpWithNewOp<spirv::IAddOp>(op, i32, adaptor.getSum(),
                                               products);
    return success();
  }
};

/// Arithmetic of booleans, which are no integers in SPIR-V, as that of i32.
struct WidenBooleans : RewritePattern {
  explicit WidenBooleans(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  static bool isBoolean(Type type) {
    return getElementTypeOrSelf(type).isInteger(1);
  }
  /// Whether \p op is none of the logical operations that SPIR-V has.
  static bool isArithmetic(Operation *op) {
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return arith::CmpIPredicate::eq != compare.getPredicate() &&
             arith::CmpIPredicate::ne != compare.getPredicate();
    return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MaxSIOp,
               arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp, arith::SIToFPOp>(
        op);
  }
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isArithmetic(op) || !isBoolean(op->getOperand(0).getType()))
      return rewriter.notifyMatchFailure(op, "no arithmetic of booleans");
    auto wide = [&](Type type) -> Type {
      if (auto vector = dyn_cast<VectorType>(type))
        return vector.clone(rewriter.getI32Type());
      return rewriter.getI32Type();
    };
    // True is -1: the order of signed and of unsigned numbers is kept.
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(arith::ExtSIOp::create(
          rewriter, op->getLoc(), wide(operand.getType()), operand));
    Type type = op->getResult(0).getType();
    bool isSame = isa<arith::CmpIOp, arith::SIToFPOp>(op);
    Operation *number =
        rewriter.create(op->getLoc(), op->getName().getIdentifier(), operands,
                        isSame ? type : wide(type), op->getAttrs());
    if (isSame)
      rewriter.replaceOp(op, number);
    else
      rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type,
                                                   number->getResult(0));
    return success();
  }
};
} // namespace

/// Selects the first values of what \p loop carries where it has no rounds.
/// Upstream's conversion keeps the results of a loop in variables that only its
/// rounds store to (SCFToSPIRV.cpp of LLVM 22), so that they are undefined
/// otherwise; software drivers have zeros there.
static void selectFirstValues(scf::ForOp loop) {
  std::optional<APInt> rounds = loop.getStaticTripCount();
  if (loop.getNumResults() == 0 || (rounds && !rounds->isZero()))
    return;
  OpBuilder builder(loop->getContext());
  builder.setInsertionPointAfter(loop);
  Value hasRounds =
      arith::CmpIOp::create(builder, loop.getLoc(), arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  for (auto [result, first] :
       llvm::zip_equal(loop.getResults(), loop.getInitArgs())) {
    auto select = arith::SelectOp::create(builder, loop.getLoc(), hasRounds,
                                          result, first);
    result.replaceAllUsesExcept(select, select);
  }
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

static LogicalResult convert(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  spirv::TargetEnvAttr environment = targetEnvironment(context);
  module->setAttr(spirv::getTargetEnvAttrName(), environment);
  auto target = SPIRVConversionTarget::get(environment);
  SPIRVTypeConverter converter(environment);
  ScfToSPIRVContext loops;
  RewritePatternSet patterns(context);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToSPIRVPatterns(converter, patterns);
  index::populateIndexToSPIRVPatterns(converter, patterns);
  populateFuncToSPIRVPatterns(converter, patterns);
  populateGPUToSPIRVPatterns(converter, patterns);
  populateMathToSPIRVPatterns(converter, patterns);
  populateMemRefToSPIRVPatterns(converter, patterns);
  populateSCFToSPIRVPatterns(converter, loops, patterns);
  populateVectorToSPIRVPatterns(converter, patterns);
  populateCooperativeMatrixPatterns(converter, patterns);
  patterns.add<ConvertDot>(converter, context);
  ub::populateUBToSPIRVConversionPatterns(converter, patterns);

  // The operations that are left tell more than the driver's error does.
  DenseSet<Operation *> left;
  ConversionConfig config;
  config.unlegalizedOps = &left;
  Operation *parent = module->getParentOp();
  if (failed(
          applyPartialConversion(module, *target, std::move(patterns), config)))
    return failure();
  if (left.empty())
    return success();
  return checkOperations(parent, language,
                         [&](Operation *op) { return left.contains(op); });
}

/// Keeps drivers from fusing, reassociating and simplifying what rounds.
static void decorateArithmetic(spirv::ModuleOp module) {
  auto unit = UnitAttr::get(module.getContext());
  module.walk([&](Operation *op) {
    if (isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp>(op))
      // The serializer knows decorations by their names in snake case.
      op->setAttr("no_contraction", unit);
  });
}

/// Upstream deduces the lowest version that has the operations, but entry
/// points list the buffers that they use, as from 1.4 on. It does not look at
/// the numbers that a device gives to invocations either.
static void completeTriple(spirv::ModuleOp module) {
  spirv::VerCapExtAttr triple = *module.getVceTriple();
  auto capabilities = llvm::to_vector(triple.getCapabilities());
  bool hasSubgroups =
      llvm::any_of(module.getOps<spirv::GlobalVariableOp>(),
                   [](spirv::GlobalVariableOp variable) {
                     return variable.getBuiltIn() ==
                            spirv::stringifyBuiltIn(spirv::BuiltIn::SubgroupId);
                   });
  if (hasSubgroups)
    capabilities.push_back(spirv::Capability::GroupNonUniform);
  module.setVceTripleAttr(spirv::VerCapExtAttr::get(
      spirv::Version::V_1_6, capabilities,
      llvm::to_vector(triple.getExtensions()), module.getContext()));
}

namespace {
struct KernelsToSpirvPass : impl::KernelsToSpirvBase<KernelsToSpirvPass> {
  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules(
        getOperation().getOps<gpu::GPUModuleOp>());
    for (gpu::GPUModuleOp module : modules) {
      StringAttr name = module.getNameAttr();
      if (failed(prepare(module)) || failed(convert(module)))
        return signalPassFailure();
      // Upstream's conversion makes up a name; dispatches have this one.
      for (auto converted : getOperation().getOps<spirv::ModuleOp>())
        if (converted.getName() == ("__spv__" + name.getValue()).str())
          converted.setSymNameAttr(name);
    }
    SmallVector<spirv::ModuleOp> converted(
        getOperation().getOps<spirv::ModuleOp>());
    for (spirv::ModuleOp module : converted)
      if (failed(finish(module)))
        return signalPassFailure();
  }

private:
  LogicalResult prepare(gpu::GPUModuleOp module) {
    bool isCooperative = nngpu::deviceClassOf(findTarget(module)).isCooperative;
    for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
      if (failed(setAbi(kernel)) ||
          failed(isCooperative ? checkCooperativeMatrices(kernel)
                               : expandMatrices(kernel)) ||
          failed(flattenBuffers(kernel)))
        return failure();
      if (!isCooperative)
        expandSubgroupIds(kernel);
      allocateShared(kernel);
      ++numKernels;
    }
    OpPassManager pm(gpu::GPUModuleOp::getOperationName());
    addKernelPreparation(pm);
    if (failed(runPipeline(pm, module)))
      return failure();
    RewritePatternSet patterns(&getContext());
    populateUpliftToFMAPatterns(patterns);
    patterns.add<ExpandRemainder, WidenBooleans>(&getContext());
    if (failed(applyPatternsGreedily(module, std::move(patterns))))
      return failure();
    module.walk(selectFirstValues);
    return checkOperations(module, language, isFunctionOfDouble);
  }

  LogicalResult finish(spirv::ModuleOp module) {
    decorateArithmetic(module);
    OpPassManager pm(spirv::ModuleOp::getOperationName());
    pm.addPass(spirv::createSPIRVLowerABIAttributesPass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addPass(spirv::createSPIRVUpdateVCEPass());
    useVulkanMemoryModel(module);
    if (failed(runPipeline(pm, module)))
      return failure();
    completeTriple(module);
    return success();
  }
};
} // namespace

} // namespace nnhal
