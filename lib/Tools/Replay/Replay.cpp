//===- Replay.cpp - Recorded executions once more -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replay.h"

#include "Tools/Execution/Modes.h"
#include "Tools/Tensors/Inputs.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;

rt::Result<std::vector<rt::TestCase>>
tools::readRecordingFile(const std::string &path) {
  NNHAL_ASSIGN_OR_RETURN(rt::Memory file, rt::Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  std::string folder = std::filesystem::path(path).parent_path().string();
  std::vector<rt::TestCase> cases;
  Status status = rt::readTestCases(
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
      [&](rt::TestCase test) -> Status {
        if (!test.recording)
          return rt::badData("the case '{}' was not recorded: it has no "
                             "\"recording\"",
                             test.name);
        if (!cases.empty() &&
            cases[0].recording->settings != test.recording->settings)
          return rt::badData("the cases '{}' and '{}' were recorded with "
                             "different settings",
                             cases[0].name, test.name);
        cases.push_back(std::move(test));
        return Status::ok();
      },
      folder.empty() ? "." : folder);
  if (status.isOk() && cases.empty())
    status = rt::badData("there is no recorded case");
  if (status.isOk())
    return cases;
  return std::move(status).withContext(fmt::format("'{}'", path));
}

std::string tools::firstDifference(std::span<const std::byte> actual,
                                   std::span<const uint8_t> recorded) {
  auto expected = std::as_bytes(recorded);
  // Outputs of the same shape have the same size.
  auto [found, wanted] = std::ranges::mismatch(actual, expected);
  if (found == actual.end() || wanted == expected.end())
    return {};
  return fmt::format("byte {} of {} is 0x{:02x}, recorded 0x{:02x}",
                     found - actual.begin(), actual.size(), uint8_t(*found),
                     uint8_t(*wanted));
}

static ExecutionMode modeOf(rt::RecordedWay way) {
  switch (way) {
  case rt::RecordedWay::sync:
    return ExecutionMode::sync;
  case rt::RecordedWay::async:
    return ExecutionMode::async;
  case rt::RecordedWay::fenced:
    return ExecutionMode::fenced;
  case rt::RecordedWay::burst:
    break;
  }
  return ExecutionMode::burst;
}

namespace {
/// The calls of one case.
class CaseReplay {
public:
  CaseReplay(const rt::TestCase &test, rt::PreparedModelRef prepared,
             std::optional<uint64_t> timeLimit)
      : test(test), prepared(std::move(prepared)), timeLimit(timeLimit) {}

  /// Repeats call \p index and says what is different; empty for nothing.
  std::string repeat(size_t index);
  /// The duration of the last call.
  uint64_t nanoseconds() const { return elapsed; }

private:
  rt::Request makeRequest(size_t index);
  std::string compare(size_t index, const Status &status) const;

  const rt::TestCase &test;
  rt::PreparedModelRef prepared;
  std::optional<uint64_t> timeLimit;
  /// One burst is used for all calls over bursts.
  std::map<rt::RecordedWay, Executions> executions;
  std::vector<std::vector<std::byte>> outputs;
  rt::ExecutionResult result;
  uint64_t elapsed = 0;
};
} // namespace

rt::Request CaseReplay::makeRequest(size_t index) {
  // The room for an output of a call that failed, whose size nobody knows.
  constexpr uint64_t amplySized = 1 << 20;
  const rt::TestExample &example = test.examples[index];
  const rt::RecordedCall &call = test.recording->calls[index];
  rt::Request request;
  request.loopTimeout = call.loopTimeout;
  for (const rt::TestTensor &input : example.inputs) {
    rt::InputArgument &argument = request.inputs.emplace_back();
    if (input.isAbsent)
      continue;
    argument.memory = rt::Memory::copy(std::as_bytes(std::span(input.bytes)));
    argument.dimensions = input.dimensions;
  }
  outputs.clear();
  const rt::Interface &interface = prepared->interface();
  for (size_t i = 0; i < example.outputs.size(); ++i) {
    const rt::TestTensor &output = example.outputs[i];
    const rt::InterfaceTensor &tensor = interface.outputs[i];
    uint64_t size = output.bytes.size();
    if (output.isAbsent) {
      auto stated = byteSizeOf(tensor, tensor.dimensions);
      size = stated.isOk() && *stated > 0 ? *stated : amplySized;
    }
    outputs.emplace_back(size);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    rt::OutputArgument &argument = request.outputs.emplace_back();
    argument.memory = rt::OutputMemory::borrow(outputs[i]);
    if (call.way == rt::RecordedWay::fenced && !example.outputs[i].isAbsent)
      argument.dimensions = example.outputs[i].dimensions;
  }
  request.deadline = deadlineAfter(timeLimit);
  return request;
}

std::string CaseReplay::compare(size_t index, const Status &status) const {
  const rt::RecordedStep &step = test.recording->calls[index].step;
  if (status.code() != step.status)
    return fmt::format("{}{}{}, recorded {}", rt::toString(status.code()),
                       status.isOk() ? "" : ": ", status.message(),
                       rt::toString(step.status));
  if (!status.isOk())
    return {};
  const rt::TestExample &example = test.examples[index];
  for (size_t i = 0; i < example.outputs.size(); ++i) {
    const rt::TestTensor &recorded = example.outputs[i];
    if (recorded.isAbsent)
      continue;
    const std::vector<uint32_t> &dimensions = result.outputShapes[i].dimensions;
    if (dimensions != recorded.dimensions)
      return fmt::format("output {}: shape [{}], recorded [{}]", i,
                         fmt::join(dimensions, ","),
                         fmt::join(recorded.dimensions, ","));
    std::string difference = firstDifference(outputs[i], recorded.bytes);
    if (!difference.empty())
      return fmt::format("output {}: {}", i, difference);
  }
  return {};
}

std::string CaseReplay::repeat(size_t index) {
  rt::RecordedWay way = test.recording->calls[index].way;
  auto [execution, isNew] = executions.try_emplace(way, modeOf(way), prepared);
  (void)isNew;
  rt::Request request = makeRequest(index);
  result = {};
  auto begin = std::chrono::steady_clock::now();
  Status status = execution->second.execute(request, result);
  elapsed = uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::steady_clock::now() - begin)
                         .count());
  return compare(index, status);
}

