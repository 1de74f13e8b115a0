//===- NdkJudge.cpp - Whether the NDK answers mutations as it must --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NdkJudge.h"

#include "FeedModel.h"
#include "ModelCalls.h"
#include "RequestCalls.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

using namespace nnhal;
using namespace nnhal::test;
using mutations::Expected;
using mutations::Kind;
using mutations::ModelMutation;
using rt::OperandLifeTime;

/// The calls at which a mutation of \p kind is found: what one operand states
/// of itself when it is stated, what operations and graphs make of it later.
/// None for what the API has no words for.
static Call callsOf(Kind kind) {
  switch (kind) {
  case Kind::operandType:
  case Kind::operandZeroPoint:
    return Call::addOperand;
  // That of TENSOR_INT32 only matters where it is used.
  case Kind::operandScale:
    return Call::addOperand | Call::addOperation | Call::finish;
  case Kind::operandRank:
  case Kind::operandExtents:
    return Call::addOperand | Call::setParams | Call::setValue;
  case Kind::constantRegion:
    return Call::setValue;
  // Scales that are missing are so once something uses the operand.
  case Kind::channelScales:
    return Call::setParams | Call::setValue | Call::addOperation | Call::finish;
  case Kind::operationType:
  case Kind::operationInputIndex:
  case Kind::operationOutputIndex:
    return Call::addOperation;
  case Kind::operandAddWriter:
  case Kind::operationRemoveWrite:
  case Kind::removeOperationInput:
  case Kind::removeOperationOutput:
  case Kind::addOperationInput:
  case Kind::addOperationOutput:
  case Kind::executionOrder:
    return Call::addOperation | Call::finish;
  case Kind::modelInputs:
  case Kind::modelOutputs:
  case Kind::removeOperation:
    return Call::identify | Call::finish;
  // A constant of whatever value may contradict the operation, too.
  case Kind::operandInputOutput:
    return Call::addOperation | Call::identify | Call::finish;
  case Kind::operandLifetime:
  case Kind::operationOperandType:
  case Kind::removeOperand:
  case Kind::emptyGraph:
    return Call::addOperand | Call::setParams | Call::setValue |
           Call::addOperation | Call::identify | Call::finish;
  default:
    return Call::none;
  }
}

/// Clients say which operands are results and which are not by listing the
/// results: temporaries may be listed, and results left out, even all.
static bool isLegalList(const rt::Subgraph &graph) {
  std::set<uint32_t> seen;
  for (uint32_t index : graph.outputIndexes)
    if (index >= graph.operands.size() || !seen.insert(index).second)
      return false;
  return std::ranges::all_of(seen, [&](uint32_t index) {
    OperandLifeTime lifetime = graph.operands[index].lifetime;
    return lifetime == OperandLifeTime::SUBGRAPH_OUTPUT ||
           lifetime == OperandLifeTime::TEMPORARY_VARIABLE;
  });
}

/// Whether calls can say how \p changed differs from \p original.
static bool canState(Kind kind, const rt::Operand &original,
                     const rt::Operand &changed) {
  switch (kind) {
  case Kind::operandLifetime:
    return changed.lifetime <= OperandLifeTime::NO_VALUE;
  case Kind::operandInputOutput:
    return original.lifetime != OperandLifeTime::SUBGRAPH_OUTPUT &&
           original.lifetime != OperandLifeTime::TEMPORARY_VARIABLE;
  // Bytes that nobody has cannot be passed.
  case Kind::constantRegion:
    return changed.location.poolIndex == original.location.poolIndex &&
           changed.location.offset == original.location.offset &&
           changed.location.length <= original.location.length;
  default:
    return true;
  }
}

static bool canState(const ModelMutation &mutation, const rt::Model &original) {
  auto inGraph = [&](const rt::Subgraph &before, const rt::Subgraph &after) {
    if (mutation.kind == Kind::modelOutputs && before != after)
      return !isLegalList(after);
    if (before.operands.size() != after.operands.size())
      return true;
    for (size_t i = 0; i < before.operands.size(); ++i)
      if (before.operands[i] != after.operands[i] &&
          !canState(mutation.kind, before.operands[i], after.operands[i]))
        return false;
    return true;
  };
  const rt::Model &changed = mutation.model.model;
  if (!inGraph(original.main, changed.main))
    return false;
  for (size_t i = 0; i < original.referenced.size(); ++i)
    if (!inGraph(original.referenced[i], changed.referenced[i]))
      return false;
  return true;
}

