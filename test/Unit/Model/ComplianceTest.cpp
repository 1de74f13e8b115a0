//===- ComplianceTest.cpp - What older HAL versions can say ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Compliance.h"
#include "Runtime/Model/TrailingDefaults.h"
#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/SharedMemory.h"
#include "nnhal/Runtime/TestCase.h"

#include "TestModels.h"

#include <fmt/format.h>

#include <filesystem>
#include <sys/mman.h>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

using Indices = std::vector<uint32_t>;

constexpr HalVersion versions[] = {HalVersion::V1_0, HalVersion::V1_1,
                                   HalVersion::V1_2, HalVersion::V1_3};

Indices nonCompliant(const Model &model, HalVersion version) {
  auto found = nonCompliantOperations(model, version);
  EXPECT_EQ(found.status().message(), "");
  return found.isOk() ? *found : Indices{9999};
}

HalVersion lowest(const Model &model) {
  auto version = lowestVersion(model);
  EXPECT_EQ(version.status().message(), "");
  return version.isOk() ? *version : HalVersion::V1_3;
}

/// One more operation at the end: \p type from operand \p input.
void append(Model &model, OperationType type, Indices inputs, Operand result) {
  model.main.outputIndexes.push_back(uint32_t(model.main.operands.size()));
  model.main.operations.push_back(
      {type, std::move(inputs), model.main.outputIndexes});
  model.main.operations.back().outputs = {model.main.outputIndexes.back()};
  model.main.operands.push_back(std::move(result));
  computeConsumers(model.main);
}

TEST(ComplianceTest, K030_ModelOfEachVersion) {
  Model model = addTwice();
  EXPECT_EQ(lowest(model), HalVersion::V1_0);
  append(model, OperationType::DIV, {0, 1, 2},
         output(OperandType::TENSOR_FLOAT32, {2}));
  EXPECT_EQ(lowest(model), HalVersion::V1_1);
  EXPECT_EQ(checkCompliance(model, HalVersion::V1_0).message(),
            "main: operation 2 (DIV): the operation needs HAL 1.1, the model "
            "is validated as 1.0");
  append(model, OperationType::EXP, {0},
         output(OperandType::TENSOR_FLOAT32, {2}));
  EXPECT_EQ(lowest(model), HalVersion::V1_2);
  append(model, OperationType::ELU, {0, 2},
         output(OperandType::TENSOR_FLOAT32, {2}));
  model.main.operands[2].type = OperandType::INT32;
  model.main.operands.push_back(zeros(model, OperandType::FLOAT32, {}, 4));
  model.main.operations.back().inputs[1] =
      uint32_t(model.main.operands.size() - 1);
  computeConsumers(model.main);
  EXPECT_EQ(lowest(model), HalVersion::V1_3);
  EXPECT_EQ(nonCompliant(model, HalVersion::V1_0), (Indices{2, 3, 4}));
  EXPECT_EQ(nonCompliant(model, HalVersion::V1_1), (Indices{3, 4})); // K-032
  EXPECT_EQ(nonCompliant(model, HalVersion::V1_2), (Indices{4}));
  EXPECT_EQ(nonCompliant(model, HalVersion::V1_3), Indices{});
}

TEST(ComplianceTest, K031_RelaxedModelsAreCompliant) {
  Model model = addTwice();
  model.relaxComputationFloat32toFloat16 = true;
  EXPECT_EQ(lowest(model), HalVersion::V1_0);
  EXPECT_TRUE(
      convertTo(model, HalVersion::V1_1)->relaxComputationFloat32toFloat16);
  auto oldest = convertTo(model, HalVersion::V1_0);
  ASSERT_TRUE(oldest.isOk());
  EXPECT_FALSE(oldest->relaxComputationFloat32toFloat16);
  EXPECT_EQ(oldest->halVersion, HalVersion::V1_0);
  // What a model of 1.0 cannot say does not come along.
  oldest->relaxComputationFloat32toFloat16 = true;
  EXPECT_FALSE(
      convertTo(*oldest, HalVersion::V1_3)->relaxComputationFloat32toFloat16);
}

