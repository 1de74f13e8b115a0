//===- Check.cpp - Runs one conformance case ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "CaseExecution.h"
#include "Tools/Execution/Load.h"
#include "Tools/Tensors/Compare.h"

#include "Runtime/Model/TrailingDefaults.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Validate.h"

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;
using rt::StatusCode;

static Bounds boundsOf(const rt::TestCase &test, rt::OperandType type) {
  Bounds bounds = boundsFor(type, isRelaxed(test.model));
  // Errors of one step add up over the layers of a whole network.
  if (test.spec.find("mobilenet") != std::string::npos && rt::isQuantized(type))
    bounds.atol = 3.0;
  bounds.atol = test.atol.value_or(bounds.atol);
  bounds.rtol = test.rtol.value_or(bounds.rtol);
  return bounds;
}

Status tools::compareFrequencies(const rt::TestTensor &logits,
                                 rt::OperandType logitsType,
                                 std::span<const std::byte> drawn,
                                 double tolerance) {
  const ElementFormat &format = formatOf(logitsType);
  size_t classes = logits.dimensions.back();
  size_t batches = logits.bytes.size() / format.size / classes;
  size_t samples = drawn.size() / sizeof(int32_t) / batches;
  const auto *values = reinterpret_cast<const std::byte *>(logits.bytes.data());
  for (size_t batch = 0; batch < batches; ++batch) {
    std::vector<double> expected(classes), actual(classes);
    for (size_t c = 0; c < classes; ++c)
      expected[c] = format.load(values + (batch * classes + c) * format.size);
    double largest = *std::ranges::max_element(expected), sum = 0.0;
    for (double &weight : expected)
      sum += weight = std::exp(weight - largest);
    for (size_t s = 0; s < samples; ++s) {
      double drawnClass =
          formatOf(rt::OperandType::TENSOR_INT32)
              .load(drawn.data() + (batch * samples + s) * sizeof(int32_t));
      if (drawnClass < 0 || drawnClass >= double(classes))
        return rt::failure("output 0: class {} of {} was drawn", drawnClass,
                           classes);
      actual[size_t(drawnClass)] += 1.0;
    }
    for (size_t c = 0; c < classes; ++c)
      if (double is = actual[c] / double(samples), wanted = expected[c] / sum;
          std::abs(is - wanted) > tolerance)
        return rt::failure("output 0: class {} has frequency {}, expected {} "
                           "within {}",
                           c, is, wanted, tolerance);
  }
  return Status::ok();
}

namespace {
/// The stage that a case reached in one way, and the outcome.
struct WayOutcome {
  Status status;
  std::string stage;
  bool isOnlyPrepared = false;
  bool isDefined = true;
};

/// One case in all of its ways.
class CaseRun {
public:
  CaseRun(rt::TestCase test, const CaseSubject &subject)
      : test(std::move(test)), subject(subject) {}

  CaseResult run();

private:
  Status validate();
  bool hasArtifact() const;
  rt::Result<rt::PreparedModelRef> prepare(Way way);
  WayOutcome runWay(Way way);
  void judge(Way way, const WayOutcome &outcome);
  Status compare(const rt::TestExample &example, const CaseOutputs &outputs);
  Status compareOutput(size_t index, const rt::TestTensor &expected,
                       const CaseOutputs &outputs);

  rt::TestCase test;
  const CaseSubject &subject;
  /// The preparation that all ways but Way::cached share.
  std::optional<rt::Result<rt::PreparedModelRef>> prepared;
  CaseResult answer;
};
} // namespace

Status CaseRun::validate() {
  // The model states its arguments in full; the version that it is said to fit
  // may know fewer.
  rt::Model stripped = test.model;
  rt::removeTrailingDefaults(stripped);
  return rt::validateModel(stripped, test.minHalVersion);
}

/// Devices that compile make code for unknown ranks when the model is executed,
/// so that there is nothing to cache.
bool CaseRun::hasArtifact() const {
  if (subject.device && !subject.device->traits().compiles)
    return true;
  const rt::Subgraph &main = test.model.main;
  auto isOpen = [&](uint32_t index) {
    const rt::Operand &operand = main.operands[index];
    return rt::isTensor(operand.type) && operand.dimensions.empty();
  };
  return std::ranges::none_of(main.inputIndexes, isOpen) &&
         std::ranges::none_of(main.outputIndexes, isOpen);
}

Status CaseRun::compareOutput(size_t index, const rt::TestTensor &expected,
                              const CaseOutputs &outputs) {
  const rt::Subgraph &main = test.model.main;
  rt::OperandType type = main.operands[main.outputIndexes[index]].type;
  const std::vector<uint32_t> &dimensions =
      outputs.result.outputShapes[index].dimensions;
  if (dimensions != expected.dimensions)
    return rt::failure("output {}: shape [{}], expected [{}]", index,
                       fmt::join(dimensions, ","),
                       fmt::join(expected.dimensions, ","));
  const ElementFormat &format = formatOf(type);
  Bounds bounds = boundsOf(test, type);
  Differences found = compareElements(
      format, outputs.bytes[index].data(), format,
      reinterpret_cast<const std::byte *>(expected.bytes.data()),
      expected.bytes.size() / format.size, bounds);
  if (found.count == 0)
    return Status::ok();
  return rt::failure(
      "output {}: element {} {} is {}, expected {} within "
      "{:.3g}; {} of {} differ",
      index, found.first,
      positionText(found.first,
                   fileShape(type, dimensions, expected.bytes.size())),
      found.actual, found.expected,
      bounds.atol + bounds.rtol * std::abs(found.expected), found.count,
      expected.bytes.size() / format.size);
}

