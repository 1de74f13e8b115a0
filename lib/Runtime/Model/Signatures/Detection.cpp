//===- Detection.cpp - Forms of the Detection operations ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/Detection.h"

#include "Reader.h"

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

/// All detection operations exist since 1.2; signed scores, heatmaps and
/// features since 1.3.
static void requireForPrimary(Reader &reader) {
  static constexpr TypeRow types[] = {
      {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, HalVersion::V1_3}};
  reader.require(HalVersion::V1_2);
  requireForType(reader, types, reader.inputType(0));
}

/// Input \p index in NHWC order; without extents while nobody knows the value
/// of input \p layoutIndex, which says what they mean.
static TensorType inNhwc(const OperationView &operation, size_t index,
                         size_t layoutIndex, bool isNchw) {
  const TensorType &type = operation.inputs[index].type;
  return operation.inputs[layoutIndex].value ? toNhwc(type, isNchw)
                                             : shapeless(type);
}

/// The facts of a use with several results.
static Result<OperationFacts>
allFactsOf(const Reader &reader, Result<std::vector<TensorType>> results) {
  if (!results.isOk())
    return std::move(results).takeStatus();
  return factsOf(reader, *std::move(results));
}

//===----------------------------------------------------------------------===//
// AXIS_ALIGNED_BBOX_TRANSFORM
//===----------------------------------------------------------------------===//

static Result<OperationFacts>
axisAlignedBBoxTransformFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({4}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  // The version follows from the type of the deltas (M-218, M-219).
  requireForPrimary(reader);
  return factsOf(reader,
                 axisAlignedBBoxTransform(reader.input(0), reader.input(1),
                                          reader.input(2), reader.input(3)));
}

//===----------------------------------------------------------------------===//
// BOX_WITH_NMS_LIMIT
//===----------------------------------------------------------------------===//

static Result<BoxWithNmsLimitForm> readBoxWithNmsLimit(Reader &reader) {
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({9}, 4));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  // Float scalars are FLOAT16 beside half floats (M-222).
  OperandType like = reader.inputType(0);
  BoxWithNmsLimitForm form;
  NNHAL_ASSIGN_OR_RETURN(form.scoreThreshold,
                         reader.real(3, "score threshold", like));
  NNHAL_ASSIGN_OR_RETURN(form.maxBoxes, reader.int32(4, "max boxes"));
  NNHAL_ASSIGN_OR_RETURN(int32_t kernel, reader.int32(5, "soft NMS kernel", 0));
  form.kernel = SoftNmsKernel(kernel);
  NNHAL_ASSIGN_OR_RETURN(form.iouThreshold,
                         reader.real(6, "IoU threshold", like));
  NNHAL_ASSIGN_OR_RETURN(form.sigma, reader.real(7, "sigma", like));
  NNHAL_ASSIGN_OR_RETURN(form.nmsScoreThreshold,
                         reader.real(8, "NMS score threshold", like));
  return form;
}

Result<BoxWithNmsLimitForm>
nnhal::rt::decodeBoxWithNmsLimit(const OperationView &operation) {
  Reader reader(operation);
  return readBoxWithNmsLimit(reader);
}

static Result<OperationFacts>
boxWithNmsLimitFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(BoxWithNmsLimitForm form, readBoxWithNmsLimit(reader));
  // The version follows from the type of the scores (M-221).
  requireForPrimary(reader);
  return allFactsOf(reader, boxWithNmsLimit(reader.input(0), reader.input(1),
                                            reader.input(2), form.kernel));
}

//===----------------------------------------------------------------------===//
// DETECTION_POSTPROCESSING
//===----------------------------------------------------------------------===//

