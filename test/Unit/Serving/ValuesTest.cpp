//===- ValuesTest.cpp - Types, trace ids, quotas and settings -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFolder.h"

#include "Serving/Core/DataType.h"
#include "Serving/Core/Inference.h"
#include "Serving/Core/ModelConfig.h"
#include "Serving/Core/Quotas.h"
#include "Serving/Core/Repository.h"
#include "Serving/Core/Signature.h"
#include "Serving/Core/TraceContext.h"

#include <gtest/gtest.h>

using namespace nnhal;
using namespace nnhal::serving;

namespace {

TEST(DataTypeTest, NamesAreThoseOfTheProtocol) {
  for (DataType type :
       {DataType::boolean, DataType::uint8, DataType::uint16, DataType::uint32,
        DataType::uint64, DataType::int8, DataType::int16, DataType::int32,
        DataType::int64, DataType::fp16, DataType::fp32, DataType::fp64})
    EXPECT_EQ(*parseDataType(nameOf(type)), type);
  EXPECT_EQ(nameOf(DataType::fp32), "FP32");
  EXPECT_EQ(sizeOf(DataType::int64), 8u);
  EXPECT_EQ(parseDataType("BYTES").status().message(),
            "datatype BYTES is that of no model: tensors of NNAPI have no such "
            "elements");
  EXPECT_EQ(parseDataType("float").status().message(),
            "datatype 'float' is none of the protocol");
}

TEST(DataTypeTest, TypesOfOperands) {
  using enum rt::OperandType;
  auto typeOf = [](rt::OperandType type) {
    return dataTypeOf(
        rt::InterfaceTensor{.name = "", .type = type, .dimensions = {}});
  };
  EXPECT_EQ(typeOf(TENSOR_FLOAT32), DataType::fp32);
  EXPECT_EQ(typeOf(FLOAT16), DataType::fp16);
  EXPECT_EQ(typeOf(TENSOR_QUANT8_ASYMM), DataType::uint8);
  EXPECT_EQ(typeOf(TENSOR_QUANT8_ASYMM_SIGNED), DataType::int8);
  EXPECT_EQ(typeOf(TENSOR_QUANT16_SYMM), DataType::int16);
  EXPECT_EQ(typeOf(TENSOR_QUANT16_ASYMM), DataType::uint16);
  EXPECT_EQ(typeOf(TENSOR_BOOL8), DataType::boolean);
  EXPECT_EQ(typeOf(UINT32), DataType::uint32);
  EXPECT_EQ(typeOf(SUBGRAPH), std::nullopt);
  rt::InterfaceTensor tensor;
  tensor.type = rt::OperandType(0x10001);
  for (auto [kind, type] :
       {std::pair(rt::ElementKind::float64, std::optional(DataType::fp64)),
        std::pair(rt::ElementKind::int64, std::optional(DataType::int64)),
        std::pair(rt::ElementKind::complex64, std::optional<DataType>())}) {
    tensor.extension = {
        .type = 1, .isTensor = true, .byteSize = 8, .kind = kind};
    EXPECT_EQ(dataTypeOf(tensor), type);
  }
}

TEST(SignatureTest, NamesShapesAndBatches) {
  rt::Interface interface;
  using enum rt::OperandType;
  interface.inputs = {
      {.name = "x", .type = TENSOR_FLOAT32, .dimensions = {0, 3}},
      {.name = "x", .type = TENSOR_FLOAT32, .dimensions = {0}}};
  interface.outputs = {{.name = "", .type = TENSOR_INT32, .dimensions = {0}}};
  Signature signature = *signatureOf(interface);
  EXPECT_EQ(signature.inputs[0].name, "x");
  EXPECT_EQ(signature.inputs[1].name, "input1");
  EXPECT_EQ(signature.outputs[0].name, "output0");
  EXPECT_EQ(signature.inputs[0].shape, (std::vector<int64_t>{-1, 3}));
  EXPECT_TRUE(signature.isBatched);
  EXPECT_EQ(signature.batchExtent, 0u);
  EXPECT_EQ(Signature::find(signature.inputs, "input1"), 1u);
  EXPECT_EQ(Signature::find(signature.inputs, "y"), 2u);
  interface.outputs[0].dimensions = {4};
  EXPECT_FALSE(signatureOf(interface)->isBatched);
  interface.inputs[0].dimensions = {4, 3};
  interface.inputs[1].dimensions = {4};
  EXPECT_EQ(signatureOf(interface)->batchExtent, 4u);
  interface.inputs[1] = {.name = "s", .type = FLOAT32, .dimensions = {}};
  EXPECT_EQ(signatureOf(interface)->inputs[1].shape, std::vector<int64_t>{1});
  EXPECT_FALSE(signatureOf(interface)->isBatched);
  interface.inputs[1] = {.name = "r", .type = TENSOR_INT32, .dimensions = {}};
  EXPECT_EQ(signatureOf(interface)->inputs[1].shape, std::vector<int64_t>{-1});
  interface.inputs[1].type = SUBGRAPH;
  EXPECT_EQ(signatureOf(interface).status().message(),
            "tensor 'r' has elements that the protocol has no data type for");
}

TEST(TraceContextTest, HeadersOfOthersAreContinued) {
  std::string header =
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  TraceContext context = TraceContext::continueFrom(header);
  EXPECT_EQ(context.traceId, "0af7651916cd43dd8448eb211c80319c");
  EXPECT_NE(context.spanId, "b7ad6b7169203331");
  EXPECT_TRUE(context.isSampled);
  EXPECT_EQ(TraceContext::parse(context.header())->spanId, context.spanId);
  header.back() = '0';
  EXPECT_FALSE(TraceContext::parse(header)->isSampled);
}

TEST(TraceContextTest, OtherHeadersBeginATrace) {
  std::string good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_TRUE(TraceContext::parse(good));
  EXPECT_TRUE(TraceContext::parse("cc" + good.substr(2) + "-more"));
  for (std::string wrong :
       {std::string(), std::string("00"), "ff" + good.substr(2), good + "-more",
        good + "0", "00-" + std::string(32, '0') + good.substr(35),
        good.substr(0, 36) + std::string(16, '0') + "-01",
        "00-0AF7651916cd43dd8448eb211c80319c" + good.substr(35),
        good.substr(0, 53) + "zz"})
    EXPECT_FALSE(TraceContext::parse(wrong)) << wrong;
  TraceContext first = TraceContext::continueFrom("nothing");
  EXPECT_TRUE(TraceContext::parse(first.header()));
  EXPECT_NE(first.traceId, TraceContext::continueFrom("").traceId);
}

TEST(InferenceTest, PrioritiesAndTimeouts) {
  InferenceRequest request;
  EXPECT_TRUE(setPriority(request, 0).isOk());
  EXPECT_FALSE(request.priority);
  EXPECT_TRUE(setPriority(request, 1).isOk());
  EXPECT_EQ(request.priority, rt::Priority::high);
  EXPECT_TRUE(setPriority(request, 3).isOk());
  EXPECT_EQ(request.priority, rt::Priority::low);
  EXPECT_EQ(setPriority(request, 4).message(),
            "parameter 'priority': 4 is not from 0 to 3");
  setTimeout(request, 0);
  setTimeout(request, UINT64_MAX);
  EXPECT_EQ(request.deadline, rt::noDeadline);
  rt::Deadline before = rt::steadyNow();
  setTimeout(request, 1000);
  EXPECT_GE(request.deadline, before + 1'000'000);
  rt::Deadline earlier = request.deadline;
  setTimeout(request, 1'000'000);
  EXPECT_EQ(request.deadline, earlier);
}

TEST(QuotasTest, RequestsPerSecond) {
  int64_t now = 0;
  Quotas quotas({.requestsPerSecond = 2, .concurrentRequests = 0},
                [&] { return now; });
  auto send = [&](const std::string &client) {
    Quotas::Admission admission;
    return quotas.admit(client, admission);
  };
  EXPECT_TRUE(send("a").isOk());
  EXPECT_TRUE(send("a").isOk());
  Outcome refused = send("a");
  EXPECT_EQ(refused.code(), OutcomeCode::overloaded);
  EXPECT_EQ(refused.message(),
            "client 'a' has sent more than 2 requests per second");
  EXPECT_TRUE(send("b").isOk());
  now += 500'000'000;
  EXPECT_TRUE(send("a").isOk());
  EXPECT_FALSE(send("a").isOk());
  now += 100'000'000'000;
  EXPECT_TRUE(send("a").isOk());
  EXPECT_TRUE(send("a").isOk());
  EXPECT_FALSE(send("a").isOk());
}

TEST(QuotasTest, ConcurrentRequests) {
  Quotas quotas({.requestsPerSecond = 0, .concurrentRequests = 1});
  Quotas::Admission first;
  EXPECT_TRUE(quotas.admit("a", first).isOk());
  Quotas::Admission second;
  EXPECT_EQ(quotas.admit("a", second).message(),
            "client 'a' has 1 requests under way, as many as one may have");
  EXPECT_TRUE(quotas.admit("b", second).isOk());
  first = {};
  EXPECT_TRUE(quotas.admit("a", first).isOk());
}

TEST(QuotasTest, ClientsAreForgotten) {
  int64_t now = 0;
  Quotas quotas({.requestsPerSecond = 1, .concurrentRequests = 0},
                [&] { return now; });
  for (int i = 0; i < 30000; ++i) {
    now += 1'000'000;
    Quotas::Admission admission;
    EXPECT_TRUE(quotas.admit(std::to_string(i), admission).isOk());
  }
  EXPECT_LT(quotas.clients(), 12000u);
}

std::string problemOf(std::string_view text) {
  return parseModelConfig(text).status().message();
}

TEST(ModelConfigTest, EveryKey) {
  ModelConfig config = *parseModelConfig(
      R"({"device": "nnhal-reference", "threads": 2, "priority": "high",
          "max_batch_size": 8, "max_queue_delay_microseconds": 500,
          "max_queue_size": 4, "versions": {"latest": 2},
          "shapes": {"x": [8, 3]}, "signature": "encode"})");
  EXPECT_EQ(config.device, "nnhal-reference");
  EXPECT_EQ(config.threads, 2u);
  EXPECT_EQ(config.priority, rt::Priority::high);
  EXPECT_EQ(config.maxBatchSize, 8u);
  EXPECT_EQ(config.maxQueueDelayMicroseconds, 500u);
  EXPECT_EQ(config.maxQueueSize, 4u);
  EXPECT_EQ(config.versions.latest, 2u);
  EXPECT_EQ(config.shapes.at("x"), (std::vector<uint32_t>{8, 3}));
  EXPECT_EQ(config.signature, "encode");
  EXPECT_EQ(parseModelConfig(R"({"versions": "all"})")->versions.latest, 0u);
  EXPECT_EQ(parseModelConfig(R"({"versions": [3, 5]})")->versions.only,
            (std::vector<uint64_t>{3, 5}));
  EXPECT_EQ(parseModelConfig("{}")->maxQueueSize, 64u);
}

