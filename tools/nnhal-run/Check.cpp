//===- Check.cpp - Runs one conformance case --------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "Compare.h"
#include "Load.h"

#include "nnhal/Runtime/TrailingDefaults.h"
#include "nnhal/Runtime/Validate.h"

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::run;
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

Status run::compareFrequencies(const rt::TestTensor &logits,
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
/// One case on its way through the stages.
class CaseRun {
public:
  CaseRun(rt::TestCase test, const PrepareCase &prepare)
      : test(std::move(test)), prepare(prepare) {}

  CaseResult run();

private:
  Status validate();
  Status runExample(size_t index);
  Status execute(const rt::TestExample &example);
  Status compare(const rt::TestExample &example);
  Status compareOutput(size_t index, const rt::TestTensor &expected);
  bool isInfiniteLoop() const {
    return test.spec.ends_with("while_infinite_loop");
  }

  rt::TestCase test;
  const PrepareCase &prepare;
  std::string stage;
  std::shared_ptr<rt::PreparedModel> prepared;
  std::vector<std::vector<std::byte>> outputs;
  rt::ExecutionResult result;
};
} // namespace

Status CaseRun::validate() {
  // The model states its arguments in full; the version that it is said to fit
  // may know fewer.
  rt::Model stripped = test.model;
  rt::removeTrailingDefaults(stripped);
  return rt::validateModel(stripped, test.minHalVersion);
}

Status CaseRun::execute(const rt::TestExample &example) {
  const rt::Subgraph &main = test.model.main;
  rt::Request request;
  if (isInfiniteLoop())
    request.loopTimeout = 1'000'000;
  for (const rt::TestTensor &input : example.inputs) {
    rt::InputArgument &argument = request.inputs.emplace_back();
    if (input.isAbsent)
      continue;
    argument.memory = rt::Memory::copy(std::as_bytes(std::span(input.bytes)));
    argument.dimensions = input.dimensions;
  }
  outputs.clear();
  for (size_t i = 0; i < example.outputs.size(); ++i) {
    const rt::TestTensor &output = example.outputs[i];
    const rt::Operand &operand = main.operands[main.outputIndexes[i]];
    // Nothing says how large an output is that is not compared and unknown.
    constexpr size_t amplySized = 1 << 20;
    size_t size = output.isAbsent ? rt::byteSizeOf(operand).value_or(amplySized)
                                  : output.bytes.size();
    outputs.emplace_back(size);
    request.outputs.emplace_back().memory =
        rt::OutputMemory::borrow(outputs.back());
  }
  return prepared->execute(request, result);
}

Status CaseRun::compareOutput(size_t index, const rt::TestTensor &expected) {
  const rt::Subgraph &main = test.model.main;
  rt::OperandType type = main.operands[main.outputIndexes[index]].type;
  const std::vector<uint32_t> &dimensions =
      result.outputShapes[index].dimensions;
  if (dimensions != expected.dimensions)
    return rt::failure("output {}: shape [{}], expected [{}]", index,
                       fmt::join(dimensions, ","),
                       fmt::join(expected.dimensions, ","));
  const ElementFormat &format = formatOf(type);
  Bounds bounds = boundsOf(test, type);
  Differences found = compareElements(
      format, outputs[index].data(), format,
      reinterpret_cast<const std::byte *>(expected.bytes.data()),
      expected.bytes.size() / format.size, bounds);
  if (found.count == 0)
    return Status::ok();
  return rt::failure("output {}: element {} {} is {}, expected {} within "
                     "{:.3g}; {} of {} differ",
                     index, found.first, positionText(found.first, dimensions),
                     found.actual, found.expected,
                     bounds.atol + bounds.rtol * std::abs(found.expected),
                     found.count, expected.bytes.size() / format.size);
}

Status CaseRun::compare(const rt::TestExample &example) {
  for (size_t i = 0; i < example.outputs.size(); ++i)
    if (!example.outputs[i].isAbsent)
      NNHAL_RETURN_IF_ERROR(compareOutput(i, example.outputs[i]));
  if (!example.multinomialTolerance)
    return Status::ok();
  const rt::Subgraph &main = test.model.main;
  size_t drawn = sizeof(int32_t);
  for (uint32_t extent : result.outputShapes[0].dimensions)
    drawn *= extent;
  return compareFrequencies(
      example.inputs[0], main.operands[main.inputIndexes[0]].type,
      std::span(outputs[0]).first(drawn), *example.multinomialTolerance);
}

Status CaseRun::runExample(size_t index) {
  const rt::TestExample &example = test.examples[index];
  stage = "execution";
  NNHAL_RETURN_IF_ERROR(execute(example));
  stage = "comparison";
  return compare(example);
}

CaseResult CaseRun::run() {
  CaseResult answer;
  using enum CaseResult::Outcome;
  int64_t begin = nowMicroseconds();
  stage = "validation";
  Status status = validate();
  if (status.isOk()) {
    stage = "preparation";
    int64_t validated = nowMicroseconds();
    auto made = prepare(test);
    answer.preparationMicroseconds = nowMicroseconds() - validated;
    status = made.status();
    if (made.isOk())
      prepared = *made;
  }
  bool isOnlyPrepared = status.isOk() && !prepared;
  if (!isOnlyPrepared)
    for (size_t i = 0; status.isOk() && i < test.examples.size(); ++i)
      status = runExample(i);
  answer.microseconds = nowMicroseconds() - begin;
  answer.name = test.name;
  answer.spec = test.spec;
  if (isOnlyPrepared)
    return answer;
  bool isExpected = !status.isOk() && stage != "comparison";
  // L-019: what has to end a loop is its time-out, nothing else.
  if (isInfiniteLoop())
    isExpected = status.code() == StatusCode::missedDeadlineTransient ||
                 status.code() == StatusCode::missedDeadlinePersistent;
  answer.outcome =
      (test.expectFailure ? isExpected : status.isOk()) ? passed : failed;
  if (!status.isOk()) {
    answer.stage = stage;
    answer.message =
        fmt::format("{}: {}", toString(status.code()), status.message());
  } else if (test.expectFailure) {
    answer.message = "nothing failed, a failure was expected";
  }
  return answer;
}

CaseResult run::checkCase(rt::TestCase test, const PrepareCase &prepare,
                          const rt::DerivedForm &form) {
  std::string name = test.name, spec = test.spec;
  auto applies = rt::deriveForm(test, form);
  using enum CaseResult::Outcome;
  if (!applies.isOk())
    return {name, spec, failed, "derivation", applies.status().message()};
  if (!*applies)
    return {name, spec, notApplicable, "", ""};
  return CaseRun(std::move(test), prepare).run();
}

CaseResult run::checkCase(rt::TestCase test, const rt::Device &device,
                          const rt::DerivedForm &form) {
  return checkCase(
      std::move(test),
      [&](const rt::TestCase &each) {
        rt::AnnotatedModel annotated;
        annotated.model = each.model;
        return device.prepareModel(annotated);
      },
      form);
}