static Result<DetectionPostprocessingForm>
readDetectionPostprocessing(Reader &reader) {
  static constexpr std::string_view scaleNames[] = {
      "y scale", "x scale", "height scale", "width scale"};
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({14}, 4));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  // Float scalars are FLOAT16 beside half floats (M-231).
  OperandType like = reader.inputType(0);
  DetectionPostprocessingForm form;
  PostprocessingParams &params = form.params;
  for (size_t i = 0; i < 4; ++i) {
    NNHAL_ASSIGN_OR_RETURN(params.scales[i],
                           reader.real(3 + i, scaleNames[i], like));
  }
  NNHAL_ASSIGN_OR_RETURN(params.isRegularNms, reader.boolean(7, "regular NMS"));
  NNHAL_ASSIGN_OR_RETURN(params.maxDetections,
                         reader.int32(8, "max detections"));
  NNHAL_ASSIGN_OR_RETURN(params.maxClassesPerDetection,
                         reader.int32(9, "max classes per detection"));
  NNHAL_ASSIGN_OR_RETURN(params.maxDetectionsPerClass,
                         reader.int32(10, "max detections per class"));
  NNHAL_ASSIGN_OR_RETURN(params.scoreThreshold,
                         reader.real(11, "score threshold", like));
  NNHAL_ASSIGN_OR_RETURN(params.iouThreshold,
                         reader.real(12, "IoU threshold", like));
  NNHAL_ASSIGN_OR_RETURN(form.isBackgroundLabeled,
                         reader.boolean(13, "background label"));
  return form;
}

Result<DetectionPostprocessingForm>
nnhal::rt::decodeDetectionPostprocessing(const OperationView &operation) {
  Reader reader(operation);
  return readDetectionPostprocessing(reader);
}

static Result<OperationFacts>
detectionPostprocessingFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(DetectionPostprocessingForm form,
                         readDetectionPostprocessing(reader));
  // The version follows from the type of the scores (M-230).
  requireForPrimary(reader);
  // One mode does not read the other's limit; when the mode is not known, the
  // limit of either may be out of bounds.
  if (!operation.inputs[7].value) {
    form.params.maxClassesPerDetection = 1;
    form.params.maxDetectionsPerClass = 1;
  }
  return allFactsOf(reader,
                    detectionPostprocessing(reader.input(0), reader.input(1),
                                            reader.input(2), form.params));
}

//===----------------------------------------------------------------------===//
// GENERATE_PROPOSALS
//===----------------------------------------------------------------------===//

static Result<GenerateProposalsForm> readGenerateProposals(Reader &reader) {
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({11}, 3));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  // Float scalars are FLOAT16 beside half floats (M-228).
  OperandType like = reader.inputType(0);
  GenerateProposalsForm form;
  ProposalParams &params = form.params;
  NNHAL_ASSIGN_OR_RETURN(params.heightRatio,
                         reader.real(4, "height ratio", like));
  NNHAL_ASSIGN_OR_RETURN(params.widthRatio,
                         reader.real(5, "width ratio", like));
  NNHAL_ASSIGN_OR_RETURN(form.preNmsLimit, reader.int32(6, "pre-NMS limit"));
  NNHAL_ASSIGN_OR_RETURN(form.postNmsLimit, reader.int32(7, "post-NMS limit"));
  NNHAL_ASSIGN_OR_RETURN(params.iouThreshold,
                         reader.real(8, "IoU threshold", like));
  NNHAL_ASSIGN_OR_RETURN(params.minSize, reader.real(9, "minimum size", like));
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, reader.layout(10));
  return form;
}

Result<GenerateProposalsForm>
nnhal::rt::decodeGenerateProposals(const OperationView &operation) {
  Reader reader(operation);
  return readGenerateProposals(reader);
}

static Result<OperationFacts>
generateProposalsFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(GenerateProposalsForm form,
                         readGenerateProposals(reader));
  // The version follows from the type of the scores (M-227, M-228).
  requireForPrimary(reader);
  return allFactsOf(
      reader, generateProposals(inNhwc(operation, 0, 10, form.isNchw),
                                inNhwc(operation, 1, 10, form.isNchw),
                                reader.input(2), reader.input(3), form.params));
}

//===----------------------------------------------------------------------===//
// HEATMAP_MAX_KEYPOINT
//===----------------------------------------------------------------------===//

static Result<HeatmapMaxKeypointForm> readHeatmapMaxKeypoint(Reader &reader) {
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({3}, 2));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  HeatmapMaxKeypointForm form;
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, reader.layout(2));
  return form;
}

Result<HeatmapMaxKeypointForm>
nnhal::rt::decodeHeatmapMaxKeypoint(const OperationView &operation) {
  Reader reader(operation);
  return readHeatmapMaxKeypoint(reader);
}

