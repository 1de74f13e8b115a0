//===- KnownExtents.h - Extents that checks and callers state ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_KNOWNEXTENTS_H
#define NNHAL_LIB_CODEGEN_KNOWNEXTENTS_H

#include "LoadedValues.h"

#include "llvm/ADT/MapVector.h"

#include <optional>

namespace nnhal {

/// The extents of buffers that types leave open and something else states: a
/// check that has passed, or every caller of a function.
class KnownExtents {
public:
  /// \p module must not change; \p loaded knows its checks.
  KnownExtents(mlir::ModuleOp module, const LoadedValues &loaded)
      : module(module), loaded(loaded) {}

  /// The extent of dimension \p dim of \p memory where \p reader is.
  std::optional<int64_t> of(mlir::Value memory, unsigned dim,
                            mlir::Operation *reader);

private:
  /// The extent of an argument that the calls so far pass.
  struct Passed {
    bool isAny = false;
    int64_t extent = 0;
    bool operator==(const Passed &) const = default;
  };
  using Dimension = std::pair<mlir::Value, unsigned>;

  /// Nothing where only calls that have not been visited could tell.
  std::optional<Passed> find(mlir::Value memory, unsigned dim,
                             mlir::Operation *reader);
  bool join(mlir::Value argument, unsigned dim, std::optional<Passed> passed);
  bool visit(mlir::func::CallOp call, mlir::func::FuncOp callee);
  void visitCalls();

  mlir::ModuleOp module;
  const LoadedValues &loaded;
  llvm::DenseMap<Dimension, Passed> ofArguments;
  /// Private functions that are called and not used otherwise.
  llvm::DenseSet<mlir::Operation *> onlyCalled;
  bool hasVisitedCalls = false;
};

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_KNOWNEXTENTS_H
