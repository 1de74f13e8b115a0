//===- WindowReader.h - Operands of moving windows --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// What convolutions and pools have in common: paddings in two forms and
// extents.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_MODEL_SIGNATURES_WINDOWREADER_H
#define NNHAL_LIB_RUNTIME_MODEL_SIGNATURES_WINDOWREADER_H

#include "Reader.h"

namespace nnhal::rt::signatures {

/// Padding as a model states it.
struct Padding {
  bool isImplicit = false;
  /// Meaningful where it is implicit.
  PaddingScheme scheme = PaddingScheme::none;
  /// Meaningful where it is explicit.
  Pads2D pads;
};

/// Reads one scheme or four pads, whichever the form of the use has.
Result<Padding> readPadding(Reader &reader);

/// Reads the inputs "NAME width" and "NAME height".
Result<Extent2D> readExtent(Reader &reader, std::string_view name,
                            int32_t fallback = 1);

/// \p padding as pads; none along axes on which an extent is unknown.
Pads2D resolvePads(const Padding &padding, Extent2D input,
                   Extent2D effectiveWindow, Extent2D strides);

/// Height and width of a tensor in NHWC order, unknown where its rank is not 4.
Extent2D spatialExtent(const TensorType &type);

/// Input 0 in NHWC order; without extents where \p reader is incomplete, so
/// that no rule judges parameters that only stand in for absent values.
TensorType activationInput(const Reader &reader, bool isNchw);

} // namespace nnhal::rt::signatures

#endif // NNHAL_LIB_RUNTIME_MODEL_SIGNATURES_WINDOWREADER_H
