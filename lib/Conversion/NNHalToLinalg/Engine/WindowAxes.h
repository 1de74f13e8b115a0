//===- WindowAxes.h - Windows that move over images -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowerings of convolutions, pools and resizings share pixels, and the
// places of windows on the two axes of an image. Extents, pads, strides,
// dilations and windows may all be computed; where they are known, everything
// that follows from them folds, and micro-kernels may take them.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_WINDOWAXES_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_WINDOWAXES_H

#include "OperationLowering.h"

namespace nnhal {

/// A place in an image, or the extents of one.
struct Pixel {
  Scalar batch, row, column, channel;
};

/// Pictures are NHWC (OperationLowering::input()), as filters always are
/// (M-010, M-011).
llvm::SmallVector<Scalar, 4> indicesOf(const Pixel &pixel);
Pixel pixelAt(Indices indices);
inline Pixel extentsOf(const Tensor &image) { return pixelAt(image.extents()); }

/// Says that no extent of \p image but the batch is 0, as the rules demand.
void checkNotEmpty(OperationLowering &op, const Pixel &image);
/// \p parameter is at least \p low.
void checkAtLeast(OperationLowering &op, Scalar parameter, int64_t low);

/// Places of a window, [begin, end).
struct Places {
  Scalar begin, end;
};

/// Windows along one axis of an image. All are of index type.
struct WindowAxis {
  Scalar input;
  Scalar window; ///< Places, not counting those between them.
  Scalar stride, dilation;
  Scalar head, tail; ///< Pads.
  Scalar output;
  /// Whether elements decide how windows move: --nnhal-verify-addresses cannot
  /// see then that their places lie inside the input.
  bool isComputed = false;

  /// Where window number \p index starts in the input; may be negative.
  Scalar start(Scalar index) const;
  /// The places of that window that lie inside the input. Of pools, whose
  /// windows are not dilated, there is at least one.
  Places inside(Scalar start) const;
  /// Where place number \p place of the window at \p start lies, one of
  /// inside().
  Scalar placeAt(Scalar start, Scalar place) const;
  /// What the window covers.
  Scalar effectiveWindow() const;
};

/// A window whose parameters and extents are known, heights first, pads [top,
/// bottom, left, right].
struct KernelWindow {
  std::array<int64_t, 2> strides = {1, 1}, dilations = {1, 1};
  std::array<int64_t, 4> pads = {0, 0, 0, 0};
  /// Extents of the output.
  std::array<int64_t, 2> output = {1, 1};
};

struct WindowAxes {
  WindowAxis rows, columns;

  /// Strides, dilations, pads and outputs, if all of them are known.
  std::optional<KernelWindow> known() const;
};

/// Reads the operands of a window by the names that the table of signatures
/// gives them (M-070 to M-092).
class WindowOperands {
public:
  explicit WindowOperands(OperationLowering &op) : op(op) {}

  /// The padding, as far as it does not follow from extents, and dilations of
  /// one.
  llvm::LogicalResult readPadding(WindowAxes &axes);
  /// The inputs "NAME width" and "NAME height".
  void readPair(std::string_view name, Scalar &width, Scalar &height);
  Scalar readInteger(std::string_view name);
  llvm::FailureOr<rt::FusedActivation> readActivation();

  /// Whether pads follow from extents (M-007).
  bool isSame() const { return scheme == 1; }

private:
  llvm::FailureOr<int64_t> readCode(std::string_view name);

  OperationLowering &op;
  /// The HAL's padding scheme; 0 where pads are explicit.
  int64_t scheme = 0;
};

/// Fills in pads that follow from extents, checks what the rules demand and
/// sets the output of windows that move over an input.
void resolveAxis(OperationLowering &op, WindowAxis &axis, bool isSame);

/// A half float tensor in f32, for loops that read elements repeatedly; any
/// other tensor as it is.
Tensor widened(OperationLowering &op, const Tensor &tensor);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_ENGINE_WINDOWAXES_H
