//===- SliceTest.cpp - What an older version has of a model ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Model/Slice.h"
#include "nnhal/Runtime/Compliance.h"
#include "nnhal/Runtime/Device.h"

#include "TestModels.h"

#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

using Indices = std::vector<uint32_t>;
constexpr OperandType floats = OperandType::TENSOR_FLOAT32;

/// ADD is of HAL 1.0, MAXIMUM of 1.2. Operand 0 is a constant activation and 1
/// and 2 are inputs; each operation reads two operands and writes the next one.
AnnotatedModel
chain(const std::vector<std::pair<OperationType, std::pair<uint32_t, uint32_t>>>
          &operations,
      const Indices &outputs) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  Subgraph &main = model.main;
  main.operands = {zeros(model, OperandType::INT32, {}, 4), input(floats, {2}),
                   input(floats, {2})};
  for (const auto &[type, inputs] : operations) {
    Indices list = {inputs.first, inputs.second};
    if (type == OperationType::ADD)
      list.push_back(0);
    main.operations.push_back({type, list, {uint32_t(main.operands.size())}});
    main.operands.push_back(temporary(floats, {2}));
  }
  for (uint32_t index : outputs)
    main.operands[index].lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
  main.inputIndexes = {1, 2};
  main.outputIndexes = outputs;
  annotated.inputNames = {"left", "right"};
  for (uint32_t index : outputs)
    annotated.outputNames.push_back("out" + std::to_string(index));
  computeConsumers(main);
  return annotated;
}

constexpr auto add = OperationType::ADD;
constexpr auto maximum = OperationType::MAXIMUM;

Slice slice(const AnnotatedModel &model, HalVersion version) {
  auto result = sliceOf(model, version);
  EXPECT_EQ(result.status().message(), "");
  return result.isOk() ? *std::move(result) : Slice();
}

/// A device that records what it is asked about, and supports what it is told.
class AskedDevice final : public Device {
public:
  explicit AskedDevice(HalVersion version) : version_(version) {}

  std::string_view name() const override { return "asked"; }
  std::string_view version() const override { return "1"; }
  DeviceType type() const override { return DeviceType::other; }
  HalVersion halVersion() const override { return version_; }
  const std::vector<Extension> &extensions() const override { return none; }
  CacheFiles cacheFiles() const override { return {}; }
  DeviceTraits traits() const override { return {}; }
  const Capabilities &capabilities() const override { return fast; }
  DeviceStatus status() const override { return DeviceStatus::available; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    asked.push_back(model.model);
    std::vector<Status> answers;
    for (const Operation &operation : model.model.main.operations)
      answers.push_back(operation.type == refused ? refusal() : Status::ok());
    answers.resize(answers.size() - forgotten);
    return answers;
  }
  Result<PreparedModelRef>
  prepareModel(const AnnotatedModel &, const PrepareOptions &,
               const PrepareObserver &) const override {
    return refusal();
  }
  Status prepareModelAsync(std::shared_ptr<const AnnotatedModel>,
                           const PrepareOptions &, PrepareCallback,
                           const PrepareObserver &) const override {
    return refusal();
  }
  Result<PreparedModelRef>
  prepareModelFromCache(const CacheHandles &, const CacheToken &,
                        const PrepareOptions &,
                        const PrepareObserver &) const override {
    return refusal();
  }
  Result<PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte>, const Memory &,
                           const PrepareOptions &) const override {
    return refusal();
  }
  Result<std::shared_ptr<Buffer>>
  allocate(const BufferDesc &, std::span<const PreparedModelRef>,
           std::span<const BufferRole>,
           std::span<const BufferRole>) const override {
    return refusal();
  }

  OperationType refused = OperationType::OEM_OPERATION;
  size_t forgotten = 0;
  mutable std::vector<Model> asked;

private:
  static Status refusal() {
    return {StatusCode::invalidArgument, "the device refuses it"};
  }
  HalVersion version_;
  std::vector<Extension> none;
  Capabilities fast = uniformCapabilities({0.5f, 0.5f});
};

TEST(SliceTest, I064_I066_SlicingAddMax) {
  // The temporary that MAXIMUM reads comes out of the slice.
  AnnotatedModel model = chain({{add, {1, 2}}, {maximum, {3, 2}}}, {4});
  Slice result = slice(model, HalVersion::V1_1);
  EXPECT_EQ(result.operations, (Indices{0})); // I-070.
  ASSERT_TRUE(result.model);
  const Subgraph &main = result.model->model.main;
  ASSERT_EQ(main.operations.size(), 1u);
  EXPECT_EQ(main.operations[0].type, add);
  EXPECT_EQ(main.operands.size(), 4u);
  EXPECT_EQ(main.outputIndexes, main.operations[0].outputs);
  EXPECT_EQ(main.operands[main.outputIndexes[0]].lifetime,
            OperandLifeTime::SUBGRAPH_OUTPUT);
  EXPECT_EQ(main.operands[main.outputIndexes[0]].numberOfConsumers, 0u);
  EXPECT_EQ(result.model->inputNames,
            (std::vector<std::string>{"left", "right"}));
  EXPECT_EQ(result.model->outputNames, (std::vector<std::string>{""}));
  EXPECT_EQ(result.model->model.halVersion, HalVersion::V1_1);
}

