//===- Interpreter.cpp - Runs operations one by one -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "Tools/Tensors/Compare.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::verify;
using rt::OperandLifeTime;
using rt::OperandType;
using rt::OperationType;
using rt::Result;
using rt::Status;

//===----------------------------------------------------------------------===//
// Executions
//===----------------------------------------------------------------------===//

/// Bytes of an output of extents \p dimensions, with room for what is unknown.
static size_t roomFor(OperandType type, std::span<const uint32_t> dimensions) {
  uint64_t size = tools::formatOf(type).size;
  constexpr uint64_t roomForUnknown = 4096;
  for (uint32_t extent : dimensions)
    size *= extent;
  return size_t(size == 0 ? roomForUnknown : size);
}

Result<Tensors> verify::execute(const rt::PreparedModel &prepared,
                                std::span<const TestTensor> inputs) {
  rt::Request request;
  for (const TestTensor &input : inputs) {
    rt::InputArgument &argument = request.inputs.emplace_back();
    if (input.isAbsent)
      continue;
    argument.memory = rt::Memory::borrow(bytesOf(input));
    argument.dimensions = input.dimensions;
  }
  const auto &interface = prepared.interface().outputs;
  std::vector<std::vector<std::byte>> outputs(interface.size());
  request.outputs.resize(interface.size());
  auto provide = [&](size_t index, std::span<const uint32_t> dimensions) {
    outputs[index].resize(roomFor(interface[index].type, dimensions));
    request.outputs[index].memory = rt::OutputMemory::borrow(outputs[index]);
  };
  for (size_t i = 0; i < interface.size(); ++i)
    provide(i, interface[i].dimensions);
  rt::ExecutionResult result;
  Status status = prepared.execute(request, result);
  // A device may learn the extents of one output only after another fits.
  for (size_t attempt = 0;
       status.code() == rt::StatusCode::outputInsufficientSize && attempt < 4;
       ++attempt) {
    for (size_t i = 0; i < interface.size(); ++i)
      if (!result.outputShapes[i].isSufficient)
        provide(i, result.outputShapes[i].dimensions);
    status = prepared.execute(request, result);
  }
  NNHAL_RETURN_IF_ERROR(std::move(status));
  Tensors tensors;
  for (size_t i = 0; i < interface.size(); ++i) {
    TestTensor &tensor = tensors.emplace_back();
    tensor.dimensions = result.outputShapes[i].dimensions;
    uint64_t size = elementCount(tensor.dimensions) *
                    tools::formatOf(interface[i].type).size;
    if (size > outputs[i].size())
      return rt::failure("output {} has {} bytes, but was found to fit {}", i,
                         size, outputs[i].size());
    const auto *bytes = reinterpret_cast<const uint8_t *>(outputs[i].data());
    tensor.bytes.assign(bytes, bytes + size);
  }
  return tensors;
}

Result<Tensors> verify::prepareAndExecute(const rt::Device &device,
                                          const rt::Model &model,
                                          std::span<const TestTensor> inputs,
                                          const rt::PrepareOptions &options) {
  rt::AnnotatedModel annotated;
  annotated.model = model;
  NNHAL_ASSIGN_OR_RETURN(rt::PreparedModelRef prepared,
                         device.prepareModel(annotated, options));
  return execute(*prepared, inputs);
}

TestTensor verify::constantValue(const rt::Model &model,
                                 const rt::Operand &operand) {
  TestTensor value;
  value.isAbsent = true;
  auto bytes = rt::constantBytes(model, operand);
  if (!rt::isConstant(operand.lifetime) || !bytes.isOk())
    return value;
  value.isAbsent = false;
  value.dimensions = operand.dimensions;
  const auto *data = reinterpret_cast<const uint8_t *>(bytes->data());
  value.bytes.assign(data, data + bytes->size());
  return value;
}

//===----------------------------------------------------------------------===//
// Single operations
//===----------------------------------------------------------------------===//

/// The type of an operand whose value is \p value.
static rt::TensorType typeOf(const rt::Operand &operand,
                             const TestTensor &value) {
  rt::TensorType type = rt::TensorType::of(operand);
  if (rt::isScalar(operand.type))
    type.isRanked = true;
  if (value.isAbsent)
    return type;
  type.isRanked = true;
  type.dimensions.assign(value.dimensions.begin(), value.dimensions.end());
  return type;
}

