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

/// The versions that the types of the operands demand (M-016, M-073, M-102).
static void requireForOperands(Reader &reader) {
  const TensorType &input = reader.input(0), &filter = reader.input(1);
  requireForType(reader, sinceFirst, input.type);
  if (filter.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL)
    reader.require(HalVersion::V1_2);
  if (input.type == OperandType::TENSOR_QUANT8_ASYMM &&
      !(reader.output(0).scale > input.scale * filter.scale))
    reader.require(HalVersion::V1_2);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// Parameters of a convolution as far as they can be read without knowing how
/// its pads are resolved.
struct ConvolutionOperands {
  Padding padding;
  ConvolutionForm form;
  /// Depth multiplier or groups.
  int64_t factor = 1;
};

/// The differences of a convolution from CONV_2D.
struct OperandOrder {
  bool isImplicit = false;
  size_t paddingAt = 3;
  /// The name of the scalar after the strides; empty where there is none.
  std::string_view factorName = {};
};

} // namespace

/// Padding, strides, factor, activation, layout and dilations follow each other
/// in this order in all convolutions (M-070 to M-085).
static Result<ConvolutionOperands> readOperands(Reader &reader,
                                                const OperandOrder &order) {
  ConvolutionOperands result;
  ConvolutionParams &params = result.form.params;
  size_t at = order.paddingAt;
  NNHAL_ASSIGN_OR_RETURN(result.padding,
                         readPadding(reader, at, order.isImplicit));
  NNHAL_ASSIGN_OR_RETURN(params.strides, readExtent(reader, at, "stride"));
  if (!order.factorName.empty()) {
    NNHAL_ASSIGN_OR_RETURN(result.factor, reader.int32(at++, order.factorName));
  }
  NNHAL_ASSIGN_OR_RETURN(params.activation, reader.activation(at++));
  NNHAL_ASSIGN_OR_RETURN(result.form.isNchw, readLayout(reader, at));
  if (at < reader.inputCount()) {
    reader.require(HalVersion::V1_2);
    // An absent dilation must not make stated pads look too large.
    NNHAL_ASSIGN_OR_RETURN(params.dilations,
                           readExtent(reader, at, "dilation",
                                      std::numeric_limits<int32_t>::max()));
  }
  result.form.input = activationInput(reader, result.form.isNchw);
  return result;
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

/// The form of a convolution whose implicit pads follow from its input.
static ConvolutionForm resolve(const Reader &reader,
                               ConvolutionOperands operands) {
  ConvolutionParams &params = operands.form.params;
  params.pads = resolvePads(
      operands.padding, spatialExtent(operands.form.input),
      effectiveExtent(reader.input(1), params.dilations), params.strides);
  return std::move(operands.form);
}

static Result<ConvolutionForm> readConv2D(Reader &reader) {
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({7, 8, 10, 11, 13}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  OperandOrder order;
  // Ten inputs are implicit with dilation or explicit without layout (M-072).
  order.isImplicit =
      reader.inputCount() < 10 ||
      (reader.inputCount() == 10 && reader.inputType(7) == OperandType::BOOL);
  NNHAL_ASSIGN_OR_RETURN(ConvolutionOperands operands,
                         readOperands(reader, order));
  return resolve(reader, std::move(operands));
}

static Result<ConvolutionForm> readDepthwiseConv2D(Reader &reader) {
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({8, 9, 11, 12, 14}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  OperandOrder order;
  // Eleven inputs are ambiguous in the same way (M-080).
  order.isImplicit =
      reader.inputCount() < 11 ||
      (reader.inputCount() == 11 && reader.inputType(8) == OperandType::BOOL);
  order.factorName = "depth multiplier";
  NNHAL_ASSIGN_OR_RETURN(ConvolutionOperands operands,
                         readOperands(reader, order));
  operands.form.depthMultiplier = operands.factor;
  return resolve(reader, std::move(operands));
}

static Result<ConvolutionForm> readGroupedConv2D(Reader &reader) {
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({9, 12}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  // GROUPED_CONV_2D does not take tensors without elements (M-320).
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  OperandOrder order;
  order.isImplicit = reader.inputCount() == 9;
  order.factorName = "groups";
  NNHAL_ASSIGN_OR_RETURN(ConvolutionOperands operands,
                         readOperands(reader, order));
  operands.form.groups = operands.factor;
  return resolve(reader, std::move(operands));
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
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({9, 11}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  OperandOrder order;
  order.isImplicit = reader.inputCount() == 9;
  std::optional<std::vector<int64_t>> shape;
  if (order.isImplicit) {
    order.paddingAt = 4;
    NNHAL_ASSIGN_OR_RETURN(shape, reader.int32List(3, "output shape"));
  }
  NNHAL_ASSIGN_OR_RETURN(ConvolutionOperands operands,
                         readOperands(reader, order));
  ConvolutionForm &form = operands.form;
  if (!order.isImplicit) {
    const Pads2D &pads = operands.padding.pads;
    if (pads.bottom < 0 || pads.right < 0) // transpose_conv_2d C7
      return badData("trailing pads {} and {} must not be negative",
                     pads.bottom, pads.right);
    form.params.pads = pads;
    return std::move(form);
  }
  NNHAL_ASSIGN_OR_RETURN(Extent2D output, transposedExtent(shape, form.isNchw));
  Extent2D window = spatialExtent(reader.input(1));
  Extent2D strides = form.params.strides;
  Pads2D &pads = form.params.pads;
  resolveTransposedAxis(operands.padding.scheme, output.height, window.height,
                        strides.height, pads.top, pads.bottom);
  resolveTransposedAxis(operands.padding.scheme, output.width, window.width,
                        strides.width, pads.left, pads.right);
  return std::move(form);
}

Result<ConvolutionForm>
nnhal::rt::decodeConvolution(const OperationView &operation) {
  Reader reader(operation);
  switch (operation.type) {
  case OperationType::CONV_2D:
    return readConv2D(reader);
  case OperationType::DEPTHWISE_CONV_2D:
    return readDepthwiseConv2D(reader);
  case OperationType::GROUPED_CONV_2D:
    return readGroupedConv2D(reader);
  case OperationType::TRANSPOSE_CONV_2D:
    return readTransposeConv2D(reader);
  default:
    return badData("{} is not a convolution", nameOf(operation.type));
  }
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

static Result<OperationFacts> conv2DFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(ConvolutionForm form, readConv2D(reader));
  requireForOperands(reader);
  NNHAL_ASSIGN_OR_RETURN(
      TensorType result,
      conv2D(form.input, reader.input(1), reader.input(2), form.params));
  return factsOf(reader, fromNhwc(std::move(result), form.isNchw));
}

static Result<OperationFacts>
depthwiseConv2DFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(ConvolutionForm form, readDepthwiseConv2D(reader));
  requireForOperands(reader);
  NNHAL_ASSIGN_OR_RETURN(TensorType result,
                         depthwiseConv2D(form.input, reader.input(1),
                                         reader.input(2), form.params,
                                         form.depthMultiplier));
  return factsOf(reader, fromNhwc(std::move(result), form.isNchw));
}

static Result<OperationFacts>
groupedConv2DFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(ConvolutionForm form, readGroupedConv2D(reader));
  reader.require(HalVersion::V1_2);
  requireForOperands(reader);
  NNHAL_ASSIGN_OR_RETURN(TensorType result,
                         groupedConv2D(form.input, reader.input(1),
                                       reader.input(2), form.params,
                                       form.groups));
  return factsOf(reader, fromNhwc(std::move(result), form.isNchw));
}

static Result<OperationFacts>
transposeConv2DFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(ConvolutionForm form, readTransposeConv2D(reader));
  reader.require(HalVersion::V1_2);
  requireForOperands(reader);
  NNHAL_ASSIGN_OR_RETURN(TensorType result,
                         transposeConv2D(form.input, reader.input(1),
                                         reader.input(2), form.params));
  return factsOf(reader, fromNhwc(std::move(result), form.isNchw));
}

static Result<OperationFacts>
fullyConnectedFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({4}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  NNHAL_ASSIGN_OR_RETURN(FusedActivation activation, reader.activation(3));
  requireForOperands(reader);
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
