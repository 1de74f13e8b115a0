//===- Planted.cpp - Passes with faults -----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planted.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <csignal>
#include <unistd.h>

using namespace mlir;

namespace {
/// A pass on modules that does what \p Fault does.
template <typename Fault>
struct PlantedPass : PassWrapper<PlantedPass<Fault>, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlantedPass)

  StringRef getArgument() const override { return Fault::name; }
  StringRef getDescription() const override { return "a planted fault"; }
  void runOnOperation() override {
    if (!Fault::isSilentlyFailing(this->getOperation()))
      return;
    this->signalPassFailure();
  }
};

struct Crash {
  static constexpr llvm::StringLiteral name = "planted-crash";
  static bool isSilentlyFailing(ModuleOp) { return raise(SIGSEGV) == 0; }
};

struct Hang {
  static constexpr llvm::StringLiteral name = "planted-hang";
  static bool isSilentlyFailing(ModuleOp) {
    while (true)
      pause();
  }
};

struct Memory {
  static constexpr llvm::StringLiteral name = "planted-memory";
  static bool isSilentlyFailing(ModuleOp module) {
    SmallVector<std::unique_ptr<char[]>> blocks;
    while (true)
      blocks.push_back(std::make_unique_for_overwrite<char[]>(64 << 20));
  }
};

struct Silence {
  static constexpr llvm::StringLiteral name = "planted-silence";
  static bool isSilentlyFailing(ModuleOp) { return true; }
};

struct InvalidIR {
  static constexpr llvm::StringLiteral name = "planted-invalid-ir";
  static bool isSilentlyFailing(ModuleOp module) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    func::ReturnOp::create(builder, module.getLoc());
    return false;
  }
};
} // namespace

void nnhal::registerPlantedPasses() {
  PassRegistration<PlantedPass<Crash>>();
  PassRegistration<PlantedPass<Hang>>();
  PassRegistration<PlantedPass<Memory>>();
  PassRegistration<PlantedPass<Silence>>();
  PassRegistration<PlantedPass<InvalidIR>>();
}
