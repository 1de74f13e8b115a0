//===- FatalErrors.h - What LLVM cannot go on after -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM and MLIR are built without exceptions: where they get no memory, or meet
// what they hold for impossible, they abort the process. There is no way back
// from there, but the process can end with a message and an exit status.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_COMPILER_FATALERRORS_H
#define NNHAL_COMPILER_FATALERRORS_H

#include <string_view>

namespace nnhal {

/// While one exists, memory that runs out on its thread, and a fatal error of
/// LLVM, end the process with exit status 1, after a line on the standard error
/// stream: `error: out of memory while ` and \p doing, or `error: ` and what
/// LLVM says. Nothing is written or deleted on the way: no destructor runs and
/// no exit handler.
///
/// The handlers stay installed; on threads without a scope, `new` does what it
/// did before. Threads: any; scopes nest.
class FatalErrorScope {
public:
  /// \p doing must outlive the scope.
  explicit FatalErrorScope(std::string_view doing);
  FatalErrorScope(const FatalErrorScope &) = delete;
  FatalErrorScope &operator=(const FatalErrorScope &) = delete;
  ~FatalErrorScope();

  /// What the innermost scope of this thread was made with, for a thread that
  /// helps; empty when there is none.
  static std::string_view current();

private:
  std::string_view outer;
};

} // namespace nnhal

#endif // NNHAL_COMPILER_FATALERRORS_H
