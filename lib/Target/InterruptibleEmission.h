//===- InterruptibleEmission.h - Code generation that can stop --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_INTERRUPTIBLEEMISSION_H
#define NNHAL_LIB_TARGET_INTERRUPTIBLEEMISSION_H

#include "Cancellation.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/LegacyPassManager.h"

namespace nnhal {

/// The passes of a target that emit code. LLVM cannot leave them midway; once
/// \p cancellation is requested, functions whose code has not been begun lose
/// their bodies instead, so that little is left to emit.
class InterruptibleEmission final : public llvm::legacy::PassManagerBase {
public:
  /// Leaves out passes that have one of the names \p leftOut in LLVM's
  /// registry. Both parameters outlive this object.
  explicit InterruptibleEmission(Cancellation &cancellation,
                                 llvm::ArrayRef<llvm::StringRef> leftOut = {})
      : cancellation(cancellation), leftOut(leftOut) {}

  void add(llvm::Pass *pass) override;
  void run(llvm::Module &module) { passes.run(module); }

private:
  Cancellation &cancellation;
  llvm::ArrayRef<llvm::StringRef> leftOut;
  llvm::legacy::PassManager passes;
  bool isInFunctions = false;
};

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_INTERRUPTIBLEEMISSION_H