TEST(ModelConfigTest, WhatIsWrongIsNamed) {
  EXPECT_EQ(problemOf("[]"), "settings: expected an object, found an array");
  EXPECT_TRUE(problemOf("{").starts_with("parse error at line 1, column 2"));
  EXPECT_EQ(problemOf(R"({"threads": 1, "threads": 2})"),
            "settings: key \"threads\" is given twice");
  EXPECT_EQ(problemOf(R"({"colour": 1})"), "settings: unknown key \"colour\"");
  EXPECT_EQ(problemOf(R"({"threads": -1})"),
            "threads: -1 must be from 0 to 1024");
  EXPECT_EQ(problemOf(R"({"threads": 1025})"),
            "threads: 1025 must be from 0 to 1024");
  EXPECT_EQ(problemOf(R"({"device": 1})"),
            "device: expected a string, found 1");
  EXPECT_EQ(problemOf(R"({"signature": 1})"),
            "signature: expected a string, found 1");
  EXPECT_EQ(problemOf(R"({"priority": "urgent"})"),
            "priority: 'urgent' is not low, medium or high");
  for (auto [versions, found] : {std::pair(R"("some")", R"("some")"),
                                 {"[]", "an array"},
                                 {"1", "1"},
                                 {R"({"first": 1})", "an object"}})
    EXPECT_EQ(problemOf(fmt::format(R"({{"versions": {}}})", versions)),
              fmt::format("versions: expected \"all\", {{\"latest\": N}} or a "
                          "list of versions, found {}",
                          found));
  EXPECT_EQ(problemOf(R"({"shapes": [8]})"),
            "shapes: expected an object, found an array");
  EXPECT_EQ(problemOf(R"({"shapes": {"x": 8}})"),
            "shapes.x: expected an array, found 8");
  EXPECT_EQ(problemOf(R"({"shapes": {"x": [8, 0]}})"),
            "shapes.x[1]: 0 must be from 1 to 2147483647");
  EXPECT_EQ(problemOf(R"({"versions": {"latest": 0}})"),
            "versions.latest: 0 must be from 1 to 65536");
  EXPECT_EQ(problemOf(R"({"versions": [1, 0]})"),
            "versions[1]: 0 must be from 1 to 9223372036854775807");
}

