//===- FormKernels.h - Micro-kernels of operations of linalg ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions and pools, of which nnk-form-kernels makes micro-kernels, have
// these facts about operations of linalg in common.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_FORMKERNELS_H
#define NNHAL_LIB_CODEGEN_FORMKERNELS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

#include <array>

namespace nnhal {

/// Replaces operations by micro-kernels.
///
/// Ownership: refers to its rewriter.
class FormedKernels {
public:
  explicit FormedKernels(mlir::RewriterBase &rewriter) : rewriter(rewriter) {}

  mlir::RewriterBase &getRewriter() const { return rewriter; }
  /// Replaces the result of \p op, which is erased later.
  void replace(mlir::Operation *op, mlir::Value result);
  /// Lets \p op, whose result nobody reads any more, be erased later.
  void leave(mlir::Operation *op) { unread.insert(op); }
  /// Erases what has no readers left.
  void eraseUnread();

private:
  mlir::RewriterBase &rewriter;
  llvm::SetVector<mlir::Operation *> unread;
};

/// The constant element of \p value, a scalar; null where it is computed.
mlir::Attribute constantElement(mlir::Value value);
/// The one number that \p value, a tensor, has everywhere; null where there is
/// none.
mlir::Attribute filling(mlir::Value value);
/// Returns the element that an elementwise operation of one result yields; null
/// for other operations.
mlir::Value elementOf(mlir::linalg::GenericOp op);

/// Whether \p op is such an operation and computes each element from elements
/// of its operands alone.
bool isPlainElementwise(mlir::linalg::GenericOp op);
/// Returns the value whose elements \p value has in another shape, however many
/// reshapes lie between.
mlir::Value behindReshapes(mlir::Value value);

/// An image and the rows and columns around it.
struct PaddedImage {
  mlir::Value image;
  /// [top, bottom, left, right].
  std::array<int64_t, 4> pads = {0, 0, 0, 0};
};

/// Takes \p image, NHWC, from behind padding with \p element; without pads
/// where it has no such padding.
PaddedImage withoutPadding(mlir::Value image, mlir::Attribute element);

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_FORMKERNELS_H
