//===- ServerTest.cpp - Models that are served ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFolder.h"

#include "Serving/Core/Server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <latch>
#include <sys/stat.h>
#include <thread>

using namespace nnhal;
using namespace nnhal::serving;
using std::chrono::milliseconds;

namespace {

class ServerTest : public testing::Test {
protected:
  void start(ServerOptions options = {}) {
    create(std::move(options));
    ASSERT_TRUE(server->start().isOk());
  }
  void create(ServerOptions options) {
    options.models = folder.path;
    options.engine.devices = {"nnhal-reference"};
    options.log = std::make_shared<rt::Log>(
        rt::maskOf(rt::LogTag::manager), [this](std::string_view line) {
          logged += std::string(line) + "\n";
          if (onLog)
            onLog(line);
        });
    server = *Server::create(std::move(options));
  }
  static ServerOptions withoutPolling() {
    ServerOptions options;
    options.pollInterval = milliseconds(0);
    return options;
  }

  /// The output of the model for the number 1, or the message of its failure.
  std::string infer(const std::string &model, const std::string &version = "",
                    const std::string &client = "") {
    float values[] = {1.0f, 1.0f};
    InferenceRequest request;
    request.model = model;
    request.version = version;
    request.client = client;
    request.inputs = {
        {"input0", DataType::fp32, {1, 2}, std::as_bytes(std::span(values))}};
    InferenceResponse response;
    Outcome outcome = server->infer(request, response);
    last = outcome.code();
    if (!outcome.isOk())
      return outcome.message();
    std::memcpy(values, response.outputs[0].data.data(), sizeof values);
    return fmt::format("{} by version {}", values[0], response.version);
  }

  std::string index(bool readyOnly = false) const {
    std::string text;
    for (const IndexEntry &entry : server->index(readyOnly))
      text += fmt::format("{}/{} {} {}\n", entry.name, entry.version,
                          entry.state, entry.reason);
    return text;
  }

