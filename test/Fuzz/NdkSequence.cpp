//===- NdkSequence.cpp - Test cases as sequences of calls -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NdkSequence.h"

#include "NdkClient.h"

namespace nnhal::rt::fuzz {

namespace {

constexpr size_t maxLength = 1 << 14;

class SequenceWriter {
public:
  explicit SequenceWriter(const TestCase &test) : test(test) {}

  bool write() {
    const Model &model = test.model;
    for (const Subgraph &subgraph : model.referenced)
      if (!writeModel(subgraph))
        return false;
    return writeModel(model.main) && writeExecution();
  }

  ByteWriter out;

private:
  void call(NdkCall call) { out.number(uint8_t(call)); }
  /// The object that was made \p back objects ago.
  void object(size_t back = 0) { out.number(uint8_t(back)); }

  void writeIndexes(const std::vector<uint32_t> &first,
                    const std::vector<uint32_t> &second) {
    out.number(uint8_t(first.size()));
    out.number(uint8_t(second.size()));
    for (const auto *list : {&first, &second})
      for (uint32_t index : *list)
        out.number(uint16_t(index));
  }

  void writeType(const Operand &operand) {
    out.number(int32_t(operand.type));
    out.number(uint8_t(operand.dimensions.size()));
    for (uint32_t extent : operand.dimensions)
      out.number(extent);
    out.number(operand.scale);
    out.number(operand.zeroPoint);
  }

  bool writeOperand(const Operand &operand, int32_t index) {
    if (isExtension(operand.type) || operand.dimensions.size() > 15)
      return false;
    call(NdkCall::addOperand);
    object();
    writeType(operand);
    if (const auto *channels =
            std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
      call(NdkCall::setChannels);
      object();
      out.number(index);
      out.number(channels->channelDim);
      out.number(uint8_t(channels->scales.size()));
      for (float scale : channels->scales)
        out.number(scale);
    }
    return writeValue(operand, index);
  }

  bool writeValue(const Operand &operand, int32_t index) {
    if (operand.lifetime == OperandLifeTime::SUBGRAPH) {
      call(NdkCall::setValueFromModel);
      object();
      out.number(index);
      // This model is the last one.
      object(modelCount - 1 - operand.location.offset);
      return true;
    }
    bool isOmitted = operand.lifetime == OperandLifeTime::NO_VALUE;
    if (!isOmitted && !isConstant(operand.lifetime))
      return true;
    call(NdkCall::setValue);
    object();
    out.number(index);
    if (isOmitted)
      return out.number(uint16_t(0xFFFF)), true;
    auto bytes = constantBytes(test.model, operand);
    if (!bytes.isOk() || bytes->size() > maxLength)
      return false;
    out.number(uint16_t(bytes->size()));
    out.add(*bytes);
    return true;
  }

  bool writeModel(const Subgraph &subgraph) {
    call(NdkCall::createModel);
    ++modelCount;
    for (size_t i = 0; i < subgraph.operands.size(); ++i)
      if (!writeOperand(subgraph.operands[i], int32_t(i)))
        return false;
    for (const Operation &operation : subgraph.operations) {
      call(NdkCall::addOperation);
      object();
      out.number(int32_t(operation.type));
      writeIndexes(operation.inputs, operation.outputs);
    }
    call(NdkCall::identify);
    object();
    writeIndexes(subgraph.inputIndexes, subgraph.outputIndexes);
    if (test.model.relaxComputationFloat32toFloat16) {
      call(NdkCall::relax);
      object();
      out.number(uint8_t(1));
    }
    call(NdkCall::finishModel);
    object();
    return true;
  }

  bool writeExecution() {
    call(NdkCall::createCompilation);
    object();
    out.number(uint8_t(0));
    call(NdkCall::finishCompilation);
    object();
    call(NdkCall::createExecution);
    object();
    const TestExample &example = test.examples.front();
    for (size_t i = 0; i < example.inputs.size(); ++i)
      if (!writeArgument(example.inputs[i], i, /*isOutput=*/false))
        return false;
    for (size_t i = 0; i < example.outputs.size(); ++i)
      if (!writeArgument(example.outputs[i], i, /*isOutput=*/true))
        return false;
    call(NdkCall::compute);
    object();
    out.number(uint8_t(0));
    call(NdkCall::askExecution);
    object();
    out.number(int32_t(0));
    return true;
  }

  bool writeArgument(const TestTensor &tensor, size_t index, bool isOutput) {
    call(isOutput ? NdkCall::setOutput : NdkCall::setInput);
    object();
    out.number(int32_t(index));
    out.number(uint8_t(0));
    if (tensor.isAbsent && !isOutput)
      return out.number(uint16_t(0xFFFF)), true;
    if (tensor.bytes.size() > maxLength)
      return false;
    out.number(uint16_t(tensor.bytes.size()));
    if (!isOutput)
      out.add(std::as_bytes(std::span(tensor.bytes)));
    return true;
  }

  const TestCase &test;
  size_t modelCount = 0;
};

} // namespace

std::optional<std::vector<std::byte>> sequenceOf(const TestCase &test) {
  if (test.examples.empty())
    return std::nullopt;
  SequenceWriter writer(test);
  if (!writer.write())
    return std::nullopt;
  return std::move(writer.out.bytes);
}

} // namespace nnhal::rt::fuzz