// I-005: a slice with another operation, or without one, is found.
TEST(SliceTest, I005_StrictSlicing) {
  AnnotatedModel model =
      chain({{add, {1, 2}}, {maximum, {3, 2}}, {add, {4, 2}}}, {5});
  Slice result = slice(model, HalVersion::V1_1);
  ASSERT_EQ(result.operations, (Indices{0, 2}));
  EXPECT_EQ(checkSlice(model, HalVersion::V1_1, result).message(), "");
  result.operations = {0, 1, 2};
  EXPECT_EQ(checkSlice(model, HalVersion::V1_1, result).message(),
            "the slice for HAL 1.1 has operation 1, which does not comply");
  result.operations = {0};
  EXPECT_EQ(checkSlice(model, HalVersion::V1_1, result).message(),
            "the slice for HAL 1.1 lacks operation 2, which complies");
}

TEST(SliceTest, I065_SlicingMaxAdd) {
  // The result of MAXIMUM goes into the slice, and its own inputs are dropped
  // where nobody else reads them.
  AnnotatedModel model = chain({{maximum, {1, 1}}, {add, {3, 2}}}, {4});
  Slice result = slice(model, HalVersion::V1_0);
  EXPECT_EQ(result.operations, (Indices{1})); // I-070.
  ASSERT_TRUE(result.model);
  const Subgraph &main = result.model->model.main;
  ASSERT_EQ(main.operations.size(), 1u);
  EXPECT_EQ(main.inputIndexes, (Indices{main.operations[0].inputs[1],
                                        main.operations[0].inputs[0]}));
  EXPECT_EQ(result.model->inputNames, (std::vector<std::string>{"right", ""}));
  EXPECT_EQ(result.model->outputNames, (std::vector<std::string>{"out4"}));
}

TEST(SliceTest, I065_I066_OutputsOfTheModel) {
  // Operand 3 is an output that another part writes, 4 one that both read, 5 a
  // temporary that only the slice reads.
  AnnotatedModel model = chain({{maximum, {1, 2}},
                                {add, {3, 1}},
                                {add, {4, 4}},
                                {maximum, {4, 5}},
                                {add, {5, 5}}},
                               {3, 6, 7, 4});
  Slice result = slice(model, HalVersion::V1_1);
  EXPECT_EQ(result.operations, (Indices{1, 2, 4}));
  ASSERT_TRUE(result.model);
  const Subgraph &main = result.model->model.main;
  const auto &operations = main.operations;
  EXPECT_EQ(main.inputIndexes,
            (Indices{operations[0].inputs[1], operations[0].inputs[0]}));
  EXPECT_EQ(main.outputIndexes,
            (Indices{operations[2].outputs[0], operations[0].outputs[0],
                     operations[1].outputs[0]}));
  EXPECT_EQ(result.model->outputNames,
            (std::vector<std::string>{"out7", "out4", ""}));
  EXPECT_EQ(validateModel(result.model->model, HalVersion::V1_1).message(), "");
}

TEST(SliceTest, I067_EqualInputsStayApart) {
  AnnotatedModel model =
      chain({{maximum, {1, 2}}, {maximum, {2, 1}}, {add, {3, 4}}}, {5});
  Slice result = slice(model, HalVersion::V1_0);
  ASSERT_TRUE(result.model);
  EXPECT_EQ(result.model->model.main.inputIndexes.size(), 2u);
  EXPECT_NE(result.model->model.main.operations[0].inputs[0],
            result.model->model.main.operations[0].inputs[1]);
}

TEST(SliceTest, I068_TypesThatTheVersionDoesNotHave) {
  AnnotatedModel model = chain({{add, {1, 2}}, {add, {1, 1}}}, {3, 4});
  for (uint32_t operand : {2u, 3u})
    model.model.main.operands[operand].type = OperandType::TENSOR_FLOAT16;
  model.model.main.operations[0].inputs[0] = 2;
  computeConsumers(model.model.main);
  Slice result = slice(model, HalVersion::V1_1);
  EXPECT_EQ(result.operations, (Indices{1}));
  ASSERT_TRUE(result.model);
  EXPECT_EQ(result.model->model.main.inputIndexes.size(), 1u);
}