TEST(ComplianceTest, K032_TypesMakeOperationsNonCompliant) { // I-068
  Model model = addTwice();
  append(model, OperationType::CAST, {0},
         output(OperandType::TENSOR_FLOAT16, {2}));
  EXPECT_EQ(nonCompliant(model, HalVersion::V1_1), (Indices{2}));
  EXPECT_EQ(nonCompliant(model, HalVersion::V1_2), Indices{});
  // Unknown rank in a temporary: whoever writes and whoever reads it.
  model = addTwice();
  model.main.operands[3].dimensions = {};
  EXPECT_EQ(lowest(model), HalVersion::V1_2);
  EXPECT_EQ(nonCompliant(model, HalVersion::V1_1), (Indices{0, 1}));
}

TEST(ComplianceTest, K032_ExtensionsNeed12) { // H-035
  Model model = addTwice();
  model.extensionNameToPrefix = {{"vendor.test", 1}};
  append(model, OperationType(0x10000), {0}, output(OperandType(0x10001), {2}));
  EXPECT_EQ(lowest(model), HalVersion::V1_2);
  EXPECT_EQ(nonCompliant(model, HalVersion::V1_0), (Indices{2}));
  EXPECT_EQ(nonCompliant(model, HalVersion::V1_2), Indices{});
  EXPECT_EQ(convertTo(model, HalVersion::V1_2)->extensionNameToPrefix.size(),
            1u);
}

TEST(ComplianceTest, K032_FailsForModelsOfNoVersion) {
  Model model = addTwice();
  model.main.operations[0].inputs[0] = 99;
  EXPECT_EQ(nonCompliantOperations(model, HalVersion::V1_2).status().message(),
            validateModel(model).message());
}

TEST(ComplianceTest, K033_NonCompliantModelsAreNotConverted) {
  Model model = addTwice();
  append(model, OperationType::EXP, {0},
         output(OperandType::TENSOR_FLOAT32, {2}));
  auto converted = convertTo(model, HalVersion::V1_1);
  EXPECT_EQ(converted.status().message(),
            "main: operation 2 (EXP): the operation needs HAL 1.2, the model "
            "is validated as 1.1");
}

TEST(ComplianceTest, K033_NewerFormsGainNothing) {
  Model model = addTwice();
  model.halVersion = HalVersion::V1_1;
  model.extensionNameToPrefix = {{"vendor.test", 1}};
  auto newer = convertTo(model, HalVersion::V1_3);
  ASSERT_TRUE(newer.isOk());
  EXPECT_TRUE(newer->extensionNameToPrefix.empty());
  EXPECT_TRUE(newer->referenced.empty());
  EXPECT_EQ(newer->main, model.main);
}

TEST(ComplianceTest, K034_OldOperandsHaveNoExtraParams) {
  Operand filter = operand(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, {1},
                           OperandLifeTime::SUBGRAPH_INPUT);
  filter.extraParams = SymmPerChannelQuantParams{{0.5f}, 0};
  EXPECT_EQ(convertTo(filter, HalVersion::V1_3), filter);
  EXPECT_EQ(convertTo(filter, HalVersion::V1_2), filter);
  for (HalVersion version : {HalVersion::V1_0, HalVersion::V1_1}) {
    Operand old = convertTo(filter, version);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(old.extraParams));
    old.extraParams = filter.extraParams;
    EXPECT_EQ(old, filter);
  }
}

