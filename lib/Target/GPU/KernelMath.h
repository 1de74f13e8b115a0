//===- KernelMath.h - Values of kernels as expressions ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_KERNELMATH_H
#define NNHAL_LIB_TARGET_GPU_KERNELMATH_H

#include "Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace nnhal::nngpu {

/// Builds the arithmetic of indices where a kernel computes, and conversions.
class KernelMath {
public:
  KernelMath(Kernel &kernel, mlir::Location loc) : kernel(&kernel), loc(loc) {}

  mlir::Value constant(int64_t value) const { return kernel->constant(value); }
  mlir::Value add(mlir::Value a, mlir::Value b) const {
    return mlir::arith::AddIOp::create(kernel->builder(), loc, a, b);
  }
  mlir::Value add(mlir::Value a, int64_t b) const {
    return b == 0 ? a : add(a, constant(b));
  }
  mlir::Value multiply(mlir::Value a, int64_t b) const {
    return b == 1 ? a
                  : mlir::arith::MulIOp::create(kernel->builder(), loc, a,
                                                constant(b))
                        .getResult();
  }
  mlir::Value divide(mlir::Value a, int64_t b) const {
    return b == 1 ? a
                  : mlir::arith::DivUIOp::create(kernel->builder(), loc, a,
                                                 constant(b))
                        .getResult();
  }
  mlir::Value remainder(mlir::Value a, int64_t b) const {
    return b == 1 ? constant(0)
                  : mlir::arith::RemUIOp::create(kernel->builder(), loc, a,
                                                 constant(b))
                        .getResult();
  }
  /// \p a, but at most the last of \p count.
  mlir::Value limit(mlir::Value a, int64_t count) const {
    return mlir::arith::MinUIOp::create(kernel->builder(), loc, a,
                                        constant(count - 1));
  }
  mlir::Value isBelow(mlir::Value a, mlir::Value b) const {
    return mlir::arith::CmpIOp::create(kernel->builder(), loc,
                                       mlir::arith::CmpIPredicate::ult, a, b);
  }
  mlir::Value isBelow(mlir::Value a, int64_t b) const {
    return isBelow(a, constant(b));
  }
  /// Zeros of \p type, a number or a vector.
  mlir::Value zero(mlir::Type type) const {
    mlir::OpBuilder &builder = kernel->builder();
    return mlir::arith::ConstantOp::create(builder, loc,
                                           builder.getZeroAttr(type));
  }
  /// \p value where \p isInside, which may be null for always, and zeros
  /// elsewhere.
  mlir::Value orZero(mlir::Value value, mlir::Value isInside) const {
    if (!isInside)
      return value;
    return mlir::arith::SelectOp::create(kernel->builder(), loc, isInside,
                                         value, zero(value.getType()));
  }
  /// \p value, a number or a vector, as f32 where it is f16.
  mlir::Value widened(mlir::Value value) const {
    mlir::Type type = value.getType();
    if (!mlir::getElementTypeOrSelf(type).isF16())
      return value;
    mlir::Type wide = kernel->builder().getF32Type();
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      wide = vector.clone(wide);
    return mlir::arith::ExtFOp::create(kernel->builder(), loc, wide, value);
  }
  mlir::Value both(mlir::Value a, mlir::Value b) const {
    if (!a || !b)
      return a ? a : b;
    return mlir::arith::AndIOp::create(kernel->builder(), loc, a, b);
  }

private:
  Kernel *kernel;
  mlir::Location loc;
};

} // namespace nnhal::nngpu

#endif // NNHAL_LIB_TARGET_GPU_KERNELMATH_H
