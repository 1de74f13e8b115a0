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

/// Input \p index in NHWC order; without extents while nobody knows the layout,
/// which says what they mean.
static TensorType inNhwc(const Reader &reader, size_t index, bool isNchw) {
  const TensorType &type = reader.input(index);
  return reader.knows("layout") ? toNhwc(type, isNchw) : shapeless(type);
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

static Result<OperationFacts> axisAlignedBBoxTransformFacts(Reader &reader) {
  return factsOf(reader,
                 axisAlignedBBoxTransform(reader.input(0), reader.input(1),
                                          reader.input(2), reader.input(3)));
}

//===----------------------------------------------------------------------===//
// BOX_WITH_NMS_LIMIT
//===----------------------------------------------------------------------===//

static Result<BoxWithNmsLimitForm> readBoxWithNmsLimit(Reader &reader) {
  BoxWithNmsLimitForm form;
  NNHAL_ASSIGN_OR_RETURN(form.scoreThreshold, reader.real("score threshold"));
  NNHAL_ASSIGN_OR_RETURN(form.maxBoxes, reader.int32("max boxes"));
  NNHAL_ASSIGN_OR_RETURN(int32_t kernel, reader.int32("soft NMS kernel", 0));
  form.kernel = SoftNmsKernel(kernel);
  NNHAL_ASSIGN_OR_RETURN(form.iouThreshold, reader.real("IoU threshold"));
  NNHAL_ASSIGN_OR_RETURN(form.sigma, reader.real("sigma"));
  NNHAL_ASSIGN_OR_RETURN(form.nmsScoreThreshold,
                         reader.real("NMS score threshold"));
  return form;
}

Result<BoxWithNmsLimitForm>
nnhal::rt::decodeBoxWithNmsLimit(const OperationView &operation) {
  Reader reader(operation);
  return readBoxWithNmsLimit(reader);
}

static Result<OperationFacts> boxWithNmsLimitFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(BoxWithNmsLimitForm form, readBoxWithNmsLimit(reader));
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
  DetectionPostprocessingForm form;
  PostprocessingParams &params = form.params;
  for (size_t i = 0; i < 4; ++i) {
    NNHAL_ASSIGN_OR_RETURN(params.scales[i], reader.real(scaleNames[i]));
  }
  NNHAL_ASSIGN_OR_RETURN(params.isRegularNms, reader.boolean("regular NMS"));
  NNHAL_ASSIGN_OR_RETURN(params.maxDetections, reader.int32("max detections"));
  NNHAL_ASSIGN_OR_RETURN(params.maxClassesPerDetection,
                         reader.int32("max classes per detection"));
  NNHAL_ASSIGN_OR_RETURN(params.maxDetectionsPerClass,
                         reader.int32("max detections per class"));
  NNHAL_ASSIGN_OR_RETURN(params.scoreThreshold, reader.real("score threshold"));
  NNHAL_ASSIGN_OR_RETURN(params.iouThreshold, reader.real("IoU threshold"));
  NNHAL_ASSIGN_OR_RETURN(form.isBackgroundLabeled,
                         reader.boolean("background label"));
  return form;
}

Result<DetectionPostprocessingForm>
nnhal::rt::decodeDetectionPostprocessing(const OperationView &operation) {
  Reader reader(operation);
  return readDetectionPostprocessing(reader);
}

static Result<OperationFacts> detectionPostprocessingFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(DetectionPostprocessingForm form,
                         readDetectionPostprocessing(reader));
  // One mode does not read the other's limit; when the mode is not known, the
  // limit of either may be out of bounds.
  if (!reader.knows("regular NMS")) {
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
  GenerateProposalsForm form;
  ProposalParams &params = form.params;
  NNHAL_ASSIGN_OR_RETURN(params.heightRatio, reader.real("height ratio"));
  NNHAL_ASSIGN_OR_RETURN(params.widthRatio, reader.real("width ratio"));
  NNHAL_ASSIGN_OR_RETURN(form.preNmsLimit, reader.int32("pre-NMS limit"));
  NNHAL_ASSIGN_OR_RETURN(form.postNmsLimit, reader.int32("post-NMS limit"));
  NNHAL_ASSIGN_OR_RETURN(params.iouThreshold, reader.real("IoU threshold"));
  NNHAL_ASSIGN_OR_RETURN(params.minSize, reader.real("minimum size"));
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, reader.layout());
  return form;
}

