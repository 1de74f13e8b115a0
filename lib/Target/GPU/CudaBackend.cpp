//===- CudaBackend.cpp - Programs of PTX ----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "PtxModule.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Target/GPU/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"

using namespace mlir;
using namespace nnhal;

const TargetBackend &nnhal::getCudaTarget() {
  static const CudaBackend backend;
  return backend;
}

void CudaBackend::registerModels(DialectRegistry &registry) const {
  GPUBackend::registerModels(registry);
  registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  registerGPUDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

void CudaBackend::addKernelConversion(OpPassManager &pm) const {
  // gpu.func -> llvm.func {nvvm.kernel}
  pm.addPass(createKernelsToNvvm());
}

uint32_t CudaBackend::getWorkgroupSize(FunctionOpInterface kernel) const {
  auto size = kernel->getAttrOfType<DenseI32ArrayAttr>(
      NVVM::NVVMDialect::getReqntidAttrName());
  assert(size && "every kernel states the extents of its workgroups");
  return uint32_t(size[0]);
}

rt::Result<GPUBackend::KernelCode>
CudaBackend::emitKernels(Operation *kernels, Cancellation &cancellation) const {
  NNHAL_ASSIGN_OR_RETURN(
      std::string text,
      emitPtx(cast<mlir::gpu::GPUModuleOp>(kernels), cancellation));
  // Modules are whole words.
  text.append((4 - text.size() % 4) % 4, '\n');
  KernelCode code;
  auto bytes = std::as_bytes(std::span(text));
  code.bytes.assign(bytes.begin(), bytes.end());
  code.features = ptxFeatures;
  return code;
}
