//===- Plan.cpp - Makes plans ---------------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "Explain.h"

#include "Runtime/Model/ExtensionUse.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "nnhal/Backend/CalledGraphs.h"
#include "nnhal/Runtime/Extensions.h"
#include "nnhal/Runtime/Log.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

/// Chains of subgraphs that are longer are not interpreted: they go to a device
/// as a whole.
static constexpr uint32_t maxHeight = 16;
/// Plans of more steps than this are left to one device, too, because subgraphs
/// that name each other twice would double it with each level.
static constexpr uint64_t maxSteps = 1024;

PartitionCandidate nnhal::rt::partition::candidateOf(const Device &device,
                                                     bool isFallback) {
  PartitionCandidate candidate;
  candidate.name = device.name();
  candidate.capabilities = device.capabilities();
  candidate.halVersion = device.halVersion();
  candidate.isFallback = isFallback;
  bool hasOwnMemory = device.type() == DeviceType::gpu ||
                      device.type() == DeviceType::accelerator;
  if (hasOwnMemory) {
    // A copy at 10 GB/s, and the launch on another processor.
    candidate.byteCost = 0.1;
    candidate.stepCost = 15'000;
  }
  if (device.traits().isRemote)
    candidate.stepCost += 20'000; // Two processes wake each other.
  return candidate;
}

std::optional<uint64_t>
nnhal::rt::partition::sizeOf(const Model &model, const Operand &operand,
                             std::span<const Device *const> devices) {
  if (std::optional<uint32_t> size = byteSizeOf(operand))
    return size;
  if (!isExtension(operand.type))
    return std::nullopt;
  InterfaceTensor tensor;
  tensor.type = operand.type;
  tensor.dimensions = operand.dimensions;
  tensor.extension = describeType(model, extensionsOf(devices), operand.type);
  return byteSizeOf(tensor);
}

CostGraph nnhal::rt::partition::dataFlowOf(const Subgraph &subgraph) {
  CostGraph graph;
  graph.operations.resize(subgraph.operations.size());
  constexpr uint32_t none = UINT32_MAX;
  std::vector<uint32_t> values(subgraph.operands.size(), none);
  for (uint32_t i = 0; i < subgraph.operations.size(); ++i) {
    CostGraph::Operation &operation = graph.operations[i];
    for (uint32_t operand : subgraph.operations[i].inputs) {
      uint32_t value = values[operand];
      if (value == none || std::ranges::count(operation.reads, value) != 0)
        continue;
      operation.reads.push_back(value);
      graph.values[value].consumers.push_back(i);
    }
    for (uint32_t operand : subgraph.operations[i].outputs) {
      values[operand] = uint32_t(graph.values.size());
      operation.writes.push_back(values[operand]);
      std::optional<uint32_t> size = byteSizeOf(subgraph.operands[operand]);
      CostGraph::Value &value = graph.values.emplace_back();
      value.producer = i;
      value.bytes = size ? double(*size) : 0.0;
      value.isUnknown = !size && !isExtension(subgraph.operands[operand].type);
    }
  }
  return graph;
}

static PartitionPlan planFor(std::span<const Device *const> devices,
                             const Device *fallback,
                             const PartitionOptions &options) {
  PartitionPlan plan;
  for (const Device *device : devices) {
    PartitionCandidate &candidate =
        plan.candidates.emplace_back(candidateOf(*device, device == fallback));
    candidate.stepCost = options.stepCost.value_or(candidate.stepCost);
    candidate.byteCost = options.byteCost.value_or(candidate.byteCost);
  }
  return plan;
}

PlanMaker::PlanMaker(const AnnotatedModel &annotated,
                     std::span<const Device *const> devices,
                     const Device *fallback, const PartitionOptions &options)
    : model(annotated.model), devices(devices), options(options),
      plan(planFor(devices, fallback, options)),
      support(annotated, devices, fallback, options.strictSlicing),
      costs(model, plan.candidates, options.prepare.preference),
      heights(heightsOf(model, maxHeight + 2)) {
  auto place = std::ranges::find(devices, fallback);
  if (fallback && place != devices.end())
    fallbackIndex = uint32_t(place - devices.begin());
}

