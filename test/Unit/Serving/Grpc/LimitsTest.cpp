//===- LimitsTest.cpp - Deadlines, overload and the end over gRPC ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include <chrono>
#include <future>
#include <thread>

using namespace nnhal;
using namespace nnhal::serving;
using namespace inference;
using grpc::StatusCode;
using namespace std::chrono_literals;

namespace {
class GrpcLimitsTest : public GrpcTest {
protected:
  GrpcLimitsTest() {
    folder.write("models/floats.json", copyModel("TENSOR_FLOAT32"));
    folder.write("models/loop.json", loopModel());
  }

  static ModelInferRequest smallRequest() {
    ModelInferRequest request = requestOf("floats", "input0", "FP32", {2, 3});
    request.add_raw_input_contents(std::string(24, '\0'));
    return request;
  }

  grpc::Status infer(const ModelInferRequest &request,
                     std::chrono::milliseconds timeout = 30s) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + timeout);
    ModelInferResponse response;
    return stub->ModelInfer(&context, request, &response);
  }

  /// Executes a loop of the model for half a second, once it is not refused.
  std::future<grpc::Status> beginLoop() {
    return std::async(std::launch::async, [this] {
      ModelInferRequest request = loopRequest(INT32_MAX);
      (*request.mutable_parameters())["timeout"].set_int64_param(500'000);
      grpc::Status status;
      do
        status = infer(request);
      while (status.error_code() == StatusCode::RESOURCE_EXHAUSTED);
      return status;
    });
  }

  /// Waits until the server executes the loop of \p client, or has answered.
  void awaitExecution(const std::future<grpc::Status> &client) const {
    const std::string live =
        R"(nnhal_serve_executions_live{model="loop",version="1"} 1)";
    while (client.wait_for(1ms) == std::future_status::timeout &&
           server->metrics().find(live) == std::string::npos)
      ;
  }

  /// The status of the first request that is refused, or of the last one.
  grpc::Status awaitRefusal() {
    grpc::Status status;
    for (int i = 0; i < 500 && status.ok(); ++i) {
      status = infer(smallRequest());
      std::this_thread::sleep_for(1ms);
    }
    return status;
  }
};
} // namespace

TEST_F(GrpcLimitsTest, LoopCounts) {
  start();
  grpc::ClientContext context;
  ModelInferResponse response;
  grpc::Status status = stub->ModelInfer(&context, loopRequest(5), &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.raw_output_contents(0), bytesOf<int32_t>({5}));
}

TEST_F(GrpcLimitsTest, TimeoutOfTheRequestEndsTheExecution) {
  start();
  ModelInferRequest request = loopRequest(INT32_MAX);
  (*request.mutable_parameters())["timeout"].set_int64_param(50'000);
  auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(infer(request).error_code(), StatusCode::DEADLINE_EXCEEDED);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 1s);
}

TEST_F(GrpcLimitsTest, DeadlineOfTheCallEndsTheExecution) {
  start();
  EXPECT_EQ(infer(loopRequest(INT32_MAX), 50ms).error_code(),
            StatusCode::DEADLINE_EXCEEDED);
  // The client knows by itself; that the server does is counted there.
  auto isCounted = [this] {
    const std::string counted =
        R"(_requests_total{code="deadline_exceeded",model="loop",version="1"} 1)";
    return server->metrics().find(counted) != std::string::npos;
  };
  for (int i = 0; i < 500 && !isCounted(); ++i)
    std::this_thread::sleep_for(2ms);
  EXPECT_TRUE(isCounted()) << server->metrics();
}

