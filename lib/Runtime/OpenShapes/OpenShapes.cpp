//===- OpenShapes.cpp - Shapes that only an execution knows ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenShapes.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/Invocation.h"
#include "nnhal/Backend/Signatures.h"

#include <algorithm>
#include <deque>
#include <iterator>

using namespace nnhal::rt;

static bool isOpen(const Operand &operand) {
  return isTensor(operand.type) && operand.dimensions.empty() &&
         operand.lifetime != OperandLifeTime::NO_VALUE;
}

bool nnhal::rt::hasOpenRanks(const Model &model) {
  const Subgraph &main = model.main;
  auto isOpenAt = [&](uint32_t index) { return isOpen(main.operands[index]); };
  return std::ranges::any_of(main.inputIndexes, isOpenAt) ||
         std::ranges::any_of(main.outputIndexes, isOpenAt);
}

namespace {
using Types = std::vector<TensorType>;

/// Finds the types of all values from those of the inputs, in order of
/// execution, and writes what code needs of them into the model. Each call of a
/// graph by IF or WHILE gets a copy of the graph, with the shapes of that call.
class ShapeInference {
public:
  ShapeInference(Model &model, ShapeNeed need) : model(model), need(need) {}

  Status run();

private:
  /// The types of the outputs of \p graph for \p inputs.
  Result<Types> infer(Subgraph &graph, const Types &inputs);
  Result<Types> inferOperation(Subgraph &graph, Operation &operation,
                               const Types &types);
  Result<Types> inferIf(Subgraph &graph, Operation &operation,
                        const Types &types);
  Result<Types> inferWhile(Subgraph &graph, Operation &operation,
                           const Types &types);
  /// The types that the graph behind input \p position yields when it is passed
  /// the inputs of \p operation from \p first on.
  Result<Types> inferCall(Subgraph &graph, Operation &operation,
                          size_t position, size_t first, const Types &types);

  Status stateShapes(Subgraph &graph, const Types &types) const;

  Model &model;
  const ShapeNeed need;
  /// The graphs of the calls, which take the place of the model's. Their
  /// addresses stay.
  std::deque<Subgraph> called;
};
} // namespace

/// Adds to \p known what \p found says. Two ranks that differ are left to the
/// caller.
static void merge(TensorType &known, const TensorType &found) {
  if (!found.isRanked)
    return;
  if (!known.isRanked) {
    known.isRanked = true;
    known.dimensions = found.dimensions;
    return;
  }
  for (size_t i = 0;
       i < std::min(known.dimensions.size(), found.dimensions.size()); ++i)
    if (known.dimensions[i] == unknownExtent)
      known.dimensions[i] = found.dimensions[i];
}

Result<Types> ShapeInference::inferOperation(Subgraph &graph,
                                             Operation &operation,
                                             const Types &types) {
  if (operation.type == OperationType::IF)
    return inferIf(graph, operation, types);
  if (operation.type == OperationType::WHILE)
    return inferWhile(graph, operation, types);
  OperationView view = OperationView::of(model, graph, operation);
  for (size_t i = 0; i < view.inputs.size(); ++i)
    view.inputs[i].type = types[operation.inputs[i]];
  for (size_t i = 0; i < view.outputs.size(); ++i)
    view.outputs[i].type = types[operation.outputs[i]];
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts, checkOperation(view));
  return std::move(facts.results);
}

/// Lets input \p position of \p operation refer to the graph \p number, and no
/// other input of an operation.
static void referTo(Subgraph &graph, Operation &operation, size_t position,
                    uint32_t number) {
  uint32_t &index = operation.inputs[position];
  size_t uses = 0;
  for (const Operation &each : graph.operations)
    uses += size_t(std::ranges::count(each.inputs, index));
  if (uses > 1) {
    graph.operands.push_back(Operand(graph.operands[index]));
    index = uint32_t(graph.operands.size() - 1);
  }
  graph.operands[index].location.offset = number;
}

