//===- ConstantData.h - The bytes of constant attributes --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_COMMON_CONSTANTDATA_H
#define NNHAL_LIB_CONVERSION_COMMON_CONSTANTDATA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

#include <optional>
#include <vector>

namespace nnhal {

/// Row-major bytes of a constant: borrowed from the attribute's storage where
/// that holds every element, otherwise (a splat) expanded.
class ConstantBytes {
public:
  /// nullopt when the attribute's elements cannot be reached: a resource that
  /// was never loaded or has another size than its type, or elements that do
  /// not fill whole bytes.
  static std::optional<ConstantBytes> of(mlir::ElementsAttr attribute);

  llvm::ArrayRef<char> bytes() const {
    return expanded.empty() ? borrowed : llvm::ArrayRef<char>(expanded);
  }

private:
  llvm::ArrayRef<char> borrowed;
  std::vector<char> expanded;
};

/// A resource of \p bytes named after the resource behind \p source, which may
/// be null, or \p fallbackName, with \p suffix. Names are made unique by the
/// context.
mlir::ElementsAttr makeResource(mlir::RankedTensorType type,
                                llvm::ArrayRef<char> bytes,
                                mlir::ElementsAttr source,
                                llvm::StringRef fallbackName,
                                llvm::StringRef suffix);

/// Returns the elements in \p shape; a resource is shared, not copied. Null for
/// other kinds of attributes.
mlir::TypedAttr reshapeConstant(mlir::ElementsAttr attribute,
                                llvm::ArrayRef<int64_t> shape);

/// The attribute of the constant operation that defines \p value; null when
/// something else does.
mlir::ElementsAttr foldedConstantOf(mlir::Value value);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_COMMON_CONSTANTDATA_H
