//===- Pipeline.cpp - The phases of the CPU target ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "KeptOperations.h"
#include "ReuseKernels.h"

#include "nnhal/Codegen/Passes.h"
#include "nnhal/Codegen/Pipelines.h"
#include "nnhal/Target/CPU/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace nnhal;

static void addLLVMConversion(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createExpandMath());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerRuntimeOperations());
  pm.addPass(createConvertToLLVM());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void CPUBackend::addPhase(OpPassManager &pm, Phase phase,
                          const PhaseOptions &options) const {
  switch (phase) {
  case Phase::legalize:
  case Phase::lower:
    llvm_unreachable("phases of every target");
  case Phase::fuse:
    // linalg.pooling_nhwc_sum -> nnk.pool_2d
    pm.addPass(createFormKernels());
    // nnk.conv_2d_fhwc -> nnk.conv_2d
    pm.addPass(createPackConvolutions());
    // nnk.conv_2d + linalg.generic -> nnk.conv_2d epilogue(...)
    pm.addNestedPass<func::FuncOp>(
        createFuseElementwise({.keepLookups = true}));
    // linalg.generic -> two of them around partial results
    pm.addNestedPass<func::FuncOp>(createSplitReductions());
    pm.addPass(createFuseEpilogue());
    pm.addPass(createCSEPass());
    pm.addPass(createReportOperations());
    return;
  case Phase::bufferize:
    return addBufferization(pm);
  case Phase::plan:
    // memref.alloc, memref.get_global -> memref.view of arena and constants
    pm.addNestedPass<func::FuncOp>(createComputeInBands());
    pm.addPass(createExtractConstants({.baseOffset = options.constantsOffset}));
    pm.addPass(createPlanMemory());
    return;
  case Phase::vectorize:
    // nnk.conv_2d, linalg.generic -> func.func @operation, ..., called by @main
    pm.addPass(createOutlineOperations());
    if (options.kernels)
      pm.addPass(createReuseOperations(*options.kernels));
    // nnk.conv_2d, linalg.generic -> scf.forall, scf.for around vector.fma
    pm.addPass(createConvertNNKToVectorPass());
    pm.addNestedPass<func::FuncOp>(createVectorizeLoops());
    pm.addPass(createLoopInvariantCodeMotionPass());
    pm.addPass(createCSEPass());
    return;
  case Phase::outline:
    // nests of scf.forall, scf.for -> func.func @kernel_0, ...; @nnhal_entry
    pm.addPass(createOutlineKernels(
        {.keepOperations =
             options.kernels && options.kernels->keepsObjects()}));
    pm.addPass(createEmitEntry());
    pm.addPass(createDispatchKernels());
    pm.addPass(createVerifyAddresses());
    return;
  case Phase::llvm:
    if (!options.inParts)
      return addLLVMConversion(pm);
    pm.addPass(createNameKernels());
    if (options.kernels) {
      pm.addPass(createKeepOperations(*options.kernels));
      pm.addPass(createReuseKernels(*options.kernels));
    }
    pm.addPass(createPartitionKernels());
    return addLLVMConversion(pm.nest<ModuleOp>());
  }
}