Result<Types> ShapeInference::inferCall(Subgraph &graph, Operation &operation,
                                        size_t position, size_t first,
                                        const Types &types) {
  uint32_t callee = graph.operands[operation.inputs[position]].location.offset;
  Types inputs;
  for (size_t i = first; i < operation.inputs.size(); ++i)
    inputs.push_back(types[operation.inputs[i]]);
  auto number = uint32_t(called.size());
  auto results = infer(called.emplace_back(model.referenced[callee]), inputs);
  if (!results.isOk())
    return std::move(results).takeStatus().withContext(
        fmt::format("referenced[{}]", callee));
  referTo(graph, operation, position, number);
  return results;
}

Result<Types> ShapeInference::inferIf(Subgraph &graph, Operation &operation,
                                      const Types &types) {
  NNHAL_ASSIGN_OR_RETURN(Types results,
                         inferCall(graph, operation, 1, 3, types));
  NNHAL_ASSIGN_OR_RETURN(Types others,
                         inferCall(graph, operation, 2, 3, types));
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].dimensions.size() != others[i].dimensions.size())
      return failure("output {} of the branches has rank {} and {}", i,
                     results[i].dimensions.size(), others[i].dimensions.size());
    // Which branch runs is not known, and so are extents that differ.
    for (size_t d = 0; d < results[i].dimensions.size(); ++d)
      if (results[i].dimensions[d] != others[i].dimensions[d])
        results[i].dimensions[d] = unknownExtent;
  }
  return results;
}

Result<Types> ShapeInference::inferWhile(Subgraph &graph, Operation &operation,
                                         const Types &types) {
  // Extents of states, which the body computes anew, may change from round to
  // round where code does not depend on them; ranks may not. What follows the
  // states stays as it is.
  const Operand &body = graph.operands[operation.inputs[1]];
  size_t stateCount =
      model.referenced[body.location.offset].outputIndexes.size();
  Types states = types;
  for (size_t i = 0; need == ShapeNeed::ranks && i < stateCount; ++i)
    std::ranges::fill(states[operation.inputs[2 + i]].dimensions,
                      unknownExtent);
  NNHAL_RETURN_IF_ERROR(inferCall(graph, operation, 0, 2, states).status());
  NNHAL_ASSIGN_OR_RETURN(Types results,
                         inferCall(graph, operation, 1, 2, states));
  results.resize(operation.outputs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const std::vector<int64_t> &begin =
        states[operation.inputs[2 + i]].dimensions;
    const std::vector<int64_t> &next = results[i].dimensions;
    if (next.size() != begin.size())
      return failure("state {} begins with rank {} and goes on with rank {}", i,
                     begin.size(), next.size());
    if (need == ShapeNeed::extents && next != begin)
      return failure("state {} begins with shape [{}] and goes on with shape "
                     "[{}]",
                     i, fmt::join(begin, ","), fmt::join(next, ","));
  }
  return results;
}

/// Writes the ranks or extents in \p types to \p graph.
Status ShapeInference::stateShapes(Subgraph &graph, const Types &types) const {
  for (size_t i = 0; i < types.size(); ++i) {
    Operand &operand = graph.operands[i];
    const std::vector<int64_t> &dimensions = types[i].dimensions;
    // An input of the model without a known shape is one that executions omit.
    bool isModelInput = &graph == &model.main &&
                        operand.lifetime == OperandLifeTime::SUBGRAPH_INPUT;
    bool isNeeded = need == ShapeNeed::extents
                        ? hasOpenExtents(operand) && !isModelInput
                        : isOpen(operand);
    if (!isNeeded)
      continue;
    if (!types[i].isRanked || dimensions.empty())
      return failure("nothing gives operand {} a rank", i);
    if (dimensions.size() > maxOpenRank)
      return failure("operand {} has rank {}, above {}", i, dimensions.size(),
                     maxOpenRank);
    operand.dimensions.assign(dimensions.size(), 0);
    for (size_t d = 0; need == ShapeNeed::extents && d < dimensions.size();
         ++d) {
      if (dimensions[d] == unknownExtent)
        return failure("nothing gives dimension {} of operand {} an extent", d,
                       i);
      operand.dimensions[d] = uint32_t(dimensions[d]);
    }
  }
  return Status::ok();
}

