//===- Backend.h - Code for x86-64 and AArch64 ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_BACKEND_H
#define NNHAL_LIB_TARGET_CPU_BACKEND_H

#include "Target/TargetBackend.h"

namespace nnhal {

/// The target "cpu". Its parameters are those of KernelTarget, and `triple`,
/// `cpu` and `features`, LLVM's names of the machine.
class CPUBackend final : public TargetBackend {
public:
  llvm::StringRef getName() const override { return "cpu"; }
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
  void addPhase(mlir::OpPassManager &pm, Phase phase,
                const PhaseOptions &options) const override;
  rt::Result<EmittedCode> emit(mlir::ModuleOp module,
                               const EmissionServices &services) const override;
};

const TargetBackend &getCPUTarget();

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_BACKEND_H
