//===- CalibrationModels.h - Models to measure devices with -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_CALIBRATION_CALIBRATIONMODELS_H
#define NNHAL_LIB_TOOLS_CALIBRATION_CALIBRATIONMODELS_H

#include "nnhal/Runtime/Model.h"

#include <vector>

namespace nnhal::tools {

/// Models whose times stand for one entry of a device's capabilities.
struct CalibrationGroup {
  enum class Subject { operandTypes, relaxed, ifOperation, whileOperation };
  Subject subject = Subject::operandTypes;
  /// The types that a model measures: a tensor type, and scalar types that
  /// share its entry.
  std::vector<rt::OperandType> types;
  /// Valid for HAL 1.3, all dimensions known.
  std::vector<rt::AnnotatedModel> models;
};

/// Convolution, matrix product, addition and pooling for types with arithmetic;
/// what there is for the others. Together they take the reference device some
/// seconds.
std::vector<CalibrationGroup> calibrationGroups();

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_CALIBRATION_CALIBRATIONMODELS_H
