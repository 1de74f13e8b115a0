//===- Variables.cpp - Resource variables as states -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variable that is read before an execution assigns it carries a value from
// one execution to the next: it becomes a pair of a state input and a state
// output. States start at 0; where CALL_ONCE assigns something else, a second
// state of Booleans says which executions are not the first.
//
//===----------------------------------------------------------------------===//

#include "Variables.h"

#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;

//===----------------------------------------------------------------------===//
// Variables of a file
//===----------------------------------------------------------------------===//

std::optional<Code> Variables::codeOf(const schema::Operator &op) const {
  const auto *codes = model.operator_codes();
  if (!codes || op.opcode_index() >= codes->size())
    return std::nullopt;
  return builtinCode(*codes->Get(op.opcode_index()));
}

Variables::Handles Variables::handlesOf(const schema::SubGraph &subgraph) {
  Handles found;
  for (const schema::Operator *op : tablesOf(subgraph.operators())) {
    std::span<const int32_t> outputs = elementsOf(op->outputs());
    if (codeOf(*op) != Code::VAR_HANDLE || outputs.size() != 1)
      continue;
    std::pair<std::string, std::string> key;
    if (const auto *options = op->builtin_options_as_VarHandleOptions()) {
      if (options->container())
        key.first = options->container()->str();
      if (options->shared_name())
        key.second = options->shared_name()->str();
    }
    auto [entry, isNew] = variables.try_emplace(key);
    Tensor &value = entry->second.value;
    if (isNew) {
      value.isVariable = true;
      value.name =
          key.first.empty() ? key.second : key.first + "/" + key.second;
    }
    found[uint32_t(outputs[0])] = &entry->second;
  }
  return found;
}

void Variables::scan(const schema::SubGraph &main) {
  handles = handlesOf(main);
  for (const schema::Operator *op : tablesOf(main.operators())) {
    std::span<const int32_t> inputs = elementsOf(op->inputs());
    if (codeOf(*op) != Code::ASSIGN_VARIABLE || inputs.empty())
      continue;
    if (Variable *variable = find(uint32_t(inputs[0])))
      variable->isAssigned = true;
  }
}

Variable *Variables::find(uint32_t handle) {
  auto found = handles.find(handle);
  return found == handles.end() ? nullptr : found->second;
}

