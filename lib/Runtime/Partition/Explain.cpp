//===- Explain.cpp - Says why a plan is as it is --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explain.h"

#include "CostModel.h"

#include "nnhal/Runtime/Extensions.h"

#include <algorithm>
#include <fmt/format.h>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

std::string_view nnhal::rt::toString(AssignmentReason reason) {
  switch (reason) {
  case AssignmentReason::cost:
    return "cost";
  case AssignmentReason::type:
    return "type";
  case AssignmentReason::rank:
    return "rank";
  case AssignmentReason::parameter:
    return "parameter";
  case AssignmentReason::dynamic:
    return "dynamic";
  case AssignmentReason::policy:
    return "policy";
  case AssignmentReason::support:
    return "support";
  }
  return "unknown";
}

/// The first device that was asked in vain.
static std::optional<size_t> firstRefusal(uint32_t operation,
                                          const std::vector<Answers> &answers,
                                          uint32_t device) {
  for (size_t d = 0; d < answers.size(); ++d)
    if (d != device && !answers[d][operation].isOk())
      return d;
  return std::nullopt;
}

void nnhal::rt::partition::explainAssignment(
    const Model &, uint32_t operation, const CostGraph::Operation &costs,
    const std::vector<Answers> &answers,
    std::span<const PartitionCandidate> candidates,
    const PartitionOptions &options, Assignment &assignment) {
  if (candidates.size() == 1) {
    assignment.reason = AssignmentReason::policy;
    assignment.detail =
        options.mode == PartitionMode::no
            ? "partition mode 0 leaves the fallback device alone"
            : "there is no other device";
    return;
  }
  size_t able = 0;
  for (uint32_t d = 0; d < candidates.size(); ++d)
    able += size_t(costs.costs[d] < impossible);
  std::optional<size_t> refused =
      firstRefusal(operation, answers, assignment.device);
  if (able > 1 || !refused) {
    assignment.reason = AssignmentReason::cost;
    for (uint32_t d = 0; d < candidates.size(); ++d)
      if (costs.costs[d] < impossible)
        assignment.detail +=
            fmt::format("{}{} {:.0f}", assignment.detail.empty() ? "" : ", ",
                        candidates[d].name, costs.costs[d]);
    return;
  }
  assignment.reason = AssignmentReason::support;
  assignment.detail = fmt::format("{}: {}", candidates[*refused].name,
                                  answers[*refused][operation].message());
}

static std::string describe(const PartitionPlan &plan, const Model &model,
                            const PartitionStep &step) {
  switch (step.kind) {
  case PartitionStep::Kind::branch:
    return fmt::format("If: true {}, false {}", step.targets[0],
                       step.targets[1]);
  case PartitionStep::Kind::loop:
    return fmt::format("While: condition {}, body {}, end {}", step.targets[2],
                       step.targets[0], step.targets[1]);
  case PartitionStep::Kind::jump:
    return fmt::format("Goto {}", step.targets[0]);
  case PartitionStep::Kind::execute:
    break;
  }
  const Subgraph &subgraph = subgraphOf(model, step.subgraph);
  std::string names;
  constexpr size_t shown = 8;
  for (size_t i = 0; i < std::min(shown, step.operations.size()); ++i)
    names += " " + nameOf(model, subgraph.operations[step.operations[i]].type);
  return fmt::format("Step on {}: {} operations of {}:{}{}",
                     plan.candidates[step.device].name, step.operations.size(),
                     step.subgraph == 0
                         ? "main"
                         : fmt::format("referenced[{}]", step.subgraph - 1),
                     names, step.operations.size() > shown ? " ..." : "");
}

std::string nnhal::rt::partition::describeSteps(const AnnotatedModel &model,
                                                const PartitionPlan &plan) {
  std::string text = fmt::format("plan: {}, {} steps, estimate {:.0f}\n",
                                 plan.isSimple() ? "simple" : "compound",
                                 plan.steps.size(), plan.estimate);
  for (size_t i = 0; i < plan.steps.size(); ++i)
    text +=
        fmt::format("{}: {}\n", i, describe(plan, model.model, plan.steps[i]));
  return text;
}

/// Adds an operation to the reasons of the part of its device.
static void add(PlanExplanation::Part &part, const Assignment &assignment,
                const std::string &type) {
  ++part.operations;
  auto because = std::ranges::find(part.reasons, assignment.reason,
                                   &PlanExplanation::Because::reason);
  if (because == part.reasons.end()) {
    part.reasons.push_back({assignment.reason, 0, {}, assignment.detail});
    because = part.reasons.end() - 1;
  }
  ++because->operations;
  if (std::ranges::find(because->types, type) == because->types.end())
    because->types.push_back(type);
}

PlanExplanation nnhal::rt::explainPlan(const PartitionPlan &plan,
                                       const AnnotatedModel &model) {
  PlanExplanation explanation;
  explanation.operations = uint32_t(plan.assignments.size());
  explanation.estimate = plan.estimate;
  explanation.singleDeviceEstimate = plan.singleDeviceEstimate;
  for (const PartitionCandidate &candidate : plan.candidates)
    explanation.parts.emplace_back().device = candidate.name;
  const std::vector<Operation> &operations = model.model.main.operations;
  for (size_t i = 0; i < plan.assignments.size(); ++i)
    add(explanation.parts[plan.assignments[i].device], plan.assignments[i],
        nameOf(model.model, operations[i].type));
  for (const PartitionStep &step : plan.steps)
    if (step.kind == PartitionStep::Kind::execute)
      ++explanation.parts[step.device].steps;
  return explanation;
}

static std::string describe(const PlanExplanation::Because &because) {
  constexpr size_t shown = 6;
  std::string types;
  for (size_t i = 0; i < std::min(shown, because.types.size()); ++i)
    types += (i == 0 ? "" : " ") + because.types[i];
  if (because.types.size() > shown)
    types += " ...";
  return fmt::format("{} ({}: {}; {})", toString(because.reason),
                     because.operations, types, because.detail);
}

std::string nnhal::rt::toString(const PlanExplanation &explanation) {
  std::string text;
  for (const PlanExplanation::Part &part : explanation.parts) {
    if (part.operations == 0 && part.steps == 0)
      continue;
    std::string reasons;
    for (const PlanExplanation::Because &because : part.reasons)
      reasons += (reasons.empty() ? "" : ", ") + describe(because);
    // A device may have operations of interpreted subgraphs alone.
    if (reasons.empty())
      reasons = "interpreted control flow leads there";
    text +=
        fmt::format("{} of {} operations on {}, {} {}, because {}\n",
                    part.operations, explanation.operations, part.device,
                    part.steps, part.steps == 1 ? "step" : "steps", reasons);
  }
  return text;
}
