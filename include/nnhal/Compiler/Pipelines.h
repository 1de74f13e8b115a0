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
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("The target; this and the options below replace the "
                     "attribute nnhal.target of the module (default: what it "
                     "states, or else cpu)"),
      llvm::cl::init("cpu")};
  Option<std::string> targetTriple{
      *this, "target-triple", llvm::cl::desc("LLVM's triple of the machine")};
  Option<std::string> targetCpu{
      *this, "target-cpu",
      llvm::cl::desc("LLVM's name of the processor, or host for that of this "
                     "machine (default: none in particular)")};
  Option<std::string> targetFeatures{
      *this, "target-features",
      llvm::cl::desc("Features that are added to those of the processor")};
  ListOption<std::string> targetParameters{
      *this, "target-parameters",
      llvm::cl::desc("Parameters of the target, each as name=value; of cpu "
                     "those of docs/Compiler/CostModel.md")};
  Option<int64_t> constantsOffset{
      *this, "constants-offset",
      llvm::cl::desc(
          "Bytes before the constants in the data cache (default 0)"),
      llvm::cl::init(0)};
  Option<rt::Rounding> rounding{
      *this, "rounding", llvm::cl::desc("Of quantized results (decisions 17)"),
      llvm::cl::init(rt::Rounding::doubleRounding), roundingValues()};
};

class TargetBackend;
struct PhaseOptions;

/// Adds the passes of one phase to \p pm, which runs on a builtin.module that
/// states its target. There has to be a target with the name of
/// `options.target`.
void addPhase(mlir::OpPassManager &pm, Phase phase,
              const CompilePipelineOptions &options);
/// Adds the passes of \p phase, as \p target has them, to \p pm.
void addPhase(mlir::OpPassManager &pm, Phase phase, const TargetBackend &target,
              const PhaseOptions &options);

/// Adds the phases from options.from to options.until, with a check that the
/// module is what they begin with, the statement of its target, and the mark of
/// what they end with. Fails through \p report when the former is after the
/// latter, or there is no such target.
llvm::LogicalResult
addPhases(mlir::OpPassManager &pm, const CompilePipelineOptions &options,
          llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)> report);

/// Registers the dialects, interfaces and extensions that a compilation needs.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// Registers every pass of the project and the pipeline `nnhal-compile`.
void registerAllPasses();

} // namespace nnhal

#endif // NNHAL_COMPILER_PIPELINES_H
