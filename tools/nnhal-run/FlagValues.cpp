//===- FlagValues.cpp - What options take as values -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlagValues.h"

#include "nnhal/Runtime/WorkPool.h"

#include <charconv>
#include <cmath>

using namespace nnhal;
using namespace nnhal::run;
using rt::badData;
using rt::Status;

static rt::Result<uint64_t> parseCount(std::string_view text, uint64_t min,
                                       uint64_t max) {
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < min ||
      value > max)
    return badData("'{}' is not a number from {} to {}", text, min, max);
  return value;
}

Status run::parseInto(std::string_view text, uint64_t min, uint64_t max,
                      uint64_t &target) {
  NNHAL_ASSIGN_OR_RETURN(target, parseCount(text, min, max));
  return Status::ok();
}

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
    flags.randomSeed.reset();
    return Status::ok();
  }
  if (value.starts_with("random:")) {
    NNHAL_ASSIGN_OR_RETURN(flags.randomSeed,
                           parseCount(value.substr(7), 0, UINT64_MAX));
    return Status::ok();
  }
  if (value.find('=') == std::string_view::npos)
    return badData("'{}' is not N=FILE, random:SEED or zeros", value);
  NNHAL_ASSIGN_OR_RETURN(NamedFile input, parseNamedFile(value));
  flags.inputs.push_back(std::move(input));
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
  flags.shapes[shape.key] = std::move(dimensions);
  return Status::ok();
}

Status run::setRounding(Flags &flags, std::string_view value) {
  if (value == "double")
    flags.compile.rounding = rt::Rounding::doubleRounding;
  else if (value == "single")
    flags.compile.rounding = rt::Rounding::singleRounding;
  else if (value == "float")
    flags.compile.rounding = rt::Rounding::floatRounding;
  else
    return badData("'{}' is not double, single or float", value);
  return Status::ok();
}

Status run::setTime(Flags &flags, std::string_view value) {
  if (!value.empty() && value != "json")
    return badData("'{}' is not json", value);
  flags.time = value.empty() ? TimeFormat::text : TimeFormat::json;
  return Status::ok();
}

Status run::setCompileThreads(Flags &flags, std::string_view value) {
  uint64_t threads = 0;
  NNHAL_RETURN_IF_ERROR(parseInto(value, 1, rt::WorkPool::maxThreads, threads));
  flags.compile.threads = uint32_t(threads);
  return Status::ok();
}

Status run::setThreads(Flags &flags, std::string_view value) {
  return parseInto(value, 0, rt::WorkPool::maxThreads, flags.threads);
}

Status run::setMode(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.modes, parseModes(value));
  return Status::ok();
}

static Status setCompileAfter(Flags &flags, uint64_t executions) {
  if (flags.compileAfter && *flags.compileAfter != executions)
    return badData("a model has one time to be compiled: give --deferred or "
                   "--stages, once");
  flags.compileAfter = executions;
  return Status::ok();
}

Status run::setDeferred(Flags &flags, std::string_view) {
  return setCompileAfter(flags, 0);
}

Status run::setStages(Flags &flags, std::string_view value) {
  uint64_t after = 0;
  NNHAL_RETURN_IF_ERROR(parseInto(value, 1, maxCount, after));
  return setCompileAfter(flags, after);
}

Status run::setPrintOutputs(Flags &flags, std::string_view value) {
  uint64_t count = 10;
  if (!value.empty())
    NNHAL_RETURN_IF_ERROR(parseInto(value, 0, maxCount, count));
  flags.printOutputs = count;
  return Status::ok();
}

Status run::setLoopTimeout(Flags &flags, std::string_view value) {
  uint64_t milliseconds = 0;
  NNHAL_RETURN_IF_ERROR(parseInto(value, 0, maxCount, milliseconds));
  flags.loopTimeout = milliseconds * 1'000'000;
  return Status::ok();
}
