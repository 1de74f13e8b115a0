//===- Families.h - Families of operators -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of each family: tables that OperatorTable.cpp joins.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_FAMILIES_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_FAMILIES_H

#include "Operator.h"

namespace nnhal::tflite {

using Rows = std::span<const OperatorRow>;

/// The option `activation` of all operators that have one.
inline constexpr OptionRow activationOption = {"activation",
                                               OptionKind::integer, 0, 3};

Rows activationRows();
Rows arithmeticRows();
Rows blocksRows();
Rows combiningRows();
Rows comparisonRows();
Rows contractionRows();
Rows conv3DRows();
Rows conversionRows();
Rows fourierRows();
Rows indexingRows();
Rows joiningRows();
Rows logicRows();
Rows lstmRows();
Rows matrixRows();
Rows movementRows();
Rows normalizationRows();
Rows poolingRows();
Rows quantizationRows();
Rows randomRows();
Rows recurrentRows();
Rows reductionRows();
Rows resizeRows();
Rows segmentRows();
Rows selectionRows();
Rows sequenceRows();
Rows softmaxRows();
Rows unaryRows();

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_FAMILIES_H
