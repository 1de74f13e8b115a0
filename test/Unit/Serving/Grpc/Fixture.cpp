//===- Fixture.cpp - A server and a client over gRPC ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include <fmt/format.h>

#include <filesystem>

using namespace nnhal;
using namespace nnhal::serving;

/// LeakSanitizer asks for this. Debian's library of c-ares, in which gRPC looks
/// up names, keeps 20 bytes.
extern "C" const char *
__lsan_default_suppressions() { // NOLINT(bugprone-reserved-identifier)
  return "leak:libcares";
}

std::string serving::copyModel(std::string_view type) {
  bool isQuantized = type.find("QUANT") != std::string_view::npos;
  std::string operand =
      fmt::format(R"("type": "{}", "dimensions": [2, 3]{})", type,
                  isQuantized ? R"(, "scale": 0.5)" : "");
  return fmt::format(
      R"({{"halVersion": "1.3", "main": {{"operands": [
           {{{0}, "lifetime": "SUBGRAPH_INPUT"}},
           {{{0}, "lifetime": "SUBGRAPH_OUTPUT"}}],
         "operations": [{{"type": "CAST", "inputs": [0], "outputs": [1]}}],
         "inputIndexes": [0], "outputIndexes": [1]}}}})",
      operand);
}

std::string serving::loopModel() {
  return R"({"halVersion": "1.3", "main": {"operands": [
      {"type": "SUBGRAPH", "dimensions": [], "lifetime": "SUBGRAPH", "value": 0},
      {"type": "SUBGRAPH", "dimensions": [], "lifetime": "SUBGRAPH", "value": 1},
      {"type": "TENSOR_INT32", "dimensions": [1], "lifetime": "SUBGRAPH_INPUT"},
      {"type": "TENSOR_INT32", "dimensions": [1], "lifetime": "SUBGRAPH_INPUT"},
      {"type": "TENSOR_INT32", "dimensions": [1], "lifetime": "SUBGRAPH_OUTPUT"}],
    "operations": [{"type": "WHILE", "inputs": [0, 1, 2, 3], "outputs": [4]}],
    "inputIndexes": [2, 3], "outputIndexes": [4]},
   "referenced": [{"operands": [
      {"type": "TENSOR_INT32", "dimensions": [1], "lifetime": "SUBGRAPH_INPUT"},
      {"type": "TENSOR_INT32", "dimensions": [1], "lifetime": "SUBGRAPH_INPUT"},
      {"type": "TENSOR_BOOL8", "dimensions": [1], "lifetime": "SUBGRAPH_OUTPUT"}],
    "operations": [{"type": "LESS", "inputs": [0, 1], "outputs": [2]}],
    "inputIndexes": [0, 1], "outputIndexes": [2]},
   {"operands": [
      {"type": "TENSOR_INT32", "dimensions": [1], "lifetime": "SUBGRAPH_INPUT"},
      {"type": "TENSOR_INT32", "dimensions": [1], "lifetime": "SUBGRAPH_INPUT"},
      {"type": "TENSOR_INT32", "dimensions": [1], "lifetime": "CONSTANT_COPY", "value": [1]},
      {"type": "INT32", "dimensions": [], "lifetime": "CONSTANT_COPY", "value": [0]},
      {"type": "TENSOR_INT32", "dimensions": [1], "lifetime": "SUBGRAPH_OUTPUT"}],
    "operations": [{"type": "ADD", "inputs": [0, 2, 3], "outputs": [4]}],
    "inputIndexes": [0, 1], "outputIndexes": [4]}]})";
}

GrpcTest::GrpcTest() {
  std::filesystem::create_directory(folder.at("models"));
  serverOptions.models = folder.at("models");
  serverOptions.engine.devices = {"nnhal-reference"};
  serverOptions.pollInterval = std::chrono::milliseconds(0);
}

void GrpcTest::start() {
  rt::Result<std::unique_ptr<Server>> made = Server::create(serverOptions);
  ASSERT_TRUE(made.isOk()) << made.status().message();
  server = *std::move(made);
  rt::Status status = server->start();
  ASSERT_TRUE(status.isOk()) << status.message();
  rt::Result<std::unique_ptr<GrpcFront>> listening =
      GrpcFront::create(options, *server);
  ASSERT_TRUE(listening.isOk()) << listening.status().message();
  front = *std::move(listening);
  stub = connect();
}

std::unique_ptr<inference::GRPCInferenceService::Stub>
GrpcTest::connect(int maxMessageBytes) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(maxMessageBytes);
  return inference::GRPCInferenceService::NewStub(grpc::CreateCustomChannel(
      front->target(), grpc::InsecureChannelCredentials(), arguments));
}

grpc::Status GrpcTest::callRaw(const std::string &method,
                               const std::string &request,
                               std::string &answer) {
  if (!generic)
    generic = std::make_unique<grpc::GenericStub>(grpc::CreateChannel(
        front->target(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  grpc::Slice slice(request);
  grpc::ByteBuffer sent(&slice, 1);
  grpc::ByteBuffer received;
  grpc::Status status;
  auto call = generic->PrepareUnaryCall(&context, method, sent, &queue);
  call->StartCall();
  call->Finish(&received, &status, nullptr);
  void *tag = nullptr;
  bool isOk = false;
  queue.Next(&tag, &isOk);
  std::vector<grpc::Slice> slices;
  if (status.ok() && received.Dump(&slices).ok())
    for (const grpc::Slice &part : slices)
      answer.append(reinterpret_cast<const char *>(part.begin()), part.size());
  return status;
}

void GrpcTest::expectStatus(const grpc::Status &status, grpc::StatusCode code,
                            std::string_view message) {
  EXPECT_EQ(status.error_code(), code) << status.error_message();
  EXPECT_EQ(status.error_message(), message);
}

inference::ModelInferRequest
serving::requestOf(const std::string &model, const std::string &input,
                   const std::string &type,
                   std::initializer_list<int64_t> shape) {
  inference::ModelInferRequest request;
  request.set_model_name(model);
  auto &tensor = *request.add_inputs();
  tensor.set_name(input);
  tensor.set_datatype(type);
  tensor.mutable_shape()->Assign(shape.begin(), shape.end());
  return request;
}

inference::ModelInferRequest serving::loopRequest(int32_t iterations) {
  inference::ModelInferRequest request =
      requestOf("loop", "input0", "INT32", {1});
  request.add_raw_input_contents(bytesOf<int32_t>({0}));
  auto &tensor = *request.add_inputs();
  tensor = request.inputs(0);
  tensor.set_name("input1");
  request.add_raw_input_contents(bytesOf<int32_t>({iterations}));
  return request;
}
