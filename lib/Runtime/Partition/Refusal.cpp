//===- Refusal.cpp - What keeps a device from an operation ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "StepModel.h"

#include "nnhal/Backend/Signatures.h"

#include <algorithm>
#include <map>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

namespace {

/// One operation as a model, which is changed and asked about.
class Question {
public:
  Question(const Device &device, const AnnotatedModel &model,
           uint32_t operation)
      : device(device),
        original(extractStep(
            model, 0, std::span(&operation, 1),
            boundaryOf(model.model.main, std::span(&operation, 1)))) {
    // Inputs that several operations read are known by their first use alone.
    const Operation &only = original.model.main.operations.front();
    if (!only.inputs.empty())
      firstType = original.model.main.operands[only.inputs[0]].type;
  }

  AssignmentReason answer() const {
    if (takesOther(dynamicForms()))
      return AssignmentReason::dynamic;
    if (takesOther(typeForms()))
      return AssignmentReason::type;
    if (takesOther(rankForms()))
      return AssignmentReason::rank;
    if (takesOther(parameterForms()))
      return AssignmentReason::parameter;
    return hasUnknowns() ? AssignmentReason::dynamic : AssignmentReason::type;
  }

private:
  using Forms = std::vector<Model>;

  static bool isUnknown(const Operand &operand) {
    return isTensor(operand.type) && !isConstant(operand.lifetime) &&
           operand.lifetime != OperandLifeTime::NO_VALUE &&
           (operand.dimensions.empty() ||
            std::ranges::count(operand.dimensions, 0u) != 0);
  }
  bool hasUnknowns() const {
    return std::ranges::any_of(original.model.main.operands, isUnknown);
  }

  /// Gives \p operand, a constant, zeros of the size that it has now; every
  /// element of a scalar is \p value.
  static void setConstant(Model &model, Operand &operand, uint8_t value) {
    operand.lifetime = OperandLifeTime::CONSTANT_COPY;
    uint32_t size = byteSizeOf(operand).value_or(4);
    model.operandValues.resize((model.operandValues.size() + 7) / 8 * 8);
    operand.location = {0, uint32_t(model.operandValues.size()), size};
    model.operandValues.resize(model.operandValues.size() + size);
    if (isScalar(operand.type) && size != 0)
      model.operandValues[operand.location.offset] = value;
  }

  /// Gives the outputs the types that the rules find for the inputs.
  static bool restateOutputs(Model &model) {
    const Operation operation = model.main.operations.front();
    for (uint32_t output : operation.outputs)
      for (uint32_t &extent : model.main.operands[output].dimensions)
        extent = 0;
    auto facts =
        inferOperation(OperationView::of(model, model.main, operation));
    if (!facts.isOk() || facts->results.size() != operation.outputs.size())
      return false;
    for (size_t i = 0; i < operation.outputs.size(); ++i) {
      Operand &output = model.main.operands[operation.outputs[i]];
      const TensorType &result = facts->results[i];
      output.type = result.type;
      output.dimensions.clear();
      for (int64_t extent : result.dimensions)
        output.dimensions.push_back(extent > 0 ? uint32_t(extent) : 0);
      if (!result.isQuantizationFree) {
        output.scale = result.scale;
        output.zeroPoint = result.zeroPoint;
      } else if (output.scale == 0) {
        output.scale = 1;
      }
    }
    return true;
  }

  /// Whether the device takes one of \p forms. Those that the rules reject are
  /// no forms of the operation.
  bool takesOther(Forms forms) const {
    for (Model &form : forms) {
      if (!restateOutputs(form))
        continue;
      computeConsumers(form.main);
      AnnotatedModel asked;
      asked.model = std::move(form);
      auto answers = device.supportedOperations(asked);
      if (answers.isOk() && answers->size() == 1 && answers->front().isOk())
        return true;
    }
    return false;
  }

  /// Known extents and ranks.
  Forms dynamicForms() const {
    Forms forms;
    if (!hasUnknowns())
      return forms;
    for (uint32_t rank : {4u, 2u, 1u, 3u})
      for (uint32_t extent : {1u, 4u}) {
        Model form = original.model;
        for (Operand &operand : form.main.operands) {
          if (!isUnknown(operand))
            continue;
          if (operand.dimensions.empty())
            operand.dimensions.assign(rank, extent);
          std::ranges::replace(operand.dimensions, 0u, extent);
        }
        forms.push_back(std::move(form));
      }
    return forms;
  }

  /// The type of a constant that stands beside data of \p type.
  static OperandType scalarLike(OperandType type) {
    return type == OperandType::TENSOR_FLOAT16 ? OperandType::FLOAT16
                                               : OperandType::FLOAT32;
  }

