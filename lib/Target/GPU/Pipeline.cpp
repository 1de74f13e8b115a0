//===- Pipeline.cpp - The phases of the targets of GPUs -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "nnhal/Codegen/Passes.h"
#include "nnhal/Codegen/Pipelines.h"
#include "nnhal/Target/GPU/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace nnhal;

void GPUBackend::addPhase(OpPassManager &pm, Phase phase,
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
    // linalg.generic + linalg.generic -> linalg.generic
    pm.addNestedPass<func::FuncOp>(createFuseElementwise());
    // nnk.conv_2d + linalg.generic -> nnk.conv_2d epilogue(...)
    pm.addPass(createFuseEpilogue());
    pm.addPass(createCSEPass());
    pm.addPass(createReportOperations());
    // nnk.conv_2d -> tensor<f32> becomes nnk.conv_2d -> tensor<f16>
    pm.addNestedPass<func::FuncOp>(createUseHalves());
    // scf.if -> tensor becomes scf.if and a buffer
    pm.addNestedPass<func::FuncOp>(createPlaceBranchResults());
    return;
  case Phase::bufferize:
    return addBufferization(pm);
  case Phase::plan:
    // linalg.generic, nnk.conv_2d -> nngpu.dispatch @kernels::@kernel_0
    pm.addNestedPass<func::FuncOp>(createFlattenControlFlow());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addNestedPass<func::FuncOp>(createKeepScalars());
    pm.addPass(createFormDispatches());
    pm.addPass(createExtractConstants({.baseOffset = options.constantsOffset}));
    pm.addPass(createPlanMemory());
    pm.addPass(createPlanBarriers());
    return;
  case Phase::vectorize:
    // linalg in kernels of one invocation -> scf.for
    pm.addNestedPass<gpu::GPUModuleOp>(createConvertLinalgToLoopsPass());
    return;
  case Phase::outline:
    return;
  case Phase::llvm:
    addKernelConversion(pm);
    return;
  }
}