  TestFolder folder;
  std::string logged;
  /// Called with each line of the log, by the thread that writes it.
  std::function<void(std::string_view)> onLog;
  OutcomeCode last = OutcomeCode::ok;
  std::unique_ptr<Server> server;
};

TEST_F(ServerTest, HighestVersionServes) {
  folder.write("net/1/model.json", addModel(10));
  folder.write("net/2/model.json", addModel(20));
  folder.write("file.json", addModel(30));
  start(withoutPolling());
  EXPECT_TRUE(server->isReady());
  EXPECT_EQ(infer("net"), "21 by version 2");
  EXPECT_EQ(infer("net", "2"), "21 by version 2");
  EXPECT_EQ(infer("file"), "31 by version 1");
  EXPECT_EQ(infer("net", "1"), "model 'net' has no version '1'");
  EXPECT_EQ(last, OutcomeCode::notFound);
  EXPECT_EQ(infer("other"), "there is no model 'other'");
  EXPECT_EQ(last, OutcomeCode::notFound);
  EXPECT_EQ(index(), "file/1 READY \nnet/2 READY \n");
  EXPECT_NE(logged.find("loaded version 2 of model 'net'"), std::string::npos);
}

TEST_F(ServerTest, AllVersionsServe) {
  folder.write("net/config.json", R"({"versions": "all"})");
  folder.write("net/1/model.json", addModel(10));
  folder.write("net/20/model.json", addModel(20));
  start(withoutPolling());
  EXPECT_EQ(infer("net"), "21 by version 20");
  EXPECT_EQ(infer("net", "1"), "11 by version 1");
  ModelInfo info;
  ASSERT_TRUE(server->modelInfo("net", "1", info).isOk());
  EXPECT_EQ(info.versions, (std::vector<std::string>{"1", "20"}));
  EXPECT_EQ(info.version, "1");
  EXPECT_EQ(info.inputs[0].shape, (std::vector<int64_t>{-1, 2}));
  EXPECT_EQ(server->modelInfo("net", "7", info).code(), OutcomeCode::notFound);
}

TEST_F(ServerTest, VersionsThatAreNamedServe) {
  folder.write("net/config.json", R"({"versions": [1]})");
  folder.write("net/1/model.json", addModel(10));
  folder.write("net/2/model.json", addModel(20));
  start(withoutPolling());
  EXPECT_EQ(infer("net"), "11 by version 1");
}

TEST_F(ServerTest, WhatCannotBeLoadedIsExplained) {
  folder.write("bad/1/model.json", "{}");
  folder.write("settings/1/model.json", addModel(1));
  folder.write("settings/config.json", R"({"max_batch_size": "x"})");
  start(withoutPolling());
  EXPECT_FALSE(server->isReady());
  std::string reason = infer("bad");
  EXPECT_EQ(last, OutcomeCode::unavailable);
  EXPECT_TRUE(reason.starts_with("model 'bad' is not ready: ")) << reason;
  EXPECT_TRUE(
      infer("bad", "1").starts_with("version 1 of model 'bad' is not ready: "));
  EXPECT_NE(index().find("settings/1 UNAVAILABLE " +
                         folder.at("settings/config.json") +
                         ": max_batch_size: expected an integer, found \"x\""),
            std::string::npos)
      << index();
  EXPECT_EQ(index(true), "");
  Outcome outcome = server->load("bad");
  EXPECT_EQ(outcome.code(), OutcomeCode::invalidArgument);
  EXPECT_TRUE(outcome.message().starts_with("model 'bad' cannot be loaded: "));
  EXPECT_EQ(server->load("none").message(),
            "the folder of models has no model 'none'");
}

TEST_F(ServerTest, BatchesHaveToFitTheModel) {
  folder.write("fixed/1/model.json", addModel(1, 2));
  folder.write("fixed/config.json", R"({"max_batch_size": 3})");
  start(withoutPolling());
  EXPECT_EQ(infer("fixed"), "model 'fixed' is not ready: max_batch_size 3 is "
                            "more than the 2 samples of the model");
  folder.write("fixed/config.json", R"({"max_batch_size": 2})");
  ASSERT_TRUE(server->load("fixed").isOk());
  EXPECT_EQ(infer("fixed"), "2 by version 1");
}

TEST_F(ServerTest, BatchesNeedADimension) {
  folder.write("net/1/model.json",
               R"({"halVersion": "1.3", "main": {"operands": [
        {"type": "TENSOR_FLOAT32", "dimensions": [0, 2],
         "lifetime": "SUBGRAPH_INPUT"},
        {"type": "TENSOR_FLOAT32", "dimensions": [2],
         "lifetime": "SUBGRAPH_INPUT"},
        {"type": "INT32", "dimensions": [], "lifetime": "CONSTANT_COPY",
         "value": [0]},
        {"type": "TENSOR_FLOAT32", "dimensions": [0, 2],
         "lifetime": "SUBGRAPH_OUTPUT"}],
        "operations": [{"type": "ADD", "inputs": [0, 1, 2], "outputs": [3]}],
        "inputIndexes": [0, 1], "outputIndexes": [3]}, "referenced": []})");
  folder.write("net/config.json", R"({"max_batch_size": 3})");
  start(withoutPolling());
  EXPECT_EQ(infer("net"),
            "model 'net' is not ready: max_batch_size 3: the first dimension "
            "of inputs and outputs is not the same for all of them");
}