TEST_F(GrpcLimitsTest, MoreRequestsThanThreads) {
  options.threads = 1;
  start();
  std::future<grpc::Status> loop = beginLoop();
  expectStatus(awaitRefusal(), StatusCode::RESOURCE_EXHAUSTED,
               "the server has 1 requests under way, as many as it takes at "
               "once");
  // Probes are answered nevertheless.
  grpc::ClientContext context;
  ServerLiveResponse live;
  EXPECT_TRUE(stub->ServerLive(&context, ServerLiveRequest(), &live).ok());
  EXPECT_TRUE(live.live());
  EXPECT_EQ(loop.get().error_code(), StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(GrpcLimitsTest, ClientsThatCancel) {
  start();
  grpc::ClientContext context;
  std::future<grpc::Status> loop = std::async(std::launch::async, [&] {
    ModelInferRequest request = loopRequest(INT32_MAX);
    (*request.mutable_parameters())["timeout"].set_int64_param(200'000);
    ModelInferResponse response;
    return stub->ModelInfer(&context, request, &response);
  });
  std::this_thread::sleep_for(20ms);
  context.TryCancel();
  EXPECT_EQ(loop.get().error_code(), StatusCode::CANCELLED);
  EXPECT_TRUE(infer(smallRequest()).ok());
}

TEST_F(GrpcLimitsTest, CallsThatAreCancelledWhileTheyWait) {
  // Nobody joins the request.
  folder.write("models/waits/1/model.json", addModel(1));
  folder.write("models/waits/config.json",
               R"({"max_batch_size": 2,
                   "max_queue_delay_microseconds": 100000})");
  start();
  grpc::ClientContext context;
  std::future<grpc::Status> waiting = std::async(std::launch::async, [&] {
    ModelInferRequest request = requestOf("waits", "input0", "FP32", {1, 2});
    request.add_raw_input_contents(std::string(8, '\0'));
    ModelInferResponse response;
    return stub->ModelInfer(&context, request, &response);
  });
  auto has = [this](const std::string &line) {
    return server->metrics().find(line) != std::string::npos;
  };
  while (waiting.wait_for(1ms) == std::future_status::timeout &&
         !has(R"(nnhal_serve_queue_depth{model="waits",version="1"} 1)"))
    ;
  context.TryCancel();
  EXPECT_EQ(waiting.get().error_code(), StatusCode::CANCELLED);
  const std::string counted =
      R"(_requests_total{code="cancelled",model="waits",version="1"} 1)";
  for (int i = 0; i < 1000 && !has(counted); ++i)
    std::this_thread::sleep_for(2ms);
  EXPECT_TRUE(has(counted)) << server->metrics();
}

TEST_F(GrpcLimitsTest, ClientsTryAgainWhatIsUnavailable) {
  start();
  ASSERT_TRUE(server->unload("floats").isOk());
  grpc::ChannelArguments arguments;
  arguments.SetServiceConfigJSON(
      R"({"methodConfig": [{"name": [{}], "retryPolicy": {
            "maxAttempts": 3, "initialBackoff": "0.01s", "maxBackoff": "0.01s",
            "backoffMultiplier": 1,
            "retryableStatusCodes": ["UNAVAILABLE"]}}]})");
  stub = GRPCInferenceService::NewStub(grpc::CreateCustomChannel(
      front->target(), grpc::InsecureChannelCredentials(), arguments));
  expectStatus(infer(smallRequest()), StatusCode::UNAVAILABLE,
               "model 'floats' is unloaded");
  std::string metrics = server->metrics();
  size_t line = metrics.find(R"(_requests_total{code="unavailable")");
  ASSERT_NE(line, std::string::npos) << metrics;
  EXPECT_EQ(metrics.substr(metrics.find(' ', line), 3), " 3\n") << metrics;
}

TEST_F(GrpcLimitsTest, ConnectionsWithoutCallsEnd) {
  options.idle = 1s;
  start();
  auto channel =
      grpc::CreateChannel(front->target(), grpc::InsecureChannelCredentials());
  ASSERT_TRUE(channel->WaitForConnected(std::chrono::system_clock::now() + 5s));
  EXPECT_TRUE(channel->WaitForStateChange(
      GRPC_CHANNEL_READY, std::chrono::system_clock::now() + 10s));
  EXPECT_EQ(channel->GetState(false), GRPC_CHANNEL_IDLE);
}

