//===- Judge.cpp - Compares a device with the reference -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Judge.h"

#include "Tools/Check/Check.h"
#include "Tools/Tensors/Compare.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::verify;
using rt::OperandType;
using rt::OperationType;
using rt::Status;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// \p actual against \p expected, by the criterion of a class or the table.
static Status compareTensor(std::optional<AccuracyClass> accuracy,
                            OperandType type, bool isRelaxed,
                            const TestTensor &actual,
                            const TestTensor &expected) {
  if (actual.dimensions != expected.dimensions)
    return rt::failure("shape [{}], expected [{}]",
                       fmt::join(actual.dimensions, ","),
                       fmt::join(expected.dimensions, ","));
  if (accuracy)
    return checkCriterion(criterionFor(*accuracy, type, isRelaxed), type,
                          actual, expected);
  const tools::ElementFormat &format = tools::formatOf(type);
  tools::Bounds bounds = tools::boundsFor(type, isRelaxed);
  tools::Differences found = tools::compareElements(
      format, bytesOf(actual).data(), format, bytesOf(expected).data(),
      elementCount(actual.dimensions), bounds);
  if (found.count == 0)
    return Status::ok();
  return rt::failure(
      "element {} {} is {}, expected {} within {:.3g}; {} of {} differ",
      found.first, tools::positionText(found.first, actual.dimensions),
      found.actual, found.expected,
      bounds.atol + bounds.rtol * std::abs(found.expected), found.count,
      elementCount(actual.dimensions));
}

namespace {

/// What the reference device answers for values that differ a little.
class Envelope {
public:
  Envelope(OperandType type, bool isRelaxed)
      : type(type), bounds(tools::boundsFor(type, isRelaxed)) {}

  /// Takes one answer; one of another shape is another possible answer.
  void add(const TestTensor &answer, const Shape &wanted) {
    if (answer.isAbsent || answer.dimensions != wanted)
      return;
    uint64_t count = elementCount(wanted);
    if (low.empty()) {
      low.assign(count, HUGE_VAL);
      high.assign(count, -HUGE_VAL);
    }
    isSeen = true;
    for (uint64_t i = 0; i < count; ++i) {
      double value = loadElement(type, answer.bytes, i);
      hasStrange = hasStrange || !std::isfinite(value);
      low[i] = std::min(low[i], value);
      high[i] = std::max(high[i], value);
    }
  }

  /// Whether \p actual lies among the answers, with as much room again on
  /// either side: few answers do not reach the ends of what is possible.
  bool contains(const TestTensor &actual) const {
    if (!isSeen)
      return false;
    if (hasStrange)
      return true; // At a pole anything may come out.
    for (uint64_t i = 0; i < low.size(); ++i) {
      double value = loadElement(type, actual.bytes, i);
      double room = high[i] - low[i] + bounds.atol +
                    bounds.rtol * std::max(std::abs(low[i]), std::abs(high[i]));
      if (!(value >= low[i] - room && value <= high[i] + room))
        return false;
    }
    return true;
  }

private:
  OperandType type;
  tools::Bounds bounds;
  std::vector<double> low, high;
  bool isSeen = false;
  bool hasStrange = false;
};

} // namespace

constexpr uint64_t noisyRuns = 24;

//===----------------------------------------------------------------------===//
// One operation
//===----------------------------------------------------------------------===//

/// Six standard deviations of the most uncertain frequency.
static double toleranceOfFrequencies(uint32_t samples) {
  return 3.0 / std::sqrt(double(samples));
}

/// Classes that were drawn are compared by their frequencies: which generator
/// a device uses is its own affair.
static Status judgeDrawn(const rt::Subgraph &main,
                         const rt::Operation &operation, const Tensors &inputs,
                         const TestTensor &actual, const TestTensor &expected) {
  if (actual.dimensions != expected.dimensions)
    return rt::failure("shape [{}], expected [{}]",
                       fmt::join(actual.dimensions, ","),
                       fmt::join(expected.dimensions, ","));
  return tools::compareFrequencies(
      inputs[0], main.operands[operation.inputs[0]].type, bytesOf(actual),
      toleranceOfFrequencies(actual.dimensions.back()));
}

