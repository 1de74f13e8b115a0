//===- BasicLstm.h - LSTM of the basic kernel -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_BASICLSTM_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_BASICLSTM_H

#include "OperatorTable.h"

namespace nnhal::rt::tflite {

/// Whether \p source, an LSTM, is one of the basic kernel, which has five
/// inputs.
bool isBasicLstm(const schema::Operator &source);

/// Imports such an operator.
Status importBasicLstm(Graph &graph, const schema::Operator &source);

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_BASICLSTM_H