TEST(SliceTest, I069_SliceModelToEmpty) {
  Slice result = slice(chain({{maximum, {1, 2}}}, {3}), HalVersion::V1_0);
  EXPECT_FALSE(result.model);
  EXPECT_TRUE(result.operations.empty());
  EXPECT_EQ(result.reason.message(), "HAL 1.0 has no operation of the model");
}

TEST(SliceTest, I069_NothingGoesInOrComesOut) {
  // The addition of two constants for MAXIMUM.
  AnnotatedModel model = chain({{add, {1, 2}}, {maximum, {3, 4}}}, {5});
  Model &plain = model.model;
  plain.main.operands[4] = input(floats, {2});
  plain.main.operands.push_back(output(floats, {2}));
  for (uint32_t operand : {1u, 2u})
    plain.main.operands[operand] = zeros(plain, floats, {2}, 8);
  plain.main.operations[1].outputs = {5};
  plain.main.inputIndexes = {4};
  model.inputNames = {"in"};
  computeConsumers(plain.main);
  Slice result = slice(model, HalVersion::V1_1);
  EXPECT_FALSE(result.model);
  EXPECT_EQ(result.reason.message(), "the part of the model that HAL 1.1 has "
                                     "is without inputs or outputs");
  // A result that nobody reads does not come out.
  model = chain({{add, {1, 2}}, {maximum, {1, 2}}}, {4});
  result = slice(model, HalVersion::V1_1);
  EXPECT_FALSE(result.model);
}

TEST(SliceTest, I071_TheRestHasToBeValid) {
  // Things of the whole model that the version does not have are left out: a
  // relaxed computation in 1.0, and names of extensions.
  AnnotatedModel model = chain({{add, {1, 2}}, {maximum, {3, 2}}}, {4});
  model.model.relaxComputationFloat32toFloat16 = true;
  model.model.extensionNameToPrefix = {{"vendor.test", 1}};
  for (HalVersion version : {HalVersion::V1_0, HalVersion::V1_1}) {
    Slice result = slice(model, version);
    ASSERT_TRUE(result.model);
    EXPECT_EQ(checkCompliance(result.model->model, version).message(), "");
    EXPECT_TRUE(result.model->model.extensionNameToPrefix.empty());
    EXPECT_EQ(result.model->model.relaxComputationFloat32toFloat16,
              version == HalVersion::V1_1);
  }
}

TEST(SliceTest, I064_WholeModelsAreNotCopied) {
  AnnotatedModel model = chain({{add, {1, 2}}}, {3});
  Slice result = slice(model, HalVersion::V1_0);
  EXPECT_EQ(result.model.get(), &model);
  EXPECT_EQ(result.operations, (Indices{0}));
}

TEST(SliceTest, I064_ConstantsAndPools) {
  AnnotatedModel model =
      chain({{add, {1, 2}}, {add, {1, 3}}, {maximum, {4, 2}}}, {5});
  Model &plain = model.model;
  std::vector<std::byte> bytes(16, std::byte(7));
  plain.pools = {{"hardware_buffer_blob", Memory::copy(bytes), {}, 0, false},
                 {"ashmem", Memory::copy(bytes), {}, 0, false}};
  Operand reference = operand(floats, {2}, OperandLifeTime::CONSTANT_REFERENCE);
  reference.location = {0, 8, 8};
  plain.main.operands[2] = reference;
  plain.main.inputIndexes = {1};
  model.inputNames = {"left"};
  plain.main.operands.push_back(reference);
  plain.main.operands.back().location = {1, 8, 8};
  plain.main.operations[0].inputs[1] = 6;
  plain.main.operands.push_back(zeros(plain, floats, {2}, 8));
  plain.operandValues.back() = 9;
  plain.main.operations[1].inputs[1] = 7;
  plain.main.operands[3].lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
  plain.main.outputIndexes.push_back(3);
  model.outputNames.push_back("out3");
  computeConsumers(plain.main);

  Slice result = slice(model, HalVersion::V1_1);
  EXPECT_EQ(result.operations, (Indices{0, 1}));
  ASSERT_TRUE(result.model);
  const Model &sliced = result.model->model;
  ASSERT_EQ(sliced.pools.size(), 1u);
  EXPECT_EQ(sliced.pools[0].name, "ashmem");
  const auto &operations = sliced.main.operations;
  EXPECT_EQ(sliced.main.operands[operations[0].inputs[1]].location,
            (DataLocation{0, 8, 8}));
  auto values =
      constantBytes(sliced, sliced.main.operands[operations[1].inputs[1]]);
  ASSERT_TRUE(values.isOk());
  EXPECT_EQ(values->back(), std::byte(9));
}

