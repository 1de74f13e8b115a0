//===- Window.h - Windows over images ---------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_WINDOW_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_WINDOW_H

#include "Operator.h"

#include <algorithm>

namespace nnhal::tflite {

/// The options that windows share; Padding is SAME 0 or VALID 1.
inline constexpr OptionRow paddingOption = {"padding", OptionKind::integer, 0,
                                            1};
constexpr OptionRow positiveOption(std::string_view name) {
  return {name, OptionKind::integer, 1, 65535};
}

/// A window along one dimension.
struct WindowAxis {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  bool isSame = true;

  int64_t reach() const { return (size - 1) * dilation + 1; }
  /// The number of places along \p extent elements; negative or 0 where the
  /// window does not fit.
  int64_t places(int64_t extent) const {
    return isSame ? (extent + stride - 1) / stride
                  : (extent - reach() + stride) / stride;
  }
  /// The elements of padding before the first one.
  int64_t before(int64_t extent) const {
    return std::max<int64_t>((places(extent) - 1) * stride + reach() - extent,
                             0) /
           2;
  }
};

/// Returns the number of places, unless it is not known.
inline Result<int64_t> windowPlaces(const WindowAxis &axis, int64_t extent) {
  if (extent == unknownExtent)
    return unknownExtent;
  if (!axis.isSame && axis.reach() > extent)
    return refuse("window of ", axis.reach(), " elements exceeds the extent ",
                  extent);
  return axis.places(extent);
}

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_WINDOW_H
