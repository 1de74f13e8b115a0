//===- FallbackTest.cpp - Another device for what has failed --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionTesting.h"

#include "nnhal/Runtime/Buffer.h"
#include "nnhal/Runtime/DeviceSet.h"
#include "nnhal/Runtime/Fence.h"
#include "nnhal/Runtime/SharedMemory.h"
#include "nnhal/Runtime/Trace.h"

#include <cfloat>

using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;

using enum OperationType;

namespace {

class FallbackTest : public PartitionTesting {
protected:
  FallbackTest() {
    // The fallback device is one that can fail, too.
    fallback = std::make_unique<SyntheticDevice>(*reference, fallbackOptions());
    devices = {fallback.get()};
    first = &add("a", {ADD, MUL});
    second = &add("b", {ABS, FLOOR});
  }

  static SyntheticOptions fallbackOptions() {
    SyntheticOptions made;
    made.name = "fallback";
    made.capabilities = uniformCapabilities({1, 1});
    return made;
  }

  Result<std::shared_ptr<PartitionedModel>>
  tryPrepare(const AnnotatedModel &model) const {
    return preparePartitioned(std::make_shared<AnnotatedModel>(model), devices,
                              fallback.get(), options);
  }
  std::shared_ptr<PartitionedModel>
  prepared(const AnnotatedModel &model) const {
    auto made = tryPrepare(model);
    EXPECT_EQ(made.status().message(), "");
    return made.isOk() ? *made : nullptr;
  }

  std::string refusalOf(const AnnotatedModel &model) const {
    Status status =
        planPartition(model, devices, fallback.get(), options).status();
    EXPECT_EQ(status.code(), StatusCode::invalidArgument);
    return std::string(status.message());
  }
  /// A device that lists the extension "vendor.test" with \p types, and takes
  /// its operations 1 and 2 alone.
  SyntheticDevice &
  addVendor(std::string name,
            const std::vector<Extension::OperandTypeInfo> &types) {
    SyntheticOptions made;
    made.name = std::move(name);
    made.supports =
        supportsOnly({OperationType(0x40001), OperationType(0x40002)});
    made.extensions = {{"vendor.test", types}};
    return add(std::move(made));
  }

