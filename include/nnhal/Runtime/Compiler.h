//===- Compiler.h - The compiler as the runtime sees it ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// C++ over CompilerPlugin.h. Opening the compiler loads LLVM (some 30 ms and
// 80 MB), so whoever may need it holds a LazyCompiler and asks it only when
// something must be compiled.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_COMPILER_H
#define NNHAL_RUNTIME_COMPILER_H

#include "nnhal/Runtime/CompilerPlugin.h"
#include "nnhal/Runtime/Memory.h"
#include "nnhal/Runtime/Model.h"
#include "nnhal/Runtime/Quantization.h"

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// Extents of every input of a model; of a scalar none.
using InputShapes = std::vector<std::vector<uint32_t>>;

struct CompileOptions {
  /// Empty means the host's.
  std::string targetTriple;
  std::string targetCpu;
  std::string targetFeatures;
  Rounding rounding = Rounding::doubleRounding;
  /// Shapes for which the artifact has code of their own beside that for any
  /// (Specialization.h). Only for models that leave extents open.
  std::vector<InputShapes> specializations;
  /// Threads that compile at once, 1024 at most; 0 for one per processor, but
  /// no more than 8. The artifact is the same for any number.
  uint32_t threads = 0;
};

/// Whom a compilation tells about itself, on the thread that asked for it.
/// Each function may be empty.
struct CompileObserver {
  std::function<void(bool isError, std::string_view text)> diagnostic;
  /// \p done of \p total phases are complete, \p phase begins.
  std::function<void(std::string_view phase, uint32_t done, uint32_t total)>
      progress;
  /// Asked between the phases; a compilation that hears yes fails.
  std::function<bool()> isCancelled = nullptr;
  /// What became of operation \p operation of the main subgraph: what computes
  /// it and what was fused. Operations of which nothing is left get no remark.
  std::function<void(uint32_t operation, std::string_view text)> remark =
      nullptr;
};

/// Both parts of an artifact (ModelCache.h).
struct CompiledModel {
  std::vector<std::byte> modelCache;
  Memory dataCache;
};

/// libNNHalCompiler.so, opened.
///
/// Ownership: shared. The library itself stays loaded to the end of the
///            process: LLVM registers exit handlers.
/// Threads:   every member may be called from any thread at once.
class Compiler {
public:
  /// Opens \p path; when that is empty, libNNHalCompiler.so in the directory of
  /// the library or program that this function is part of, or in ../lib of it
  /// (decisions 5). deviceUnavailable when it cannot be opened; failure when it
  /// is not a compiler of a known version.
  static Result<std::shared_ptr<const Compiler>>
  open(const std::string &path = {});

  /// Equal identities produce equal artifacts.
  std::string_view buildIdentity() const;

  /// On failure the status has the compiler's code and its first error; every
  /// diagnostic, that one included, has gone to \p observer.
  Result<CompiledModel>
  compileModel(const AnnotatedModel &model, const CompileOptions &options = {},
               const CompileObserver &observer = {}) const;

  /// \p text is MLIR, textual or bytecode, with one nnhal.model; \p name is
  /// what diagnostics call it.
  Result<CompiledModel> compileMlir(std::span<const std::byte> text,
                                    std::string_view name,
                                    const CompileOptions &options = {},
                                    const CompileObserver &observer = {}) const;

private:
  explicit Compiler(const NNHalCompilerApi &api) : api(api) {}

  const NNHalCompilerApi &api;
};

/// Opens a compiler when first asked for one. Threads: any.
class LazyCompiler {
public:
  /// \p path as for Compiler::open().
  explicit LazyCompiler(std::string path = {}) : path(std::move(path)) {}

  /// The compiler, or why it cannot be opened; the first outcome stays.
  Result<std::shared_ptr<const Compiler>> get();

  /// Names the build of the compiler and of the libraries that compile for it,
  /// without opening it; the first outcome stays. invalidArgument when there is
  /// no such library.
  Result<std::string> identity();

private:
  std::string path;
  std::once_flag once;
  Status status;
  std::shared_ptr<const Compiler> compiler;
  std::once_flag identityOnce;
  Status identityStatus;
  std::string identityText;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_COMPILER_H
