//===- Compiler.h - The compiler as the runtime sees it ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The C++ interface of compilers. Opening the compiler loads LLVM
// (some 30 ms and 80 MB), so code that may need it holds a LazyCompiler and
// asks it only when something must be compiled.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_COMPILER_H
#define NNHAL_RUNTIME_COMPILER_H

#include "nnhal/Runtime/CompileOptions.h"
#include "nnhal/Runtime/Memory.h"
#include "nnhal/Runtime/Model.h"

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// Both parts of an artifact (ModelCache.h).
struct CompiledModel {
  std::vector<std::byte> modelCache;
  Memory dataCache;
};

/// A compiler: the library libNNHalCompiler.so in this process, which open()
/// gives, or something that reaches one elsewhere.
///
/// The library runs in the calling process. LLVM cannot go on without memory,
/// and so ends the process: with exit status 1 after the line "error: out of
/// memory while compiling ..." on the standard error stream, without exit
/// handlers or destructors. A fault of the compiler ends it, too. A program
/// that has to outlive both compiles in a process of its own, as the service
/// does that hosts devices.
///
/// Ownership: shared. The library itself stays loaded to the end of the
///            process, because LLVM registers exit handlers.
/// Threads:   every member may be called from any thread at once.
class NNHAL_API Compiler {
public:
  virtual ~Compiler();

  /// Opens \p path; when that is empty, libNNHalCompiler.so in the directory of
  /// the library or program that this function is part of, or in ../lib of it
  /// (decisions 5). Fails with deviceUnavailable when the library cannot be
  /// opened, and with generalFailure when it is not a compiler of a known
  /// version.
  ///
  /// \p plugins are plug-ins of extensions (loadPlugin()): for the operations
  /// of extension NAME the compiler takes the dialect of the library
  /// NAME.compiler.so beside the first of them that has one there, or else in
  /// the folder nnhal/extensions beside \p path. Such a library is opened no
  /// later than when a model uses the extension.
  static Result<std::shared_ptr<const Compiler>>
  open(const std::string &path = {},
       const std::vector<std::string> &plugins = {});

  /// Names the build of the library. Two compilers with equal identities and
  /// halves of extensions produce equal artifacts; LazyCompiler::identity() has
  /// both.
  virtual std::string_view buildIdentity() const = 0;

  /// Compiles a model. After a failure the status has the compiler's code and
  /// its first error; every diagnostic, that one included, has gone to
  /// \p observer.
  virtual Result<CompiledModel>
  compileModel(const AnnotatedModel &model, const CompileOptions &options = {},
               const CompileObserver &observer = {}) const = 0;

  /// Compiles \p text, which is MLIR, textual or bytecode, with one
  /// nnhal.model; \p name is the name that diagnostics give it.
  virtual Result<CompiledModel>
  compileMlir(std::span<const std::byte> text, std::string_view name,
              const CompileOptions &options = {},
              const CompileObserver &observer = {}) const = 0;
};

/// Opens a compiler when it is asked for one for the first time.
///
/// Threads: any.
class NNHAL_API LazyCompiler {
public:
  /// Makes the compiler of the library \p path; Compiler::open() for example.
  using Open = std::function<Result<std::shared_ptr<const Compiler>>(
      const std::string &path, const std::vector<std::string> &plugins)>;

  /// Takes a \p path and \p plugins like Compiler::open(). \p open is that of a
  /// compiler in another process, which compiles with the same libraries.
  explicit LazyCompiler(std::string path = {},
                        std::vector<std::string> plugins = {},
                        Open open = &Compiler::open);

  /// Returns the compiler, or why it cannot be opened; the first outcome stays.
  Result<std::shared_ptr<const Compiler>> get();

  /// Names the build of the compiler, of the libraries that compile for it and
  /// of its halves of extensions, without opening any; the first outcome stays.
  /// Fails with invalidArgument when there is no such library.
  Result<std::string> identity();

private:
  std::string path;
  std::vector<std::string> plugins;
  Open open;
  std::once_flag once;
  Status status;
  std::shared_ptr<const Compiler> compiler;
  std::once_flag identityOnce;
  Status identityStatus;
  std::string identityText;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_COMPILER_H