TEST(ComplianceTest, K035_DeviceMemoryNeeds13) { // K-039
  std::vector<std::byte> bytes(8);
  Request request;
  request.inputs.push_back({Memory::borrow(bytes), {}});
  request.outputs.push_back({OutputMemory::borrow(bytes), {}});
  for (HalVersion version : versions)
    EXPECT_TRUE(checkCompliance(request, version).isOk());
  request.inputs.push_back({Memory::device(1), {}});
  EXPECT_TRUE(checkCompliance(request, HalVersion::V1_3).isOk());
  EXPECT_EQ(checkCompliance(request, HalVersion::V1_2).message(),
            "input 1: device memory needs HAL 1.3, the request is for 1.2");
  request.inputs.pop_back();
  request.outputs[0].memory = OutputMemory::device(2);
  EXPECT_TRUE(checkCompliance(request, HalVersion::V1_3).isOk());
  EXPECT_EQ(checkCompliance(request, HalVersion::V1_0).message(),
            "output 0: device memory needs HAL 1.3, the request is for 1.0");
}

TEST(ComplianceTest, K035_PoolsOfRequests) { // B-091, K-039
  auto ashmem = SharedMemory::createAshmem(64);
  ASSERT_TRUE(ashmem.isOk()) << ashmem.status().message();
  auto pool = [&](PoolKind kind) -> std::shared_ptr<const SharedMemory> {
    auto fd = duplicate((*ashmem)->fd());
    EXPECT_TRUE(fd.isOk());
    return SharedMemory::adoptUnchecked(kind, *std::move(fd), 64,
                                        PROT_READ | PROT_WRITE);
  };
  for (PoolKind kind : {PoolKind::ashmem, PoolKind::mmapFd,
                        PoolKind::hardwareBufferBlob, PoolKind::hardwareBuffer})
    for (HalVersion version : versions) {
      bool isKnown = version >= HalVersion::V1_2 || kind <= PoolKind::mmapFd;
      Request request;
      request.inputs.push_back({Memory::region(pool(kind), 0, 8), {}});
      EXPECT_EQ(checkCompliance(request, version).isOk(), isKnown);
      request.inputs.clear();
      request.outputs.push_back({OutputMemory::region(pool(kind), 0, 8), {}});
      EXPECT_EQ(checkCompliance(request, version).isOk(), isKnown);
      if (!isKnown)
        EXPECT_EQ(checkCompliance(request, version).message(),
                  fmt::format("output 0: {} needs HAL 1.2, the request is for "
                              "{}",
                              toString(kind), toString(version)));
    }
}

TEST(ComplianceTest, K036_C101_StatusesOfOldVersions) {
  for (uint32_t value = 0; value <= 8; ++value) {
    StatusCode code = StatusCode(value);
    EXPECT_EQ(convertTo(code, HalVersion::V1_3), code);
    for (HalVersion version :
         {HalVersion::V1_0, HalVersion::V1_1, HalVersion::V1_2})
      EXPECT_EQ(convertTo(code, version),
                value <= 4 ? code : StatusCode::generalFailure);
  }
}

TEST(ComplianceTest, C100_UnknownStatuses) {
  for (uint32_t value = 0; value <= 8; ++value)
    EXPECT_EQ(uint32_t(statusCodeOf(value)), value);
  for (uint32_t value : {9u, 1000u, UINT32_MAX})
    EXPECT_EQ(statusCodeOf(value), StatusCode::generalFailure);
}

TEST(ComplianceTest, K039_UnknownRankNeeds12) {
  for (size_t index : {0u, 3u, 4u}) { // Input, temporary, output.
    Model model = addTwice();
    model.main.operands[index].dimensions = {};
    EXPECT_EQ(lowest(model), HalVersion::V1_2) << index;
  }
}

