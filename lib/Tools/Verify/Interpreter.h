//===- Interpreter.h - Runs operations one by one ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_VERIFY_INTERPRETER_H
#define NNHAL_LIB_TOOLS_VERIFY_INTERPRETER_H

#include "Elements.h"

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/Device.h"

namespace nnhal::verify {

using Tensors = std::vector<TestTensor>;

/// Executes \p prepared with inputs in the order of the model, and gives its
/// outputs. Fails with what the execution reports.
rt::Result<Tensors> execute(const rt::PreparedModel &prepared,
                            std::span<const TestTensor> inputs);

/// Prepares and executes \p model.
rt::Result<Tensors> prepareAndExecute(const rt::Device &device,
                                      const rt::Model &model,
                                      std::span<const TestTensor> inputs,
                                      const rt::PrepareOptions &options = {});

/// How far values are moved while a graph is interpreted.
enum class NoiseLevel {
  none,
  /// Floats by a few units in the last place of the type that the model may
  /// compute in: what differs between two right implementations inside one
  /// operation.
  lastPlaces,
  /// The bounds of docs/Devices/TestCases.md for the result of one operation:
  /// what differs between two right devices.
  table,
};

/// Runs a model on a device one operation at a time: each is a model of its
/// own, IF and WHILE are followed here. On the reference device, without noise,
/// results are those of the whole model.
///
/// Ownership: neither the device nor the model. Threads: one at a time.
class Interpreter {
public:
  Interpreter(const rt::Device &device, const rt::Model &model,
              NoiseLevel level = NoiseLevel::none, uint64_t noiseSeed = 0);

  /// The values of all operands of \p subgraph, absent where nothing wrote
  /// them.
  rt::Result<Tensors> trace(const rt::Subgraph &subgraph,
                            std::span<const TestTensor> inputs);

  /// What \p operation yields for \p inputs, one per input; those that are
  /// references to subgraphs are not looked at.
  rt::Result<Tensors> runOperation(const rt::Subgraph &subgraph,
                                   const rt::Operation &operation,
                                   Tensors inputs);

private:
  rt::Result<Tensors> runSubgraph(const rt::Subgraph &subgraph,
                                  std::span<const TestTensor> inputs);
  rt::Result<Tensors> runRoutine(const rt::Subgraph &subgraph,
                                 const rt::Operation &operation,
                                 std::span<const TestTensor> inputs);
  rt::Result<Tensors> runIf(const rt::Subgraph &subgraph,
                            const rt::Operation &operation,
                            std::span<const TestTensor> inputs);
  rt::Result<Tensors> runWhile(const rt::Subgraph &subgraph,
                               const rt::Operation &operation,
                               std::span<const TestTensor> inputs);
  void disturb(rt::OperandType type, TestTensor &tensor, bool isResult);

  const rt::Device &device;
  const rt::Model &model;
  NoiseLevel level;
  bool isRelaxed;
  Random random;
};

/// The value of an operand that is no variable: a constant, or absent.
TestTensor constantValue(const rt::Model &model, const rt::Operand &operand);

/// The model of one operation. Its inputs are those of the operation, with the
/// extents of \p inputs. Fails where the rules reject the operation for these
/// values.
rt::Result<rt::Model> isolateOperation(const rt::Model &model,
                                       const rt::Subgraph &subgraph,
                                       const rt::Operation &operation,
                                       std::span<const TestTensor> inputs);

/// What the rules say about \p operation when its inputs are \p inputs.
rt::Result<rt::OperationFacts> factsFor(const rt::Subgraph &subgraph,
                                        const rt::Operation &operation,
                                        std::span<const TestTensor> inputs);

} // namespace nnhal::verify

#endif // NNHAL_LIB_TOOLS_VERIFY_INTERPRETER_H