Status PlanMaker::unsupported(uint32_t subgraph, uint32_t operation) {
  std::string reasons;
  for (size_t d = 0; d < devices.size(); ++d)
    reasons +=
        fmt::format("{}{}: {}", d == 0 ? "" : "; ", plan.candidates[d].name,
                    support.of(subgraph)[d][operation].message());
  const Operation &stated = subgraphOf(model, subgraph).operations[operation];
  std::string where =
      subgraph == 0 ? "main" : fmt::format("referenced[{}]", subgraph - 1);
  return badData("{}: operation {} ({}) is supported by none of {} devices: {}",
                 where, operation, nameOf(model, stated.type), devices.size(),
                 reasons);
}

/// Whether the sizes of everything that \p operation and its subgraphs pass to
/// each other are known (I-019).
static bool hasKnownSizes(const Model &model, const Subgraph &subgraph,
                          const Operation &operation,
                          std::span<const Device *const> devices) {
  auto areKnown = [&](const Subgraph &graph,
                      std::span<const uint32_t> operands) {
    return std::ranges::all_of(operands, [&](uint32_t index) {
      const Operand &operand = graph.operands[index];
      return operand.lifetime == OperandLifeTime::SUBGRAPH ||
             operand.lifetime == OperandLifeTime::NO_VALUE ||
             sizeOf(model, operand, devices).has_value();
    });
  };
  Callees callees = calleesOf(subgraph, operation);
  bool areAllKnown = areKnown(subgraph, operation.inputs) &&
                     areKnown(subgraph, operation.outputs);
  for (uint32_t callee : {callees.first, callees.second}) {
    const Subgraph &graph = subgraphOf(model, callee);
    areAllKnown = areAllKnown && areKnown(graph, graph.inputIndexes) &&
                  areKnown(graph, graph.outputIndexes);
  }
  return areAllKnown;
}

double PlanMaker::interpretedCost(const Subgraph &subgraph,
                                  const Operation &operation) {
  Callees callees = calleesOf(subgraph, operation);
  // The main subgraph, which nothing calls, has no height.
  auto isTooHigh = [&](uint32_t callee) {
    return heights[callee - 1] > maxHeight + 1;
  };
  if (!fallbackIndex || isTooHigh(callees.first) || isTooHigh(callees.second) ||
      !hasKnownSizes(model, subgraph, operation, devices))
    return impossible;
  auto first = divide(callees.first);
  auto second = divide(callees.second);
  if (!first.isOk() || !second.isOk() ||
      (*first)->steps + (*second)->steps > maxSteps)
    return impossible;
  double both = (*first)->estimate + (*second)->estimate;
  return operation.type == OperationType::IF ? 0.5 * both : both;
}

uint32_t PlanMaker::greedyChoice(uint32_t subgraph, uint32_t operation,
                                 const CostGraph::Operation &operationCosts) {
  std::optional<uint32_t> best;
  double bestValue = 0;
  bool canInterpret = operationCosts.interpretedCost < impossible;
  for (uint32_t d = 0; d < devices.size(); ++d) {
    bool isFallback = d == fallbackIndex;
    // The interpreter is a part of the fallback device.
    if (operationCosts.costs[d] == impossible && !(isFallback && canInterpret))
      continue;
    double value = costs.performance(d, subgraph, operation);
    if (!best || value < bestValue || (value == bestValue && isFallback)) {
      best = d;
      bestValue = value;
    }
  }
  // Some device takes the operation, or the interpreter does.
  return best == fallbackIndex && canInterpret ? interpreted
                                               : best.value_or(interpreted);
}

