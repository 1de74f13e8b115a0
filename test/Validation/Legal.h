//===- Legal.h - What operations take according to the HAL ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists of what HAL 1.3's types.hal allows where most operations allow one
// thing, and so of the mutations that need not be refused.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_VALIDATION_LEGAL_H
#define NNHAL_TEST_VALIDATION_LEGAL_H

#include "nnhal/Runtime/Model.h"

#include <optional>
#include <vector>

namespace nnhal::mutations {

/// The types that \p operation allows for input \p index whatever the types of
/// its other operands are; empty where the others decide.
std::vector<rt::OperandType> freeInputTypes(const rt::Operation &operation,
                                            size_t index);
std::vector<rt::OperandType> freeOutputTypes(const rt::Operation &operation,
                                             size_t index);

/// Whether \p operand of \p graph may become one of \p type: because no
/// operation uses it, or one of those that do takes more types than one.
bool mayHaveType(const rt::Subgraph &graph, uint32_t operand,
                 rt::OperandType type);

/// Whether \p operation may be stated without input \p index.
bool mayLoseInput(const rt::Operation &operation, size_t index);

/// The value that input \p index of \p operation, which may be left out, has
/// when it is; nothing for inputs without such a value.
std::optional<int32_t> defaultOf(const rt::Operation &operation, size_t index);

/// Whether \p operation may have one input more, an INT32 scalar.
bool mayGainInput(const rt::Operation &operation);

/// Whether operations of \p type may have different numbers of outputs.
bool mayLoseOutput(rt::OperationType type);

/// Whether operations of \p type have inputs that may be omitted.
bool hasOptionalInputs(rt::OperationType type);

} // namespace nnhal::mutations

#endif // NNHAL_TEST_VALIDATION_LEGAL_H
