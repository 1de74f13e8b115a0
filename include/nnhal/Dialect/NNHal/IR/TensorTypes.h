//===- TensorTypes.h - MLIR types and the types of rules --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_TENSORTYPES_H
#define NNHAL_DIALECT_NNHAL_IR_TENSORTYPES_H

#include "nnhal/Backend/Rules.h"

#include "mlir/IR/TypeRange.h"
#include "mlir/IR/Types.h"
#include "mlir/IR/Value.h"
#include "llvm/Support/LogicalResult.h"

namespace nnhal {

/// The result types that a rule gives an operation, in result order.
using RuleResult = rt::Result<std::vector<rt::TensorType>>;

/// \p type as the rules see it; failure when the HAL has no such tensor type.
/// Unranked tensors are accepted.
llvm::FailureOr<rt::TensorType> toTensorType(mlir::Type type);

/// Whether \p type is the element of a quantized operand type of the HAL.
bool isQuantizedElement(mlir::Type type);

/// The builtin tensor type of \p type: the inverse of toTensorType(). Null when
/// the quantization is free and the type needs it.
mlir::Type fromTensorType(mlir::MLIRContext *context,
                          const rt::TensorType &type);

/// \p stated with \p shape where it leaves extents or its rank open; \p stated
/// itself for what is no tensor or has another rank.
mlir::Type withKnownExtents(mlir::Type stated, llvm::ArrayRef<int64_t> shape);

/// withKnownExtents() with what a rule inferred.
mlir::Type withInferredExtents(mlir::Type stated,
                               const rt::TensorType &inferred);

/// Whether results \p stated fit results \p inferred: the same kinds of
/// elements, extents equal where both are known. Quantization parameters are
/// for the verifier.
bool areCompatibleReturnTypes(mlir::TypeRange inferred, mlir::TypeRange stated);

//===----------------------------------------------------------------------===//
// Used by generated code
//===----------------------------------------------------------------------===//

/// Reports \p status, when it is a failure, as an error of \p op.
llvm::LogicalResult verifyStatus(mlir::Operation *op, const rt::Status &status);

/// Appends the types of \p inferred to \p types.
llvm::LogicalResult inferFromRule(mlir::MLIRContext *context,
                                  std::optional<mlir::Location> location,
                                  const RuleResult &inferred,
                                  llvm::SmallVectorImpl<mlir::Type> &types);

} // namespace nnhal

#endif // NNHAL_DIALECT_NNHAL_IR_TENSORTYPES_H
