//===- Pipelines.cpp - From a model to LLVM IR, in named phases -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Compiler/Pipelines.h"

#include "nnhal/Codegen/Passes.h"
#include "nnhal/Conversion/Passes.h"
#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/NNHal/IR/NNHal.h"
#include "nnhal/Dialect/NNHal/Transforms/Passes.h"
#include "nnhal/Target/CPU/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

namespace nnhal {

using namespace mlir;

static void addBufferization(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createSeparateDestinations());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions options;
  // The entry function is on buffers already; identity layouts keep every
  // buffer contiguous.
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  // The extents of a loop's state may change from round to round.
  options.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createFoldOutputCopies());
}

static void addLLVMConversion(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createExpandMath());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerRuntimeOperations());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createFuncToLLVM());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void addPhase(OpPassManager &pm, Phase phase,
              const CompilePipelineOptions &options) {
  switch (phase) {
  case Phase::legalize: {
    // nnhal.operation "CONV_2D" -> nnhal.conv_2d
    pm.addPass(createRaiseOperations());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    return;
  }
  case Phase::lower: {
    // nnhal.conv_2d -> nnk.conv_2d, nnhal.add -> linalg.generic
    pm.addPass(createConvertNNHalGraphToFunc());
    ConvertNNHalToLinalgOptions lowering;
    lowering.vectorBits = options.vectorBits;
    lowering.vectorRegisters = options.vectorRegisters;
    lowering.dotProduct = options.dotProduct;
    lowering.rounding = options.rounding;
    llvm::append_range(lowering.costModel, options.costModel);
    pm.addPass(createConvertNNHalToLinalg(lowering));
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    return;
  }
  case Phase::fuse:
    // nnk.conv_2d + linalg.generic -> nnk.conv_2d epilogue(...)
    pm.addNestedPass<func::FuncOp>(createFuseElementwise());
    pm.addPass(createFuseEpiloguePass());
    pm.addPass(createCSEPass());
    pm.addPass(createReportOperations());
    return;
  case Phase::bufferize:
    return addBufferization(pm);
  case Phase::plan: {
    // memref.alloc, memref.get_global -> memref.view of arena and constants
    ComputeInBandsOptions bands;
    bands.vectorRegisters = options.vectorRegisters;
    llvm::append_range(bands.costModel, options.costModel);
    pm.addNestedPass<func::FuncOp>(createComputeInBands(bands));
    pm.addPass(createExtractConstants({.baseOffset = options.constantsOffset}));
    pm.addPass(createPlanMemory());
    return;
  }
  case Phase::vectorize: {
    // nnk.conv_2d, linalg.generic -> scf.for around vector.fma
    ConvertNNKToVectorPassOptions kernels;
    kernels.vectorBits = options.vectorBits;
    kernels.registers = options.vectorRegisters;
    kernels.dotProduct = options.dotProduct;
    llvm::append_range(kernels.costModel, options.costModel);
    pm.addPass(createConvertNNKToVectorPass(kernels));
    VectorizeLoopsOptions loops;
    loops.vectorBits = options.vectorBits;
    pm.addNestedPass<func::FuncOp>(createVectorizeLoops(loops));
    pm.addPass(createLoopInvariantCodeMotionPass());
    pm.addPass(createCSEPass());
    return;
  }
  case Phase::outline:
    // scf.for nests -> func.func @kernel_0, ...; @nnhal_entry
    pm.addPass(createOutlineKernels());
    pm.addPass(createEmitEntry());
    pm.addPass(createDispatchKernels());
    pm.addPass(createVerifyAddresses());
    return;
  case Phase::llvm:
    return addLLVMConversion(pm);
  }
}

void registerCompilerDialects(DialectRegistry &registry) {
  registry.insert<NNHalDialect, kernel::KernelDialect, affine::AffineDialect,
                  arith::ArithDialect, bufferization::BufferizationDialect,
                  func::FuncDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, quant::QuantDialect,
                  scf::SCFDialect, tensor::TensorDialect, ub::UBDialect,
                  vector::VectorDialect>();
  kernel::registerKernelBufferizationModels(registry);
  kernel::registerRuntimeBufferizationModels(registry);
  // Which of two buffers a selection is matters to the memory plan.
  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerAllDialectInterfaceImplementations(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  tensor::registerTilingInterfaceExternalModels(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

LogicalResult
addPhases(OpPassManager &pm, const CompilePipelineOptions &options,
          llvm::function_ref<LogicalResult(const Twine &)> report) {
  bool continues = options.from.hasValue();
  if (continues && Phase(options.from) > Phase(options.until))
    return report("from=" + toString(options.from) + " is after until=" +
                  toString(options.until) + ": the order is " + listPhases());
  pm.addPass(createCheckPhase(continues ? std::optional<Phase>(options.from)
                                        : std::nullopt));
  for (Phase phase : allPhases())
    if ((!continues || phase > Phase(options.from)) &&
        phase <= Phase(options.until))
      addPhase(pm, phase, options);
  pm.addPass(createMarkPhase(options.until));
  return success();
}

/// The pipeline `nnhal-compile` with \p text for options.
static LogicalResult
parseAndAddPhases(OpPassManager &pm, StringRef text,
                  llvm::function_ref<LogicalResult(const Twine &)> report) {
  CompilePipelineOptions options;
  // Tells what is wrong itself.
  if (failed(options.parseFromString(text)))
    return failure();
  return addPhases(pm, options, report);
}

void registerAllPasses() {
  registerNNHalTransformsPasses();
  registerNNHalConversionPasses();
  registerNNHalCodegenPasses();
  registerNNHalTargetCPUPasses();
  registerPhasePasses();
  registerPassPipeline(
      "nnhal-compile",
      "Compile a model down to the LLVM dialect, from and until named phases",
      parseAndAddPhases,
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)> visit) {
        visit(CompilePipelineOptions());
      });
}

} // namespace nnhal
