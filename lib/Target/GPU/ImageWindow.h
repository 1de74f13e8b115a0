//===- ImageWindow.h - Windows that move over images ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_IMAGEWINDOW_H
#define NNHAL_LIB_TARGET_GPU_IMAGEWINDOW_H

#include "FlatBuffer.h"
#include "KernelMath.h"

namespace nnhal::nngpu {

/// The window of a convolution or a pool, which moves over images
/// [batch, row, column, channel] with padding.
class ImageWindow {
public:
  struct Geometry {
    llvm::ArrayRef<int64_t> strides, dilations, pads;
  };
  /// The batch, row and column at which the window of an output pixel begins.
  struct Origin {
    mlir::Value batch, top, left;
  };
  /// An element of the image below a place of the window.
  struct Place {
    /// The number of its channel 0; of the nearest element inside of the image
    /// where the place is in the padding.
    mlir::Value number;
    /// Whether the place is not in the padding; null where there is none.
    mlir::Value isInside;
  };

  ImageWindow(Kernel &kernel, mlir::Location loc, const FlatBuffer &image,
              const Geometry &geometry)
      : kernel(kernel), math(kernel, loc), image(image), geometry(geometry) {}

  /// The origin of pixel \p pixel, a row-major number, of an output of \p shape
  /// [batch, row, column, channel].
  Origin originOf(mlir::Value pixel, llvm::ArrayRef<int64_t> shape) const;
  Place placeAt(const Origin &origin, mlir::Value row,
                mlir::Value column) const;

private:
  Kernel &kernel;
  KernelMath math;
  FlatBuffer image;
  Geometry geometry;
};

} // namespace nnhal::nngpu

#endif // NNHAL_LIB_TARGET_GPU_IMAGEWINDOW_H
