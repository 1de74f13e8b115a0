//===- Contraction.cpp - Forms of the Contraction operations --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/Contraction.h"
#include "Runtime/Support/Errors.h"

#include "../Rules/Checks.h"
#include "WindowReader.h"

#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

/// A result whose scale is not above the product of the others came with HAL
/// 1.2 (M-016, M-102).
static void requireForScales(Reader &reader) {
  const TensorType &input = reader.input(0), &filter = reader.input(1);
  if (input.type == OperandType::TENSOR_QUANT8_ASYMM &&
      !(reader.output(0).scale > input.scale * filter.scale))
    reader.require(HalVersion::V1_2);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// What all convolutions have but pads, which follow from \p padding.
static Result<ConvolutionForm> readOperands(Reader &reader, Padding &padding) {
  ConvolutionForm form;
  ConvolutionParams &params = form.params;
  NNHAL_ASSIGN_OR_RETURN(padding, readPadding(reader));
  NNHAL_ASSIGN_OR_RETURN(params.strides, readExtent(reader, "stride"));
  if (reader.states("depth multiplier")) {
    NNHAL_ASSIGN_OR_RETURN(form.depthMultiplier,
                           reader.int32("depth multiplier"));
  }
  if (reader.states("groups")) {
    NNHAL_ASSIGN_OR_RETURN(form.groups, reader.int32("groups"));
  }
  NNHAL_ASSIGN_OR_RETURN(params.activation, reader.activation());
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, reader.layout());
  if (reader.states("dilation width")) {
    // An absent dilation must not make stated pads look too large.
    NNHAL_ASSIGN_OR_RETURN(
        params.dilations,
        readExtent(reader, "dilation", std::numeric_limits<int32_t>::max()));
  }
  form.input = activationInput(reader, form.isNchw);
  return form;
}

/// (extent - 1) * dilation + 1 on each axis of \p filter (M-005).
static Extent2D effectiveExtent(const TensorType &filter, Extent2D dilations) {
  Extent2D extent = spatialExtent(filter);
  if (rules::isKnown(extent.height))
    extent.height = (extent.height - 1) * dilations.height + 1;
  if (rules::isKnown(extent.width))
    extent.width = (extent.width - 1) * dilations.width + 1;
  return extent;
}

/// A convolution whose implicit pads follow from its input.
static Result<ConvolutionForm> readConvolution(Reader &reader) {
  Padding padding;
  NNHAL_ASSIGN_OR_RETURN(ConvolutionForm form, readOperands(reader, padding));
  ConvolutionParams &params = form.params;
  params.pads = resolvePads(padding, spatialExtent(form.input),
                            effectiveExtent(reader.input(1), params.dilations),
                            params.strides);
  return form;
}

/// The result's height and width as the shape operand of an implicit
/// TRANSPOSE_CONV_2D states them; unknown while its value is absent.
static Result<Extent2D>
transposedExtent(const std::optional<std::vector<int64_t>> &shape,
                 bool isNchw) {
  if (!shape)
    return Extent2D{unknownExtent, unknownExtent};
  if (shape->size() != 4) // transpose_conv_2d C5
    return badData("output shape has {} elements, expected 4", shape->size());
  Extent2D extent{(*shape)[isNchw ? 2 : 1], (*shape)[isNchw ? 3 : 2]};
  NNHAL_RETURN_IF_ERROR(
      rules::checkPositive("output shape", extent)); // transpose_conv_2d C6
  return extent;
}

/// Unlike those of other convolutions, implicit pads follow from the result,
/// and the last may be negative, where the result goes on after the last window
/// (M-086).
static void resolveTransposedAxis(PaddingScheme scheme, int64_t output,
                                  int64_t window, int64_t stride, int64_t &head,
                                  int64_t &tail) {
  if (scheme != PaddingScheme::same || !rules::isKnown(output) ||
      !rules::isKnown(window) || stride < 1)
    return;
  int64_t windows = (output + stride - 1) / stride;
  int64_t total = (windows - 1) * stride + window - output;
  head = std::max<int64_t>(total, 0) / 2;
  tail = total - head;
}

