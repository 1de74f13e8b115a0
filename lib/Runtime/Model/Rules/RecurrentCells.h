//===- RecurrentCells.h - Rules of LSTM and RNN cells -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_MODEL_RULES_RECURRENTCELLS_H
#define NNHAL_LIB_RUNTIME_MODEL_RULES_RECURRENTCELLS_H

#include "Checks.h"

#include <initializer_list>

namespace nnhal::rt::rules {

/// A size that several extents state; it becomes known with the first of them.
struct Size {
  std::string_view name;
  int64_t value = unknownExtent;
};

/// The rank of \p operand is the number of \p sizes and each extent is that
/// size, as far as they are known.
Status checkSizes(std::string_view name, const TensorType &operand,
                  std::initializer_list<Size *> sizes);

/// \p operand is not omitted, and of \p type and \p sizes.
Status checkRequired(std::string_view name, const OptionalOperand &operand,
                     OperandType type, std::initializer_list<Size *> sizes);
/// Checks that \p operand, unless it is omitted, is of \p type, and, if it is
/// given, of \p sizes. An operand that may be omitted yet can be stated with
/// any shape.
Status checkOptional(std::string_view name, const OptionalOperand &operand,
                     OperandType type, std::initializer_list<Size *> sizes);

/// Sizes of a cell. Batch, input and aux are known to the caller or unknown.
struct CellSizes {
  Size batch{"batch"};
  Size input{"input size"};
  Size aux{"auxiliary input size"};
  Size units{"number of units"};
  Size output{"output size"};
};

/// The operand types of an LSTM cell.
struct LstmCellTypes {
  OperandType weights;
  OperandType peephole;
  OperandType bias;
  OperandType layerNorm;
  OperandType outputState;
  OperandType cellState;

  /// All of them \p type.
  static LstmCellTypes all(OperandType type) {
    return {type, type, type, type, type, type};
  }
};

/// Whether all of a cell's auxiliary weights or none are given, and whether the
/// input gate is.
struct LstmCellForm {
  Presence inputGate;
  Presence auxWeights;
};
Result<LstmCellForm> checkLstmCell(const LstmOperands &cell,
                                   const LstmCellTypes &types,
                                   CellSizes &sizes);
Status checkLstmParams(const LstmParams &params);
/// \p clip, called \p name, is not negative.
Status checkClip(std::string_view name, float clip);

Status checkRnnCell(const RnnOperands &cell, OperandType type,
                    CellSizes &sizes);
Status checkRnnActivation(RecurrentActivation activation);

/// One of the two is given and the other omitted.
bool contradicts(Presence lhs, Presence rhs);

} // namespace nnhal::rt::rules

#endif // NNHAL_LIB_RUNTIME_MODEL_RULES_RECURRENTCELLS_H