/// Whether noise explains \p actual.
static bool isConditioning(const rt::Device &reference, const rt::Model &model,
                           const rt::Operation &operation,
                           const Tensors &inputs, const Tensors &actual) {
  const rt::Subgraph &main = model.main;
  // Inside a graph each operation may be off by itself.
  bool isControlFlow = operation.type == OperationType::IF ||
                       operation.type == OperationType::WHILE;
  NoiseLevel level = isControlFlow ? NoiseLevel::table : NoiseLevel::lastPlaces;
  bool hasFloats = std::ranges::any_of(operation.inputs, [&](uint32_t index) {
    return isFloat(main.operands[index].type);
  });
  if (!hasFloats && !isControlFlow)
    return false;
  bool isRelaxed = tools::isRelaxed(model);
  std::vector<Envelope> envelopes;
  envelopes.reserve(operation.outputs.size());
  for (uint32_t index : operation.outputs)
    envelopes.emplace_back(main.operands[index].type, isRelaxed);
  for (uint64_t run = 0; run <= noisyRuns; ++run) {
    Interpreter interpreter(reference, model,
                            run == 0 ? NoiseLevel::none : level, run);
    auto answer = interpreter.runOperation(main, operation, inputs);
    if (!answer.isOk())
      continue;
    for (size_t i = 0; i < envelopes.size(); ++i)
      envelopes[i].add((*answer)[i], actual[i].dimensions);
  }
  for (size_t i = 0; i < envelopes.size(); ++i)
    if (!isUnspecified(operation.type, i) && !envelopes[i].contains(actual[i]))
      return false;
  return true;
}