static Result<ConvolutionForm> readTransposeConv2D(Reader &reader) {
  std::optional<std::vector<int64_t>> shape;
  if (reader.states("output shape")) {
    NNHAL_ASSIGN_OR_RETURN(shape, reader.int32List("output shape"));
  }
  Padding padding;
  NNHAL_ASSIGN_OR_RETURN(ConvolutionForm form, readOperands(reader, padding));
  if (!padding.isImplicit) {
    const Pads2D &pads = padding.pads;
    if (pads.bottom < 0 || pads.right < 0) // transpose_conv_2d C7
      return badData("trailing pads {} and {} must not be negative",
                     pads.bottom, pads.right);
    form.params.pads = pads;
    return form;
  }
  NNHAL_ASSIGN_OR_RETURN(Extent2D output, transposedExtent(shape, form.isNchw));
  Extent2D window = spatialExtent(reader.input(1));
  Extent2D strides = form.params.strides;
  Pads2D &pads = form.params.pads;
  resolveTransposedAxis(padding.scheme, output.height, window.height,
                        strides.height, pads.top, pads.bottom);
  resolveTransposedAxis(padding.scheme, output.width, window.width,
                        strides.width, pads.left, pads.right);
  return form;
}

Result<ConvolutionForm>
nnhal::rt::decodeConvolution(const OperationView &operation) {
  Reader reader(operation);
  switch (operation.type) {
  case OperationType::CONV_2D:
  case OperationType::DEPTHWISE_CONV_2D:
  case OperationType::GROUPED_CONV_2D:
    return readConvolution(reader);
  case OperationType::TRANSPOSE_CONV_2D:
    return readTransposeConv2D(reader);
  default:
    return badData("{} is not a convolution", nameOf(operation.type));
  }
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

static Result<OperationFacts> conv2DFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(ConvolutionForm form, readConvolution(reader));
  requireForScales(reader);
  NNHAL_ASSIGN_OR_RETURN(
      TensorType result,
      conv2D(form.input, reader.input(1), reader.input(2), form.params));
  return factsOf(reader, fromNhwc(std::move(result), form.isNchw));
}

static Result<OperationFacts> depthwiseConv2DFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(ConvolutionForm form, readConvolution(reader));
  requireForScales(reader);
  NNHAL_ASSIGN_OR_RETURN(TensorType result,
                         depthwiseConv2D(form.input, reader.input(1),
                                         reader.input(2), form.params,
                                         form.depthMultiplier));
  return factsOf(reader, fromNhwc(std::move(result), form.isNchw));
}

static Result<OperationFacts> groupedConv2DFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(ConvolutionForm form, readConvolution(reader));
  NNHAL_ASSIGN_OR_RETURN(TensorType result,
                         groupedConv2D(form.input, reader.input(1),
                                       reader.input(2), form.params,
                                       form.groups));
  return factsOf(reader, fromNhwc(std::move(result), form.isNchw));
}

static Result<OperationFacts> transposeConv2DFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(ConvolutionForm form, readTransposeConv2D(reader));
  NNHAL_ASSIGN_OR_RETURN(TensorType result,
                         transposeConv2D(form.input, reader.input(1),
                                         reader.input(2), form.params));
  return factsOf(reader, fromNhwc(std::move(result), form.isNchw));
}

static Result<OperationFacts> fullyConnectedFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(FusedActivation activation, reader.activation());
  requireForScales(reader);
  return factsOf(reader, fullyConnected(reader.input(0), reader.input(1),
                                        reader.input(2), activation));
}

std::span<const Row> signatures::contractionRows() {
  static constexpr Row rows[] = {
      {OperationType::CONV_2D, conv2DFacts},
      {OperationType::DEPTHWISE_CONV_2D, depthwiseConv2DFacts},
      {OperationType::GROUPED_CONV_2D, groupedConv2DFacts},
      {OperationType::TRANSPOSE_CONV_2D, transposeConv2DFacts},
      {OperationType::FULLY_CONNECTED, fullyConnectedFacts},
  };
  return rows;
}
