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
#include <condition_variable>
#include <mutex>
#include <set>

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

/// The status and result that an asynchronous call gave to its callback first,
/// and how often it called back.
class Answer {
public:
  void give(Status given, const rt::ExecutionResult &with = {}) {
    std::lock_guard lock(mutex);
    if (calls++ > 0)
      return;
    first = std::move(given);
    result = with;
    called.notify_all();
  }
  /// Whether the callback came within \p patience. Then status and result do
  /// not change any more.
  bool comesWithin(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex);
    return called.wait_for(lock, patience, [&] { return calls > 0; });
  }
  const Status &status() const { return first; }
  const rt::ExecutionResult &executionResult() const { return result; }
  int callCount() {
    std::lock_guard lock(mutex);
    return calls;
  }

private:
  std::mutex mutex;
  std::condition_variable called;
  int calls = 0;
  Status first;
  rt::ExecutionResult result;
};

/// An asynchronous call of one mutation, to be looked at again in the end.
struct AnsweredCall {
  /// The case, the mutation and the call.
  std::string text;
  std::shared_ptr<Answer> answer;
};

/// One case on a device.
class CaseJudge {
public:
  CaseJudge(const rt::TestCase &test, const rt::Device &device, Tally &tally,
            const Progress &progress, std::chrono::milliseconds patience)
      : test(test), device(device), tally(tally), progress(progress),
        patience(patience) {}

  void judge();

private:
  void begin(const std::string &text);
  void fail(std::string_view call, const Status &answer);
  void fail(std::string what);
  void judgeModel(const ModelMutation &mutation);
  void judgeInvalid(const ModelMutation &mutation);
  void judgeInvalidAsync(const ModelMutation &mutation);
  void judgeOther(const ModelMutation &mutation);
  void judgeRequests();
  void judgeRequest(const RequestMutation &mutation);
  void judgeAsync(const RequestMutation &mutation, const rt::Request &request);
  void judgeFenced(const RequestMutation &mutation, const rt::Request &request);
  void judgeBurst(const RequestMutation &mutation, std::string_view way,
                  const rt::Request &request);
  bool isAnswered(std::string_view call, const std::shared_ptr<Answer> &answer);
  void judgeCallbacks();
  void judgeAnswer(const RequestMutation &mutation, std::string_view way,
                   const std::vector<StatusCode> &allowed, const Status &answer,
                   const rt::ExecutionResult &result);

  const rt::TestCase &test;
  const rt::Device &device;
  Tally &tally;
  const Progress &progress;
  const std::chrono::milliseconds patience;
  std::string current;
  rt::PreparedModelRef prepared;
  std::unique_ptr<rt::Burst> burst;
  std::shared_ptr<Arguments> arguments;
  std::vector<AnsweredCall> answered;
  /// The calls that have not called back.
  std::set<std::string_view> silent;
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
  judgeInvalidAsync(mutation);
}

void CaseJudge::judgeInvalidAsync(const ModelMutation &mutation) {
  static constexpr std::string_view call = "prepareModelAsync";
  if (silent.contains(call))
    return;
  auto answer = std::make_shared<Answer>();
  Status launched = device.prepareModelAsync(
      borrow(mutation.model), mutation.options,
      [answer](const rt::Result<rt::PreparedModelRef> &result) {
        answer->give(result.status());
      });
  if (launched.code() != StatusCode::invalidArgument)
    fail(call, launched);
  if (isAnswered(call, answer) &&
      answer->status().code() != StatusCode::invalidArgument)
    fail("the callback of prepareModelAsync", answer->status());
}

/// Waits for the callback of \p call. How often it is called is only known when
/// nobody is left who might: judgeCallbacks() looks at that.
bool CaseJudge::isAnswered(std::string_view call,
                           const std::shared_ptr<Answer> &answer) {
  if (answer->comesWithin(patience)) {
    answered.push_back({fmt::format("{}: {}", current, call), answer});
    return true;
  }
  fail(fmt::format("{} does not call back within {} ms", call,
                   patience.count()));
  silent.insert(call);
  return false;
}