Status verify::judgeOperation(const rt::Device &reference,
                              const rt::Model &model,
                              const rt::Operation &operation,
                              const Tensors &inputs, const Tensors &actual,
                              std::optional<AccuracyClass> accuracy,
                              bool &isConditioned) {
  const rt::Subgraph &main = model.main;
  Interpreter interpreter(reference, model);
  auto expected = interpreter.runOperation(main, operation, inputs);
  if (!expected.isOk())
    return rt::failure("no error, but the reference device reports: {}",
                       expected.status().message());
  bool isRelaxed = tools::isRelaxed(model);
  for (size_t i = 0; i < actual.size(); ++i) {
    if (isUnspecified(operation.type, i))
      continue;
    if (operation.type == OperationType::RANDOM_MULTINOMIAL) {
      NNHAL_RETURN_IF_ERROR(
          judgeDrawn(main, operation, inputs, actual[i], (*expected)[i])
              .withContext("output 0"));
      continue;
    }
    Status status =
        compareTensor(accuracy, main.operands[operation.outputs[i]].type,
                      isRelaxed, actual[i], (*expected)[i]);
    if (status.isOk())
      continue;
    if (!isConditioning(reference, model, operation, inputs, actual))
      return std::move(status).withContext(fmt::format("output {}", i));
    isConditioned = true;
    return Status::ok();
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// A graph
//===----------------------------------------------------------------------===//

namespace {

/// One graph before its judge.
class Trial {
public:
  Trial(const rt::Device &tested, const rt::Device &reference,
        const rt::TestCase &test, const JudgeOptions &options)
      : tested(tested), reference(reference), test(test), options(options) {}

  Verdict run();

private:
  void fail(std::string stage, std::string message);
  bool judgeExample(const rt::PreparedModel &mine,
                    const rt::PreparedModel &theirs,
                    const rt::TestExample &example);
  void judgeDeviation(const rt::TestExample &example, const Tensors &actual,
                      const std::string &difference);
  bool judgeOperations(const rt::TestCase &alone, const Tensors &trace);
  void isolate(const rt::TestCase &alone, Tensors trace, size_t operation);
  void findTogether(const rt::TestCase &alone, const Tensors &trace);
  Status compareOutputs(const Tensors &actual, const Tensors &expected) const;
  std::optional<AccuracyClass> accuracyOf(const rt::Operation &operation,
                                          const Tensors &inputs) const;
  bool isWithinNoise(const rt::TestExample &example,
                     const Tensors &actual) const;

  const rt::Device &tested;
  const rt::Device &reference;
  const rt::TestCase &test;
  const JudgeOptions &options;
  Verdict verdict;
};

} // namespace

void Trial::fail(std::string stage, std::string message) {
  verdict.outcome = Verdict::Outcome::mismatch;
  verdict.stage = std::move(stage);
  verdict.message = std::move(message);
}

Status Trial::compareOutputs(const Tensors &actual,
                             const Tensors &expected) const {
  const rt::Subgraph &main = test.model.main;
  bool isRelaxed = tools::isRelaxed(test.model);
  for (size_t i = 0; i < actual.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        compareTensor(options.accuracy,
                      main.operands[main.outputIndexes[i]].type, isRelaxed,
                      actual[i], expected[i])
            .withContext(fmt::format("output {}", i)));
  return Status::ok();
}

/// The class of \p operation alone, where classes take the place of the table.
std::optional<AccuracyClass> Trial::accuracyOf(const rt::Operation &operation,
                                               const Tensors &inputs) const {
  if (!options.accuracy)
    return std::nullopt;
  auto alone = isolateOperation(test.model, test.model.main, operation, inputs);
  return alone.isOk() ? classOf(*alone)
                      : classOf(operation.type, rt::HalVersion::V1_3);
}

/// False, and a verdict, when an operation is wrong by itself.
bool Trial::judgeOperations(const rt::TestCase &alone, const Tensors &trace) {
  const rt::Subgraph &main = test.model.main;
  for (size_t i = 0; i < main.operations.size(); ++i) {
    const rt::Operation &operation = main.operations[i];
    Tensors inputs, actual;
    for (uint32_t index : operation.inputs)
      inputs.push_back(trace[index]);
    for (uint32_t index : operation.outputs)
      actual.push_back(trace[index]);
    bool isConditioned = false;
    Status status =
        judgeOperation(reference, test.model, operation, inputs, actual,
                       accuracyOf(operation, inputs), isConditioned);
    if (isConditioned)
      verdict.conditioned.push_back(operation.type);
    if (status.isOk())
      continue;
    fail("comparison", fmt::format("operation {} ({}): {}", i,
                                   nameOf(operation.type), status.message()));
    verdict.operation = i;
    isolate(alone, trace, i);
    return false;
  }
  return true;
}

/// Makes a case of \p operation with the inputs that it has in \p trace.
void Trial::isolate(const rt::TestCase &alone, Tensors trace,
                    size_t operation) {
  if (!options.wantsCulprit)
    return;
  const rt::Subgraph &main = test.model.main;
  const rt::Operation &wrong = main.operations[operation];
  Tensors inputs;
  for (uint32_t index : wrong.inputs)
    inputs.push_back(trace[index]);
  Interpreter interpreter(reference, test.model);
  auto expected = interpreter.runOperation(main, wrong, std::move(inputs));
  std::vector<bool> isKept(main.operations.size());
  isKept[operation] = true;
  if (expected.isOk())
    for (size_t i = 0; i < wrong.outputs.size(); ++i)
      trace[wrong.outputs[i]] = std::move((*expected)[i]);
  verdict.culprit = extract(alone, {std::move(trace)}, isKept);
  verdict.culprit->expectFailure = false;
  if (wrong.type != OperationType::RANDOM_MULTINOMIAL || !expected.isOk())
    return;
  rt::TestExample &example = verdict.culprit->examples[0];
  example.multinomialTolerance =
      toleranceOfFrequencies(example.outputs[0].dimensions.back());
  example.outputs[0].isAbsent = true;
}

/// Finds the first operation whose results, with what is before it compiled
/// together, are not those in \p trace.
void Trial::findTogether(const rt::TestCase &alone, const Tensors &trace) {
  if (!options.wantsCulprit)
    return;
  const rt::Subgraph &main = test.model.main;
  bool isRelaxed = tools::isRelaxed(test.model);
  for (size_t i = 0; i < main.operations.size(); ++i) {
    // The outputs of the operation alone; others would keep apart what is
    // wrong together.
    rt::TestCase last = extractResults(alone, {trace}, i);
    auto actual = prepareAndExecute(tested, last.model, last.examples[0].inputs,
                                    options.prepare);
    bool isSame = actual.isOk();
    for (size_t k = 0; isSame && k < actual->size(); ++k)
      isSame =
          compareTensor(
              options.accuracy,
              last.model.main.operands[last.model.main.outputIndexes[k]].type,
              isRelaxed, (*actual)[k], last.examples[0].outputs[k])
              .isOk();
    if (isSame)
      continue;
    verdict.message +=
        fmt::format("; operation {} ({}) is wrong with those before it", i,
                    nameOf(main.operations[i].type));
    verdict.operation = i;
    verdict.culprit = std::move(last);
    return;
  }
}

bool Trial::isWithinNoise(const rt::TestExample &example,
                          const Tensors &actual) const {
  const rt::Subgraph &main = test.model.main;
  std::vector<Envelope> envelopes;
  envelopes.reserve(main.outputIndexes.size());
  for (uint32_t index : main.outputIndexes)
    envelopes.emplace_back(main.operands[index].type,
                           tools::isRelaxed(test.model));
  for (uint64_t run = 0; run <= noisyRuns; ++run) {
    Interpreter interpreter(reference, test.model,
                            run == 0 ? NoiseLevel::none : NoiseLevel::table,
                            run);
    auto trace = interpreter.trace(main, example.inputs);
    if (!trace.isOk())
      continue;
    for (size_t i = 0; i < envelopes.size(); ++i)
      envelopes[i].add((*trace)[main.outputIndexes[i]], actual[i].dimensions);
  }
  for (size_t i = 0; i < envelopes.size(); ++i)
    if (!envelopes[i].contains(actual[i]))
      return false;
  return true;
}

void Trial::judgeDeviation(const rt::TestExample &example,
                           const Tensors &actual,
                           const std::string &difference) {
  const rt::Subgraph &main = test.model.main;
  rt::TestCase alone = test;
  alone.examples = {example};
  verdict.outcome = Verdict::Outcome::accumulated;
  auto traces = traceReference(reference, alone);
  if (!traces.isOk())
    return fail("execution",
                fmt::format("the reference device fails operation by "
                            "operation: {}",
                            traces.status().message()));
  Exposed exposed = expose(alone, *traces);
  auto values = prepareAndExecute(tested, exposed.test.model, example.inputs,
                                  options.prepare);
  Tensors trace;
  bool isSame = false;
  if (values.isOk()) {
    trace = (*traces)[0];
    for (size_t i = 0; i < exposed.operands.size(); ++i)
      trace[exposed.operands[i]] = std::move((*values)[i]);
    if (!judgeOperations(alone, trace))
      return;
    Tensors outputs;
    for (uint32_t index : main.outputIndexes)
      outputs.push_back(trace[index]);
    isSame = compareOutputs(actual, outputs).isOk();
  }
  if (difference.empty())
    verdict.outcome = Verdict::Outcome::agrees;
  if (difference.empty() || isSame || isWithinNoise(example, actual))
    return;
  fail("comparison",
       fmt::format("{}, though {}", difference,
                   values.isOk() ? "every operation is right by itself"
                                 : "the graph fails with all intermediate "
                                   "values as outputs: " +
                                       values.status().message()));
  if (values.isOk())
    findTogether(alone, trace);
}

/// False once there is a mismatch.
bool Trial::judgeExample(const rt::PreparedModel &mine,
                         const rt::PreparedModel &theirs,
                         const rt::TestExample &example) {
  auto expected = execute(theirs, example.inputs);
  auto actual = execute(mine, example.inputs);
  if (actual.isOk() != expected.isOk()) {
    fail("execution",
         actual.isOk()
             ? fmt::format("no error, but the reference device reports: {}",
                           expected.status().message())
             : fmt::format("{}, but the reference device reports no error",
                           actual.status().message()));
    return false;
  }
  if (!actual.isOk())
    return true;
  Status status = compareOutputs(*actual, *expected);
  if (!status.isOk() || options.judgesAllOperations)
    judgeDeviation(example, *actual, status.message());
  return verdict.outcome != Verdict::Outcome::mismatch;
}

Verdict Trial::run() {
  rt::AnnotatedModel annotated;
  annotated.model = test.model;
  auto theirs = reference.prepareModel(annotated);
  auto mine = tested.prepareModel(annotated, options.prepare);
  if (!theirs.isOk())
    fail("preparation", fmt::format("the reference device reports: {}",
                                    theirs.status().message()));
  else if (!mine.isOk())
    fail("preparation", fmt::format("all operations are supported, but: {}",
                                    mine.status().message()));
  if (!theirs.isOk() || !mine.isOk())
    return verdict;
  for (const rt::TestExample &example : test.examples)
    if (!judgeExample(**mine, **theirs, example))
      break;
  return verdict;
}

Verdict verify::judge(const rt::Device &tested, const rt::Device &reference,
                      const rt::TestCase &test, const JudgeOptions &options) {
  return Trial(tested, reference, test, options).run();
}