static Result<OperationFacts>
heatmapMaxKeypointFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(HeatmapMaxKeypointForm form,
                         readHeatmapMaxKeypoint(reader));
  // The version follows from the type of the heatmaps (M-215).
  requireForPrimary(reader);
  return allFactsOf(reader,
                    heatmapMaxKeypoint(inNhwc(operation, 0, 2, form.isNchw),
                                       reader.input(1)));
}

//===----------------------------------------------------------------------===//
// ROI_ALIGN and ROI_POOLING
//===----------------------------------------------------------------------===//

/// Inputs 3 to 6, which both have.
static Result<RoiParams> readRoiParams(Reader &reader) {
  // The ratios are FLOAT16 beside half floats (M-207, M-256).
  OperandType like = reader.inputType(0);
  RoiParams params;
  NNHAL_ASSIGN_OR_RETURN(params.extent.height,
                         reader.int32(3, "output height"));
  NNHAL_ASSIGN_OR_RETURN(params.extent.width, reader.int32(4, "output width"));
  NNHAL_ASSIGN_OR_RETURN(params.heightRatio,
                         reader.real(5, "height ratio", like));
  NNHAL_ASSIGN_OR_RETURN(params.widthRatio,
                         reader.real(6, "width ratio", like));
  return params;
}

static Result<RoiForm> readRoiAlign(Reader &reader) {
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({10}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  RoiForm form;
  NNHAL_ASSIGN_OR_RETURN(form.params, readRoiParams(reader));
  NNHAL_ASSIGN_OR_RETURN(form.params.samples.height,
                         reader.int32(7, "samples per bin height"));
  NNHAL_ASSIGN_OR_RETURN(form.params.samples.width,
                         reader.int32(8, "samples per bin width"));
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, reader.layout(9));
  return form;
}

static Result<RoiForm> readRoiPooling(Reader &reader) {
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({8}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  // ROI_POOLING does not take an empty list of regions (M-214).
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  RoiForm form;
  NNHAL_ASSIGN_OR_RETURN(form.params, readRoiParams(reader));
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, reader.layout(7));
  return form;
}

Result<RoiForm> nnhal::rt::decodeRoiAlign(const OperationView &operation) {
  Reader reader(operation);
  return readRoiAlign(reader);
}

Result<RoiForm> nnhal::rt::decodeRoiPooling(const OperationView &operation) {
  Reader reader(operation);
  return readRoiPooling(reader);
}

using RoiRule = Result<TensorType> (*)(const TensorType &, const TensorType &,
                                       const TensorType &, const RoiParams &);

static Result<OperationFacts> roiFacts(const OperationView &operation,
                                       Reader &reader, const RoiForm &form,
                                       RoiRule rule) {
  // The version follows from the type of the features (M-206, M-212).
  requireForPrimary(reader);
  NNHAL_ASSIGN_OR_RETURN(
      TensorType result,
      rule(inNhwc(operation, 0, reader.inputCount() - 1, form.isNchw),
           reader.input(1), reader.input(2), form.params));
  return factsOf(reader, fromNhwc(std::move(result), form.isNchw));
}

static Result<OperationFacts> roiAlignFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(RoiForm form, readRoiAlign(reader));
  return roiFacts(operation, reader, form, roiAlign);
}

static Result<OperationFacts> roiPoolingFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(RoiForm form, readRoiPooling(reader));
  return roiFacts(operation, reader, form, roiPooling);
}

std::span<const Row> signatures::detectionRows() {
  static constexpr Row rows[] = {
      {OperationType::AXIS_ALIGNED_BBOX_TRANSFORM,
       axisAlignedBBoxTransformFacts},
      {OperationType::BOX_WITH_NMS_LIMIT, boxWithNmsLimitFacts},
      {OperationType::DETECTION_POSTPROCESSING, detectionPostprocessingFacts},
      {OperationType::GENERATE_PROPOSALS, generateProposalsFacts},
      {OperationType::HEATMAP_MAX_KEYPOINT, heatmapMaxKeypointFacts},
      {OperationType::ROI_ALIGN, roiAlignFacts},
      {OperationType::ROI_POOLING, roiPoolingFacts},
  };
  return rows;
}
