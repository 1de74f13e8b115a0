//===- Tensor.h - Tensors and what their elements mean ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result element is stated as an expression over elements of other tensors.
// Elements that it reads at its own indices, or at some of them, become an
// operand of the linalg operation with an indexing map; only those that no map
// reaches are read by tensor.extract.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_COMMON_TENSOR_H
#define NNHAL_LIB_CONVERSION_COMMON_TENSOR_H

#include "Scalar.h"

#include "nnhal/Backend/Signatures.h"

namespace nnhal {

using Indices = llvm::ArrayRef<Scalar>;

/// A tensor with what its elements mean. Its value has the storage type as
/// element type: iN for quantized tensors and i8 for TENSOR_BOOL8.
///
/// Reading functions build operations where the builder stands. A tensor
/// without value stands for an input that is never given: it reads as zero, in
/// code that checks keep from being reached.
class Tensor {
public:
  Tensor() = default;
  /// \p value may be null. The extents of \p type are not used: those of \p
  /// value are.
  Tensor(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
         rt::TensorType type);

  mlir::Value get() const { return value; }
  const rt::TensorType &getType() const { return type; }
  mlir::RankedTensorType getValueType() const {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
  int64_t rank() const { return getValueType().getRank(); }
  bool isFloat() const;
  bool isQuantized() const;

  /// An index value, a constant where the extent is known.
  Scalar extent(int64_t dimension) const;
  llvm::SmallVector<Scalar> extents() const;
  /// The number of elements.
  Scalar count() const;

  /// The element as stored. \p indices are in bounds. In a body that define()
  /// builds, the tensor becomes an operand with an indexing map where indices
  /// of the body, or zeros, are all that is needed.
  Scalar stored(Indices indices) const;
  /// An integer, quantized or boolean element as i32; unsigned storage is zero-
  /// extended.
  Scalar integer(Indices indices) const;
  /// integer() less the zero point.
  Scalar centered(Indices indices) const;
  /// Any element as f32: floats exactly, otherwise (q - zero point) * scale
  /// (M-030), with the scale of its channel.
  Scalar real(Indices indices) const;
  /// A TENSOR_BOOL8 element as i1.
  Scalar truth(Indices indices) const;

private:
  mlir::ImplicitLocOpBuilder *builder = nullptr;
  mlir::Value value;
  rt::TensorType type;
};

/// Defines a result element; the builder stands in the body of the loops.
using ElementBuilder = llvm::function_ref<Scalar(Indices)>;

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_COMMON_TENSOR_H
