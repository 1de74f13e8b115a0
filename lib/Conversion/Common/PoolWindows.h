//===- PoolWindows.h - Pools as operations of linalg ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowering makes operations of linalg of pools of known extents, and the
// pass nnk-form-kernels finds them again. Both have from here what is more than
// an operation's name.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_COMMON_POOLWINDOWS_H
#define NNHAL_LIB_CONVERSION_COMMON_POOLWINDOWS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <array>

namespace nnhal {

/// The windows of a pool along one axis of an image.
struct PoolAxis {
  int64_t input, window, stride, head, output;

  /// How many places of window number \p index are not padding.
  int64_t inside(int64_t index) const;
};

/// Returns a constant of \p element, f32, i32 or i64, that has for each window
/// along \p axis how many of its places are not padding. The product of those
/// of both axes counts the places of a window.
mlir::DenseElementsAttr countPlaces(const PoolAxis &axis, mlir::Type element);

/// The indexing maps of a pool, those of linalg's named ones: of the image, of
/// the window, whose elements nobody reads, and of the result.
std::array<mlir::AffineMap, 3> poolMaps(mlir::MLIRContext *context,
                                        llvm::ArrayRef<int64_t> strides);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_COMMON_POOLWINDOWS_H
