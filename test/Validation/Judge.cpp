//===- Judge.cpp - Whether a device answers mutations as it must ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Judge.h"

#include "nnhal/Runtime/Burst.h"
#include "nnhal/Runtime/Fence.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>

using namespace nnhal;
using namespace nnhal::mutations;
using rt::Status;
using rt::StatusCode;

void Tally::add(const Tally &other) {
  for (const auto &[key, count] : other.counts)
    counts[key] += count;
  violations.insert(violations.end(), other.violations.begin(),
                    other.violations.end());
  cases += other.cases;
  prepared += other.prepared;
}

uint64_t Tally::total() const {
  uint64_t sum = 0;
  for (const auto &[key, count] : counts)
    sum += count;
  return sum;
}

std::string Tally::summary() const {
  std::string text;
  for (const auto &[key, count] : counts)
    text += fmt::format("{:<32} {:<28} {}\n", nameOf(key.first),
                        rt::toString(key.second), count);
  return text + fmt::format("{} answers to mutations of {} cases, {} of them "
                            "executed; {} violations\n",
                            total(), cases, prepared, violations.size());
}

namespace {

/// One case on a device.
class CaseJudge {
public:
  CaseJudge(const rt::TestCase &test, const rt::Device &device, Tally &tally,
            const Progress &progress)
      : test(test), device(device), tally(tally), progress(progress) {}

  void judge();

private:
  void begin(const std::string &text);
  void fail(std::string_view call, const Status &answer);
  void fail(std::string what);
  void judgeModel(const ModelMutation &mutation);
  void judgeInvalid(const ModelMutation &mutation);
  void judgeOther(const ModelMutation &mutation);
  void judgeRequests();
  void judgeRequest(const RequestMutation &mutation);
  void judgeAnswer(const RequestMutation &mutation, std::string_view way,
                   const std::vector<StatusCode> &allowed, const Status &answer,
                   const rt::ExecutionResult &result);

  const rt::TestCase &test;
  const rt::Device &device;
  Tally &tally;
  const Progress &progress;
  std::string current;
  rt::PreparedModelRef prepared;
  std::unique_ptr<rt::Burst> burst;
  Arguments *arguments = nullptr;
};

/// What an asynchronous call told through its callback, and how often.
struct Answer {
  std::promise<void> first;
  std::atomic<int> calls = 0;
  Status status;
  rt::ExecutionResult result;

  void give(Status given) {
    if (calls++ > 0)
      return;
    status = std::move(given);
    first.set_value();
  }
};

} // namespace

void CaseJudge::begin(const std::string &text) {
  current = fmt::format("{}/{}: {}", test.spec, test.name, text);
  if (progress)
    progress(current);
}

void CaseJudge::fail(std::string what) {
  tally.violations.push_back(fmt::format("{}: {}", current, what));
}

void CaseJudge::fail(std::string_view call, const Status &answer) {
  fail(fmt::format("{} answers {}{}{}", call, rt::toString(answer.code()),
                   answer.isOk() ? "" : ": ", answer.message()));
}

/// The model as the asynchronous call takes it: the caller keeps it.
static std::shared_ptr<const rt::AnnotatedModel>
borrow(const rt::AnnotatedModel &model) {
  return {std::shared_ptr<void>(), &model};
}

void CaseJudge::judgeInvalid(const ModelMutation &mutation) {
  bool areOptionsValid = mutation.options == rt::PrepareOptions();
  if (areOptionsValid) {
    auto supported = device.supportedOperations(mutation.model);
    if (supported.status().code() != StatusCode::invalidArgument)
      fail("supportedOperations", supported.status());
    else if (supported.status().message().empty())
      fail("supportedOperations does not say why");
  }
  auto made = device.prepareModel(mutation.model, mutation.options);
  tally.counts[{mutation.kind, made.status().code()}] += 1;
  if (made.status().code() != StatusCode::invalidArgument)
    fail("prepareModel", made.status());
  auto answer = std::make_shared<Answer>();
  Status launched = device.prepareModelAsync(
      borrow(mutation.model), mutation.options,
      [answer](const rt::Result<rt::PreparedModelRef> &result) {
        answer->give(result.status());
      });
  if (launched.code() != StatusCode::invalidArgument)
    fail("prepareModelAsync", launched);
  answer->first.get_future().wait();
  if (answer->status.code() != StatusCode::invalidArgument)
    fail("the callback of prepareModelAsync", answer->status);
  if (answer->calls != 1)
    fail("the callback of prepareModelAsync was called more than once");
}

