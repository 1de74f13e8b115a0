//===- RequestMutation.h - One mistake in a request -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_VALIDATION_REQUESTMUTATION_H
#define NNHAL_TEST_VALIDATION_REQUESTMUTATION_H

#include "Mutation.h"

#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/SharedMemory.h"
#include "nnhal/Runtime/TestCase.h"

#include <memory>
#include <span>
#include <vector>

namespace nnhal::mutations {

/// The memory of one execution of a test case. Outputs have bytes next to them
/// that nobody may write. Each is there twice: borrowed, and in a pool.
class Arguments {
public:
  /// resourceExhaustedTransient without memory for a pool.
  static rt::Result<std::shared_ptr<Arguments>>
  create(const rt::Model &model, const rt::TestExample &example);

  /// The request that executes the example, in fresh memory.
  rt::Request request();
  /// Whether the bytes next to the outputs are as request() left them.
  bool areGuardsIntact() const;
  void restoreGuards();
  /// \p request with the pools of the outputs in place of their borrowed bytes.
  rt::Request inPools(rt::Request request) const;
  size_t inputSize(size_t input) const { return inputs[input].size(); }
  size_t outputSize(size_t output) const {
    return outputs[output].size() - guard;
  }
  /// \p size bytes of an output; they are at most `guard` more than it has.
  rt::OutputMemory outputMemory(size_t output, size_t size);

  static constexpr size_t guard = 64;

private:
  explicit Arguments(const rt::TestExample &example) : example(example) {}

  const rt::TestExample &example;
  std::vector<std::vector<std::byte>> inputs;
  std::vector<std::vector<std::byte>> outputs;
  /// A pool per output, which has bytes before it, too: a region of no bytes at
  /// the begin of a pool stands for all of it.
  struct Pool {
    std::shared_ptr<rt::SharedMemory> memory;
    std::span<std::byte> bytes;
  };
  std::vector<Pool> pools;
  /// How much of each output the last request handed out.
  std::vector<size_t> handedOut;
};

struct RequestMutation {
  Kind kind;
  std::string text;
  rt::Request request;
  /// The statuses that an execution may have; any where it is empty.
  std::vector<rt::StatusCode> allowed;
  /// Those of a fenced execution, if they are others.
  std::vector<rt::StatusCode> allowedFenced = {};
};

/// Calls \p visit with every mutation of a request that executes \p example of
/// \p model in the memory of \p arguments.
void forEachRequestMutation(
    const rt::Model &model, const rt::TestExample &example,
    Arguments &arguments,
    const std::function<void(const RequestMutation &)> &visit);

} // namespace nnhal::mutations

#endif // NNHAL_TEST_VALIDATION_REQUESTMUTATION_H
