//===- TensorBuilder.h - Tensors made of tensors ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_COMMON_TENSORBUILDER_H
#define NNHAL_LIB_CONVERSION_COMMON_TENSORBUILDER_H

#include "Tensor.h"

namespace nnhal {

/// Builds whole tensors from others, by upstream's operations.
class TensorBuilder {
public:
  TensorBuilder(mlir::Location location, mlir::OpBuilder &builder)
      : builder(location, builder) {}

  mlir::ImplicitLocOpBuilder &getBuilder() { return builder; }

  Scalar index(int64_t number) { return Scalar::index(builder, number); }
  llvm::SmallVector<Scalar> indices(llvm::ArrayRef<int64_t> numbers) {
    return llvm::map_to_vector(numbers,
                               [&](int64_t number) { return index(number); });
  }
  Scalar i32(int64_t number) {
    return Scalar::integer(builder, builder.getI32Type(), number);
  }
  Scalar f32(double number) {
    return Scalar::constant(builder, builder.getF32Type(), number);
  }
  Scalar truth(bool value) {
    return Scalar::integer(builder, builder.getI1Type(), value);
  }

  /// A tensor of \p extents whose elements, as stored, \p element gives. The
  /// extents of \p type are not used.
  Tensor define(const rt::TensorType &type, Indices extents,
                ElementBuilder element);
  /// An intermediate result: such a tensor with elements of any type.
  Tensor define(mlir::Type elementType, Indices extents,
                ElementBuilder element);
  /// A tensor whose elements are not defined yet, and \p target with the
  /// elements of \p part, which fits, from \p offsets on.
  Tensor undefined(const rt::TensorType &type, Indices extents);
  Tensor insert(const Tensor &part, const Tensor &target, Indices offsets,
                Indices strides = {});
  /// \p tensor with \p element, as stored, at \p indices.
  Tensor insert(Scalar element, const Tensor &tensor, Indices indices);
  /// \p target with the elements of \p source, which is of its extents. A loop
  /// that passes on what it got needs no memory for each round.
  Tensor copy(const Tensor &source, const Tensor &target);
  /// A tensor whose elements are all \p element, as stored.
  Tensor filled(const rt::TensorType &type, Indices extents, Scalar element);
  /// The part of \p source of \p extents, from \p offsets on, which is within
  /// it; every \p strides-th element, or each.
  Tensor slice(const Tensor &source, Indices offsets, Indices extents,
               Indices strides = {});
  /// Dimension i of the result is dimension permutation[i] of \p source.
  Tensor transpose(const Tensor &source, llvm::ArrayRef<int64_t> permutation);

  /// Joins elements at \p indices to accumulated values, one or several.
  using Accumulator = llvm::function_ref<llvm::SmallVector<Scalar>(
      Indices indices, llvm::ArrayRef<Scalar> values)>;
  /// Folds the dimensions of \p source that \p isReduced marks, in row-major
  /// order, from \p initial on. The results lack these dimensions.
  llvm::SmallVector<Tensor> reduce(const Tensor &source,
                                   llvm::ArrayRef<bool> isReduced,
                                   llvm::ArrayRef<Scalar> initial,
                                   Accumulator body);
  /// The type of a value of \p type, which is ranked.
  mlir::RankedTensorType valueType(const rt::TensorType &type);
  /// The elements of \p source in another shape of as many.
  Tensor reshape(Tensor source, Indices extents);

  /// A tensor of \p extents that holds nothing yet: what update() fills. Unlike
  /// define() that needs no memory of its own in a loop which carries the
  /// tensor.
  Tensor reserve(const rt::TensorType &type, Indices extents);
  /// A constant of \p bytes, which are copied, under a name that begins with
  /// \p name.
  mlir::Value constantResource(mlir::RankedTensorType type,
                               llvm::ArrayRef<char> bytes,
                               llvm::StringRef name);

protected:
  mlir::ImplicitLocOpBuilder builder;
};

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_COMMON_TENSORBUILDER_H