  std::unique_ptr<SyntheticDevice> fallback;
  SyntheticDevice *first;
  SyntheticDevice *second;
};

void fail(SyntheticDevice &device,
          StatusCode code = StatusCode::generalFailure) {
  device.state->failExecutions = code;
}

// I-036
TEST_F(FallbackTest, ASimplePlanGivesTheOriginalModel) {
  add("all", {ADD, ABS, MUL, FLOOR}, 0.1f);
  AnnotatedModel model = chainModel();
  model.model.extensionNameToPrefix = {{"vendor.test", 4}};
  prepared(model);
  ASSERT_EQ(synthetic.back()->state->models.size(), 1u);
  const AnnotatedModel &given = synthetic.back()->state->models[0];
  EXPECT_EQ(given.model.main, model.model.main);
  EXPECT_EQ(given.model.extensionNameToPrefix,
            model.model.extensionNameToPrefix);
  EXPECT_EQ(given.inputNames, model.inputNames);
}

// I-047: the fallback device is tried once, and its error is final.
TEST_F(FallbackTest, ASimplePlanFallsBackOnce) {
  SyntheticDevice &all = add("all", {ADD, ABS, MUL, FLOOR}, 0.1f);
  auto model = prepared(chainModel());
  fail(all);
  ChainArguments arguments;
  EXPECT_EQ(model->execute(arguments.request, arguments.result).message(), "");
  EXPECT_EQ(arguments.output, chainResult());
  EXPECT_EQ(model->fallbacks().models, 1u);
  EXPECT_EQ(fallback->state->executions, 1u);
  fail(*fallback, StatusCode::resourceExhaustedPersistent);
  EXPECT_EQ(model->execute(arguments.request, arguments.result).code(),
            StatusCode::resourceExhaustedPersistent);
  EXPECT_EQ(fallback->state->executions, 2u);
  // A plan for the fallback device alone has nothing to fall back to.
  synthetic.clear();
  devices = {fallback.get()};
  auto alone = prepared(chainModel());
  EXPECT_EQ(alone->execute(arguments.request, arguments.result).code(),
            StatusCode::resourceExhaustedPersistent);
  EXPECT_EQ(fallback->state->executions, 3u);
  EXPECT_EQ(alone->fallbacks().models, 0u);
}

// A device that waits for fences itself keeps doing so.
TEST_F(FallbackTest, AFencedExecutionThatFailsLaterFallsBack) {
  SyntheticDevice &all = add("all", {ADD, ABS, MUL, FLOOR}, 0.1f);
  auto model = prepared(chainModel());
  auto executeFenced = [&] {
    ChainArguments arguments;
    auto gate = Fence::create();
    auto fenced = model->executeFenced(arguments.request, {*gate}, {});
    EXPECT_EQ(fenced.status().message(), "");
    (*gate)->complete(Status::ok());
    if (FenceRef end = (*fenced)->fence())
      EXPECT_EQ(end->wait(noDeadline).message(), "");
    EXPECT_EQ((*fenced)->executionInfo().status.message(), "");
    EXPECT_EQ(arguments.output, chainResult());
  };
  executeFenced();
  EXPECT_EQ(all.state->executions, 1u);
  EXPECT_EQ(model->fallbacks().models, 0u);
  all.state->failsAfterLaunch = true;
  executeFenced();
  EXPECT_EQ(model->fallbacks().models, 1u);
  EXPECT_EQ(model->fallbacks().firstCause.message(), "a late failure");
  // One that fails at once is executed on a thread.
  fail(all);
  executeFenced();
  EXPECT_EQ(model->fallbacks().models, 2u);
}

// I-043: a step that the fallback device cannot prepare, or fails, leads to an
// execution of the whole model.
TEST_F(FallbackTest, TheWholeModelIsExecutedWhereAStepCannotBe) {
  auto model = prepared(chainModel());
  fail(*second);
  // The fallback device fails its first execution, which is that of the step.
  fail(*fallback);
  fallback->state->failCount = 1;
  ChainArguments arguments;
  EXPECT_EQ(model->execute(arguments.request, arguments.result).message(), "");
  EXPECT_EQ(arguments.output, chainResult());
  EXPECT_EQ(model->fallbacks().steps, 0u);
  EXPECT_EQ(model->fallbacks().models, 1u);
  fallback->state->failPreparations = StatusCode::generalFailure;
  auto other = prepared(chainModel());
  EXPECT_EQ(other->execute(arguments.request, arguments.result).message(),
            "a synthetic failure");
}

// I-048
TEST_F(FallbackTest, AStepOfTheFallbackDeviceIsNotRepeated) {
  synthetic.erase(synthetic.begin() + 1); // Nobody but the fallback has ABS.
  devices = {synthetic[0].get(), fallback.get()};
  auto model = prepared(chainModel());
  EXPECT_EQ(describe(model->plan()), "a:0 fallback:1 a:2 fallback:3");
  fail(*fallback);
  fallback->state->failCount = 1;
  ChainArguments arguments;
  EXPECT_EQ(model->execute(arguments.request, arguments.result).message(), "");
  EXPECT_EQ(arguments.output, chainResult());
  EXPECT_EQ(model->fallbacks().models, 1u);
  EXPECT_EQ(model->fallbacks().steps, 0u);
  EXPECT_EQ(fallback->state->executions, 2u);
}

// I-044
TEST_F(FallbackTest, AnOutputThatIsTooSmallIsReported) {
  auto model = prepared(chainModel());
  ChainArguments arguments;
  std::vector<float> small(2);
  arguments.request.outputs[0].memory =
      OutputMemory::borrow(std::as_writable_bytes(std::span(small)));
  EXPECT_EQ(model->execute(arguments.request, arguments.result).code(),
            StatusCode::outputInsufficientSize);
  ASSERT_EQ(arguments.result.outputShapes.size(), 1u);
  EXPECT_FALSE(arguments.result.outputShapes[0].isSufficient);
  EXPECT_EQ(arguments.result.outputShapes[0].dimensions,
            (std::vector<uint32_t>{4}));
  EXPECT_EQ(model->fallbacks().steps, 0u);
}

// I-044: between steps it is a failure.
TEST_F(FallbackTest, AValueBetweenStepsThatIsTooSmallIsAFailure) {
  auto model = prepared(chainModel());
  first->state->hasNoRoom = true;
  ChainArguments arguments;
  EXPECT_EQ(model->execute(arguments.request, arguments.result).message(), "");
  EXPECT_EQ(arguments.output, chainResult());
  EXPECT_EQ(model->fallbacks().steps, 2u);
  EXPECT_EQ(model->fallbacks().firstCause.code(), StatusCode::generalFailure);
  EXPECT_EQ(model->fallbacks().firstCause.message(),
            "step 0: a value between steps outgrew its memory: no room on "
            "purpose");
}

// D-080, I-045, I-086
TEST_F(FallbackTest, ADeadlineThatThePlanFindsMissedIsFinal) {
  std::atomic<int64_t> now = 1000;
  options.clock = [&] { return now.load(); };
  auto model = prepared(chainModel());
  ChainArguments arguments;
  arguments.request.deadline = steadyNow() + 3'600'000'000'000;
  second->state->onExecution = [&](const Request &request) {
    now = request.deadline;
  };
  Status status = model->execute(arguments.request, arguments.result);
  EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
  EXPECT_EQ(status.message(), "the deadline had passed before step 2 began");
  status = model->execute(arguments.request, arguments.result);
  EXPECT_EQ(status.code(), StatusCode::missedDeadlinePersistent);
  EXPECT_EQ(status.message(), "the deadline had passed before step 0 began");
  EXPECT_EQ(model->fallbacks().steps + model->fallbacks().models, 0u);
  auto fenced = model->executeFenced(arguments.request, {}, {});
  EXPECT_EQ(fenced.status().code(), StatusCode::missedDeadlinePersistent);
}

TEST_F(FallbackTest, AFencedExecutionBeforeItsDeadlineIsLaunched) {
  auto model = prepared(chainModel());
  ChainArguments arguments;
  arguments.request.deadline = steadyNow() + 3'600'000'000'000;
  auto fenced = model->executeFenced(arguments.request, {}, {});
  ASSERT_EQ(fenced.status().message(), "");
  if (FenceRef end = (*fenced)->fence())
    EXPECT_EQ(end->wait(noDeadline).message(), "");
  EXPECT_EQ(arguments.output, chainResult());
  EXPECT_EQ(model->fallbacks().steps + model->fallbacks().models, 0u);
}

// I-046
TEST_F(FallbackTest, AMissedDeadlineOfAStepFallsBack) {
  auto model = prepared(chainModel());
  fail(*second, StatusCode::missedDeadlineTransient);
  ChainArguments arguments;
  EXPECT_EQ(model->execute(arguments.request, arguments.result).message(), "");
  EXPECT_EQ(arguments.output, chainResult());
  EXPECT_EQ(model->fallbacks().steps, 2u);
}

// I-049
TEST_F(FallbackTest, TheTimingIsThatOfTheLastStep) {
  auto model = prepared(chainModel());
  ChainArguments arguments;
  arguments.request.measureTiming = true;
  EXPECT_EQ(model->execute(arguments.request, arguments.result).message(), "");
  EXPECT_NE(arguments.result.timing.timeInDriver, noTiming);
  arguments.request.measureTiming = false;
  EXPECT_EQ(model->execute(arguments.request, arguments.result).message(), "");
  EXPECT_EQ(arguments.result.timing, Timing());
}

TEST_F(FallbackTest, OperationsAreTimedOverAllSteps) {
  auto model = prepared(chainModel());
  ChainArguments arguments;
  arguments.request.measureOperations = true;
  EXPECT_EQ(model->execute(arguments.request, arguments.result).message(), "");
  EXPECT_EQ(arguments.result.operationTimes.size(), 4u);
}

// I-031
TEST_F(FallbackTest, AnErrorOfAStepIsOneOfTheCompilation) {
  for (StatusCode code :
       {StatusCode::generalFailure, StatusCode::invalidArgument,
        StatusCode::missedDeadlinePersistent, StatusCode::deviceUnavailable}) {
    second->state->failPreparations = code;
    auto model = prepared(chainModel());
    EXPECT_TRUE(model->fallbacks().atPreparation);
    EXPECT_EQ(model->fallbacks().firstCause.code(), code);
    ChainArguments arguments;
    EXPECT_EQ(model->execute(arguments.request, arguments.result).message(),
              "");
    EXPECT_EQ(arguments.output, chainResult());
  }
  EXPECT_EQ(log.size(), 4u);
  // Nothing that could help: the first error is the one.
  fallback->state->failPreparations = StatusCode::generalFailure;
  EXPECT_EQ(tryPrepare(chainModel()).status().message(),
            "step 1 on b: a synthetic failure");
}

TEST_F(FallbackTest, ADeviceThatPreparesNothing) {
  second->state->preparesNothing = true;
  auto model = prepared(chainModel());
  EXPECT_EQ(model->fallbacks().firstCause.message(),
            "step 1 on b: the device has prepared nothing");
  options.mode = PartitionMode::withoutFallback;
  EXPECT_EQ(tryPrepare(chainModel()).status().message(),
            "step 1 on b: the device has prepared nothing");
  options.mode = PartitionMode::withFallback;
  fallback->state->preparesNothing = true;
  EXPECT_EQ(tryPrepare(chainModel()).status().message(),
            "step 1 on b: the device has prepared nothing");
  EXPECT_EQ(log.back(), "error: fallback cannot step in: the fallback device "
                        "has prepared nothing");
}

// I-016, I-039: a device that was not listed steps in for nobody.
TEST_F(FallbackTest, WithListedDevicesTheErrorIsTheCallers) {
  devices.pop_back();
  options.isExplicit = true;
  auto model = prepared(chainModel());
  fail(*second, StatusCode::deviceUnavailable);
  ChainArguments arguments;
  EXPECT_EQ(model->execute(arguments.request, arguments.result).code(),
            StatusCode::deviceUnavailable);
  EXPECT_TRUE(arguments.result.outputShapes.empty());
  second->state->failPreparations = StatusCode::generalFailure;
  EXPECT_EQ(tryPrepare(chainModel()).status().message(),
            "step 1 on b: a synthetic failure");
  EXPECT_EQ(fallback->state->preparations, 0u);
}

// D-080, I-040
TEST_F(FallbackTest, AMissedDeadlineOfOneListedDeviceIsReported) {
  add("all", {ADD, ABS, MUL, FLOOR}, 0.1f);
  devices = {synthetic.back().get()};
  options.isExplicit = true;
  options.mode = PartitionMode::withoutFallback;
  for (StatusCode code : {StatusCode::missedDeadlineTransient,
                          StatusCode::missedDeadlinePersistent}) {
    synthetic.back()->state->failPreparations = code;
    EXPECT_EQ(tryPrepare(chainModel()).status().code(), code);
  }
}

/// The chain, its last operation one of an extension.
AnnotatedModel extensionModel() {
  AnnotatedModel model = chainModel();
  model.model.extensionNameToPrefix = {{"vendor.test", 4}};
  model.model.main.operations[3].type = OperationType(0x40001);
  return model;
}

// I-018, I-038
TEST_F(FallbackTest, ExtensionsDoNotFallBack) {
  EXPECT_EQ(planPartition(extensionModel(), devices, fallback.get(), options)
                .status()
                .code(),
            StatusCode::invalidArgument);
  EXPECT_EQ(planPartition(extensionModel(), devices, fallback.get(), options)
                .status()
                .message(),
            "main: operation 3 (vendor.test:1) is supported by none of 3 "
            "devices: a: not among the operations of the synthetic device; b: "
            "not among the operations of the synthetic device; fallback: the "
            "fallback device has no vendor.test:1");
  // Who does not list the extension does not get its operations (H-032).
  add("liar", {OperationType(0x40001)});
  EXPECT_NE(refusalOf(extensionModel())
                .find("liar: the device does not have extension "
                      "'vendor.test';"),
            std::string::npos)
      << refusalOf(extensionModel());
  SyntheticDevice &vendor = addVendor("vendor", {{0, true, 4}});
  vendor.state->failPreparations = StatusCode::generalFailure;
  EXPECT_EQ(tryPrepare(extensionModel()).status().message(),
            "step 3 on vendor: a synthetic failure");
  EXPECT_EQ(fallback->state->preparations, 0u);
}

// H-027, H-030: nobody states a performance of the extension's types, and the
// one device that has the operation gets it, slow as it seems, and nothing of
// the rest.
TEST_F(FallbackTest, ExtensionsGoToWhoHasThem) {
  SyntheticDevice &vendor = addVendor("vendor", {{0, true, 4}});
  AnnotatedModel model = extensionModel();
  Operation &product = model.model.main.operations[2];
  product.type = OperationType(0x40002);
  model.model.main.operands[product.outputs[0]].type = OperandType(0x40000);
  EXPECT_EQ(
      lookUp(vendor.capabilities().operandPerformance, OperandType(0x40000)),
      (PerformanceInfo{FLT_MAX, FLT_MAX}));
  for (Planner planner : {Planner::greedy, Planner::leastCost}) {
    options.planner = planner;
    auto made = planPartition(model, devices, fallback.get(), options);
    ASSERT_TRUE(made.isOk()) << made.status().message();
    ASSERT_FALSE(made->steps.empty());
    const PartitionStep &last = made->steps.back();
    EXPECT_EQ(made->candidates[last.device].name, vendor.name());
    EXPECT_EQ(last.operations, (std::vector<uint32_t>{2, 3}));
  }
  // H-034: nobody but the vendor's device has what lies between its operations.
  // H-019: only its step names the extension.
  (void)tryPrepare(model);
  ASSERT_FALSE(vendor.state->models.empty());
  const Model &own = vendor.state->models.back().model;
  EXPECT_EQ(own.extensionNameToPrefix, model.model.extensionNameToPrefix);
  EXPECT_EQ(std::ranges::count(own.main.operands,
                               OperandLifeTime::TEMPORARY_VARIABLE,
                               &Operand::lifetime),
            1);
  ASSERT_FALSE(first->state->models.empty());
  EXPECT_TRUE(first->state->models.back().model.extensionNameToPrefix.empty());
}

// H-013: devices that describe one extension differently disable it.
TEST_F(FallbackTest, ExtensionsAreDescribedInOneWay) {
  addVendor("vendor", {{0, true, 4}});
  SyntheticDevice &second = addVendor("other", {{0, true, 4}});
  EXPECT_TRUE(
      planPartition(extensionModel(), devices, fallback.get(), options).isOk());
  devices.erase(std::ranges::find(devices, &second));
  addVendor("third", {{0, true, 8}});
  EXPECT_NE(refusalOf(extensionModel())
                .find("third: extension 'vendor.test' is disabled: its types "
                      "are described in two ways"),
            std::string::npos)
      << refusalOf(extensionModel());
  DeviceSetOptions set;
  set.devices = devices;
  set.fallback = fallback.get();
  auto all = createDeviceSet(std::move(set));
  EXPECT_TRUE(all->extensions().empty());
  auto supported = all->supportedOperations(extensionModel());
  ASSERT_TRUE(supported.isOk()) << supported.status().message();
  EXPECT_TRUE((*supported)[0].isOk());
  EXPECT_FALSE((*supported)[3].isOk());
}

TEST_F(FallbackTest, FallbackIsTracedAndCounted) {
  options.tracer = std::make_shared<Tracer>();
  auto model = prepared(chainModel());
  fail(*second);
  ChainArguments arguments;
  EXPECT_EQ(model->execute(arguments.request, arguments.result).message(), "");
  unsigned sections = 0;
  int64_t counted = 0;
  for (const TraceEvent &event : options.tracer->events()) {
    sections += event.detail == "step on the fallback device";
    if (event.kind == TraceEvent::Kind::counter && event.detail == "fallbacks")
      counted = event.value;
  }
  EXPECT_EQ(sections, 2u);
  EXPECT_EQ(counted, 2);
}

// I-029, I-090
TEST_F(FallbackTest, ValuesOfUnknownSizeCannotLeaveAStep) {
  AnnotatedModel model = chainModel();
  for (Operand &operand : model.model.main.operands)
    if (operand.lifetime == OperandLifeTime::TEMPORARY_VARIABLE)
      operand.dimensions = {0};
  auto made = prepared(model);
  EXPECT_TRUE(made->fallbacks().atPreparation);
  EXPECT_EQ(made->fallbacks().firstCause.code(), StatusCode::generalFailure);
  EXPECT_EQ(made->fallbacks().firstCause.message(),
            "operand 3 leaves its step, and its size is not known");
  ChainArguments arguments;
  EXPECT_EQ(made->execute(arguments.request, arguments.result).message(), "");
  EXPECT_EQ(arguments.output, chainResult());
  // The cheapest plan avoids it where one device can have both ends.
  options.planner = Planner::leastCost;
  EXPECT_EQ(describe(prepared(model)->plan()), "fallback:0:1:2:3");
  EXPECT_FALSE(prepared(model)->fallbacks().atPreparation);
}

// I-090: known sizes between steps are enough.
TEST_F(FallbackTest, InputsOfUnknownSizeCanBeDivided) {
  AnnotatedModel model = chainModel();
  model.model.main.operands[0].dimensions = {0};
  auto made = prepared(model);
  EXPECT_EQ(made->plan().steps.size(), 4u);
  ChainArguments arguments;
  arguments.request.inputs[0].dimensions = {4};
  EXPECT_EQ(made->execute(arguments.request, arguments.result).message(), "");
  EXPECT_EQ(arguments.output, chainResult());
}

/// first = abs(a), second = floor(first): the first output is read.
AnnotatedModel readOutputModel(std::vector<uint32_t> between) {
  AnnotatedModel annotated;
  SubgraphBuilder builder(annotated.model);
  const auto type = OperandType::TENSOR_FLOAT32;
  uint32_t a = builder.input(type, {4});
  uint32_t none = builder.scalar(0);
  uint32_t sum = builder.output(type, std::move(between));
  uint32_t out = builder.output(type, {4});
  builder.operation(ADD, {a, a, none}, {sum});
  builder.operation(ABS, {sum}, {out});
  annotated.model.main = builder.finish();
  return annotated;
}

// I-058
TEST_F(FallbackTest, AnOutputIsReadFromTheCallersMemory) {
  auto model = prepared(readOutputModel({4}));
  EXPECT_EQ(describe(model->plan()), "a:0 b:1");
  std::vector<float> input = {-1, 2, -3, 4}, sum(4), out(4);
  const std::byte *read = nullptr;
  second->state->onExecution = [&](const Request &request) {
    auto bytes = request.inputs[0].memory.bytes();
    read = bytes.isOk() ? bytes->data() : nullptr;
  };
  Request request;
  request.inputs = {{Memory::borrow(std::as_bytes(std::span(input))), {}}};
  request.outputs = {
      {OutputMemory::borrow(std::as_writable_bytes(std::span(sum))), {}},
      {OutputMemory::borrow(std::as_writable_bytes(std::span(out))), {}}};
  ExecutionResult result;
  EXPECT_EQ(model->execute(request, result).message(), "");
  EXPECT_EQ(read, reinterpret_cast<const std::byte *>(sum.data()));
  EXPECT_EQ(sum, (std::vector<float>{-2, 4, -6, 8}));
  EXPECT_EQ(out, (std::vector<float>{2, 4, 6, 8}));
  // Outputs in a pool are read there.
  auto pool = SharedMemory::createAshmem(64);
  ASSERT_TRUE(pool.isOk());
  request.outputs[0].memory = OutputMemory::region(*pool, 16, 32);
  EXPECT_EQ(model->execute(request, result).message(), "");
  EXPECT_EQ(out, (std::vector<float>{2, 4, 6, 8}));
  // The roles of the output are that of its writer and that of its reader.
  auto roles = model->rolesOfOutput(0);
  ASSERT_EQ(roles.size(), 2u);
  EXPECT_FALSE(roles[0].isInput);
  EXPECT_TRUE(roles[1].isInput);
  EXPECT_EQ(roles[1].device, second);
  EXPECT_EQ(prepared(readOutputModel({0}))->fallbacks().firstCause.message(),
            "operand 2 is an output that another step reads, and its size is "
            "not known");
}

/// out = abs(in) + (1 + 2): one operation reads constants alone.
AnnotatedModel constantStepModel() {
  AnnotatedModel annotated;
  SubgraphBuilder builder(annotated.model);
  const auto type = OperandType::TENSOR_FLOAT32;
  uint32_t in = builder.input(type, {4});
  uint32_t one = builder.constant<float>(type, {4}, {1, 1, 1, 1});
  uint32_t two = builder.constant<float>(type, {4}, {2, 2, 2, 2});
  uint32_t none = builder.scalar(0);
  uint32_t three = builder.temporary(type, {4});
  uint32_t positive = builder.temporary(type, {4});
  uint32_t out = builder.output(type, {4});
  builder.operation(ADD, {one, two, none}, {three});
  builder.operation(ABS, {in}, {positive});
  builder.operation(ADD, {positive, three, none}, {out});
  annotated.model.main = builder.finish();
  return annotated;
}

// I-028
TEST_F(FallbackTest, AStepMayReadConstantsAlone) {
  auto model = prepared(constantStepModel());
  EXPECT_EQ(describe(model->plan()), "a:0 b:1 a:2");
  EXPECT_TRUE(first->state->models[0].model.main.inputIndexes.empty());
  auto result = run(*model, {{-1, 2, -3, 4}});
  ASSERT_TRUE(result.isOk()) << result.status().message();
  EXPECT_EQ(*result, (std::vector<float>{4, 5, 6, 7}));
}

// I-027
TEST_F(FallbackTest, StepsUseTheSamePools) {
  AnnotatedModel annotated = constantStepModel();
  Model &model = annotated.model;
  auto pool = SharedMemory::createAshmem(64);
  ASSERT_TRUE(pool.isOk());
  const std::vector<float> five(4, 5.0f);
  ASSERT_TRUE((*pool)->write(32, std::as_bytes(std::span(five))).isOk());
  model.pools = {{"ashmem", Memory::region(*pool, 0, 64), {}, 0, false},
                 {"ashmem", Memory::region(*pool, 0, 64), {}, 0, false}};
  model.main.operands[2].lifetime = OperandLifeTime::CONSTANT_REFERENCE;
  model.main.operands[2].location = {1, 32, 16};
  auto made = prepared(annotated);
  const Model &step = first->state->models[0].model;
  ASSERT_EQ(step.pools.size(), 1u);
  EXPECT_EQ(std::get<Memory::Descriptor>(step.pools[0].memory.kind()).pool,
            *pool);
  auto result = run(*made, {{-1, 2, -3, 4}});
  ASSERT_TRUE(result.isOk()) << result.status().message();
  EXPECT_EQ(*result, (std::vector<float>{7, 8, 9, 10}));
}

/// Device memory of a step, known by its token.
class DeviceMemoryTest : public FallbackTest {
protected:
  DeviceMemoryTest() {
    options.findBuffer = [this](const Device &device, uint32_t token) {
      asked.push_back(std::string(device.name()));
      for (auto &buffer : buffers)
        if (buffer->token() == token)
          return buffer;
      return std::shared_ptr<Buffer>();
    };
  }

