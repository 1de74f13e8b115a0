//===- Toy.h - A second target, of upstream's passes alone ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a folder of lib/Target has, with nothing of lib/Target/CPU: linalg
// becomes loops and LLVM IR by MLIR's own passes, and the artifact has bitcode,
// which a just-in-time compiler executes. There is no runtime to ask, so that
// models whose outputs have unknown extents are refused.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_TOYTARGET_TOY_H
#define NNHAL_TEST_TOYTARGET_TOY_H

#include "Target/TargetBackend.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace nnhal::toy {

class ToyBackend final : public TargetBackend {
public:
  llvm::StringRef getName() const override { return "toy"; }
  rt::Result<TargetAttr> describe(mlir::MLIRContext &context,
                                  const TargetOptions &options,
                                  rt::Rounding rounding) const override;
  llvm::LogicalResult checkSupported(ModelOp model) const override;
  void addPhase(mlir::OpPassManager &pm, Phase phase,
                const PhaseOptions &options) const override;
  rt::Result<EmittedCode> emit(mlir::ModuleOp module,
                               const EmissionServices &services) const override;
};

/// The pass that makes upstream's operations of what lowerings ask a runtime,
/// and fails at what it does not know: on tensors nothing but MLIR's dialects
/// is left.
std::unique_ptr<mlir::Pass> createExpectUpstream();

/// A tensor of a request.
struct Argument {
  std::byte *data;
  std::vector<uint32_t> dimensions;
};

/// Code of the toy, ready to be executed.
class Program {
public:
  static rt::Result<Program> load(std::span<const std::byte> bitcode);
  Program(Program &&other) noexcept;
  ~Program();

  /// \p arguments are the model's inputs, then its outputs.
  void run(std::span<const Argument> arguments) const;

private:
  Program();

  std::unique_ptr<llvm::orc::LLJIT> jit;
  void (*entry)(void *const *descriptors) = nullptr;
};

} // namespace nnhal::toy

#endif // NNHAL_TEST_TOYTARGET_TOY_H
