//===- FlagValues.cpp - Values of options ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlagValues.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/SplitAt.h"
#include "Tools/Options/Values.h"
#include "nnhal/Runtime/WorkPool.h"

#include <array>
#include <charconv>
#include <cmath>

using namespace nnhal;
using namespace nnhal::run;
using rt::badData;
using rt::Status;
using tools::Choice;
using tools::NamedFile;
using tools::parseChoice;
using tools::parseCount;
using tools::parseReal;
using tools::TimeFormat;
using tools::Tolerance;

static rt::Result<NamedFile> parseNamedFile(std::string_view text) {
  size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos ||
      equals + 1 == text.size())
    return badData("'{}' is not N=FILE", text);
  return NamedFile{std::string(text.substr(0, equals)),
                   std::string(text.substr(equals + 1))};
}

Status run::setInput(Flags &flags, std::string_view value) {
  if (value == "zeros") {
    flags.inputs.randomSeed.reset();
    return Status::ok();
  }
  if (value.starts_with("random:")) {
    NNHAL_ASSIGN_OR_RETURN(flags.inputs.randomSeed,
                           parseCount(value.substr(7), 0, UINT64_MAX));
    return Status::ok();
  }
  if (value.find('=') == std::string_view::npos)
    return badData("'{}' is not N=FILE, random:SEED or zeros", value);
  NNHAL_ASSIGN_OR_RETURN(NamedFile input, parseNamedFile(value));
  flags.inputs.files.push_back(std::move(input));
  return Status::ok();
}

Status run::setExpect(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(NamedFile expect, parseNamedFile(value));
  flags.expects.push_back(std::move(expect));
  return Status::ok();
}

Status run::setTolerance(Flags &flags, std::string_view value) {
  using Kind = Tolerance::Kind;
  if (value == "range" || value == "exact") {
    flags.tolerance = {value == "range" ? Kind::range : Kind::exact};
    return Status::ok();
  }
  if (value.starts_with("steps:")) {
    NNHAL_ASSIGN_OR_RETURN(uint64_t steps,
                           parseCount(value.substr(6), 0, 65535));
    flags.tolerance = {Kind::steps, double(steps)};
    return Status::ok();
  }
  if (value.starts_with("abs:")) {
    std::string_view text = value.substr(4);
    double amount = 0.0;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), amount);
    if (error == std::errc() && end == text.data() + text.size() &&
        std::isfinite(amount) && amount >= 0.0) {
      flags.tolerance = {Kind::absolute, amount};
      return Status::ok();
    }
  }
  return badData("'{}' is not range, exact, steps:K or abs:X", value);
}

Status run::setShape(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(NamedFile shape, parseNamedFile(value));
  std::vector<uint32_t> dimensions;
  std::string_view rest = shape.file;
  while (true) {
    size_t cross = rest.find('x');
    NNHAL_ASSIGN_OR_RETURN(uint64_t extent,
                           parseCount(rest.substr(0, cross), 1, UINT32_MAX));
    dimensions.push_back(uint32_t(extent));
    if (cross == std::string_view::npos)
      break;
    rest.remove_prefix(cross + 1);
  }
  flags.inputs.shapes[shape.key] = std::move(dimensions);
  return Status::ok();
}

Status run::setRounding(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.load.preparation.compile.rounding,
                         tools::parseRounding(value));
  return Status::ok();
}

Status run::setTime(Flags &flags, std::string_view value) {
  if (!value.empty() && value != "json")
    return badData("'{}' is not json", value);
  flags.time = value.empty() ? TimeFormat::text : TimeFormat::json;
  return Status::ok();
}

Status run::setExplain(Flags &flags, std::string_view value) {
  if (!value.empty() && value != "json")
    return badData("'{}' is not json", value);
  flags.explain =
      value.empty() ? tools::ExplainFormat::text : tools::ExplainFormat::json;
  return Status::ok();
}

Status run::setDevices(Flags &flags, std::string_view value) {
  flags.devices.several.clear();
  for (std::string_view name : rt::splitAt(value, ',')) {
    if (name.empty())
      return badData("'{}' has an empty name", value);
    flags.devices.several.emplace_back(name);
  }
  return Status::ok();
}

Status run::setVerify(Flags &flags, std::string_view value) {
  if (value != "reference")
    return badData("'{}' is not reference", value);
  flags.verify = true;
  return Status::ok();
}

