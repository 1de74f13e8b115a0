//===- KernelEpilogue.h - From sums to stored values ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_KERNELEPILOGUE_H
#define NNHAL_LIB_TARGET_GPU_KERNELEPILOGUE_H

#include "FlatBuffer.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

namespace nnhal::nngpu {

/// Whether KernelEpilogue stores four channels of \p op by one access.
bool storesFours(kernel::KernelOpInterface op);

/// The end of a micro-kernel (`nnk`) in a GPU kernel: what its epilogue makes
/// of sums is stored.
class KernelEpilogue {
public:
  /// Fails after an error at \p op where a buffer's layout has no numbers.
  static llvm::FailureOr<KernelEpilogue> of(Kernel &kernel,
                                            kernel::KernelOpInterface op);

  /// Stores what becomes of \p sums, those of the channels from \p channel on
  /// of pixel \p pixel, a number of row-major pixels. Channels beyond the last
  /// one are left out.
  void store(mlir::Value pixel, mlir::Value channel,
             llvm::ArrayRef<mlir::Value> sums);

private:
  KernelEpilogue(Kernel &kernel, kernel::KernelOpInterface op,
                 FlatBuffer destination)
      : kernel(&kernel), op(op), destination(std::move(destination)) {}
  int64_t channels() const { return destination.shape().back(); }
  mlir::Value numberIn(const FlatBuffer &buffer, mlir::Value pixel,
                       mlir::Value channel);
  mlir::Value apply(mlir::Value sum, llvm::ArrayRef<mlir::Value> extras);
  void storeOne(mlir::Value pixel, mlir::Value channel, mlir::Value sum);
  void storeFour(mlir::Value pixel, mlir::Value channel,
                 llvm::ArrayRef<mlir::Value> sums);

  Kernel *kernel;
  kernel::KernelOpInterface op;
  FlatBuffer destination;
  llvm::SmallVector<FlatBuffer> extras;
};

} // namespace nnhal::nngpu

#endif // NNHAL_LIB_TARGET_GPU_KERNELEPILOGUE_H