TEST_F(ServerTest, ModelsAreNotReadyBeforeTheyAreLoaded) {
  folder.write("first/1/model.json", addModel(5));
  folder.write("net/1/model.json", addModel(10));
  // Whoever loads models waits when the first one is in.
  std::latch isFirstLoaded(1), mayGoOn(1);
  onLog = [&](std::string_view line) {
    if (line.find("loaded version 1 of model 'first'") ==
        std::string_view::npos)
      return;
    isFirstLoaded.count_down();
    mayGoOn.wait();
  };
  create(withoutPolling());
  std::thread starter([&] { EXPECT_TRUE(server->start().isOk()); });
  isFirstLoaded.wait();
  std::string answer = infer("net");
  EXPECT_EQ(answer, "model 'net' is not ready: it is being loaded");
  EXPECT_EQ(infer("net", "1"), answer);
  EXPECT_FALSE(server->isReady());
  mayGoOn.count_down();
  starter.join();
  EXPECT_EQ(infer("net"), "11 by version 1");
}

TEST_F(ServerTest, SettingsThatAreNoFileAreNotWaitedFor) {
  folder.write("net/1/model.json", addModel(10));
  std::string config = folder.at("net/config.json");
  ASSERT_EQ(::mkfifo(config.c_str(), 0600), 0);
  start(withoutPolling());
  std::string answer = infer("net");
  EXPECT_TRUE(answer.ends_with("is not a regular file")) << answer;
}

TEST_F(ServerTest, VersionsThatFailLeaveThePreviousOne) {
  folder.write("net/1/model.json", addModel(10));
  start(withoutPolling());
  folder.write("net/2/model.json", "nothing");
  EXPECT_FALSE(server->load("net").isOk());
  EXPECT_EQ(infer("net"), "11 by version 1");
  EXPECT_TRUE(index().starts_with("net/1 READY \nnet/2 UNAVAILABLE "))
      << index();
  folder.write("net/2/model.json", addModel(20));
  EXPECT_TRUE(server->load("net").isOk());
  EXPECT_EQ(infer("net"), "21 by version 2");
  EXPECT_EQ(index(), "net/2 READY \n");
  // The files of a version that serves become bad.
  folder.write("net/2/model.json", "nothing");
  EXPECT_FALSE(server->load("net").isOk());
  EXPECT_EQ(infer("net"), "21 by version 2");
  EXPECT_TRUE(index().starts_with("net/2 READY ")) << index();
  EXPECT_GT(index().size(), std::string("net/2 READY \n").size());
}

TEST_F(ServerTest, FoldersThatCannotBeReadLeaveWhatServes) {
  folder.write("net/1/model.json", addModel(10));
  start(withoutPolling());
  // A link to itself, which not even the administrator can read.
  folder.remove("net/1/model.json");
  std::filesystem::create_symlink("model.json",
                                  folder.path / "net/1/model.json");
  std::string why = fmt::format("cannot read the folder '{}': Too many levels "
                                "of symbolic links",
                                folder.at("net"));
  EXPECT_EQ(server->load("net").message(),
            "model 'net' cannot be loaded: " + why);
  EXPECT_EQ(infer("net"), "11 by version 1");
  EXPECT_EQ(index(), "net/1 READY " + why + "\n");
  EXPECT_NE(logged.find("cannot load model 'net': " + why + "\n"),
            std::string::npos)
      << logged;
  folder.write("net/1/model.json", addModel(20));
  EXPECT_TRUE(server->load("net").isOk());
  EXPECT_EQ(infer("net"), "21 by version 1");
  EXPECT_EQ(index(), "net/1 READY \n");
}

TEST_F(ServerTest, LinksThatLeadNowhereAreExplained) {
  std::filesystem::create_symlink("net", folder.path / "net");
  folder.write("other/1/model.json", addModel(10));
  std::filesystem::create_symlink("nothing", folder.path / "other/config.json");
  start(withoutPolling());
  std::string why = fmt::format(
      "cannot read '{}': Too many levels of symbolic links", folder.at("net"));
  EXPECT_EQ(infer("net"), "model 'net' is not ready: " + why);
  EXPECT_TRUE(index().starts_with("net/ UNAVAILABLE " + why)) << index();
  EXPECT_FALSE(server->isReady());
  std::string answer = infer("other");
  EXPECT_TRUE(answer.starts_with("model 'other' is not ready: ")) << answer;
  EXPECT_TRUE(answer.ends_with("No such file or directory")) << answer;
  folder.remove("other/config.json");
  EXPECT_TRUE(server->load("other").isOk());
  EXPECT_TRUE(server->isReady());
}

