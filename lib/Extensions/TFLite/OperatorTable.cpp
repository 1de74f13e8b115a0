//===- OperatorTable.cpp - All operators ----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tflite;

std::span<const OperatorRow> tflite::operatorTable() {
  static const std::vector<OperatorRow> table = [] {
    std::vector<OperatorRow> rows;
    for (Rows family :
         {activationRows(),    arithmeticRows(), blocksRows(),
          combiningRows(),     comparisonRows(), contractionRows(),
          conv3DRows(),        conversionRows(), fourierRows(),
          indexingRows(),      joiningRows(),    logicRows(),
          lstmRows(),          matrixRows(),     movementRows(),
          normalizationRows(), poolingRows(),    quantizationRows(),
          randomRows(),        recurrentRows(),  reductionRows(),
          resizeRows(),        segmentRows(),    selectionRows(),
          sequenceRows(),      softmaxRows(),    unaryRows()})
      rows.insert(rows.end(), family.begin(), family.end());
    std::sort(rows.begin(), rows.end(),
              [](const OperatorRow &a, const OperatorRow &b) {
                return a.number < b.number;
              });
    return rows;
  }();
  return table;
}