Status run::setPlanner(Flags &flags, std::string_view value) {
  static constexpr Choice<rt::Planner> choices[] = {
      {"least-cost", rt::Planner::leastCost}, {"greedy", rt::Planner::greedy}};
  NNHAL_ASSIGN_OR_RETURN(flags.devices.planner,
                         parseChoice<rt::Planner>(value, choices));
  return Status::ok();
}

Status run::setCompileThreads(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(uint64_t threads,
                         parseCount(value, 1, rt::WorkPool::maxThreads));
  flags.load.preparation.compile.threads = uint32_t(threads);
  return Status::ok();
}

Status run::setThreads(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.load.threads,
                         parseCount(value, 0, rt::WorkPool::maxThreads));
  return Status::ok();
}

Status run::setMode(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.modes, tools::parseModes(value));
  return Status::ok();
}

static Status setCompileAfter(Flags &flags, uint64_t executions) {
  if (flags.load.compileAfter && *flags.load.compileAfter != executions)
    return badData("a model has one time to be compiled: give --deferred or "
                   "--stages, once");
  flags.load.compileAfter = executions;
  return Status::ok();
}

Status run::setDeferred(Flags &flags, std::string_view) {
  return setCompileAfter(flags, 0);
}

Status run::setStages(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(uint64_t after, parseCount(value, 1, maxCount));
  return setCompileAfter(flags, after);
}

Status run::setPrintOutputs(Flags &flags, std::string_view value) {
  uint64_t count = 10;
  if (!value.empty()) {
    NNHAL_ASSIGN_OR_RETURN(count, parseCount(value, 0, maxCount));
  }
  flags.printOutputs = count;
  return Status::ok();
}

Status run::setTop(Flags &flags, std::string_view value) {
  uint64_t count = 5;
  if (!value.empty()) {
    NNHAL_ASSIGN_OR_RETURN(count, parseCount(value, 1, maxCount));
  }
  flags.top = count;
  return Status::ok();
}

/// "X", one number for all colors, or "R,G,B".
static rt::Result<std::array<double, 3>> parseColors(std::string_view text,
                                                     double min, double max) {
  std::vector<std::string_view> parts = rt::splitAt(text, ',');
  if (parts.size() != 1 && parts.size() != 3)
    return badData("'{}' has {} numbers, and not 1 or 3", text, parts.size());
  std::array<double, 3> colors = {};
  for (size_t i = 0; i < colors.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(
        colors[i], parseReal(parts[parts.size() == 1 ? 0 : i], min, max));
  }
  return colors;
}

/// More than any normalization has use for.
static constexpr double maxColor = 1e6;

Status run::setImageCrop(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.inputs.pictures.crop,
                         parseReal(value, 0.001, 1));
  return Status::ok();
}

Status run::setImageMean(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.inputs.pictures.mean,
                         parseColors(value, -maxColor, maxColor));
  return Status::ok();
}

Status run::setImageDeviation(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.inputs.pictures.deviation,
                         parseColors(value, 1e-6, maxColor));
  return Status::ok();
}

Status run::setLoopTimeout(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(uint64_t milliseconds, parseCount(value, 0, maxCount));
  flags.run.loopTimeout = milliseconds * 1'000'000;
  return Status::ok();
}

Status run::setPreference(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.load.preparation.preference,
                         tools::parsePreference(value));
  return Status::ok();
}

Status run::setPriority(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.load.preparation.priority,
                         tools::parsePriority(value));
  return Status::ok();
}

/// Milliseconds as nanoseconds.
static Status parseMilliseconds(std::string_view text,
                                std::optional<uint64_t> &nanoseconds) {
  NNHAL_ASSIGN_OR_RETURN(uint64_t milliseconds, parseCount(text, 0, maxCount));
  nanoseconds = milliseconds * 1'000'000;
  return Status::ok();
}

Status run::setDeadline(Flags &flags, std::string_view value) {
  return parseMilliseconds(value, flags.run.timeLimit);
}

Status run::setFenceAfter(Flags &flags, std::string_view value) {
  return parseMilliseconds(value, flags.run.fenceAfter);
}

Status run::setPools(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.run.place, tools::parseArgumentPlace(value));
  return Status::ok();
}

Status run::setWays(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.cases.ways, tools::parseWays(value));
  return Status::ok();
}