  /// Memory for the roles of input 0 or output 0.
  std::shared_ptr<Buffer> allocate(const PartitionedModel &model,
                                   bool isInput) {
    auto roles = isInput ? model.rolesOfInput(0) : model.rolesOfOutput(0);
    PreparedModelRef step = roles[0].model;
    BufferRole role{0, roles[0].index, 1.0f};
    std::span<const BufferRole> one(&role, 1), none;
    auto made = roles[0].device->allocate(
        {}, std::span(&step, 1), isInput ? one : none, isInput ? none : one);
    EXPECT_EQ(made.status().message(), "");
    buffers.push_back(*made);
    return *made;
  }

  std::shared_ptr<SharedMemory> shared(const std::vector<float> &values) {
    auto pool = SharedMemory::createAshmem(values.size() * 4);
    EXPECT_TRUE((*pool)->write(0, std::as_bytes(std::span(values))).isOk());
    return *pool;
  }

  std::vector<std::shared_ptr<Buffer>> buffers;
  std::vector<std::string> asked;
};

// I-053, F-081, F-082
TEST_F(DeviceMemoryTest, AStepThatFallsBackWorksOnCopies) {
  auto model = prepared(chainModel());
  auto in = allocate(*model, true), out = allocate(*model, false);
  ChainArguments arguments;
  ASSERT_EQ(in->copyFrom(*shared(arguments.inputs[0]), {}).message(), "");
  arguments.request.inputs[0].memory = Memory::device(in->token());
  arguments.request.outputs[0].memory = OutputMemory::device(out->token());
  EXPECT_EQ(model->execute(arguments.request, arguments.result).message(), "");
  EXPECT_TRUE(asked.empty());
  fail(*first);
  fail(*second);
  EXPECT_EQ(model->execute(arguments.request, arguments.result).message(), "");
  EXPECT_EQ(model->fallbacks().steps, 4u);
  EXPECT_EQ(asked, (std::vector<std::string>{"a", "b"}));
  auto result = shared({0, 0, 0, 0});
  ASSERT_EQ(out->copyTo(*result).message(), "");
  std::vector<float> values(4);
  ASSERT_TRUE(
      result->read(0, std::as_writable_bytes(std::span(values))).isOk());
  EXPECT_EQ(values, chainResult());
}

// I-043, F-081
TEST_F(DeviceMemoryTest, AModelThatFallsBackWorksOnCopies) {
  SyntheticDevice &all = add("all", {ADD, ABS, MUL, FLOOR}, 0.1f);
  auto model = prepared(chainModel());
  auto in = allocate(*model, true), out = allocate(*model, false);
  ChainArguments arguments;
  ASSERT_EQ(in->copyFrom(*shared(arguments.inputs[0]), {}).message(), "");
  arguments.request.inputs[0].memory = Memory::device(in->token());
  arguments.request.outputs[0].memory = OutputMemory::device(out->token());
  fail(all);
  EXPECT_EQ(model->execute(arguments.request, arguments.result).message(), "");
  auto result = shared({0, 0, 0, 0});
  ASSERT_EQ(out->copyTo(*result).message(), "");
  std::vector<float> values(4);
  ASSERT_TRUE(
      result->read(0, std::as_writable_bytes(std::span(values))).isOk());
  EXPECT_EQ(values, chainResult());
  buffers.clear();
  EXPECT_EQ(model->execute(arguments.request, arguments.result).message(),
            "device memory " + std::to_string(in->token()) +
                " cannot be copied: its buffer is not known");
}

// F-035: what is wrong with the request is not the device's failure.
TEST_F(DeviceMemoryTest, AnOutputIsNoOtherArgument) {
  const std::vector<std::set<OperationType>> taken = {{ADD, FLOOR},
                                                      {ADD, ABS, MUL, FLOOR}};
  for (const std::set<OperationType> &types : taken) {
    bool isSimple = types.size() == 4;
    SyntheticDevice &device =
        add(isSimple ? "all" : "ends", types, isSimple ? 0.01f : 0.1f);
    device.state->failExecutions = StatusCode::invalidArgument;
    auto model = prepared(chainModel());
    ASSERT_EQ(model->plan().isSimple(), isSimple);
    auto out = allocate(*model, false);
    ChainArguments arguments;
    arguments.request.inputs[0].memory = Memory::device(out->token());
    arguments.request.outputs[0].memory = OutputMemory::device(out->token());
    Status status = model->execute(arguments.request, arguments.result);
    EXPECT_EQ(status.code(), StatusCode::invalidArgument);
    if (!isSimple)
      EXPECT_EQ(status.message(),
                "the buffer of output 0 is also that of input 0");
    EXPECT_EQ(model->fallbacks().steps + model->fallbacks().models, 0u);
  }
}

// F-081
TEST_F(DeviceMemoryTest, AnOutputOfUnknownShapeCannotBeCopied) {
  add("all", {ADD, ABS, MUL, FLOOR}, 0.1f);
  AnnotatedModel unknown = chainModel();
  for (Operand &operand : unknown.model.main.operands)
    if (operand.lifetime != OperandLifeTime::SUBGRAPH_INPUT &&
        operand.type == OperandType::TENSOR_FLOAT32)
      operand.dimensions = {0};
  auto model = prepared(unknown);
  auto out = allocate(*model, false);
  ChainArguments arguments;
  arguments.request.outputs[0].memory = OutputMemory::device(out->token());
  fail(*synthetic.back());
  EXPECT_EQ(model->execute(arguments.request, arguments.result).message(),
            "device memory of unknown size cannot be copied");
}

TEST_F(FallbackTest, RequestsHaveTheArgumentsOfTheModel) {
  auto model = prepared(chainModel());
  ExecutionResult result;
  ChainArguments arguments;
  arguments.request.outputs.clear();
  Status status = model->execute(arguments.request, result);
  EXPECT_EQ(status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(status.message(),
            "the request has 0 outputs, the divided model has 1");
  EXPECT_EQ(model->execute({}, result).message(),
            "the request has 0 inputs, the divided model has 2");
  bool isCalled = false;
  EXPECT_EQ(
      model
          ->executeAsync({}, [&](const Status &,
                                 const ExecutionResult &) { isCalled = true; })
          .code(),
      StatusCode::invalidArgument);
  EXPECT_TRUE(isCalled);
  EXPECT_EQ(model->executeAsync({}, {}).message(),
            "an asynchronous execution needs a callback");
  EXPECT_EQ(model->executeFenced({}, {}, {}).status().code(),
            StatusCode::invalidArgument);
  EXPECT_EQ(preparePartitioned(nullptr, devices, fallback.get(), options)
                .status()
                .message(),
            "a preparation needs a model");
}

// D-068
TEST_F(FallbackTest, OutputsOfFencedExecutionsHaveKnownExtents) {
  AnnotatedModel unknown = chainModel();
  unknown.model.main.operands[unknown.model.main.outputIndexes[0]]
      .dimensions = {0};
  auto model = prepared(unknown);
  ChainArguments arguments;
  EXPECT_EQ(model->executeFenced(arguments.request, {}, {}).status().message(),
            "output 0 of a fenced execution has unknown extents");
  arguments.request.outputs[0].dimensions = {4};
  auto fenced = model->executeFenced(arguments.request, {}, {});
  ASSERT_TRUE(fenced.isOk()) << fenced.status().message();
  EXPECT_EQ((*fenced)->fence()->wait(noDeadline).message(), "");
  EXPECT_EQ(arguments.output, chainResult());
}

TEST_F(FallbackTest, BurstsExecuteOneAtATime) {
  auto model = prepared(chainModel());
  auto burst = model->createBurst({});
  ASSERT_TRUE(burst.isOk());
  ChainArguments arguments, inner;
  Status nested;
  first->state->onExecution = [&](const Request &) {
    nested = (*burst)->execute(inner.request, inner.result);
  };
  EXPECT_EQ((*burst)->execute(arguments.request, arguments.result).message(),
            "");
  EXPECT_EQ(nested.message(), "another execution of the burst runs");
  first->state->onExecution = nullptr;
  EXPECT_EQ((*burst)->ordinaryExecutions(), 4u);
  (*burst)->invalidate();
  Status ended = (*burst)->execute(arguments.request, arguments.result);
  EXPECT_EQ(ended.code(), StatusCode::deadObject);
  EXPECT_EQ(ended.message(), "the burst is invalidated");
}

} // namespace