TEST(ModelConfigTest, Files) {
  TestFolder folder;
  folder.write("config.json", R"({"max_queue_size": 0})");
  EXPECT_EQ(readModelConfig(folder.at("config.json"))->maxQueueSize, 0u);
  folder.write("config.json", "x");
  EXPECT_TRUE(readModelConfig(folder.at("config.json"))
                  .status()
                  .message()
                  .starts_with(folder.at("config.json") + ": parse error"));
  folder.write("file", "");
  EXPECT_EQ(readModelConfig(folder.at("file/config.json")).status().message(),
            "cannot open '" + folder.at("file/config.json") +
                "': Not a directory");
}

TEST(RepositoryTest, FoldersAndFiles) {
  TestFolder folder;
  folder.write("net/1/model.tflite", "a");
  folder.write("net/1/model.json", "a");
  folder.write("net/12/model.nncache", "a");
  folder.write("net/12/model.tflite", "a");
  folder.write("net/013/model.json", "a");
  folder.write("net/x/model.json", "a");
  folder.write("net/3/other.json", "a");
  folder.write("net/config.json", "{}");
  folder.write("single.json", "a");
  folder.write("single.tflite", "a");
  folder.write("both.json", "a");
  folder.write("both/1/model.json", "a");
  folder.write(".hidden/1/model.json", "a");
  folder.write("empty/readme", "a");
  folder.write("notes.txt", "a");
  FoundModels found = *scanRepository(folder.path);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found["net"].versions.size(), 2u);
  EXPECT_EQ(found["net"].versions[1].path, folder.at("net/1/model.tflite"));
  EXPECT_EQ(found["net"].versions[12].path, folder.at("net/12/model.nncache"));
  EXPECT_EQ(found["net"].config, folder.at("net/config.json"));
  EXPECT_EQ(found["both"].config, "");
  EXPECT_EQ(found["single"].versions[1].path, folder.at("single.tflite"));
  EXPECT_EQ(found["both"].versions[1].path, folder.at("both/1/model.json"));
  EXPECT_EQ(scanRepository(folder.at("none")).status().message(),
            "cannot read the folder of models '" + folder.at("none") +
                "': No such file or directory");
}

TEST(RepositoryTest, StampsFollowFilesAndSettings) {
  TestFolder folder;
  folder.write("net/1/model.json", "a");
  auto stamp = [&] {
    return (*scanRepository(folder.path))["net"].versions[1].stamp;
  };
  std::string first = stamp();
  EXPECT_EQ(stamp(), first);
  folder.write("net/config.json", "{}");
  std::string second = stamp();
  EXPECT_NE(second, first);
  folder.write("net/1/model.json", "b");
  EXPECT_NE(stamp(), second);
}

} // namespace
