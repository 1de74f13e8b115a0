//===- RaiseHalForms.cpp - Operations listed input by input ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Normalization, Lookup, Recurrent, Detection and RANK: what NNHal_FormOp says
// about each input is enough to read it.
//
//===----------------------------------------------------------------------===//

#include "Raising.h"

#include "mlir/IR/OpDefinition.h"

using namespace nnhal;
using llvm::SmallVector;
using rt::OperationType;

namespace {
/// The inputs of an operation, in canonical form.
struct Inputs {
  SmallVector<mlir::Value> operands;
  SmallVector<int32_t> segments;
  SmallVector<mlir::NamedAttribute> attributes;
};
} // namespace

/// The value of the HAL's input \p index as attribute.
static mlir::Attribute readAttribute(Raising &raising, const HalInput &input,
                                     unsigned index) {
  mlir::Builder &builder = raising.getBuilder();
  switch (input.kind) {
  case HalInput::integer:
    return builder.getI64IntegerAttr(raising.integer(index));
  case HalInput::real:
    return builder.getF32FloatAttr(raising.real(index));
  case HalInput::flag:
    return builder.getBoolAttr(raising.flag(index));
  case HalInput::numberFlag: {
    int64_t value = raising.integer(index);
    if (value != 0 && value != 1)
      raising.fail("{} is {}, expected 0 or 1", input.name, value);
    return builder.getBoolAttr(value == 1);
  }
  default: {
    int64_t code = raising.integer(index);
    mlir::Attribute attribute =
        enumeratorAttr(builder.getContext(), input.kind, code);
    if (!attribute)
      raising.fail("{} {} has no meaning", input.name, code);
    return attribute;
  }
  }
}

static void readOperand(Raising &raising, const HalInput &input, unsigned index,
                        bool isNchw, Inputs &result) {
  bool isGiven = input.kind != HalInput::optional || raising.isGiven(index);
  result.segments.push_back(isGiven);
  if (isGiven)
    result.operands.push_back(
        raising.channelsLast(index, isNchw && input.kind == HalInput::spatial));
}

static Inputs readInputs(Raising &raising, llvm::ArrayRef<HalInput> inputs,
                         bool isNchw) {
  mlir::Builder &builder = raising.getBuilder();
  Inputs result;
  for (auto [index, input] : llvm::enumerate(inputs)) {
    if (raising.hasFailed())
      break;
    if (input.isOperand()) {
      readOperand(raising, input, index, isNchw, result);
      continue;
    }
    // A fallback is the attribute's default.
    if (input.kind == HalInput::layout ||
        (input.fallback && !raising.isGiven(index)))
      continue;
    if (mlir::Attribute attribute = readAttribute(raising, input, index))
      result.attributes.push_back(builder.getNamedAttr(input.name, attribute));
  }
  return result;
}

/// Whether the layout flag, if there is one, says NCHW.
static bool readLayout(Raising &raising, llvm::ArrayRef<HalInput> inputs) {
  for (auto [index, input] : llvm::enumerate(inputs))
    if (input.kind == HalInput::layout)
      return raising.isNchw(index);
  return false;
}

template <typename OpTy> static void raiseForm(Raising &raising) {
  bool isNchw = readLayout(raising, OpTy::getHalInputs());
  Inputs inputs = readInputs(raising, OpTy::getHalInputs(), isNchw);
  if (raising.size() > OpTy::getHalInputs().size())
    raising.fail("found {} inputs, expected {}", raising.size(),
                 OpTy::getHalInputs().size());
  if constexpr (OpTy::template hasTrait<
                    mlir::OpTrait::AttrSizedOperandSegments>())
    inputs.attributes.push_back(raising.getBuilder().getNamedAttr(
        OpTy::getOperandSegmentSizeAttr(),
        raising.getBuilder().getDenseI32ArrayAttr(inputs.segments)));
  raising.replaceForm<OpTy>(isNchw && OpTy::hasSpatialResult, inputs.operands,
                            inputs.attributes);
}

void nnhal::addHalFormRows(RaiseTable &table) {
  using enum OperationType;
  table.insert({
      {L2_NORMALIZATION, raiseForm<L2NormalizationOp>},
      {LOCAL_RESPONSE_NORMALIZATION, raiseForm<LocalResponseNormalizationOp>},
      {INSTANCE_NORMALIZATION, raiseForm<InstanceNormalizationOp>},
      {EMBEDDING_LOOKUP, raiseForm<EmbeddingLookupOp>},
      {HASHTABLE_LOOKUP, raiseForm<HashtableLookupOp>},
      {LSH_PROJECTION, raiseForm<LshProjectionOp>},
      {RANDOM_MULTINOMIAL, raiseForm<RandomMultinomialOp>},
      {LSTM, raiseForm<LstmOp>},
      {UNIDIRECTIONAL_SEQUENCE_LSTM, raiseForm<UnidirectionalSequenceLstmOp>},
      {BIDIRECTIONAL_SEQUENCE_LSTM, raiseForm<BidirectionalSequenceLstmOp>},
      {RNN, raiseForm<RnnOp>},
      {UNIDIRECTIONAL_SEQUENCE_RNN, raiseForm<UnidirectionalSequenceRnnOp>},
      {BIDIRECTIONAL_SEQUENCE_RNN, raiseForm<BidirectionalSequenceRnnOp>},
      {SVDF, raiseForm<SvdfOp>},
      {QUANTIZED_16BIT_LSTM, raiseForm<Quantized16BitLstmOp>},
      {QUANTIZED_LSTM, raiseForm<QuantizedLstmOp>},
      {AXIS_ALIGNED_BBOX_TRANSFORM, raiseForm<AxisAlignedBBoxTransformOp>},
      {BOX_WITH_NMS_LIMIT, raiseForm<BoxWithNmsLimitOp>},
      {DETECTION_POSTPROCESSING, raiseForm<DetectionPostprocessingOp>},
      {GENERATE_PROPOSALS, raiseForm<GenerateProposalsOp>},
      {HEATMAP_MAX_KEYPOINT, raiseForm<HeatmapMaxKeypointOp>},
      {ROI_ALIGN, raiseForm<RoiAlignOp>},
      {ROI_POOLING, raiseForm<RoiPoolingOp>},
      {RANK, raiseForm<RankOp>},
  });
}
