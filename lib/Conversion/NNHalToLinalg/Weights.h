//===- Weights.h - Constants that rewrites rearrange ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Filters and biases of operations that become other operations of the dialect
// before they are lowered.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_WEIGHTS_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_WEIGHTS_H

#include "../Common/ByteWeights.h"
#include "../Common/ConstantData.h"

#include "nnhal/Backend/Signatures.h"

#include "mlir/IR/PatternMatch.h"

namespace nnhal {

/// Whether all extents of \p type are known, and none is 0.
bool hasElements(mlir::RankedTensorType type);

/// Returns the sign and the zero point of the bytes of \p type.
ByteForm byteFormOf(const rt::TensorType &type);
/// Returns the bytes of \p operand, which is constant.
llvm::ArrayRef<char> storedBytes(const rt::OperandView &operand);

/// A constant value with its bytes.
struct ConstantWeights {
  mlir::ElementsAttr attribute;
  ConstantBytes storage;

  /// nullopt where \p value is no constant, or its bytes cannot be reached.
  static std::optional<ConstantWeights> of(mlir::Value value);

  llvm::ArrayRef<char> bytes() const { return storage.bytes(); }
  /// An nnhal.constant of \p type with \p rearranged bytes of its storage type,
  /// named after this one with \p suffix.
  mlir::Value replace(mlir::PatternRewriter &rewriter, mlir::Location location,
                      mlir::RankedTensorType type,
                      llvm::ArrayRef<char> rearranged,
                      llvm::StringRef suffix) const;
};

/// The element type \p element of a filter whose channel i along \p dimension
/// is channel channels[i] of the filter that has \p element: their scales move
/// along. Other element types stay.
mlir::Type selectChannels(mlir::Type element, llvm::ArrayRef<int64_t> channels,
                          int32_t dimension);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_WEIGHTS_H
