//===- Explanation.cpp - What becomes of each operation -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explanation.h"

#include "nnhal/Runtime/Extensions.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace nnhal;
using namespace nnhal::tools;

static std::string nameOfOperation(const rt::AnnotatedModel &model, size_t i) {
  return fmt::format(
      "operation {} {}", i,
      rt::nameOf(model.model, model.model.main.operations[i].type));
}

rt::Result<Explanation> Explanation::create(const rt::AnnotatedModel &model,
                                            const rt::Device &device) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<rt::Status> supported,
                         device.supportedOperations(model));
  Explanation result;
  for (size_t i = 0; i < supported.size(); ++i) {
    Line &line = result.lines.emplace_back();
    line.operation = nameOfOperation(model, i);
    line.isSupported = supported[i].isOk();
    if (line.isSupported)
      line.device = device.name();
    else
      line.detail = supported[i].message();
  }
  return result;
}

Explanation Explanation::create(const rt::AnnotatedModel &model,
                                const rt::PartitionPlan &plan) {
  Explanation result;
  result.division = rt::explainPlan(plan, model);
  for (size_t i = 0; i < plan.assignments.size(); ++i) {
    const rt::Assignment &assignment = plan.assignments[i];
    Line &line = result.lines.emplace_back();
    line.operation = nameOfOperation(model, i);
    line.isSupported = true;
    line.device = plan.candidates[assignment.device].name;
    line.step = assignment.step;
    line.reason = assignment.reason;
    line.detail = assignment.detail;
  }
  return result;
}

void Explanation::addRemark(uint32_t operation, std::string_view text) {
  wasCompiled = true;
  if (operation < lines.size())
    lines[operation].remark = text;
}

std::string Explanation::text(ExplainFormat format) const {
  switch (format) {
  case ExplainFormat::none:
    return {};
  case ExplainFormat::text:
    return asText();
  case ExplainFormat::json:
    break;
  }
  return asJson();
}

std::string Explanation::asText() const {
  std::string text;
  if (division)
    text += rt::toString(*division);
  for (const Line &line : lines) {
    text += line.operation + ": ";
    if (!line.isSupported)
      text += "no device, " + line.detail;
    else if (line.reason)
      text += fmt::format("{}, step {}, {}{}{}", line.device, *line.step,
                          rt::toString(*line.reason),
                          line.detail.empty() ? "" : ": ", line.detail);
    else
      text += line.device;
    // An operation that was removed or folded has no remark.
    if (wasCompiled && line.isSupported)
      text += ", compiled: " +
              (line.remark.empty() ? "no code of its own" : line.remark);
    text += '\n';
  }
  return text;
}

/// A cost as JSON, which has no infinity.
static nlohmann::ordered_json costAsJson(double cost) {
  return std::isfinite(cost) ? nlohmann::ordered_json(cost)
                             : nlohmann::ordered_json();
}

static nlohmann::ordered_json
partAsJson(const rt::PlanExplanation::Part &part) {
  using nlohmann::ordered_json;
  ordered_json row = {{"device", part.device},
                      {"operations", part.operations},
                      {"steps", part.steps},
                      {"reasons", ordered_json::array()}};
  for (const rt::PlanExplanation::Because &because : part.reasons)
    row["reasons"].push_back(
        ordered_json{{"reason", rt::toString(because.reason)},
                     {"operations", because.operations},
                     {"types", because.types},
                     {"detail", because.detail}});
  return row;
}

std::string Explanation::asJson() const {
  using nlohmann::ordered_json;
  ordered_json object;
  if (division) {
    object["estimate"] = costAsJson(division->estimate);
    object["single_device_estimate"] =
        costAsJson(division->singleDeviceEstimate);
    object["devices"] = ordered_json::array();
    for (const rt::PlanExplanation::Part &part : division->parts)
      object["devices"].push_back(partAsJson(part));
  }
  object["operations"] = ordered_json::array();
  for (const Line &line : lines) {
    ordered_json row = {{"operation", line.operation}};
    row["device"] =
        line.isSupported ? ordered_json(line.device) : ordered_json();
    if (line.step)
      row["step"] = *line.step;
    if (line.reason)
      row["reason"] = rt::toString(*line.reason);
    if (!line.detail.empty())
      row["detail"] = line.detail;
    if (wasCompiled && line.isSupported && !line.remark.empty())
      row["compiled"] = line.remark;
    object["operations"].push_back(std::move(row));
  }
  return object.dump(2) + "\n";
}
