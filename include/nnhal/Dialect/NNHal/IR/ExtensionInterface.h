//===- ExtensionInterface.h - Extensions as dialects ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model states operations of a vendor's extension as nnhal.operation
// "com.example.ext:3". A dialect of the vendor's gives them meaning: through
// this interface the verifier, nnhal-raise-operations and
// convert-nnhal-to-linalg ask it, so that a plug-in needs no pass of its own.
// Threads: any, at once; implementations have no state that changes.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_EXTENSIONINTERFACE_H
#define NNHAL_DIALECT_NNHAL_IR_EXTENSIONINTERFACE_H

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Runtime/Version.h"

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectRegistry.h"

/// The version that the half of an extension for the compiler states as that of
/// its plug-in. MLIR knows traits by their names, which each compiler writes in
/// its own way, and the first that asks for one decides for all libraries of
/// the process: the half of another compiler would take traits from operations.
#ifdef __clang__
#define NNHAL_EXTENSION_HALF_VERSION NNHAL_VERSION " clang"
#else
#define NNHAL_EXTENSION_HALF_VERSION NNHAL_VERSION " other"
#endif

namespace mlir {
class ConversionTarget;
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace nnhal {

/// Implemented by the dialect of an extension.
class NNHalExtensionInterface
    : public mlir::DialectInterface::Base<NNHalExtensionInterface> {
public:
  explicit NNHalExtensionInterface(mlir::Dialect *dialect);
  ~NNHalExtensionInterface() override;

  /// The name by which models declare the extension.
  virtual llvm::StringRef getExtensionName() const = 0;

  /// Verifies \p op, an operation of the extension as a model states it: the
  /// operands are in the extension's order, constants may still be elsewhere.
  /// Reports as a verifier does. Without a definition every use is legal.
  virtual llvm::LogicalResult verifyOperation(OperationOp op) const;

  /// Builds with \p builder what stands for \p op from now on, usually one
  /// operation of the dialect, and returns one value per result, of the same
  /// types; what folds is folded then. Tensors that are constants are results
  /// of nnhal.constant, but for those of elements that are not stored as
  /// numbers (storageTypeOf()). Returns failure without having built anything
  /// where \p op shall stay as it is; the message is \p reason, a phrase, which
  /// `nnhal-run --explain` prints behind "because".
  virtual llvm::FailureOr<llvm::SmallVector<mlir::Value>>
  raise(OperationOp op, mlir::OpBuilder &builder, std::string &reason) const;

  /// Adds what lowers the dialect's operations to linalg, arith, math, tensor
  /// and scf on tensors, and nnrt.check where values may end the execution:
  /// \p converter takes quantized tensors to their storage type, and operands
  /// reach patterns converted. \p target takes what else the patterns make. A
  /// remark of a pattern at an operation that nothing will lower becomes the
  /// reason in the error about it.
  virtual void populateLowering(const mlir::TypeConverter &converter,
                                mlir::RewritePatternSet &patterns,
                                mlir::ConversionTarget &target) const;
};

/// The interface of the extension whose operation \p op is; null where \p op is
/// of no extension, or no loaded dialect brings it.
const NNHalExtensionInterface *findExtension(OperationOp op);

/// Registers DialectT, which implements NNHalExtensionInterface, so that it is
/// loaded wherever nnhal is: operations of its extension may be all that a
/// model has of it.
template <typename DialectT>
void registerExtension(mlir::DialectRegistry &registry) {
  registry.insert<DialectT>();
  registry.addExtension(+[](mlir::MLIRContext *context, NNHalDialect *) {
    context->loadDialect<DialectT>();
  });
}

} // namespace nnhal

MLIR_DECLARE_EXPLICIT_TYPE_ID(nnhal::NNHalExtensionInterface)

#endif // NNHAL_DIALECT_NNHAL_IR_EXTENSIONINTERFACE_H
