//===- Validation.h - The parts of structural validation --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What validateModel() is made of. Every function is total and returns
// invalidArgument; a message starts with the operand or operation, the caller
// puts the subgraph's name before it.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_MODEL_VALIDATION_H
#define NNHAL_LIB_RUNTIME_MODEL_VALIDATION_H

#include "nnhal/Runtime/Model.h"

namespace nnhal::rt::validation {

class NeededArguments;

/// The model that is validated, and the version that it is validated as.
struct Context {
  const Model &model;
  HalVersion version;
  /// Indexed by extension prefix: whether the model names it.
  std::vector<bool> prefixes;

  static Context of(const Model &model, HalVersion version);

  /// Whether the model names the extension of \p code, an extension type or
  /// operation.
  bool hasExtensionPrefix(uint32_t code) const { return prefixes[code >> 16]; }
};

/// The kind of memory and what constants can do with it (B-074 to B-078).
Status checkPool(const Pool &pool, HalVersion version);

/// Checks one operand for checkOperands().
Status checkOperand(const Context &context, const Operand &operand);

/// Whether there is such an operation (B-030, B-032, B-033, B-039).
Status checkOperationType(const Context &context, OperationType type);

/// Types, dimensions, quantization parameters, lifetimes, locations and
/// consumer counts of every operand (B-011 to B-024, B-027, A.3).
Status checkOperands(const Context &context, const Subgraph &subgraph);

/// Checks operation types and index lists (B-030 to B-034, B-072). The demands
/// of an operation on its operands are not looked at.
Status checkOperations(const Context &context, const Subgraph &subgraph);

/// Input and output lists (B-052 to B-055).
Status checkInputsAndOutputs(const Subgraph &subgraph);

/// Execution order and writers (B-029, B-035 to B-037). Needs indices that
/// checkOperations() has accepted.
Status checkOrder(const Subgraph &subgraph);

/// IF and WHILE against the subgraphs that they name (B-061 to B-069). Needs
/// every subgraph of \p model to have passed the checks above. \p needed is of
/// \p model, and is shared by all its subgraphs.
Status checkControlFlow(const Model &model, const Subgraph &subgraph,
                        NeededArguments &needed);

/// Subgraphs that reach themselves (B-058). The message is complete.
Status checkReferenceCycles(const Model &model);

} // namespace nnhal::rt::validation

#endif // NNHAL_LIB_RUNTIME_MODEL_VALIDATION_H
