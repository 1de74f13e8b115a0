//===- ConvolutionParts.h - A convolution in a kernel -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_CONVOLUTIONPARTS_H
#define NNHAL_LIB_TARGET_GPU_CONVOLUTIONPARTS_H

#include "ImageWindow.h"
#include "KernelEpilogue.h"

namespace nnhal::nngpu {

/// Holds what the kernels of a convolution have in common, however they divide
/// it: its operands, and how results are stored.
class ConvolutionParts {
public:
  /// Fails after an error at \p op where the layout of a buffer has no numbers.
  static llvm::FailureOr<ConvolutionParts> of(Kernel &kernel,
                                              kernel::Conv2DOp op);

protected:
  int64_t panelWidth() { return op.getPanelWidth(); }
  int64_t pixelCount() const { return output[0] * output[1] * output[2]; }

  Kernel &kernel;
  kernel::Conv2DOp op;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  KernelMath math;
  KernelEpilogue epilogue;
  /// Bytes that are multiplied in quads are in words, where four of them are
  /// one.
  FlatBuffer input, filter, bias;
  ImageWindow window;
  /// The extents of the output.
  llvm::ArrayRef<int64_t> output;

private:
  ConvolutionParts(Kernel &kernel, kernel::Conv2DOp op, KernelEpilogue epilogue,
                   llvm::ArrayRef<FlatBuffer> buffers);
};

} // namespace nnhal::nngpu

#endif // NNHAL_LIB_TARGET_GPU_CONVOLUTIONPARTS_H