Status CaseRun::compare(const rt::TestExample &example,
                        const CaseOutputs &outputs) {
  for (size_t i = 0; i < example.outputs.size(); ++i)
    if (!example.outputs[i].isAbsent)
      NNHAL_RETURN_IF_ERROR(compareOutput(i, example.outputs[i], outputs));
  if (!example.multinomialTolerance)
    return Status::ok();
  const rt::Subgraph &main = test.model.main;
  size_t drawn = sizeof(int32_t);
  for (uint32_t extent : outputs.result.outputShapes[0].dimensions)
    drawn *= extent;
  return compareFrequencies(
      example.inputs[0], main.operands[main.inputIndexes[0]].type,
      std::span(outputs.bytes[0]).first(drawn), *example.multinomialTolerance);
}

rt::Result<rt::PreparedModelRef> CaseRun::prepare(Way way) {
  if (way != Way::cached && prepared)
    return *prepared;
  int64_t begin = nowMicroseconds();
  auto made =
      way == Way::cached ? subject.prepareCached(test) : subject.prepare(test);
  answer.preparationMicroseconds += nowMicroseconds() - begin;
  if (way != Way::cached)
    prepared = made;
  return made;
}

WayOutcome CaseRun::runWay(Way way) {
  WayOutcome outcome;
  auto end = [&](std::string_view stage, Status status = {}) {
    outcome.stage = stage;
    outcome.status = std::move(status);
    return outcome;
  };
  outcome.isDefined =
      way != Way::cached || (subject.prepareCached && hasArtifact());
  if (!outcome.isDefined)
    return outcome;
  if (Status status = validate(); !status.isOk())
    return end("validation", std::move(status));
  auto made = prepare(way);
  if (!made.isOk())
    return end("preparation", std::move(made).takeStatus());
  outcome.isOnlyPrepared = !*made;
  if (outcome.isOnlyPrepared)
    return outcome;
  CaseExecution execution(test, subject.device, *made, subject.timeLimit);
  for (const rt::TestExample &example : test.examples) {
    outcome.isDefined = execution.isDefined(example, way);
    if (!outcome.isDefined)
      return outcome;
    CaseOutputs outputs;
    if (Status status = execution.execute(example, way, outputs);
        !status.isOk())
      return end("execution", std::move(status));
    if (Status status = compare(example, outputs); !status.isOk())
      return end("comparison", std::move(status));
  }
  return end("comparison");
}

void CaseRun::judge(Way way, const WayOutcome &outcome) {
  if (!outcome.isDefined) {
    answer.undefined.push_back(way);
    return;
  }
  if (outcome.isOnlyPrepared)
    return;
  const Status &status = outcome.status;
  bool isExpected = !status.isOk() && outcome.stage != "comparison";
  // L-019: what has to end a loop is its time-out, nothing else.
  if (isInfiniteLoop(test))
    isExpected = status.code() == StatusCode::missedDeadlineTransient ||
                 status.code() == StatusCode::missedDeadlinePersistent;
  std::string stage, message;
  if (!status.isOk()) {
    stage = outcome.stage;
    message = fmt::format("{}: {}", toString(status.code()), status.message());
  } else if (test.expectFailure) {
    message = "nothing failed, a failure was expected";
  }
  bool hasPassed = test.expectFailure ? isExpected : status.isOk();
  if (!hasPassed) {
    answer.failures.push_back({way, stage, message});
    answer.outcome = CaseResult::Outcome::failed;
  }
  // The first failure counts; without one, the first that was expected.
  if (answer.failures.size() == (hasPassed ? 0 : 1) &&
      (!hasPassed || answer.message.empty())) {
    answer.stage = std::move(stage);
    answer.message = std::move(message);
  }
}

CaseResult CaseRun::run() {
  answer.name = test.name;
  answer.spec = test.spec;
  int64_t begin = nowMicroseconds();
  std::vector<Way> ways = subject.ways.list;
  if (ways.empty())
    ways.push_back(Way::sync);
  for (Way way : ways)
    judge(way, runWay(way));
  answer.microseconds = nowMicroseconds() - begin;
  if (answer.undefined.size() == ways.size())
    answer.outcome = CaseResult::Outcome::notApplicable;
  return std::move(answer);
}

CaseResult tools::checkCase(rt::TestCase test, const CaseSubject &subject,
                            const rt::DerivedForm &form) {
  std::string name = test.name, spec = test.spec;
  auto applies = rt::deriveForm(test, form);
  using enum CaseResult::Outcome;
  if (!applies.isOk())
    return {name, spec, failed, "derivation", applies.status().message()};
  if (!*applies)
    return {name, spec, notApplicable, "", ""};
  return CaseRun(std::move(test), subject).run();
}

CaseResult tools::checkCase(rt::TestCase test, const PrepareCase &prepare,
                            const rt::DerivedForm &form) {
  return checkCase(std::move(test), CaseSubject{.prepare = prepare}, form);
}

CaseResult tools::checkCase(rt::TestCase test, const rt::Device &device,
                            const rt::DerivedForm &form) {
  PrepareCase prepare = [&](const rt::TestCase &each) {
    rt::AnnotatedModel annotated;
    annotated.model = each.model;
    return device.prepareModel(annotated);
  };
  return checkCase(std::move(test), CaseSubject{&device, std::move(prepare)},
                   form);
}
