//===- ModelCalls.cpp - Models by calls, up to the first that fails -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelCalls.h"

#include "FeedModel.h"

#include <android/NeuralNetworksExtensions.h>

using namespace nnhal;
using namespace nnhal::test;
using rt::OperandLifeTime;

std::string_view test::nameOf(Call call) {
  switch (call) {
  case Call::none:
    return "no call";
  case Call::addOperand:
    return "addOperand";
  case Call::setParams:
    return "setOperand...Params";
  case Call::setValue:
    return "setOperandValue";
  case Call::addOperation:
    return "addOperation";
  case Call::identify:
    return "identifyInputsAndOutputs";
  case Call::finish:
    return "finish";
  }
  return "";
}

namespace {

class Caller {
public:
  explicit Caller(const rt::Model &model) : model(model) {}

  CalledModel call(const rt::Subgraph &graph, size_t depth);

private:
  /// Notes the first failure. True while there is none.
  static bool note(CalledModel &called, Call call, int code) {
    if (code == ANEURALNETWORKS_NO_ERROR)
      return true;
    called.failed = call;
    called.code = code;
    return false;
  }
  bool callOperand(CalledModel &called, int32_t index,
                   const rt::Operand &operand, size_t depth);
  bool callValue(CalledModel &called, int32_t index, const rt::Operand &operand,
                 size_t depth);

  const rt::Model &model;
};

} // namespace

bool Caller::callValue(CalledModel &called, int32_t index,
                       const rt::Operand &operand, size_t depth) {
  ANeuralNetworksModel *made = called.model.get();
  if (operand.lifetime == OperandLifeTime::NO_VALUE)
    return note(called, Call::setValue,
                ANeuralNetworksModel_setOperandValue(made, index, nullptr, 0));
  if (operand.lifetime == OperandLifeTime::SUBGRAPH) {
    if (operand.location.offset >= model.referenced.size() || depth == 0)
      return note(called, Call::setValue, ANEURALNETWORKS_BAD_DATA);
    CalledModel &value = called.referenced.emplace_back(
        call(model.referenced[operand.location.offset], depth - 1));
    if (value.failed != Call::none)
      return note(called, value.failed, value.code);
    return note(called, Call::setValue,
                ANeuralNetworksModel_setOperandValueFromModel(
                    made, index, value.model.get()));
  }
  if (!rt::isConstant(operand.lifetime))
    return true;
  auto bytes = rt::constantBytes(model, operand);
  if (!bytes.isOk())
    return note(called, Call::setValue, ANEURALNETWORKS_BAD_DATA);
  // Null bytes would be an operand without a value.
  static constexpr std::byte nothing{};
  return note(called, Call::setValue,
              ANeuralNetworksModel_setOperandValue(
                  made, index, bytes->empty() ? &nothing : bytes->data(),
                  bytes->size()));
}

bool Caller::callOperand(CalledModel &called, int32_t index,
                         const rt::Operand &operand, size_t depth) {
  ANeuralNetworksModel *made = called.model.get();
  ANeuralNetworksOperandType type = operandTypeOf(operand);
  if (!note(called, Call::addOperand,
            ANeuralNetworksModel_addOperand(made, &type)))
    return false;
  if (const auto *quant =
          std::get_if<rt::SymmPerChannelQuantParams>(&operand.extraParams)) {
    ANeuralNetworksSymmPerChannelQuantParams params = {
        quant->channelDim, uint32_t(quant->scales.size()),
        quant->scales.data()};
    if (!note(called, Call::setParams,
              ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
                  made, index, &params)))
      return false;
  }
  if (const auto *data = std::get_if<rt::ExtensionParams>(&operand.extraParams))
    if (!note(called, Call::setParams,
              ANeuralNetworksModel_setOperandExtensionData(
                  made, index, data->bytes.data(), data->bytes.size())))
      return false;
  return callValue(called, index, operand, depth);
}

CalledModel Caller::call(const rt::Subgraph &graph, size_t depth) {
  CalledModel called;
  ANeuralNetworksModel *made = nullptr;
  (void)ANeuralNetworksModel_create(&made);
  called.model.reset(made);
  for (size_t i = 0; i < graph.operands.size(); ++i)
    if (!callOperand(called, int32_t(i), graph.operands[i], depth))
      return called;
  // Lists that are empty are not null, as the API asks.
  static constexpr uint32_t none = 0;
  auto dataOf = [](const std::vector<uint32_t> &indexes) {
    return indexes.empty() ? &none : indexes.data();
  };
  for (const rt::Operation &operation : graph.operations)
    if (!note(called, Call::addOperation,
              ANeuralNetworksModel_addOperation(
                  made, int32_t(operation.type),
                  uint32_t(operation.inputs.size()), dataOf(operation.inputs),
                  uint32_t(operation.outputs.size()),
                  dataOf(operation.outputs))))
      return called;
  if (!note(called, Call::identify,
            ANeuralNetworksModel_identifyInputsAndOutputs(
                made, uint32_t(graph.inputIndexes.size()),
                dataOf(graph.inputIndexes),
                uint32_t(graph.outputIndexes.size()),
                dataOf(graph.outputIndexes))))
    return called;
  note(called, Call::finish, ANeuralNetworksModel_finish(made));
  return called;
}

CalledModel test::callModel(const rt::Model &model) {
  return Caller(model).call(model.main, model.referenced.size());
}
