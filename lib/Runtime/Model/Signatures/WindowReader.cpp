//===- WindowReader.cpp - Operands of moving windows ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowReader.h"

#include "../Rules/Checks.h"

#include <fmt/format.h>

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

Result<Padding> signatures::readPadding(Reader &reader) {
  Padding padding;
  padding.isImplicit = !reader.states("left pad");
  if (padding.isImplicit) {
    NNHAL_ASSIGN_OR_RETURN(int32_t scheme, reader.int32("padding scheme"));
    NNHAL_ASSIGN_OR_RETURN(padding.scheme, paddingScheme(scheme));
    return padding;
  }
  NNHAL_ASSIGN_OR_RETURN(padding.pads.left, reader.int32("left pad", 0));
  NNHAL_ASSIGN_OR_RETURN(padding.pads.right, reader.int32("right pad", 0));
  NNHAL_ASSIGN_OR_RETURN(padding.pads.top, reader.int32("top pad", 0));
  NNHAL_ASSIGN_OR_RETURN(padding.pads.bottom, reader.int32("bottom pad", 0));
  return padding;
}

Result<Extent2D> signatures::readExtent(Reader &reader, std::string_view name,
                                        int32_t fallback) {
  Extent2D extent;
  NNHAL_ASSIGN_OR_RETURN(extent.width,
                         reader.int32(fmt::format("{} width", name), fallback));
  NNHAL_ASSIGN_OR_RETURN(
      extent.height, reader.int32(fmt::format("{} height", name), fallback));
  return extent;
}

/// \p head and \p tail for one axis of an implicit padding.
static void resolveAxis(PaddingScheme scheme, int64_t input, int64_t window,
                        int64_t stride, int64_t &head, int64_t &tail) {
  if (!rules::isKnown(input) || !rules::isKnown(window))
    return;
  AxisPads pads = implicitPads(scheme, input, stride, window);
  head = pads.head;
  tail = pads.tail;
}

Pads2D signatures::resolvePads(const Padding &padding, Extent2D input,
                               Extent2D effectiveWindow, Extent2D strides) {
  if (!padding.isImplicit)
    return padding.pads;
  Pads2D pads;
  resolveAxis(padding.scheme, input.height, effectiveWindow.height,
              strides.height, pads.top, pads.bottom);
  resolveAxis(padding.scheme, input.width, effectiveWindow.width, strides.width,
              pads.left, pads.right);
  return pads;
}

Extent2D signatures::spatialExtent(const TensorType &type) {
  if (!type.isRanked || type.rank() != 4)
    return {unknownExtent, unknownExtent};
  return {type.dimensions[1], type.dimensions[2]};
}

TensorType signatures::activationInput(const Reader &reader, bool isNchw) {
  return reader.isComplete() ? signatures::toNhwc(reader.input(0), isNchw)
                             : shapeless(reader.input(0));
}