TEST_F(ServerTest, VersionsThatAreNotThereLeaveWhatServes) {
  folder.write("net/1/model.json", addModel(10));
  folder.write("net/3/model.json", addModel(30));
  folder.write("net/config.json", R"({"versions": [7, 8]})");
  start(withoutPolling());
  std::string why = folder.at("net/config.json") +
                    ": 'versions' asks for 7, 8, but the folder has 1, 3";
  EXPECT_EQ(infer("net"), "model 'net' is not ready: " + why);
  folder.write("net/config.json", R"({"versions": [1]})");
  EXPECT_TRUE(server->load("net").isOk());
  folder.write("net/config.json", R"({"versions": [7, 8]})");
  EXPECT_EQ(server->load("net").message(),
            "model 'net' cannot be loaded: " + why);
  EXPECT_EQ(infer("net"), "11 by version 1");
}

TEST_F(ServerTest, PermissionsThatChangeAreFound) {
  folder.write("net/1/model.json", addModel(10));
  start(withoutPolling());
  EXPECT_TRUE(server->load("net").isOk());
  auto loads = [&] {
    size_t count = 0;
    for (size_t at = 0;
         (at = logged.find("loaded version", at)) != std::string::npos; ++at)
      ++count;
    return count;
  };
  EXPECT_EQ(loads(), 1u);
  std::filesystem::permissions(folder.path / "net/1/model.json",
                               std::filesystem::perms::owner_read);
  EXPECT_TRUE(server->load("net").isOk());
  EXPECT_EQ(loads(), 2u);
}

TEST_F(ServerTest, LowerVersionsServeWhereHigherOnesCannot) {
  folder.write("net/1/model.json", addModel(10));
  folder.write("net/2/model.json", "nothing");
  start(withoutPolling());
  EXPECT_EQ(infer("net"), "11 by version 1");
}

TEST_F(ServerTest, ChangesAreFound) {
  folder.write("net/1/model.json", addModel(10));
  ServerOptions options;
  options.pollInterval = milliseconds(5);
  start(std::move(options));
  auto await = [&](const std::string &expected) {
    std::string answer;
    for (int i = 0; i < 2000 && answer != expected; ++i) {
      answer = infer("net");
      std::this_thread::sleep_for(milliseconds(5));
    }
    EXPECT_EQ(answer, expected);
  };
  folder.write("net/1/model.json", addModel(11));
  await("12 by version 1");
  folder.write("net/2/model.json", addModel(20));
  await("21 by version 2");
  folder.remove("net/2");
  await("12 by version 1");
  folder.remove("net");
  await("there is no model 'net'");
}

TEST_F(ServerTest, ReloadsLoseNoRequest) {
  folder.write("net/1/model.json", addModel(10));
  start(withoutPolling());
  std::atomic<bool> isEnding = false;
  std::atomic<int> wrong = 0;
  std::atomic<int> answered = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i)
    clients.emplace_back([&] {
      while (!isEnding) {
        float values[] = {1.0f, 1.0f};
        InferenceRequest request;
        request.model = "net";
        request.inputs = {{"input0",
                           DataType::fp32,
                           {1, 2},
                           std::as_bytes(std::span(values))}};
        InferenceResponse response;
        wrong += !server->infer(request, response).isOk();
        ++answered;
      }
    });
  for (int i = 0; i < 50; ++i) {
    folder.write("net/1/model.json", addModel(i));
    if (i % 10 == 9)
      folder.write(fmt::format("net/{}/model.json", i), addModel(i));
    EXPECT_TRUE(server->load("net").isOk());
  }
  isEnding = true;
  for (std::thread &client : clients)
    client.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(answered, 0);
}