Result<rt::OperationFacts>
verify::factsFor(const rt::Subgraph &subgraph, const rt::Operation &operation,
                 std::span<const TestTensor> inputs) {
  rt::OperationView view;
  view.type = operation.type;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const rt::Operand &operand = subgraph.operands[operation.inputs[i]];
    rt::OperandView &input = view.inputs.emplace_back();
    input.type = typeOf(operand, inputs[i]);
    input.isOmitted = inputs[i].isAbsent;
    if (!inputs[i].isAbsent)
      input.value = bytesOf(inputs[i]);
  }
  for (uint32_t index : operation.outputs) {
    rt::OperandView &output = view.outputs.emplace_back();
    const rt::Operand &operand = subgraph.operands[index];
    output.type = rt::TensorType::of(operand);
    if (rt::isScalar(operand.type))
      output.type.isRanked = true;
  }
  return rt::inferOperation(view);
}

static Shape knownExtents(const rt::TensorType &type) {
  Shape shape;
  for (int64_t extent : type.dimensions)
    shape.push_back(extent > 0 ? uint32_t(extent) : 0);
  return shape;
}

Result<rt::Model> verify::isolateOperation(const rt::Model &model,
                                           const rt::Subgraph &subgraph,
                                           const rt::Operation &operation,
                                           std::span<const TestTensor> inputs) {
  // Only its device knows the rules of an operation of an extension.
  std::vector<Shape> shapes;
  if (rt::isExtension(operation.type)) {
    for (uint32_t index : operation.outputs)
      shapes.push_back(subgraph.operands[index].dimensions);
  } else {
    NNHAL_ASSIGN_OR_RETURN(rt::OperationFacts facts,
                           factsFor(subgraph, operation, inputs));
    for (size_t i = 0; i < operation.outputs.size(); ++i)
      shapes.push_back(knownExtents(facts.results[i]));
  }
  rt::Model single;
  single.extensionNameToPrefix = model.extensionNameToPrefix;
  single.relaxComputationFloat32toFloat16 =
      model.relaxComputationFloat32toFloat16;
  rt::Operation copy;
  copy.type = operation.type;
  auto add = [&](const rt::Operand &original, OperandLifeTime lifetime,
                 Shape dimensions) {
    rt::Operand operand = original;
    operand.lifetime = lifetime;
    operand.location = {};
    operand.dimensions = std::move(dimensions);
    single.main.operands.push_back(std::move(operand));
    return uint32_t(single.main.operands.size() - 1);
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    const rt::Operand &operand = subgraph.operands[operation.inputs[i]];
    bool isOmitted = operand.lifetime == OperandLifeTime::NO_VALUE;
    copy.inputs.push_back(add(
        operand,
        isOmitted ? OperandLifeTime::NO_VALUE : OperandLifeTime::SUBGRAPH_INPUT,
        inputs[i].isAbsent ? operand.dimensions : inputs[i].dimensions));
    if (!isOmitted)
      single.main.inputIndexes.push_back(copy.inputs.back());
  }
  for (size_t i = 0; i < operation.outputs.size(); ++i)
    copy.outputs.push_back(add(subgraph.operands[operation.outputs[i]],
                               OperandLifeTime::SUBGRAPH_OUTPUT,
                               std::move(shapes[i])));
  single.main.outputIndexes = copy.outputs;
  single.main.operations.push_back(std::move(copy));
  rt::computeConsumers(single.main);
  return single;
}

Interpreter::Interpreter(const rt::Device &device, const rt::Model &model,
                         NoiseLevel level, uint64_t noiseSeed)
    : device(device), model(model), level(level),
      isRelaxed(tools::isRelaxed(model)), random(noiseSeed) {}

void Interpreter::disturb(OperandType type, TestTensor &tensor, bool isResult) {
  bool isTable = level == NoiseLevel::table;
  // The table is about results; scalars are parameters.
  if (level == NoiseLevel::none || (isTable && !isResult) || tensor.isAbsent ||
      tensor.bytes.empty() || !rt::isTensor(type))
    return;
  // The table lets integers differ by one, too, but then they are often indices
  // or shapes, whose neighbours mean something else altogether.
  if (!isFloat(type) && !(isTable && isQuantized(type)))
    return;
  tools::Bounds bounds = tools::boundsFor(type, isRelaxed);
  if (!isTable) {
    bool isHalf = isRelaxed || type == OperandType::TENSOR_FLOAT16;
    bounds = {0.0, isHalf ? 0x1p-10 : 0x1p-22};
  }
  uint64_t count = tensor.bytes.size() / tools::formatOf(type).size;
  for (uint64_t i = 0; i < count; ++i) {
    double value = loadElement(type, tensor.bytes, i);
    double reach = bounds.atol + bounds.rtol * std::abs(value);
    // Rounding to the type adds up to a tenth of the table.
    double moved = isFloat(type) ? value + random.real(-0.875, 0.875) * reach
                                 : value + double(random.between(-1, 1));
    storeElement(type, tensor.bytes, i, moved);
  }
}