TEST_F(GrpcLimitsTest, QuotaOfAnAddress) {
  serverOptions.quota.concurrentRequests = 1;
  start();
  std::future<grpc::Status> loop = beginLoop();
  expectStatus(awaitRefusal(), StatusCode::RESOURCE_EXHAUSTED,
               "client '127.0.0.1' has 1 requests under way, as many as one "
               "may have");
  EXPECT_EQ(loop.get().error_code(), StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(GrpcLimitsTest, QuotaOfAnAddressAtASocketOfBothVersions) {
  serverOptions.quota.requestsPerSecond = 1;
  options.host = "::";
  start();
  stub = GRPCInferenceService::NewStub(
      grpc::CreateChannel(fmt::format("127.0.0.1:{}", front->port()),
                          grpc::InsecureChannelCredentials()));
  EXPECT_TRUE(infer(smallRequest()).ok());
  expectStatus(infer(smallRequest()), StatusCode::RESOURCE_EXHAUSTED,
               "client '127.0.0.1' has sent more than 1 requests per second");
}

TEST_F(GrpcLimitsTest, QuotaOfWhomAProxyNames) {
  serverOptions.quota.requestsPerSecond = 1;
  options.clientHeader = "X-Client";
  start();
  auto inferAs = [this](const char *client) {
    grpc::ClientContext context;
    context.AddMetadata("x-client", client);
    ModelInferResponse response;
    return stub->ModelInfer(&context, smallRequest(), &response);
  };
  EXPECT_TRUE(inferAs("one").ok());
  expectStatus(inferAs("one"), StatusCode::RESOURCE_EXHAUSTED,
               "client 'one' has sent more than 1 requests per second");
  EXPECT_TRUE(inferAs("two").ok());
}

TEST_F(GrpcLimitsTest, TooLargeMessages) {
  options.maxMessageBytes = 1000;
  start();
  EXPECT_TRUE(infer(smallRequest()).ok());
  ModelInferRequest request = smallRequest();
  request.set_raw_input_contents(0, std::string(2000, '\0'));
  EXPECT_EQ(infer(request).error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(infer(smallRequest()).ok());
}

TEST_F(GrpcLimitsTest, CompressedMessagesAreNotInflated) {
  start();
  grpc::ClientContext context;
  context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  ModelInferRequest request = smallRequest();
  request.set_id(std::string(10'000, 'x'));
  ModelInferResponse response;
  EXPECT_EQ(stub->ModelInfer(&context, request, &response).error_code(),
            StatusCode::UNIMPLEMENTED);
}

TEST_F(GrpcLimitsTest, StopAnswersWhatIsUnderWay) {
  start();
  std::future<grpc::Status> loop = std::async(
      std::launch::async, [this] { return infer(loopRequest(2'000)); });
  awaitExecution(loop);
  front->stop(rt::noDeadline);
  grpc::Status status = loop.get();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(infer(smallRequest(), 1s).error_code(), StatusCode::UNAVAILABLE);
}

TEST_F(GrpcLimitsTest, RefusesWhileItStops) {
  start();
  std::future<grpc::Status> loop = beginLoop();
  awaitExecution(loop);
  std::thread stopping([this] { front->stop(rt::noDeadline); });
  expectStatus(awaitRefusal(), StatusCode::UNAVAILABLE,
               "the server is about to end");
  stopping.join();
  EXPECT_EQ(loop.get().error_code(), StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(GrpcLimitsTest, StopCancelsAtItsDeadline) {
  start();
  std::future<grpc::Status> loop = beginLoop();
  awaitExecution(loop);
  front->stop(rt::steadyNow() + 1'000'000);
  EXPECT_FALSE(loop.get().ok());
}
