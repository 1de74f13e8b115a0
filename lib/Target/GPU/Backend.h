//===- Backend.h - Programs for GPUs ----------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_BACKEND_H
#define NNHAL_LIB_TARGET_GPU_BACKEND_H

#include "Target/TargetBackend.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace nnhal {

/// The base of the targets of GPUs, which differ in the form of kernels alone.
/// The parameter `device_class` (Tiles.h) decides how kernels are divided. The
/// lowering leaves micro-kernels and linalg, and no routines.
class GPUBackend : public TargetBackend {
public:
  llvm::LogicalResult verifyParameters(
      TargetAttr target,
      llvm::function_ref<void(const llvm::Twine &)> report) const final;
  std::unique_ptr<LoweringPolicy> getLoweringPolicy(
      TargetAttr target,
      llvm::function_ref<void(const llvm::Twine &)> report) const final;
  rt::Result<TargetAttr> describe(mlir::MLIRContext &context,
                                  const TargetOptions &options,
                                  rt::Rounding rounding) const final;
  bool needsKnownExtents() const final { return true; }
  void registerModels(mlir::DialectRegistry &registry) const override;
  void addPhase(mlir::OpPassManager &pm, Phase phase,
                const PhaseOptions &options) const final;
  rt::Result<EmittedCode> emit(mlir::ModuleOp module,
                               const EmissionServices &services) const final;

protected:
  /// The kernels of a program as the runtime gives them to a driver.
  struct KernelCode {
    /// A multiple of 4 of them.
    std::vector<std::byte> bytes;
    /// In the form of rt::CodeSection::features.
    std::string features;
  };

  virtual rt::TargetKind getKind() const = 0;
  /// Adds the passes that convert the kernels of a module.
  virtual void addKernelConversion(mlir::OpPassManager &pm) const = 0;
  /// The invocations of a workgroup of the converted \p kernel.
  virtual uint32_t getWorkgroupSize(mlir::FunctionOpInterface kernel) const = 0;
  /// Makes code of \p kernels, the module that the conversion has left.
  virtual rt::Result<KernelCode>
  emitKernels(mlir::Operation *kernels, Cancellation &cancellation) const = 0;
};

/// The target "vulkan": SPIR-V 1.6 for devices of Vulkan 1.3, whichever they
/// are.
class VulkanBackend final : public GPUBackend {
public:
  llvm::StringRef getName() const override { return "vulkan"; }
  void registerModels(mlir::DialectRegistry &registry) const override;

protected:
  rt::TargetKind getKind() const override { return rt::TargetKind::spirv; }
  void addKernelConversion(mlir::OpPassManager &pm) const override;
  uint32_t getWorkgroupSize(mlir::FunctionOpInterface kernel) const override;
  rt::Result<KernelCode> emitKernels(mlir::Operation *kernels,
                                     Cancellation &cancellation) const override;
};

/// The target "cuda": PTX for devices of compute capability 8.0 and later,
/// whose driver compiles it.
class CudaBackend final : public GPUBackend {
public:
  llvm::StringRef getName() const override { return "cuda"; }
  void registerModels(mlir::DialectRegistry &registry) const override;

protected:
  rt::TargetKind getKind() const override { return rt::TargetKind::ptx; }
  void addKernelConversion(mlir::OpPassManager &pm) const override;
  uint32_t getWorkgroupSize(mlir::FunctionOpInterface kernel) const override;
  rt::Result<KernelCode> emitKernels(mlir::Operation *kernels,
                                     Cancellation &cancellation) const override;
};

const TargetBackend &getVulkanTarget();
const TargetBackend &getCudaTarget();

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_GPU_BACKEND_H