  /// Other types of the data, with scalars and biases to match.
  Forms typeForms() const {
    using enum OperandType;
    Forms forms;
    for (OperandType type :
         {TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM,
          TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_INT32, TENSOR_BOOL8}) {
      if (type == firstType)
        continue;
      Model form = original.model;
      for (Operand &operand : form.main.operands)
        changeType(form, operand, type);
      forms.push_back(std::move(form));
    }
    return forms;
  }

  void changeType(Model &form, Operand &operand, OperandType type) const {
    using enum OperandType;
    bool isReal = type == TENSOR_FLOAT32 || type == TENSOR_FLOAT16;
    if (operand.type == firstType ||
        operand.type == TENSOR_QUANT8_SYMM_PER_CHANNEL) {
      operand.type = type;
      operand.extraParams = {};
    } else if (operand.type == TENSOR_INT32 && operand.scale != 0 && isReal) {
      operand.type = type; // A bias.
    } else if ((operand.type == FLOAT32 || operand.type == FLOAT16) && isReal) {
      operand.type = scalarLike(type);
    } else {
      return;
    }
    operand.scale = isQuantized(type) ? 1.0f : 0.0f;
    operand.zeroPoint = 0;
    if (isConstant(operand.lifetime))
      setConstant(form, operand, 1);
  }

  /// The data with fewer or more dimensions.
  Forms rankForms() const {
    Forms forms;
    const Operation &only = original.model.main.operations.front();
    if (only.inputs.empty())
      return forms;
    size_t own = original.model.main.operands[only.inputs[0]].dimensions.size();
    for (size_t rank : {4u, 3u, 2u, 1u, 5u}) {
      if (rank == own)
        continue;
      Model form = original.model;
      for (Operand &operand : form.main.operands) {
        if (!isTensor(operand.type) || operand.dimensions.size() != own)
          continue;
        while (operand.dimensions.size() > rank)
          operand.dimensions.erase(operand.dimensions.begin());
        while (operand.dimensions.size() < rank)
          operand.dimensions.insert(operand.dimensions.begin(), 1);
        if (isConstant(operand.lifetime))
          setConstant(form, operand, 1);
      }
      forms.push_back(std::move(form));
    }
    return forms;
  }

  /// The usual values of parameters, all of them constants: 0 and 1.
  Forms parameterForms() const {
    Forms forms;
    const Operation &only = original.model.main.operations.front();
    for (uint8_t value : {0, 1}) {
      Model form = original.model;
      for (size_t i = 1; i < only.inputs.size(); ++i) {
        Operand &operand = form.main.operands[only.inputs[i]];
        bool isList = operand.type == OperandType::TENSOR_INT32 &&
                      operand.scale == 0 && operand.type != firstType;
        if (operand.lifetime != OperandLifeTime::NO_VALUE &&
            (isScalar(operand.type) || isList))
          setConstant(form, operand,
                      operand.type == OperandType::BOOL ? 0 : value);
      }
      std::erase_if(form.main.inputIndexes, [&](uint32_t index) {
        return isConstant(form.main.operands[index].lifetime);
      });
      forms.push_back(std::move(form));
    }
    return forms;
  }

  const Device &device;
  const AnnotatedModel original;
  OperandType firstType = OperandType::TENSOR_FLOAT32;
};

/// A text that is equal for operations of the same form.
std::string formOf(const Model &model, const Operation &operation) {
  std::string text = nameOf(operation.type);
  for (uint32_t input : operation.inputs) {
    const Operand &operand = model.main.operands[input];
    text += "," + std::to_string(uint32_t(operand.type)) +
            (isConstant(operand.lifetime) ? "c" : "v");
    for (uint32_t extent : operand.dimensions)
      text += "x" + std::to_string(extent);
    if (auto bytes = constantBytes(model, operand);
        isScalar(operand.type) && bytes.isOk())
      for (std::byte byte : *bytes)
        text += "." + std::to_string(uint32_t(byte));
  }
  return text;
}
} // namespace

void nnhal::rt::findReasons(PartitionPlan &plan, const AnnotatedModel &model,
                            std::span<const Device *const> devices) {
  std::map<std::string, AssignmentReason> known;
  for (uint32_t i = 0; i < plan.assignments.size(); ++i) {
    Assignment &assignment = plan.assignments[i];
    if (assignment.reason != AssignmentReason::support)
      continue;
    const Operation &operation = model.model.main.operations[i];
    // The first device that was asked in vain, which the detail names.
    auto refused = std::ranges::find_if(devices, [&](const Device *device) {
      return device->name() != plan.candidates[assignment.device].name;
    });
    if (refused == devices.end())
      continue;
    // Whole subgraphs have no other forms that could be asked about.
    if (isControlFlow(operation) || !lookUp(operation.type)) {
      assignment.reason = AssignmentReason::type;
      continue;
    }
    auto [place, isNew] = known.try_emplace(formOf(model.model, operation));
    if (isNew)
      place->second = Question(**refused, model, i).answer();
    assignment.reason = place->second;
  }
}