static std::string timesText(uint64_t nanoseconds,
                             const rt::RecordedStep &step) {
  return fmt::format("{:.3f} ms, recorded {:.3f} ms", double(nanoseconds) / 1e6,
                     double(step.nanoseconds) / 1e6);
}

/// Prepares \p test and tells what is different from the recorded preparation.
/// Null where there is nothing to execute.
static rt::PreparedModelRef
prepareAgain(const ReplayRequest &request, const rt::TestCase &test,
             const rt::Device &device, ReplayOutcome &outcome,
             const std::function<void(std::string_view)> &tell) {
  rt::AnnotatedModel annotated;
  annotated.model = test.model;
  auto begin = std::chrono::steady_clock::now();
  auto prepared =
      device.prepareModel(annotated, prepareOptions(request.preparation));
  auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::steady_clock::now() - begin);
  // Requests that were recorded by themselves follow a preparation that
  // succeeded.
  rt::RecordedStep recorded =
      test.recording->preparation.value_or(rt::RecordedStep{});
  std::string times =
      test.recording->preparation
          ? timesText(uint64_t(elapsed.count()), recorded)
          : fmt::format("{:.3f} ms", double(elapsed.count()) / 1e6);
  rt::StatusCode code = prepared.status().code();
  if (code == recorded.status) {
    tell(fmt::format("{}: preparation: {}, {}", test.name, rt::toString(code),
                     times));
  } else {
    ++outcome.differences;
    tell(fmt::format("{}: preparation: {}{}{}, recorded {}", test.name,
                     rt::toString(code), prepared.isOk() ? "" : ": ",
                     prepared.status().message(),
                     rt::toString(recorded.status)));
  }
  return prepared.isOk() ? *prepared : nullptr;
}

ReplayOutcome tools::replay(const ReplayRequest &request,
                            const std::vector<rt::TestCase> &cases,
                            const rt::Device &device,
                            const std::function<void(std::string_view)> &tell) {
  ReplayOutcome outcome;
  for (const rt::TestCase &test : cases) {
    rt::PreparedModelRef prepared =
        prepareAgain(request, test, device, outcome, tell);
    if (!prepared)
      continue;
    CaseReplay calls(test, std::move(prepared), request.timeLimit);
    for (size_t i = 0; i < test.recording->calls.size(); ++i) {
      const rt::RecordedCall &call = test.recording->calls[i];
      std::string difference = calls.repeat(i);
      ++outcome.executions;
      outcome.differences += difference.empty() ? 0 : 1;
      tell(fmt::format("{}: execution {} ({}): {}, {}", test.name, i,
                       nameOf(modeOf(call.way)),
                       difference.empty() ? "as recorded" : difference,
                       timesText(calls.nanoseconds(), call.step)));
    }
  }
  return outcome;
}