/// Adds the costs of one operation, and its greedy choice.
Status PlanMaker::addOperation(uint32_t subgraph, uint32_t index,
                               Division &made) {
  const Subgraph &graph = subgraphOf(model, subgraph);
  const Operation &operation = graph.operations[index];
  CostGraph::Operation &entry = made.graph.operations[index];
  const std::vector<Answers> &answers = support.of(subgraph);
  bool isPossible = false;
  for (uint32_t d = 0; d < devices.size(); ++d) {
    bool isSupported = answers[d][index].isOk();
    isPossible = isPossible || isSupported;
    entry.costs.push_back(isSupported ? costs.cost(d, subgraph, index)
                                      : impossible);
  }
  if (isControlFlow(operation) && devices.size() > 1) {
    entry.interpretedCost = interpretedCost(graph, operation);
    isPossible = isPossible || entry.interpretedCost < impossible;
    // Control flow of unknown sizes is the fallback device's (I-019).
    bool isFallbacks = options.planner == Planner::greedy && fallbackIndex &&
                       entry.costs[*fallbackIndex] < impossible &&
                       !hasKnownSizes(model, graph, operation, devices);
    for (uint32_t d = 0; isFallbacks && d < devices.size(); ++d)
      if (d != *fallbackIndex)
        entry.costs[d] = impossible;
  }
  if (!isPossible)
    return unsupported(subgraph, index);
  made.devices.push_back(greedyChoice(subgraph, index, entry));
  return Status::ok();
}

Result<PlanMaker::Division> PlanMaker::newDivision(uint32_t subgraph) {
  const Subgraph &graph = subgraphOf(model, subgraph);
  Division made;
  made.graph = dataFlowOf(graph);
  for (const PartitionCandidate &candidate : plan.candidates) {
    made.graph.stepCosts.push_back(candidate.stepCost);
    made.graph.byteCosts.push_back(candidate.byteCost);
  }
  for (uint32_t i = 0; i < graph.operations.size(); ++i)
    NNHAL_RETURN_IF_ERROR(addOperation(subgraph, i, made));
  if (options.planner == Planner::leastCost)
    made.devices = leastCostAssignment(made.graph, std::move(made.devices));
  made.estimate = partition::estimate(made.graph, made.devices);
  for (const Group &group : groupsOf(made.graph, made.devices)) {
    ++made.steps;
    if (group.device != interpreted)
      continue;
    Callees callees = calleesOf(graph, graph.operations[group.operations[0]]);
    made.steps += 2 + divisions.at(callees.first)->steps +
                  divisions.at(callees.second)->steps;
  }
  return made;
}

Result<const PlanMaker::Division *> PlanMaker::divide(uint32_t subgraph) {
  auto known = divisions.find(subgraph);
  if (known == divisions.end())
    known = divisions.emplace(subgraph, newDivision(subgraph)).first;
  if (!known->second.isOk())
    return known->second.status();
  return &*known->second;
}

uint32_t PlanMaker::addJump(uint32_t subgraph, uint32_t frame,
                            uint32_t target) {
  PartitionStep &jump = plan.steps.emplace_back();
  jump.kind = PartitionStep::Kind::jump;
  jump.subgraph = subgraph;
  jump.frame = frame;
  jump.targets = {target};
  return uint32_t(plan.steps.size() - 1);
}

/// Lays out `[If, then..., Goto, else...]` or `[While, condition..., Goto,
/// body..., Goto]` (I-033).
void PlanMaker::layControlFlow(uint32_t subgraph, uint32_t frame,
                               uint32_t index) {
  const Subgraph &graph = subgraphOf(model, subgraph);
  const Operation &operation = graph.operations[index];
  bool isLoop = operation.type == OperationType::WHILE;
  Callees callees = calleesOf(graph, operation);
  uint32_t first = ++lastFrame, second = ++lastFrame;
  auto number = uint32_t(plan.steps.size());
  auto here = [&] { return uint32_t(plan.steps.size()); };
  PartitionStep step;
  step.kind = isLoop ? PartitionStep::Kind::loop : PartitionStep::Kind::branch;
  step.subgraph = subgraph;
  step.frame = frame;
  step.operations = {index};
  step.frames = {first, second};
  plan.steps.push_back(std::move(step));
  uint32_t firstBegin = here();
  lay(callees.first, first);
  uint32_t jump = addJump(subgraph, frame, number);
  uint32_t secondBegin = here();
  lay(callees.second, second);
  if (isLoop)
    addJump(subgraph, frame, number);
  else
    plan.steps[jump].targets = {here()};
  plan.steps[number].targets =
      isLoop ? std::vector<uint32_t>{secondBegin, here(), firstBegin}
             : std::vector<uint32_t>{firstBegin, secondBegin};
}

