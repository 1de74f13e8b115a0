//===- Pipelines.cpp - From a model to LLVM IR, in named phases -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Compiler/Pipelines.h"

#include "SetTarget.h"
#include "Target/Targets.h"

#include "nnhal/Codegen/Passes.h"
#include "nnhal/Conversion/Passes.h"
#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/NNHal/IR/NNHal.h"
#include "nnhal/Dialect/NNHal/Transforms/Passes.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"
#include "nnhal/Target/CPU/Passes.h"
#include "nnhal/Target/GPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

void addPhase(OpPassManager &pm, Phase phase, const TargetBackend &target,
              const PhaseOptions &options) {
  switch (phase) {
  case Phase::legalize:
    // A request omits what has no extents to compile for.
    if (target.needsKnownExtents())
      pm.addPass(createOmitUnknownInputs());
    // nnhal.operation "CONV_2D" -> nnhal.conv_2d
    pm.addPass(createRaiseOperations());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    return;
  case Phase::lower:
    // nnhal.add -> linalg.generic, and convolutions as the target has them
    pm.addPass(createConvertNNHalGraphToFunc());
    pm.addPass(createConvertNNHalToLinalg());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    return;
  default:
    return target.addPhase(pm, phase, options);
  }
}

void addPhase(OpPassManager &pm, Phase phase,
              const CompilePipelineOptions &options) {
  rt::Result<const TargetBackend *> target =
      findTargetByName(builtInTargets(), options.target.getValue());
  assert(target.isOk() && "the caller names a target that there is");
  addPhase(pm, phase, **target,
           PhaseOptions{.constantsOffset = options.constantsOffset});
}

void registerCompilerDialects(DialectRegistry &registry) {
  registry
      .insert<NNHalDialect, kernel::KernelDialect, runtime::RuntimeDialect,
              affine::AffineDialect, arith::ArithDialect,
              bufferization::BufferizationDialect, func::FuncDialect,
              linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect,
              memref::MemRefDialect, quant::QuantDialect, scf::SCFDialect,
              tensor::TensorDialect, ub::UBDialect, vector::VectorDialect>();
  kernel::registerKernelBufferizationModels(registry);
  runtime::registerRuntimeBufferizationModels(registry);
  // Which of two buffers a selection is matters to the memory plan.
  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerAllDialectInterfaceImplementations(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  tensor::registerTilingInterfaceExternalModels(registry);
  for (const TargetBackend *target : builtInTargets())
    registerTarget(registry, *target);
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
  rt::Result<const TargetBackend *> target =
      findTargetByName(builtInTargets(), options.target.getValue());
  if (!target.isOk())
    return report(target.status().message());
  pm.addPass(createCheckPhase(continues ? std::optional<Phase>(options.from)
                                        : std::nullopt));
  pm.addPass(createSetTarget(options));
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
  registerNNHalTargetGPUPasses();
  registerPhasePasses();
  registerSetTargetPass();
  registerPassPipeline(
      "nnhal-compile",
      "Compile a model down to the LLVM dialect, from and until named phases",
      parseAndAddPhases,
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)> visit) {
        visit(CompilePipelineOptions());
      });
}

} // namespace nnhal