Result<Types> ShapeInference::infer(Subgraph &graph, const Types &inputs) {
  Types types;
  for (const Operand &operand : graph.operands)
    types.push_back(OperandView::of(model, operand).type);
  for (size_t i = 0; i < inputs.size(); ++i) {
    TensorType &type = types[graph.inputIndexes[i]];
    if (type.isRanked && inputs[i].isRanked &&
        type.dimensions.size() != inputs[i].dimensions.size())
      return failure("input {} has rank {} and is passed rank {}", i,
                     type.dimensions.size(), inputs[i].dimensions.size());
    merge(type, inputs[i]);
  }
  for (size_t i = 0; i < graph.operations.size(); ++i) {
    Operation &operation = graph.operations[i];
    auto results = inferOperation(graph, operation, types);
    if (!results.isOk())
      return failure("operation {} ({}): {}", i, nameOf(operation.type),
                     results.status().message());
    for (size_t k = 0; k < results->size(); ++k)
      merge(types[operation.outputs[k]], (*results)[k]);
  }
  NNHAL_RETURN_IF_ERROR(stateShapes(graph, types));
  Types outputs;
  for (uint32_t index : graph.outputIndexes)
    outputs.push_back(types[index]);
  return outputs;
}

Status ShapeInference::run() {
  NNHAL_RETURN_IF_ERROR(infer(model.main, /*inputs=*/{}).status());
  model.referenced.assign(std::make_move_iterator(called.begin()),
                          std::make_move_iterator(called.end()));
  return Status::ok();
}

/// Takes the input at \p position, which becomes an operand of \p lifetime, out
/// of the interface.
static void removeInput(AnnotatedModel &annotated, size_t position,
                        OperandLifeTime lifetime) {
  Subgraph &main = annotated.model.main;
  main.operands[main.inputIndexes[position]].lifetime = lifetime;
  main.inputIndexes.erase(main.inputIndexes.begin() + ptrdiff_t(position));
  if (position < annotated.inputNames.size())
    annotated.inputNames.erase(annotated.inputNames.begin() +
                               ptrdiff_t(position));
}

/// Lets the input at \p position, whose extents are known, be the constant
/// \p bytes.
static Status fixInput(AnnotatedModel &annotated, size_t position,
                       std::span<const std::byte> bytes) {
  // Elements of all types lie at multiples of their size.
  constexpr size_t alignment = 8;
  Model &model = annotated.model;
  Operand &operand = model.main.operands[model.main.inputIndexes[position]];
  if (bytes.empty())
    return failure("input {} is a parameter without elements", position);
  std::optional<uint32_t> size = byteSizeOf(operand);
  if (size != bytes.size())
    return failure("input {} has {} bytes, its type has {}", position,
                   bytes.size(), size.value_or(0));
  std::vector<uint8_t> &values = model.operandValues;
  values.resize((values.size() + alignment - 1) / alignment * alignment);
  operand.location = {0, uint32_t(values.size()), uint32_t(bytes.size())};
  for (std::byte byte : bytes)
    values.push_back(uint8_t(byte));
  removeInput(annotated, position, OperandLifeTime::CONSTANT_COPY);
  return Status::ok();
}

Result<AnnotatedModel>
nnhal::rt::withKnownShapes(const AnnotatedModel &annotated,
                           const KnownShapes &shapes, ShapeNeed need,
                           const KnownValues &values) {
  AnnotatedModel result = annotated;
  result.statePairs.clear(); // The caller's numbers of inputs.
  Subgraph &main = result.model.main;
  for (size_t i = 0; i < shapes.size(); ++i)
    if (shapes[i] && !shapes[i]->empty())
      main.operands[main.inputIndexes[i]].dimensions = *shapes[i];
  for (size_t i = shapes.size(); i-- > 0;) {
    if (shapes[i] && shapes[i]->empty())
      removeInput(result, i, OperandLifeTime::NO_VALUE);
    else if (i < values.size() && values[i])
      NNHAL_RETURN_IF_ERROR(fixInput(result, i, *values[i]));
  }
  NNHAL_RETURN_IF_ERROR(ShapeInference(result.model, need).run());
  return result;
}