Result<Tensors> Interpreter::runRoutine(const rt::Subgraph &subgraph,
                                        const rt::Operation &operation,
                                        std::span<const TestTensor> inputs) {
  NNHAL_ASSIGN_OR_RETURN(rt::Model single,
                         isolateOperation(model, subgraph, operation, inputs));
  Tensors present;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (subgraph.operands[operation.inputs[i]].lifetime !=
        OperandLifeTime::NO_VALUE)
      present.push_back(inputs[i]);
  return prepareAndExecute(device, single, present);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// The graph that input \p position of an IF or a WHILE names.
static const rt::Subgraph &calleeOf(const rt::Model &model,
                                    const rt::Subgraph &subgraph,
                                    const rt::Operation &operation,
                                    size_t position) {
  const rt::Operand &reference = subgraph.operands[operation.inputs[position]];
  return model.referenced[reference.location.offset];
}

static bool isTrue(const TestTensor &condition) {
  return !condition.bytes.empty() && condition.bytes[0] != 0;
}

Result<Tensors> Interpreter::runIf(const rt::Subgraph &subgraph,
                                   const rt::Operation &operation,
                                   std::span<const TestTensor> inputs) {
  size_t branch = isTrue(inputs[0]) ? 1 : 2;
  return runSubgraph(calleeOf(model, subgraph, operation, branch),
                     inputs.subspan(3));
}

Result<Tensors> Interpreter::runWhile(const rt::Subgraph &subgraph,
                                      const rt::Operation &operation,
                                      std::span<const TestTensor> inputs) {
  Tensors state(inputs.begin() + 2, inputs.end());
  constexpr int iterationLimit = 1000;
  for (int i = 0; i < iterationLimit; ++i) {
    NNHAL_ASSIGN_OR_RETURN(
        Tensors decision,
        runSubgraph(calleeOf(model, subgraph, operation, 0), state));
    if (!isTrue(decision[0])) {
      state.resize(operation.outputs.size());
      return state;
    }
    NNHAL_ASSIGN_OR_RETURN(
        Tensors next,
        runSubgraph(calleeOf(model, subgraph, operation, 1), state));
    std::ranges::move(next, state.begin());
  }
  return rt::failure("the loop ran for more than {} iterations",
                     iterationLimit);
}

Result<Tensors> Interpreter::runOperation(const rt::Subgraph &subgraph,
                                          const rt::Operation &operation,
                                          Tensors inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    disturb(subgraph.operands[operation.inputs[i]].type, inputs[i],
            /*isResult=*/false);
  auto run = [&]() -> Result<Tensors> {
    switch (operation.type) {
    case OperationType::IF:
      return runIf(subgraph, operation, inputs);
    case OperationType::WHILE:
      return runWhile(subgraph, operation, inputs);
    default:
      return runRoutine(subgraph, operation, inputs);
    }
  };
  NNHAL_ASSIGN_OR_RETURN(Tensors results, run());
  for (size_t i = 0; i < results.size(); ++i)
    disturb(subgraph.operands[operation.outputs[i]].type, results[i],
            /*isResult=*/true);
  return results;
}

Result<Tensors> Interpreter::trace(const rt::Subgraph &subgraph,
                                   std::span<const TestTensor> inputs) {
  Tensors values;
  for (const rt::Operand &operand : subgraph.operands)
    values.push_back(constantValue(model, operand));
  for (size_t i = 0; i < inputs.size(); ++i)
    values[subgraph.inputIndexes[i]] = inputs[i];
  for (size_t i = 0; i < subgraph.operations.size(); ++i) {
    const rt::Operation &operation = subgraph.operations[i];
    Tensors arguments;
    for (uint32_t index : operation.inputs)
      arguments.push_back(values[index]);
    auto results = runOperation(subgraph, operation, std::move(arguments));
    if (!results.isOk())
      return std::move(results).takeStatus().withContext(
          fmt::format("operation {} ({})", i, nameOf(operation.type)));
    for (size_t k = 0; k < results->size(); ++k)
      values[operation.outputs[k]] = std::move((*results)[k]);
  }
  return values;
}

Result<Tensors> Interpreter::runSubgraph(const rt::Subgraph &subgraph,
                                         std::span<const TestTensor> inputs) {
  NNHAL_ASSIGN_OR_RETURN(Tensors values, trace(subgraph, inputs));
  Tensors outputs;
  for (uint32_t index : subgraph.outputIndexes)
    outputs.push_back(values[index]);
  return outputs;
}
