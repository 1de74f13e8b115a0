//===- Folding.h - Constants as folders see them ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// What the folders of the family files share. A folded constant has the bytes
// that a device would have computed: where devices may differ (NaN, the sign of
// a zero, overflow), nothing is folded. Constants above foldLimit stay
// operations, except where a fold copies no bytes.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_DIALECT_NNHAL_IR_FOLDING_H
#define NNHAL_LIB_DIALECT_NNHAL_IR_FOLDING_H

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstring>
#include <vector>

namespace nnhal {

/// The largest constant that a folder makes: what raising copies out of a pool.
inline constexpr int64_t foldLimit = 1024;

/// The bytes of a constant tensor, in row-major order.
struct FoldedTensor {
  mlir::RankedTensorType storage;
  std::vector<char> bytes;

  /// The constant \p value; nullopt when it is none or exceeds foldLimit.
  static std::optional<FoldedTensor> of(mlir::Attribute value);
  /// A tensor of zero bytes to be filled in, for a result of type \p type;
  /// nullopt when its extents are not known or exceed foldLimit.
  static std::optional<FoldedTensor> forResult(mlir::Type type);

  llvm::ArrayRef<int64_t> shape() const { return storage.getShape(); }
  int64_t size() const { return storage.getNumElements(); }
  size_t elementSize() const { return storage.getElementTypeBitWidth() / 8; }
  template <typename T> T get(int64_t index) const {
    T value;
    std::memcpy(&value, bytes.data() + size_t(index) * sizeof(T), sizeof(T));
    return value;
  }
  template <typename T> void set(int64_t index, T value) {
    std::memcpy(bytes.data() + size_t(index) * sizeof(T), &value, sizeof(T));
  }
  /// Element \p index becomes element \p sourceIndex of \p source, which has
  /// the same storage type.
  void copyElement(int64_t index, const FoldedTensor &source,
                   int64_t sourceIndex);
  mlir::Attribute toAttribute() const;
};

/// Calls \p visit for the index tuple of every element of \p shape, in order.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// The row-major number of element \p index of \p shape.
int64_t linearIndex(llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> index);

/// The constant \p value in the shape of \p type, which has as many elements;
/// bytes are shared, whatever their number. Null where that is not possible.
mlir::Attribute viewConstant(mlir::Attribute value, mlir::Type type);

/// The constant \p value as one of \p type: dimension i is dimension
/// \p permutation[i] of \p value. Null where it is none or exceeds foldLimit
/// and elements change places.
mlir::Attribute transposeConstant(mlir::Attribute value, mlir::Type type,
                                  llvm::ArrayRef<int64_t> permutation);

/// \p value, where a result of \p type may be replaced by it.
inline mlir::OpFoldResult sameAs(mlir::Value value, mlir::Type type) {
  return value.getType() == type ? mlir::OpFoldResult(value)
                                 : mlir::OpFoldResult();
}

/// The activation that \p outer after \p inner is; nullopt when none is both.
std::optional<FusedActivation> compose(FusedActivation inner,
                                       FusedActivation outer);

} // namespace nnhal

#endif // NNHAL_LIB_DIALECT_NNHAL_IR_FOLDING_H
