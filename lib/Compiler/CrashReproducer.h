//===- CrashReproducer.h - IR and passes of a failure -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_COMPILER_CRASHREPRODUCER_H
#define NNHAL_LIB_COMPILER_CRASHREPRODUCER_H

#include "Target/Cancellation.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include <string>

namespace nnhal {

/// The file in which a compilation leaves the IR that a phase began with, and
/// the passes of the phase, when a pass fails or ends by a signal:
/// `nnhal-opt --run-reproducer FILE` runs them again. A file is there whole or
/// not at all.
///
/// Threads: the thread that compiles, and the one on which a signal comes.
class CrashReproducer {
public:
  /// \p cancellation outlives the object; what a cancelled compilation leaves
  /// is no failure.
  CrashReproducer(std::string path, const Cancellation &cancellation)
      : path(std::move(path)), cancellation(cancellation) {}

  /// Watches the passes of \p manager. Signals that end the process otherwise
  /// fail the run from now on, until \p manager ends.
  void watch(mlir::PassManager &manager);

  /// Whether \p error is MLIR's account of a reproducer, which comes after the
  /// errors of the pass.
  bool isAccount(const mlir::Diagnostic &error) const;
  /// The reason of a failure for which the pass gave none, from \p account.
  static std::string reasonOf(mlir::Diagnostic &account);
  /// Where the reproducer is, or why there is none, to end a message with;
  /// empty when none was wanted.
  std::string place() const;

private:
  class Stream;
  std::unique_ptr<mlir::ReproducerStream> open(std::string &error);

  const std::string path;
  const Cancellation &cancellation;
  bool wasAsked = false;
  std::string problem;
};

} // namespace nnhal

#endif // NNHAL_LIB_COMPILER_CRASHREPRODUCER_H
