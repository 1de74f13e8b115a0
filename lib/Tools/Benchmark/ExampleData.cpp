//===- ExampleData.cpp - The examples of a test case as a data set --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataSet.h"

#include "Runtime/Support/Errors.h"

#include <cstring>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;

namespace {

class ExampleData : public DataSet {
public:
  explicit ExampleData(rt::TestCase test) : test(std::move(test)) {}

  uint64_t size() const override { return test.examples.size(); }
  rt::Result<Sample> load(uint64_t index,
                          const rt::Interface &interface) const override;

private:
  rt::TestCase test;
};

} // namespace

rt::Result<Sample> ExampleData::load(uint64_t index,
                                     const rt::Interface &interface) const {
  const rt::TestExample &example = test.examples[index];
  Sample sample;
  sample.name = fmt::format("example {} of {}", index, test.name);
  for (size_t i = 0; i < example.inputs.size(); ++i) {
    const rt::TestTensor &tensor = example.inputs[i];
    if (tensor.isAbsent)
      return badData("{} omits input {}, and every input is needed here",
                     sample.name, i);
    InputTensor input;
    input.dimensions = tensor.dimensions;
    input.frameSize = tensor.bytes.size();
    NNHAL_ASSIGN_OR_RETURN(input.bytes,
                           rt::AlignedBuffer::allocate(tensor.bytes.size()));
    if (!tensor.bytes.empty())
      std::memcpy(input.bytes.data(), tensor.bytes.data(), tensor.bytes.size());
    sample.inputs.tensors.push_back(std::move(input));
  }
  for (size_t i = 0; i < example.outputs.size(); ++i) {
    const rt::TestTensor &tensor = example.outputs[i];
    auto &expected = sample.expected.emplace_back();
    // Drawn classes are not those that were expected.
    if (tensor.isAbsent || example.multinomialTolerance)
      continue;
    auto bytes = std::as_bytes(std::span(tensor.bytes));
    expected = ExpectedOutput{&formatOf(interface.outputs[i]),
                              {bytes.begin(), bytes.end()}};
  }
  return sample;
}

std::unique_ptr<DataSet> tools::openExamples(rt::TestCase test) {
  return std::make_unique<ExampleData>(std::move(test));
}
