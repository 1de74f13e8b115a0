//===- Variables.h - Resource variables as states ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_VARIABLES_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_VARIABLES_H

#include "Tensors.h"

#include <deque>
#include <map>

namespace nnhal::rt::tflite {

/// A value that outlives executions, by name rather than by tensor.
struct Variable {
  /// The name; type and shape once an operator states them, and the operand
  /// that holds the value now.
  Tensor value;
  /// What a CALL_ONCE assigns before the first execution.
  std::optional<Tensor> initial;
  /// The main subgraph assigns it.
  bool isAssigned = false;
};

/// The resource variables of a file. All subgraphs share them.
class Variables {
public:
  Variables(const schema::Model &model, bool useExtensions)
      : model(model), useExtensions(useExtensions) {}

  /// Finds the variables of the main subgraph and what it assigns. Damaged
  /// operators are left for their import to report.
  void scan(const schema::SubGraph &main);

  /// The variable to which tensor \p handle of the main subgraph refers; null
  /// if none does.
  Variable *find(uint32_t handle);

  /// Takes the constants that \p subgraph assigns. Fails with invalidArgument
  /// where it does anything else. \p file holds the bytes of the model.
  Status initialize(const schema::SubGraph &subgraph,
                    std::span<const std::byte> file);

private:
  using Handles = std::map<uint32_t, Variable *>;

  Handles handlesOf(const schema::SubGraph &subgraph);
  std::optional<schema::BuiltinOperator>
  codeOf(const schema::Operator &op) const;

  const schema::Model &model;
  const bool useExtensions;
  /// By container and name.
  std::map<std::pair<std::string, std::string>, Variable> variables;
  Handles handles;
};

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_VARIABLES_H