void CaseJudge::judgeOther(const ModelMutation &mutation) {
  auto supported = device.supportedOperations(mutation.model);
  if (mutation.expected == Expected::valid && !supported.isOk())
    fail("supportedOperations", supported.status());
  bool isSupported =
      supported.isOk() && std::ranges::all_of(*supported, &Status::isOk);
  if (supported.isOk() &&
      supported->size() != mutation.model.model.main.operations.size())
    fail(fmt::format("supportedOperations answers {} of {} operations",
                     supported->size(),
                     mutation.model.model.main.operations.size()));
  auto made = device.prepareModel(mutation.model, mutation.options);
  tally.counts[{mutation.kind, made.status().code()}] += 1;
  if (isSupported != made.isOk())
    fail(fmt::format("supportedOperations says {}, prepareModel {}",
                     isSupported ? "yes" : "no",
                     made.isOk() ? "yes" : made.status().message()));
  else if (!made.isOk() && made.status().code() != StatusCode::invalidArgument)
    fail("prepareModel", made.status());
}

void CaseJudge::judgeModel(const ModelMutation &mutation) {
  begin(mutation.text);
  if (mutation.expected == Expected::invalid)
    judgeInvalid(mutation);
  else
    judgeOther(mutation);
}

void CaseJudge::judgeAnswer(const RequestMutation &mutation,
                            std::string_view way,
                            const std::vector<StatusCode> &allowed,
                            const Status &answer,
                            const rt::ExecutionResult &result) {
  tally.counts[{mutation.kind, answer.code()}] += 1;
  if (!allowed.empty() &&
      std::ranges::find(allowed, answer.code()) == allowed.end())
    fail(way, answer);
  bool hasShapes =
      answer.isOk() || answer.code() == StatusCode::outputInsufficientSize;
  if (!hasShapes && !result.outputShapes.empty())
    fail(fmt::format("{} answers {} with shapes", way,
                     rt::toString(answer.code())));
  if (!answer.isOk() && result.timing != rt::Timing())
    fail(fmt::format("{} answers {} with durations", way,
                     rt::toString(answer.code())));
  if (!arguments->areGuardsIntact())
    fail(fmt::format("{} writes behind an output", way));
}

void CaseJudge::judgeRequest(const RequestMutation &mutation) {
  begin(mutation.text);
  auto judgeWay = [&](std::string_view way, const Status &answer,
                      const rt::ExecutionResult &result) {
    judgeAnswer(mutation, way, mutation.allowed, answer, result);
  };
  rt::Request request = mutation.request;
  request.measureTiming = true;
  rt::ExecutionResult result;
  Status answer = prepared->execute(request, result);
  judgeWay("execute", answer, result);

  auto told = std::make_shared<Answer>();
  Status launched = prepared->executeAsync(
      request, [told](Status status, const rt::ExecutionResult &result) {
        told->result = result;
        told->give(std::move(status));
      });
  told->first.get_future().wait();
  judgeWay("executeAsync", told->status, told->result);
  if (!launched.isOk() && launched.code() != told->status.code())
    fail("the return of executeAsync", launched);

  Status fenced;
  auto execution = prepared->executeFenced(request);
  if (!execution.isOk())
    fenced = execution.status();
  else if (rt::FenceRef fence = (*execution)->fence())
    fenced = fence->wait(rt::noDeadline);
  judgeAnswer(mutation, "executeFenced",
              mutation.allowedFenced.empty() ? mutation.allowed
                                             : mutation.allowedFenced,
              fenced, {});
  if (!burst)
    return;
  rt::ExecutionResult burstResult;
  Status burstAnswer = burst->execute(request, burstResult);
  judgeWay("a burst", burstAnswer, burstResult);
}

void CaseJudge::judgeRequests() {
  rt::AnnotatedModel model;
  model.model = test.model;
  auto supported = device.supportedOperations(model);
  if (!supported.isOk() || !std::ranges::all_of(*supported, &Status::isOk))
    return;
  auto made = device.prepareModel(model);
  begin("as it is");
  if (!made.isOk())
    return fail("prepareModel", made.status());
  prepared = *made;
  auto created = rt::Burst::create(prepared);
  if (!created.isOk())
    return fail("Burst::create", created.status());
  burst = std::move(*created);
  tally.prepared += 1;
  for (const rt::TestExample &example : test.examples) {
    Arguments memory(test.model, example);
    arguments = &memory;
    forEachRequestMutation(
        test.model, example, memory,
        [&](const RequestMutation &mutation) { judgeRequest(mutation); });
  }
}

void CaseJudge::judge() {
  // What is not valid as it is says nothing when it is changed.
  if (test.expectFailure)
    return;
  tally.cases += 1;
  forEachModelMutation(
      test.model, [&](const ModelMutation &mutation) { judgeModel(mutation); });
  judgeRequests();
}

void mutations::judgeCase(const rt::TestCase &test, const rt::Device &device,
                          Tally &tally, const Progress &progress) {
  CaseJudge(test, device, tally, progress).judge();
}
