//===- Slices.h - The one-dimensional slices along an axis ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What normalizations along an axis share: values that belong to a slice are
// tensors in which the axis has extent 1.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_SLICES_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_SLICES_H

#include "OperationLowering.h"

namespace nnhal {

/// The elements of a tensor that differ in one coordinate only. Refers to the
/// lowering.
class Slices {
public:
  /// \p axis may count from the end; it is in range.
  Slices(OperationLowering &op, Tensor tensor, int64_t axis)
      : op(op), tensor(std::move(tensor)),
        axis(axis < 0 ? axis + this->tensor.rank() : axis) {}

  const Tensor &getTensor() const { return tensor; }
  int64_t getAxis() const { return axis; }
  Scalar size() const { return tensor.extent(axis); }

  /// Where the slice is of the element at \p indices.
  llvm::SmallVector<Scalar> sliceOf(Indices indices) const {
    return elementOf(indices, op.index(0));
  }
  /// Where element \p position is of the slice at \p indices.
  llvm::SmallVector<Scalar> elementOf(Indices indices, Scalar position) const {
    llvm::SmallVector<Scalar> result(indices);
    result[axis] = position;
    return result;
  }

  /// One value per slice.
  Tensor define(rt::OperandType type, ElementBuilder element) const {
    rt::TensorType result;
    result.type = type;
    return op.define(result, elementOf(tensor.extents(), op.index(1)), element);
  }
  /// Joins the elements of \p source, which has the extents of the tensor, in
  /// each slice to one value, from \p initial on.
  Tensor
  fold(const Tensor &source, Scalar initial,
       llvm::function_ref<Scalar(Scalar value, Indices element)> body) const {
    llvm::SmallVector<bool> isReduced(tensor.rank(), false);
    isReduced[axis] = true;
    Tensor folded =
        op.reduce(source, isReduced, {initial},
                  [&](Indices at, llvm::ArrayRef<Scalar> values) {
                    return llvm::SmallVector<Scalar>{body(values[0], at)};
                  })
            .front();
    return op.reshape(folded, elementOf(tensor.extents(), op.index(1)));
  }

private:
  OperationLowering &op;
  Tensor tensor;
  int64_t axis;
};

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_SLICES_H