TEST(SliceTest, I074_SubgraphsAreNotSliced) {
  AnnotatedModel model = chain({{add, {1, 2}}, {add, {3, 1}}}, {4});
  Model &plain = model.model;
  Subgraph branch;
  branch.operands = {
      input(floats, {2}), output(floats, {2}),
      operand(OperandType::INT32, {}, OperandLifeTime::CONSTANT_COPY)};
  branch.operands[2].location = {0, 0, 4};
  branch.operations = {{add, {0, 0, 2}, {1}}};
  branch.inputIndexes = {0};
  branch.outputIndexes = {1};
  computeConsumers(branch);
  plain.referenced = {branch};
  uint32_t condition = uint32_t(plain.main.operands.size());
  plain.main.operands.push_back(input(OperandType::TENSOR_BOOL8, {1}));
  plain.main.operands.push_back(
      operand(OperandType::SUBGRAPH, {}, OperandLifeTime::SUBGRAPH));
  plain.main.operations[1] = {
      OperationType::IF, {condition, condition + 1, condition + 1, 3}, {4}};
  plain.main.inputIndexes.push_back(condition);
  model.inputNames.push_back("condition");
  computeConsumers(plain.main);
  for (HalVersion version :
       {HalVersion::V1_0, HalVersion::V1_1, HalVersion::V1_2}) {
    Slice result = slice(model, version);
    EXPECT_EQ(result.operations, (Indices{0}));
    ASSERT_TRUE(result.model);
    EXPECT_TRUE(result.model->model.referenced.empty());
  }
  EXPECT_EQ(slice(model, HalVersion::V1_3).model.get(), &model);
}

TEST(SliceTest, I064_FailsForModelsOfNoVersion) {
  AnnotatedModel model = chain({{add, {1, 2}}}, {3});
  model.model.main.operations[0].inputs[0] = 99;
  Slices slices(model);
  EXPECT_EQ(slices.of(HalVersion::V1_1).status().message(),
            validateModel(model.model).message());
  EXPECT_EQ(supportedOperations(AskedDevice(HalVersion::V1_1), slices)
                .status()
                .code(),
            StatusCode::invalidArgument);
}

TEST(SliceTest, I070_AnswersAreCarriedBack) {
  AnnotatedModel model = chain({{maximum, {1, 2}},
                                {add, {3, 1}},
                                {OperationType::MUL, {4, 1}},
                                {maximum, {4, 5}}},
                               {6});
  model.model.main.operations[2].inputs.push_back(0);
  computeConsumers(model.model.main);
  Slices slices(model);
  AskedDevice device(HalVersion::V1_1);
  device.refused = add;
  auto answers = supportedOperations(device, slices);
  ASSERT_EQ(answers.status().message(), "");
  ASSERT_EQ(answers->size(), 4u);
  EXPECT_EQ((*answers)[0].message(), "HAL 1.1, which asked speaks, does not "
                                     "have the operation in this form");
  EXPECT_EQ((*answers)[1].message(), "the device refuses it");
  EXPECT_TRUE((*answers)[2].isOk());
  EXPECT_EQ((*answers)[3].message(), (*answers)[0].message());
  ASSERT_EQ(device.asked.size(), 1u);
  EXPECT_EQ(device.asked[0].main.operations.size(), 2u);

  // A device of the newest version is asked about the model itself.
  AskedDevice newest(HalVersion::V1_3);
  answers = supportedOperations(newest, slices);
  ASSERT_TRUE(answers.isOk());
  EXPECT_EQ(newest.asked[0].main, model.model.main);

  device.forgotten = 1;
  EXPECT_EQ(supportedOperations(device, slices).status().message(),
            "asked answers for 1 operations, expected 2");
}

TEST(SliceTest, I069_NobodyIsAskedAboutAnEmptySlice) {
  AnnotatedModel model = chain({{maximum, {1, 2}}, {maximum, {3, 2}}}, {4});
  Slices slices(model);
  AskedDevice device(HalVersion::V1_0);
  auto answers = supportedOperations(device, slices);
  ASSERT_TRUE(answers.isOk());
  ASSERT_EQ(answers->size(), 2u);
  for (const Status &answer : *answers)
    EXPECT_EQ(answer.message(), "HAL 1.0 has no operation of the model");
  EXPECT_TRUE(device.asked.empty());
}

TEST(SliceTest, I072_EachIsMadeOnceAndKept) {
  AnnotatedModel model = chain({{add, {1, 2}}, {maximum, {3, 2}}}, {4});
  Slices slices(model);
  std::vector<const Slice *> found(8);
  {
    std::vector<std::jthread> threads;
    for (const Slice *&result : found)
      threads.emplace_back([&] {
        auto slice = slices.of(HalVersion::V1_1);
        result = slice.isOk() ? *slice : nullptr;
      });
  }
  EXPECT_NE(found[0], nullptr);
  for (const Slice *result : found)
    EXPECT_EQ(result, found[0]);
  EXPECT_NE(*slices.of(HalVersion::V1_0), found[0]);
}

} // namespace
