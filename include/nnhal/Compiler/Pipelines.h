//===- Pipelines.h - From a model to LLVM IR, in named phases ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_COMPILER_PIPELINES_H
#define NNHAL_COMPILER_PIPELINES_H

#include "nnhal/Conversion/SharedOptions.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nnhal {

/// The phases of a compilation, in order. Each leaves a valid module.
enum class Phase {
  /// HAL operations become canonical operations.
  legalize,
  /// The main graph becomes a function, canonical operations become linalg and
  /// micro-kernels.
  lower,
  /// Elementwise operations fuse with each other and into micro-kernels.
  fuse,
  /// Tensors become buffers.
  bufferize,
  /// Constants move to the data cache, buffers to places in one arena.
  plan,
  /// Operations become loops over vectors.
  vectorize,
  /// Loop nests become functions, the entry is emitted.
  outline,
  /// Everything becomes the LLVM dialect.
  llvm,
};

llvm::ArrayRef<Phase> allPhases();
llvm::StringRef toString(Phase phase);

struct CompilePipelineOptions
    : mlir::PassPipelineOptions<CompilePipelineOptions> {
  Option<Phase> until{
      *this, "until", llvm::cl::desc("Stop after this phase"),
      llvm::cl::init(Phase::llvm),
      llvm::cl::values(
          clEnumValN(Phase::legalize, "legalize",
                     "HAL to canonical operations"),
          clEnumValN(Phase::lower, "lower", "to linalg and micro-kernels"),
          clEnumValN(Phase::fuse, "fuse", "elementwise and epilogue fusion"),
          clEnumValN(Phase::bufferize, "bufferize", "tensors to buffers"),
          clEnumValN(Phase::plan, "plan", "arena and data cache"),
          clEnumValN(Phase::vectorize, "vectorize", "vector loops"),
          clEnumValN(Phase::outline, "outline", "functions and the entry"),
          clEnumValN(Phase::llvm, "llvm", "the LLVM dialect"))};
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
      llvm::cl::desc("Numbers of the cost model (docs/CostModel.md) in place "
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

/// Registers the dialects, interfaces and extensions that a compilation needs.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// Registers every pass of the project and the pipeline `nnhal-compile`.
void registerAllPasses();

} // namespace nnhal

#endif // NNHAL_COMPILER_PIPELINES_H