TEST_F(ServerTest, ModelsAreUnloaded) {
  folder.write("net/1/model.json", addModel(10));
  ServerOptions options;
  options.pollInterval = milliseconds(2);
  start(std::move(options));
  EXPECT_TRUE(server->unload("net").isOk());
  EXPECT_EQ(infer("net"), "model 'net' is unloaded");
  EXPECT_EQ(last, OutcomeCode::unavailable);
  EXPECT_EQ(index(), "net/1 UNAVAILABLE unloaded\n");
  EXPECT_TRUE(server->isReady());
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(infer("net"), "model 'net' is unloaded");
  EXPECT_TRUE(server->load("net").isOk());
  EXPECT_EQ(infer("net"), "11 by version 1");
  EXPECT_EQ(server->unload("none").message(), "there is no model 'none'");
}

TEST_F(ServerTest, Drains) {
  folder.write("net/1/model.json", addModel(10));
  start(withoutPolling());
  server->beginDrain();
  EXPECT_FALSE(server->isReady());
  EXPECT_TRUE(server->isLive());
  EXPECT_EQ(infer("net"), "the server is about to end");
  EXPECT_EQ(last, OutcomeCode::unavailable);
  EXPECT_TRUE(server->awaitDrain(rt::noDeadline));
  EXPECT_TRUE(server->awaitDrain(rt::steadyNow()));
}

TEST_F(ServerTest, ClientsHaveQuotas) {
  folder.write("net/1/model.json", addModel(10));
  ServerOptions options = withoutPolling();
  options.quota.requestsPerSecond = 1;
  start(std::move(options));
  EXPECT_EQ(infer("net", "", "a"), "11 by version 1");
  EXPECT_EQ(infer("net", "", "a"),
            "client 'a' has sent more than 1 requests per second");
  EXPECT_EQ(infer("net", "", "b"), "11 by version 1");
}

TEST_F(ServerTest, Metrics) {
  folder.write("net/1/model.json", addModel(10));
  start(withoutPolling());
  infer("net");
  infer("none");
  std::string text = server->metrics();
  for (const char *expected :
       {"nnhal_serve_requests_total{code=\"ok\",model=\"net\",version=\"1\"} 1",
        "nnhal_serve_requests_total{code=\"not_found\",model=\"\",version=\"\"}"
        " 1",
        "nnhal_serve_loads_total{model=\"net\",outcome=\"ok\"} 1",
        "nnhal_serve_request_seconds_count{model=\"net\",version=\"1\"} 1",
        "nnhal_serve_queue_seconds_count{model=\"net\",version=\"1\"} 1",
        "nnhal_serve_execution_seconds_bucket{model=\"net\",version=\"1\","
        "le=\"10\"} 1",
        "nnhal_serve_queue_depth{model=\"net\",version=\"1\"} 0",
        "nnhal_serve_executions_live{model=\"net\",version=\"1\"} 0",
        "nnhal_serve_input_bytes_total{model=\"net\",version=\"1\"} 8",
        "nnhal_serve_output_bytes_total{model=\"net\",version=\"1\"} 8",
        "process_resident_memory_bytes "})
    EXPECT_NE(text.find(expected), std::string::npos) << expected << text;
}

TEST_F(ServerTest, ResponsesOutliveTheServer) {
  folder.write("net/1/model.json", addModel(10));
  start(withoutPolling());
  float values[] = {1.0f, 1.0f};
  InferenceRequest request;
  request.model = "net";
  request.inputs = {
      {"input0", DataType::fp32, {1, 2}, std::as_bytes(std::span(values))}};
  InferenceResponse response;
  ASSERT_TRUE(server->infer(request, response).isOk());
  server.reset();
  EXPECT_EQ(response.outputs[0].name, "output0");
  std::memcpy(values, response.outputs[0].data.data(), sizeof values);
  EXPECT_EQ(values[0], 11.0f);
}

