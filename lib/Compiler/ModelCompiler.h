//===- ModelCompiler.h - A model in, an artifact out ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_COMPILER_MODELCOMPILER_H
#define NNHAL_LIB_COMPILER_MODELCOMPILER_H

#include "Target/Targets.h"
#include "nnhal/Runtime/CompileOptions.h"
#include "nnhal/Runtime/Model.h"
#include "nnhal/Runtime/Rounding.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal {

/// How requantization rounds (decisions 17).
using rt::Rounding;

struct CompilerOptions {
  /// The targets that there are, and the name of the one to compile for.
  llvm::ArrayRef<const TargetBackend *> targets = builtInTargets();
  std::string targetName = defaultTargetName.str();
  TargetOptions target;
  Rounding rounding = Rounding::doubleRounding;
  /// What the code adds to the offset of every constant: the size of the data
  /// cache to which its own will be appended. A multiple of
  /// rt::constantAlignment.
  uint64_t constantsOffset = 0;
  /// See rt::CompileOptions::threads.
  unsigned threads = 0;
  /// See rt::CompileOptions::extensions.
  std::vector<rt::CompiledExtension> extensions;
  /// Folders with halves of extensions: see addExtensionHalf().
  std::vector<std::string> halfFolders;
  /// See rt::CompileOptions::crashReproducer.
  std::string crashReproducer;
  /// Called as phases begin: name, phases done, phases in all.
  std::function<void(std::string_view, uint32_t, uint32_t)> progress;
  /// Called with what became of an operation of the main graph; may be empty.
  std::function<void(uint32_t, std::string_view)> remark;
  /// Called with every diagnostic: true for errors, then the text.
  std::function<void(bool, std::string_view)> diagnostic;
  /// Called with what the compilation does without, and why.
  std::function<void(std::string_view)> warning;
  /// Asked some hundred times in a second, on the calling thread; after a yes
  /// the compilation fails. May be empty.
  std::function<bool()> isCancelled;
  /// Where machine code of kernels is kept across compilations; called on any
  /// thread. Both may be empty.
  KernelLibrary::Find findKernel;
  KernelLibrary::Keep keepKernel;
  /// Called with each part of the compilation that has ended, on the thread
  /// that did it, and how long it took. May be empty.
  PartObserver part;
};

/// Both parts of an artifact, ready to be written.
struct CompiledArtifact {
  std::vector<std::byte> modelCache;
  std::vector<std::byte> dataCache;
};

/// Compiles \p model. invalidArgument when the model cannot be compiled: the
/// message says which operation and why.
/// Threads: calls may overlap; each has an MLIR context of its own.
rt::Result<CompiledArtifact> compileModel(const rt::AnnotatedModel &model,
                                          const CompilerOptions &options);

/// Compiles MLIR, textual or bytecode, with one nnhal.model. \p name stands for
/// the text in diagnostics.
rt::Result<CompiledArtifact> compileMlir(std::string_view text,
                                         std::string_view name,
                                         const CompilerOptions &options);

/// Names this build of the compiler: equal names make equal artifacts from
/// equal models and options.
std::string_view buildIdentity();

} // namespace nnhal

#endif // NNHAL_LIB_COMPILER_MODELCOMPILER_H
