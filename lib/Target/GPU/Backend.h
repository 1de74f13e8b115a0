//===- Backend.h - Programs for GPUs ----------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_BACKEND_H
#define NNHAL_LIB_TARGET_GPU_BACKEND_H

#include "Target/TargetBackend.h"

namespace nnhal {

/// The target "vulkan": SPIR-V 1.6 for devices of Vulkan 1.3, whichever they
/// are. Its parameter `device_class` (Tiles.h) decides how kernels are divided.
/// The lowering leaves micro-kernels and linalg, and no routines.
class VulkanBackend final : public TargetBackend {
public:
  llvm::StringRef getName() const override { return "vulkan"; }
  llvm::LogicalResult verifyParameters(
      TargetAttr target,
      llvm::function_ref<void(const llvm::Twine &)> report) const override;
  std::unique_ptr<LoweringPolicy> getLoweringPolicy(
      TargetAttr target,
      llvm::function_ref<void(const llvm::Twine &)> report) const override;
  void registerModels(mlir::DialectRegistry &registry) const override;
  rt::Result<TargetAttr> describe(mlir::MLIRContext &context,
                                  const TargetOptions &options,
                                  rt::Rounding rounding) const override;
  bool needsKnownExtents() const override { return true; }
  void addPhase(mlir::OpPassManager &pm, Phase phase,
                const PhaseOptions &options) const override;
  rt::Result<EmittedCode> emit(mlir::ModuleOp module,
                               const EmissionServices &services) const override;
};

const TargetBackend &getGPUTarget();

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_GPU_BACKEND_H
