//===- PassStep.h - Steps of passes that take long --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_PASSSTEP_H
#define NNHAL_LIB_CODEGEN_PASSSTEP_H

#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"

namespace nnhal {

/// The work of a pass on one of many operations. The context runs it as it runs
/// patterns, so that a compilation that was cancelled leaves out the rest.
class PassStep final : public mlir::tracing::ActionImpl<PassStep> {
  using Base = mlir::tracing::ActionImpl<PassStep>;

public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PassStep)

  explicit PassStep(llvm::ArrayRef<mlir::IRUnit> units) : Base(units) {}
  static constexpr llvm::StringLiteral tag = "nnhal-pass-step";
  void print(llvm::raw_ostream &stream) const override { stream << tag; }
};

/// Runs \p step, which works on \p op, unless the compilation was cancelled.
inline void runStep(mlir::Operation *op, llvm::function_ref<void()> step) {
  op->getContext()->executeAction<PassStep>(step, {op});
}

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_PASSSTEP_H
