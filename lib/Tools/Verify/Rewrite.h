//===- Rewrite.h - Changes graphs and keeps them valid ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_VERIFY_REWRITE_H
#define NNHAL_LIB_TOOLS_VERIFY_REWRITE_H

#include "Interpreter.h"

#include "nnhal/Runtime/TestCase.h"

namespace nnhal::verify {

/// Whether the contents of an output mean nothing (M-171).
bool isUnspecified(rt::OperationType operation, size_t output);

/// The values of all operands of the main graph, one list per example.
using Traces = std::vector<Tensors>;

/// What the reference device computes for every operand of \p test. Fails as
/// that device does.
rt::Result<Traces> traceReference(const rt::Device &reference,
                                  const rt::TestCase &test);

/// \p test without the operations of the main graph that \p isKept leaves out:
/// what others read of them becomes a model input with the values of \p traces,
/// what nobody reads any more becomes an output. Expected outputs are those of
/// \p traces.
rt::TestCase extract(const rt::TestCase &test, const Traces &traces,
                     const std::vector<bool> &isKept);

/// The operations of \p test that \p operation needs, and that one, whose
/// results are the outputs. Expected outputs are those of \p traces.
rt::TestCase extractResults(const rt::TestCase &test, const Traces &traces,
                            size_t operation);

/// \p test without the outputs that \p isKept leaves out.
rt::TestCase keepOutputs(const rt::TestCase &test,
                         const std::vector<bool> &isKept);

/// \p test with every intermediate value of the main graph that means something
/// as an output, and for each output the operand that it was.
struct Exposed {
  rt::TestCase test;
  std::vector<uint32_t> operands;
};
Exposed expose(const rt::TestCase &test, const Traces &traces);

/// The operation of the main graph that writes \p operand, or nothing.
std::optional<size_t> writerOf(const rt::Subgraph &subgraph, uint32_t operand);

/// States the extents that operands of the main graph have in the first
/// example. False when another example has others, or when they are stated.
bool makeStatic(rt::TestCase &test, const Traces &traces);

/// Makes input \p position a constant. False when examples differ in it, omit
/// it, or it has no elements.
bool makeConstant(rt::TestCase &test, size_t position);

/// Removes operands, constants and graphs that nothing refers to, and inputs
/// that nothing reads where \p removesInputs. Moves some constants to a pool
/// when \p random is not null.
void compact(rt::TestCase &test, bool removesInputs, Random *random = nullptr);

/// A constant of \p model with these bytes.
void setConstant(rt::Model &model, rt::Operand &operand,
                 std::span<const uint8_t> bytes);

} // namespace nnhal::verify

#endif // NNHAL_LIB_TOOLS_VERIFY_REWRITE_H