namespace {

class CallJudge {
public:
  CallJudge(const rt::TestCase &test, mutations::Tally &tally,
            const mutations::Progress &progress)
      : test(test), tally(tally), progress(progress) {}

  void judge();

private:
  void begin(const std::string &text) {
    current = fmt::format("{}/{}: {}", test.spec, test.name, text);
    if (progress)
      progress(current);
  }
  void fail(std::string what) {
    tally.violations.push_back(fmt::format("{}: {}", current, what));
  }
  void count(Kind kind, int code) {
    tally.counts[{kind, statusCodeOf(code)}] += 1;
  }
  void judgeModel(const ModelMutation &mutation);
  void judgeOptions(const ModelMutation &mutation);
  void judgeRequests();

  const rt::TestCase &test;
  mutations::Tally &tally;
  const mutations::Progress &progress;
  std::string current;
};

} // namespace

void CallJudge::judgeOptions(const ModelMutation &mutation) {
  CalledModel called = callModel(test.model);
  if (called.failed != Call::none)
    return fail(
        fmt::format("{} returns {}", nameOf(called.failed), called.code));
  ANeuralNetworksCompilation *made = nullptr;
  (void)ANeuralNetworksCompilation_create(called.model.get(), &made);
  NdkCompilation compilation(made);
  int code = mutation.kind == Kind::preference
                 ? ANeuralNetworksCompilation_setPreference(
                       made, int32_t(mutation.options.preference))
                 // Low, medium and high are 90, 100 and 110 in the API.
                 : ANeuralNetworksCompilation_setPriority(
                       made, int32_t(mutation.options.priority));
  count(mutation.kind, code);
  if (code != ANEURALNETWORKS_BAD_DATA)
    fail(fmt::format("the call of the compilation returns {}", code));
}

void CallJudge::judgeModel(const ModelMutation &mutation) {
  bool isOfOptions =
      mutation.kind == Kind::preference || mutation.kind == Kind::priority;
  Call calls = callsOf(mutation.kind);
  bool mustSucceed = mutation.expected == Expected::valid ||
                     // The library puts operations in order.
                     mutation.kind == Kind::executionOrder;
  if (isOfOptions) {
    begin(mutation.text);
    return judgeOptions(mutation);
  }
  if (!mustSucceed && (calls == Call::none || !canState(mutation, test.model)))
    return;
  begin(mutation.text);
  CalledModel called = callModel(mutation.model.model);
  count(mutation.kind, called.code);
  if (mustSucceed) {
    if (called.failed != Call::none)
      fail(fmt::format("{} returns {}", nameOf(called.failed), called.code));
    return;
  }
  if (called.failed == Call::none) {
    if (mutation.expected == Expected::invalid)
      fail("every call returns NO_ERROR");
    return;
  }
  // An error in a referenced graph may be found only by the call that refers to
  // the graph.
  if (mutation.text.find(": referenced ") != std::string::npos)
    calls = calls | Call::setValue | Call::addOperation | Call::finish;
  if (called.code != ANEURALNETWORKS_BAD_DATA ||
      !contains(calls, called.failed))
    fail(fmt::format("{} returns {}", nameOf(called.failed), called.code));
}

void CallJudge::judgeRequests() {
  begin("as it is");
  CalledModel called = callModel(test.model);
  if (called.failed != Call::none)
    return fail(
        fmt::format("{} returns {}", nameOf(called.failed), called.code));
  RequestCalls calls(test, called.model.get());
  if (int code = calls.compile(); code != ANEURALNETWORKS_NO_ERROR)
    return fail(fmt::format("the compilation returns {}", code));
  tally.prepared += 1;
  for (const rt::TestExample &example : test.examples)
    calls.mutate(example, [&](const CalledMistake &mistake) {
      begin(
          fmt::format("{}: {}", mutations::nameOf(mistake.kind), mistake.text));
      int code = mistake.call();
      count(mistake.kind, code);
      if (std::ranges::find(mistake.allowed, code) == mistake.allowed.end())
        fail(fmt::format("the call returns {}", code));
    });
}

void CallJudge::judge() {
  // Extensions have other codes in the library than in a file.
  if (test.expectFailure || !test.model.extensionNameToPrefix.empty())
    return;
  tally.cases += 1;
  mutations::forEachModelMutation(
      test.model, [&](const ModelMutation &mutation) { judgeModel(mutation); });
  judgeRequests();
}

void test::judgeCaseByCalls(const rt::TestCase &test, mutations::Tally &tally,
                            const mutations::Progress &progress) {
  CallJudge(test, tally, progress).judge();
}