void CaseJudge::judgeCallbacks() {
  for (const auto &[text, answer] : answered)
    if (int calls = answer->callCount(); calls != 1)
      tally.violations.push_back(
          fmt::format("{} calls back {} times", text, calls));
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
  if (!arguments->areGuardsIntact()) {
    fail(fmt::format("{} writes outside of an output", way));
    arguments->restoreGuards();
  }
}

void CaseJudge::judgeAsync(const RequestMutation &mutation,
                           const rt::Request &request) {
  static constexpr std::string_view call = "executeAsync";
  if (silent.contains(call))
    return;
  auto answer = std::make_shared<Answer>();
  // An execution whose callback is missing may still write to the arguments.
  Status launched = prepared->executeAsync(
      request, [answer, memory = arguments](Status status,
                                            const rt::ExecutionResult &result) {
        answer->give(std::move(status), result);
      });
  if (!isAnswered(call, answer))
    return;
  judgeAnswer(mutation, call, mutation.allowed, answer->status(),
              answer->executionResult());
  if (!launched.isOk() && launched.code() != answer->status().code())
    fail("the return of executeAsync", launched);
}

void CaseJudge::judgeFenced(const RequestMutation &mutation,
                            const rt::Request &request) {
  static constexpr std::string_view call = "executeFenced";
  if (silent.contains(call))
    return;
  Status answer;
  rt::ExecutionResult result;
  auto execution = prepared->executeFenced(request);
  if (execution.isOk()) {
    rt::FenceRef fence = (*execution)->fence();
    if (fence) {
      answer = fence->wait(rt::steadyNow() +
                           std::chrono::nanoseconds(patience).count());
      if (!fence->outcome()) {
        silent.insert(call);
        return fail(fmt::format("{} does not signal its fence within {} ms",
                                call, patience.count()));
      }
    }
    rt::ExecutionInfo info = (*execution)->executionInfo();
    if (!fence)
      answer = info.status;
    else if (info.status.code() != answer.code())
      fail("the information of executeFenced", info.status);
    // With an error neither of the two may be there (D-044).
    result.timing = info.timingLaunched == rt::Timing() ? info.timingFenced
                                                        : info.timingLaunched;
  } else {
    answer = execution.status();
  }
  judgeAnswer(mutation, call,
              mutation.allowedFenced.empty() ? mutation.allowed
                                             : mutation.allowedFenced,
              answer, result);
}

void CaseJudge::judgeBurst(const RequestMutation &mutation,
                           std::string_view way, const rt::Request &request) {
  rt::ExecutionResult result;
  Status answer = burst->execute(request, result);
  judgeAnswer(mutation, way, mutation.allowed, answer, result);
}

void CaseJudge::judgeRequest(const RequestMutation &mutation) {
  begin(mutation.text);
  rt::Request request = mutation.request;
  request.measureTiming = true;
  rt::ExecutionResult result;
  Status answer = prepared->execute(request, result);
  judgeAnswer(mutation, "execute", mutation.allowed, answer, result);
  judgeAsync(mutation, request);
  judgeFenced(mutation, request);
  judgeBurst(mutation, "a burst", request);
  // A burst copies borrowed outputs, and nothing behind them, from a pool.
  judgeBurst(mutation, "a burst with pools", arguments->inPools(request));
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
    auto memory = Arguments::create(test.model, example);
    if (!memory.isOk())
      return fail("the memory of a request", memory.status());
    arguments = *memory;
    forEachRequestMutation(
        test.model, example, *arguments,
        [&](const RequestMutation &mutation) { judgeRequest(mutation); });
  }
}

void CaseJudge::judge() {
  // The answers to changes of an invalid case show nothing.
  if (test.expectFailure)
    return;
  tally.cases += 1;
  forEachModelMutation(
      test.model, [&](const ModelMutation &mutation) { judgeModel(mutation); });
  judgeRequests();
  burst.reset();
  prepared.reset();
  arguments.reset();
  judgeCallbacks();
}

void mutations::judgeCase(const rt::TestCase &test, const rt::Device &device,
                          Tally &tally, const Progress &progress,
                          std::chrono::milliseconds patience) {
  CaseJudge(test, device, tally, progress, patience).judge();
}