void PlanMaker::lay(uint32_t subgraph, uint32_t frame) {
  const Division &division = *divisions.at(subgraph);
  for (Group &group : groupsOf(division.graph, division.devices)) {
    if (group.device == interpreted) {
      layControlFlow(subgraph, frame, group.operations[0]);
      continue;
    }
    PartitionStep &step = plan.steps.emplace_back();
    step.device = group.device;
    step.subgraph = subgraph;
    step.frame = frame;
    step.operations = std::move(group.operations);
  }
}

bool PlanMaker::isWholeOnOne(const Division &main) const {
  uint32_t first = main.devices.front();
  return first != interpreted &&
         std::ranges::all_of(main.devices,
                             [&](uint32_t d) { return d == first; });
}

double PlanMaker::singleDeviceEstimate(const Division &main) const {
  double best = impossible;
  for (uint32_t d = 0; d < devices.size(); ++d)
    best = std::min(
        best, partition::estimate(
                  main.graph, std::vector<uint32_t>(main.devices.size(), d)));
  return best;
}

/// States the decision for each operation of the main subgraph.
void PlanMaker::assign(const Division &main) {
  plan.assignments.resize(main.devices.size());
  for (uint32_t i = 0; i < plan.steps.size(); ++i)
    if (plan.steps[i].frame == 0)
      for (uint32_t operation : plan.steps[i].operations)
        plan.assignments[operation].step = i;
  for (uint32_t i = 0; i < main.devices.size(); ++i) {
    Assignment &assignment = plan.assignments[i];
    assignment.device =
        main.devices[i] == interpreted ? *fallbackIndex : main.devices[i];
    explainAssignment(model, i, main.graph.operations[i], support.of(0),
                      plan.candidates, options, assignment);
  }
}

Result<PartitionPlan> PlanMaker::run() {
  NNHAL_ASSIGN_OR_RETURN(const Division *main, divide(0));
  if (isWholeOnOne(*main)) {
    PartitionStep &step = plan.steps.emplace_back();
    step.device = main->devices.front();
    for (uint32_t i = 0; i < main->devices.size(); ++i)
      step.operations.push_back(i);
  } else {
    lay(0, 0);
  }
  plan.estimate = main->estimate;
  plan.singleDeviceEstimate = singleDeviceEstimate(*main);
  assign(*main);
  return std::move(plan);
}

Result<PartitionPlan> nnhal::rt::planPartition(
    const AnnotatedModel &model, std::span<const Device *const> devices,
    const Device *fallback, const PartitionOptions &options) {
  if (model.model.main.operations.empty())
    return badData("a model without operations cannot be divided");
  std::span<const Device *const> taken = devices;
  // Without partitioning everything is the fallback device's (I-003).
  if (options.mode == PartitionMode::no) {
    if (!fallback)
      return badData("partition mode 0 needs a fallback device");
    taken = std::span(&fallback, 1);
  }
  if (taken.empty())
    return badData("a model cannot be divided among 0 devices");
  NNHAL_ASSIGN_OR_RETURN(
      PartitionPlan plan,
      partition::PlanMaker(model, taken, fallback, options).run());
  if (options.log && options.log->isOn(LogTag::compilation))
    options.log->writeLines(LogTag::compilation, describeSteps(model, plan));
  return plan;
}
