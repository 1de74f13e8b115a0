//===- Pipelines.h - From a model to LLVM IR, in named phases ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_COMPILER_PIPELINES_H
#define NNHAL_COMPILER_PIPELINES_H

#include "nnhal/Compiler/Phases.h"
#include "nnhal/Conversion/SharedOptions.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nnhal {

struct CompilePipelineOptions
    : mlir::PassPipelineOptions<CompilePipelineOptions> {
  Option<Phase, PhaseParser> from{
      *this, "from",
      llvm::cl::desc("Continue after this phase, as whose result the module "
                     "was left by until (default: begin with a model)")};
  Option<Phase, PhaseParser> until{
      *this, "until",
      llvm::cl::desc("Stop after this phase: legalize, lower, fuse, bufferize, "
                     "plan, vectorize, outline or llvm (default llvm)"),
      llvm::cl::init(Phase::llvm)};
  Option<int64_t> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("Width in bits of a vector register (default 256)"),
      llvm::cl::init(256)};
  Option<int64_t> vectorRegisters{
      *this, "vector-registers",
      llvm::cl::desc("Number of vector registers (default 16)"),
      llvm::cl::init(16)};
  Option<kernel::DotProduct> dotProduct{
      *this, "dot-product",
      llvm::cl::desc("Instruction of the target that adds four products of 8 "
                     "bits (default none)"),
      llvm::cl::init(kernel::DotProduct::none), dotProductValues()};
  ListOption<std::string> costModel{
      *this, "cost-model",
      llvm::cl::desc(
          "Numbers of the cost model (docs/Compiler/CostModel.md) in place "
          "of the target's, each as name=value")};
  Option<int64_t> constantsOffset{
      *this, "constants-offset",
      llvm::cl::desc(
          "Bytes before the constants in the data cache (default 0)"),
      llvm::cl::init(0)};
  Option<rt::Rounding> rounding{
      *this, "rounding", llvm::cl::desc("Of quantized results (decisions 17)"),
      llvm::cl::init(rt::Rounding::doubleRounding), roundingValues()};
};

/// Adds the passes of one phase to \p pm, which runs on a builtin.module.
void addPhase(mlir::OpPassManager &pm, Phase phase,
              const CompilePipelineOptions &options);

/// Adds the phases from options.from to options.until, with a check that the
/// module is what they begin with and the mark of what they end with. Fails
/// through \p report when the former is after the latter.
llvm::LogicalResult
addPhases(mlir::OpPassManager &pm, const CompilePipelineOptions &options,
          llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)> report);

/// Registers the dialects, interfaces and extensions that a compilation needs.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// Registers every pass of the project and the pipeline `nnhal-compile`.
void registerAllPasses();

} // namespace nnhal

#endif // NNHAL_COMPILER_PIPELINES_H