TEST(ComplianceTest, K039_HardwareBuffersNeed12) {
  for (std::string name : {"hardware_buffer_blob", "hardware_buffer"}) {
    Model model = addTwice();
    Operand &constant = model.main.operands[1];
    constant.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    constant.location = {0, 0, 8};
    model.main.operands[2].location = {0, 0, 4};
    model.operandValues.resize(4);
    std::vector<std::byte> zeros(8);
    model.pools = {{"ashmem", Memory::copy(zeros), {}, 0, false}};
    EXPECT_EQ(lowest(model), HalVersion::V1_0);
    model.pools[0].name = name;
    EXPECT_EQ(lowest(model), HalVersion::V1_2);
    EXPECT_EQ(nonCompliant(model, HalVersion::V1_1), (Indices{0, 1}));
    EXPECT_EQ(nonCompliant(model, HalVersion::V1_2), Indices{});
  }
}

std::string textOf(const Model &model) {
  auto text = writeJsonModel(model);
  EXPECT_EQ(text.status().message(), "");
  return text.isOk() ? *text : "";
}

/// K-038: \p model, valid from \p lowest on, up to every version and down.
void expectRoundTrips(const Model &model, HalVersion lowest) {
  for (HalVersion from : versions) {
    if (from < lowest)
      continue;
    auto source = convertTo(model, from);
    ASSERT_EQ(source.status().message(), "");
    std::string text = textOf(*source);
    for (HalVersion to : versions) {
      if (to < from)
        continue;
      auto up = convertTo(*source, to);
      ASSERT_EQ(up.status().message(), "");
      EXPECT_EQ(up->halVersion, to);
      auto down = convertTo(*up, from);
      ASSERT_EQ(down.status().message(), "");
      EXPECT_EQ(textOf(*down), text);
    }
  }
}

TEST(ComplianceTest, K038_RoundTripOfASmallModel) {
  Model model = addTwice();
  model.relaxComputationFloat32toFloat16 = true;
  expectRoundTrips(model, HalVersion::V1_0);
}

/// What K-038 and K-039 say of every published case.
void expectCompliance(TestCase test) {
  removeTrailingDefaults(test.model); // As the HAL's own tools do (B-128).
  auto version = lowestVersion(test.model);
  if (!version.isOk()) {
    EXPECT_TRUE(test.expectFailure) << version.status().message();
    return;
  }
  EXPECT_LE(*version, test.minHalVersion);
  for (HalVersion candidate : versions) {
    bool isCompliant = checkCompliance(test.model, candidate).isOk();
    EXPECT_EQ(isCompliant, candidate >= *version);
    Indices found = nonCompliant(test.model, candidate);
    if (isCompliant)
      EXPECT_TRUE(found.empty());
    else if (test.model.main.operations.size() == 1)
      EXPECT_EQ(found.size(), 1u);
  }
  expectRoundTrips(test.model, *version);
}

void expectComplianceOfFile(const std::filesystem::path &path) {
  auto memory = Memory::readFile(path.string());
  ASSERT_TRUE(memory.isOk());
  auto bytes = memory->bytes();
  ASSERT_TRUE(bytes.isOk());
  std::string_view text(reinterpret_cast<const char *>(bytes->data()),
                        bytes->size());
  Status status = readTestCases(text, [](TestCase test) {
    SCOPED_TRACE(test.spec + "/" + test.name);
    expectCompliance(std::move(test));
    return Status::ok();
  });
  EXPECT_EQ(status.message(), "");
}

TEST(ComplianceTest, K038_K039_OwnCases) {
  expectComplianceOfFile(NNHAL_TEST_DATA "/Cases/basic.json");
}

TEST(ComplianceTest, K038_K039_PublishedCases) {
  std::filesystem::path folder(NNHAL_SHARED_DATA "/vectors");
  std::error_code error;
  std::filesystem::recursive_directory_iterator entries(folder, error);
  if (error)
    GTEST_SKIP() << "no vectors in " << NNHAL_SHARED_DATA;
  size_t seen = 0;
  for (const auto &entry : entries) {
    if (entry.path().extension() != ".json")
      continue;
    // Some of the hundreds will do; JsonRoundTripTest reads all.
    if (++seen % 4 == 0)
      expectComplianceOfFile(entry.path());
  }
}

} // namespace