Result<GenerateProposalsForm>
nnhal::rt::decodeGenerateProposals(const OperationView &operation) {
  Reader reader(operation);
  return readGenerateProposals(reader);
}

static Result<OperationFacts> generateProposalsFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(GenerateProposalsForm form,
                         readGenerateProposals(reader));
  return allFactsOf(reader, generateProposals(inNhwc(reader, 0, form.isNchw),
                                              inNhwc(reader, 1, form.isNchw),
                                              reader.input(2), reader.input(3),
                                              form.params));
}

//===----------------------------------------------------------------------===//
// HEATMAP_MAX_KEYPOINT
//===----------------------------------------------------------------------===//

static Result<HeatmapMaxKeypointForm> readHeatmapMaxKeypoint(Reader &reader) {
  HeatmapMaxKeypointForm form;
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, reader.layout());
  return form;
}

Result<HeatmapMaxKeypointForm>
nnhal::rt::decodeHeatmapMaxKeypoint(const OperationView &operation) {
  Reader reader(operation);
  return readHeatmapMaxKeypoint(reader);
}

static Result<OperationFacts> heatmapMaxKeypointFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(HeatmapMaxKeypointForm form,
                         readHeatmapMaxKeypoint(reader));
  return allFactsOf(reader, heatmapMaxKeypoint(inNhwc(reader, 0, form.isNchw),
                                               reader.input(1)));
}

//===----------------------------------------------------------------------===//
// ROI_ALIGN and ROI_POOLING
//===----------------------------------------------------------------------===//

/// Inputs 3 to 6, which both have.
static Result<RoiParams> readRoiParams(Reader &reader) {
  RoiParams params;
  NNHAL_ASSIGN_OR_RETURN(params.extent.height, reader.int32("output height"));
  NNHAL_ASSIGN_OR_RETURN(params.extent.width, reader.int32("output width"));
  NNHAL_ASSIGN_OR_RETURN(params.heightRatio, reader.real("height ratio"));
  NNHAL_ASSIGN_OR_RETURN(params.widthRatio, reader.real("width ratio"));
  return params;
}

static Result<RoiForm> readRoiAlign(Reader &reader) {
  RoiForm form;
  NNHAL_ASSIGN_OR_RETURN(form.params, readRoiParams(reader));
  NNHAL_ASSIGN_OR_RETURN(form.params.samples.height,
                         reader.int32("samples per bin height"));
  NNHAL_ASSIGN_OR_RETURN(form.params.samples.width,
                         reader.int32("samples per bin width"));
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, reader.layout());
  return form;
}

static Result<RoiForm> readRoiPooling(Reader &reader) {
  RoiForm form;
  NNHAL_ASSIGN_OR_RETURN(form.params, readRoiParams(reader));
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, reader.layout());
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

static Result<OperationFacts> roiFacts(Reader &reader, const RoiForm &form,
                                       RoiRule rule) {
  NNHAL_ASSIGN_OR_RETURN(TensorType result,
                         rule(inNhwc(reader, 0, form.isNchw), reader.input(1),
                              reader.input(2), form.params));
  return factsOf(reader, fromNhwc(std::move(result), form.isNchw));
}

static Result<OperationFacts> roiAlignFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(RoiForm form, readRoiAlign(reader));
  return roiFacts(reader, form, roiAlign);
}

static Result<OperationFacts> roiPoolingFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(RoiForm form, readRoiPooling(reader));
  return roiFacts(reader, form, roiPooling);
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
