//===- Raising.h - Operations of the extension to the dialect ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_RAISING_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_RAISING_H

#include "nnhal/Dialect/NNHal/IR/ExtensionInterface.h"

namespace nnhal::tflite {

inline constexpr llvm::StringLiteral extensionName = "nnhal.tflite";

/// Raises what becomes code to the dialect tflite. All else stays as it is, and
/// becomes a call of the extension's half in the runtime, whose rules have been
/// applied to the model before.
class TFLiteRaising final : public NNHalExtensionInterface {
public:
  using NNHalExtensionInterface::NNHalExtensionInterface;

  llvm::StringRef getExtensionName() const override { return extensionName; }
  llvm::FailureOr<llvm::SmallVector<mlir::Value>>
  raise(OperationOp op, mlir::OpBuilder &builder,
        std::string &reason) const override;
  void populateLowering(const mlir::TypeConverter &converter,
                        mlir::RewritePatternSet &patterns,
                        mlir::ConversionTarget &target) const override;
};

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_RAISING_H
