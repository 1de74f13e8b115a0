//===- VulkanBackend.cpp - Programs of SPIR-V -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "SpirvModule.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Target/GPU/Passes.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace nnhal;

const TargetBackend &nnhal::getVulkanTarget() {
  static const VulkanBackend backend;
  return backend;
}

void VulkanBackend::registerModels(DialectRegistry &registry) const {
  GPUBackend::registerModels(registry);
  registry.insert<spirv::SPIRVDialect>();
}

void VulkanBackend::addKernelConversion(OpPassManager &pm) const {
  // gpu.module -> spirv.module
  pm.addPass(createKernelsToSpirv());
}

uint32_t VulkanBackend::getWorkgroupSize(FunctionOpInterface kernel) const {
  auto module = cast<spirv::ModuleOp>(kernel->getParentOp());
  for (auto mode : module.getOps<spirv::ExecutionModeOp>())
    if (mode.getFn() == kernel.getName())
      return uint32_t(cast<IntegerAttr>(mode.getValues()[0]).getInt());
  llvm_unreachable("every entry point states the extents of its workgroups");
}

rt::Result<GPUBackend::KernelCode>
VulkanBackend::emitKernels(Operation *kernels, Cancellation &) const {
  auto module = cast<spirv::ModuleOp>(kernels);
  FailureOr<SmallVector<uint32_t>> words = serializeKernels(module);
  if (failed(words))
    return rt::failure("the kernels cannot be serialized as SPIR-V");
  KernelCode code;
  auto bytes = std::as_bytes(std::span(words->data(), words->size()));
  code.bytes.assign(bytes.begin(), bytes.end());
  code.features = featuresOf(module);
  return code;
}