Status Variables::initialize(const schema::SubGraph &subgraph,
                             std::span<const std::byte> file) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<Tensor> tensors,
                         readTensors(model, subgraph, file, useExtensions));
  Handles known = handlesOf(subgraph);
  uint32_t index = 0;
  for (const schema::Operator *op : tablesOf(subgraph.operators())) {
    std::string name = fmt::format("its operator {}", index++);
    std::optional<Code> code = codeOf(*op);
    if (code == Code::VAR_HANDLE)
      continue;
    if (code != Code::ASSIGN_VARIABLE)
      return badData("{} is {}, and only constants can be assigned once", name,
                     code ? schema::EnumNameBuiltinOperator(*code)
                          : "of no operator code");
    std::span<const int32_t> inputs = elementsOf(op->inputs());
    if (inputs.size() != 2)
      return badData("{} has {} inputs, expected 2", name, inputs.size());
    auto variable = known.find(uint32_t(inputs[0]));
    if (variable == known.end())
      return badData("{} assigns to tensor {}, which is no variable", name,
                     inputs[0]);
    if (inputs[1] < 0 || uint32_t(inputs[1]) >= tensors.size())
      return badData("{} assigns tensor {} of {}", name, inputs[1],
                     tensors.size());
    Tensor &value = tensors[uint32_t(inputs[1])];
    if (!value.isConstant)
      return badData("{} assigns {}, which is not a constant", name,
                     describe(value));
    variable->second->initial = std::move(value);
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// The variable that input 0 refers to.
static Result<Variable *> variableOf(Operator &op) {
  if (!op.graph.isMain())
    return badData("variables are imported in the main subgraph only");
  if (Variable *variable = op.graph.variables().find(op.input(0).index))
    return variable;
  return badData("input 0, {}, is no variable", describe(op.input(0)));
}

static std::string describe(const Variable &variable) {
  return fmt::format("variable '{}'", variable.value.name);
}

/// Takes type, quantization and shape from what an operator reads or assigns
/// first.
static Status adopt(Variable &variable, const Tensor &from, Shape shape) {
  Tensor &value = variable.value;
  if (!from.type)
    return badData("{} {}", describe(from), from.typeProblem);
  if (from.channels)
    return badData("{} has {} scales, {} would need one", describe(from),
                   from.channels->scales.size(), describe(variable));
  value.type = from.type;
  value.scale = from.scale;
  value.zeroPoint = from.zeroPoint;
  value.shape = std::move(shape);
  return Status();
}

static Status checkSame(const Variable &variable, const Tensor &other,
                        const Shape &shape) {
  const Tensor &value = variable.value;
  if (!other.type)
    return badData("{} {}", describe(other), other.typeProblem);
  if (*other.type != *value.type)
    return badData("{} has type {}, but {} has type {}", describe(variable),
                   nameOf(*value.type), describe(other), nameOf(*other.type));
  if (shape != *value.shape)
    return badData("{} has shape {}, but {} has shape {}", describe(variable),
                   toString(*value.shape), describe(other), toString(shape));
  return Status();
}

/// \p operand with the quantization of \p as: a variable keeps bytes.
static Result<uint32_t> withQuantizationOf(Graph &graph, uint32_t operand,
                                           const Tensor &as) {
  const Operand &given = graph.operand(operand);
  if (given.scale == as.scale && given.zeroPoint == as.zeroPoint)
    return operand;
  NNHAL_ASSIGN_OR_RETURN(Operand wanted, operandFor(as, *as.shape));
  uint32_t result = graph.addOperand(std::move(wanted));
  graph.addOperation(OperationType::CAST, {operand}, {result});
  return result;
}

/// The shape of a variable that is read before an execution assigns it.
static Result<Shape> shapeOf(Operator &op, const Variable &variable) {
  if (variable.initial)
    return *variable.initial->shape;
  if (op.output(0).declared.empty())
    return Shape();
  NNHAL_ASSIGN_OR_RETURN(std::vector<Shape> shapes, op.declaredShapes());
  return shapes[0];
}

/// Whether all elements of the constant \p operand are 0, as those of a state
/// are at the start.
static bool isZero(const Graph &graph, uint32_t operand) {
  // Only bytes have a zero point.
  auto zero = std::byte(graph.operand(operand).zeroPoint);
  return std::ranges::all_of(graph.view(operand).value.value(),
                             [&](std::byte each) { return each == zero; });
}

/// The value of \p variable, which CALL_ONCE has set, at the begin of any
/// execution.
static Status startWithInitial(Graph &graph, Variable &variable) {
  Tensor &initial = *variable.initial;
  NNHAL_RETURN_IF_ERROR(checkSame(variable, initial, *initial.shape));
  initial.scale = variable.value.scale;
  initial.zeroPoint = variable.value.zeroPoint;
  NNHAL_ASSIGN_OR_RETURN(uint32_t first, graph.use(initial));
  if (isZero(graph, first))
    return Status();
  const Shape &shape = *variable.value.shape;
  uint32_t isLater = graph.addFlagState(variable.value.name + "/assigned",
                                        shape.empty() ? Shape{1} : shape);
  uint32_t state = *variable.value.operand;
  uint32_t value = graph.addTemporary(state, shape);
  graph.addOperation(OperationType::SELECT, {isLater, state, first}, {value});
  variable.value.operand = value;
  return Status();
}

Status importVarHandle(Operator &op) {
  op.output(0).shape = Shape();
  return Status();
}

Status importCallOnce(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::CallOnceOptions>());
  return op.graph.callOnce(options->init_subgraph_index());
}

Status importReadVariable(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(Variable * variable, variableOf(op));
  Graph &graph = op.graph;
  Tensor &value = variable->value, &output = op.output(0);
  if (value.operand) {
    NNHAL_RETURN_IF_ERROR(checkSame(*variable, output, *value.shape));
  } else {
    NNHAL_ASSIGN_OR_RETURN(Shape shape, shapeOf(op, *variable));
    if (variable->initial && !variable->isAssigned) {
      if (output.type != variable->initial->type)
        return badData("{} is set to {} and read as {}", describe(*variable),
                       nameOf(variable->initial->sourceType),
                       nameOf(output.sourceType));
      return graph.bindConstant(output, *variable->initial);
    }
    NNHAL_RETURN_IF_ERROR(adopt(*variable, output, shape));
    NNHAL_RETURN_IF_ERROR(
        graph.readState(value, std::move(shape)).takeStatus());
    if (variable->initial)
      NNHAL_RETURN_IF_ERROR(startWithInitial(graph, *variable));
  }
  output.shape = value.shape;
  NNHAL_ASSIGN_OR_RETURN(uint32_t operand,
                         withQuantizationOf(graph, *value.operand, output));
  return graph.bind(output, operand, *value.shape);
}

Status importAssignVariable(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(Variable * variable, variableOf(op));
  Tensor &value = variable->value, &assigned = op.input(1);
  if (!assigned.shape)
    return badData("input 1, {}, is a variable", describe(assigned));
  if (value.type)
    NNHAL_RETURN_IF_ERROR(checkSame(*variable, assigned, *assigned.shape));
  else
    NNHAL_RETURN_IF_ERROR(adopt(*variable, assigned, *assigned.shape));
  NNHAL_ASSIGN_OR_RETURN(uint32_t operand, op.graph.use(assigned));
  NNHAL_ASSIGN_OR_RETURN(value.operand,
                         withQuantizationOf(op.graph, operand, value));
  return Status();
}

} // namespace nnhal::rt::tflite
