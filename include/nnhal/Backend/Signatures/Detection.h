//===- Detection.h - Forms of the Detection operations ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The scalar parameters of detection operations as a model states them. A
// function checks the number and the types of the operands that it reads;
// scalars whose value is absent read as values that break no rule.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_SIGNATURES_DETECTION_H
#define NNHAL_BACKEND_SIGNATURES_DETECTION_H

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/Api.h"

namespace nnhal::rt {

struct BoxWithNmsLimitForm {
  float scoreThreshold = 0.0f;
  /// A negative number stands for no limit.
  int32_t maxBoxes = -1;
  SoftNmsKernel kernel = SoftNmsKernel::hard;
  float iouThreshold = 0.0f;
  float sigma = 1.0f;
  float nmsScoreThreshold = 0.0f;
};
NNHAL_API Result<BoxWithNmsLimitForm>
decodeBoxWithNmsLimit(const OperationView &operation);

struct DetectionPostprocessingForm {
  PostprocessingParams params;
  /// Whether class labels count the background.
  bool isBackgroundLabeled = false;
};
NNHAL_API Result<DetectionPostprocessingForm>
decodeDetectionPostprocessing(const OperationView &operation);

struct GenerateProposalsForm {
  ProposalParams params;
  /// A number that is not positive stands for no limit.
  int32_t preNmsLimit = 0;
  int32_t postNmsLimit = 0;
  /// Scores and deltas are NCHW.
  bool isNchw = false;
};
NNHAL_API Result<GenerateProposalsForm>
decodeGenerateProposals(const OperationView &operation);

struct HeatmapMaxKeypointForm {
  bool isNchw = false;
};
NNHAL_API Result<HeatmapMaxKeypointForm>
decodeHeatmapMaxKeypoint(const OperationView &operation);

/// The parameters of ROI_ALIGN and ROI_POOLING.
struct RoiForm {
  RoiParams params;
  /// Features and the result are NCHW.
  bool isNchw = false;
};
NNHAL_API Result<RoiForm> decodeRoiAlign(const OperationView &operation);
NNHAL_API Result<RoiForm> decodeRoiPooling(const OperationView &operation);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_SIGNATURES_DETECTION_H