TEST_F(ServerTest, RequestsAreTraced) {
  folder.write("net/1/model.json", addModel(10));
  ServerOptions options = withoutPolling();
  auto tracer = std::make_shared<rt::Tracer>();
  options.tracer = tracer;
  start(std::move(options));
  InferenceRequest request;
  request.model = "none";
  request.traceparent =
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  InferenceResponse response;
  EXPECT_FALSE(server->infer(request, response).isOk());
  EXPECT_EQ(response.trace.traceId, "0af7651916cd43dd8448eb211c80319c");
  infer("net");
  bool isFound = false;
  for (const rt::TraceEvent &event : tracer->events())
    isFound |= event.detail.starts_with("infer net trace=");
  EXPECT_TRUE(isFound);
}

TEST_F(ServerTest, SettingsGiveOpenExtents) {
  folder.write("floor/config.json",
               R"({"shapes": {"t0": [4, 4]}, "max_batch_size": 4})");
  std::filesystem::create_directories(folder.path / "floor/1");
  std::filesystem::copy(NNHAL_TEST_DATA "/Models/floor.tflite",
                        folder.at("floor/1/model.tflite"));
  start(withoutPolling());
  ModelInfo info;
  ASSERT_TRUE(server->modelInfo("floor", "", info).isOk()) << index();
  EXPECT_EQ(info.inputs[0].shape, (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(info.outputs[0].shape, (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(info.maxBatchSize, 4u);
  folder.write("floor/config.json", R"({"shapes": {"none": [4, 4]}})");
  EXPECT_TRUE(server->load("floor").message().ends_with(
      "a shape is given for input 'none', which the model does not have"));
}

TEST_F(ServerTest, SettingsNameASignature) {
  folder.write("two/config.json", R"({"signature": "root"})");
  std::filesystem::create_directories(folder.path / "two/1");
  std::filesystem::copy(NNHAL_TEST_DATA
                        "/lit/Tools/nnhal-run/Inputs/signatures.tflite",
                        folder.at("two/1/model.tflite"));
  start(withoutPolling());
  ModelInfo info;
  ASSERT_TRUE(server->modelInfo("two", "", info).isOk()) << index();
  EXPECT_EQ(info.inputs[0].name, "a");
  EXPECT_EQ(info.outputs[0].name, "b");
  folder.write("two/config.json", R"({"signature": "none"})");
  EXPECT_TRUE(server->load("two").message().ends_with(
      "the file has no signature 'none', only 'negate', 'root'"));
}

TEST_F(ServerTest, SmallNetwork) {
  folder.write("unused", "");
  std::filesystem::copy(NNHAL_TEST_DATA "/Models/small_cnn.tflite",
                        folder.at("cnn.tflite"));
  start(withoutPolling());
  ModelInfo info;
  ASSERT_TRUE(server->modelInfo("cnn", "", info).isOk()) << index();
  InferenceRequest request;
  request.model = "cnn";
  size_t size = sizeOf(info.inputs[0].type);
  for (int64_t extent : info.inputs[0].shape)
    size *= size_t(extent);
  std::vector<std::byte> zeros(size);
  request.inputs = {
      {info.inputs[0].name, info.inputs[0].type, info.inputs[0].shape, zeros}};
  InferenceResponse response;
  Outcome outcome = server->infer(request, response);
  ASSERT_TRUE(outcome.isOk()) << outcome.message();
  EXPECT_EQ(response.outputs[0].shape, info.outputs[0].shape);
}

TEST(ServerOptionsTest, WhatIsWrongIsNamed) {
  TestFolder folder;
  ServerOptions options;
  options.models = folder.at("none");
  EXPECT_EQ(Server::create(options).status().message(),
            "cannot read the folder of models '" + folder.at("none") +
                "': No such file or directory");
  options.models = folder.path;
  options.engine.devices = {"nnhal-tpu"};
  EXPECT_TRUE(Server::create(options).status().message().starts_with(
      "unknown device 'nnhal-tpu'"));
}

} // namespace
