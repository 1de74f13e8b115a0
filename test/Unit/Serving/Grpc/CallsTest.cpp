//===- CallsTest.cpp - Every call of the protocol over gRPC ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include <google/protobuf/util/message_differencer.h>

using namespace nnhal;
using namespace nnhal::serving;
using namespace inference;
using grpc::StatusCode;

namespace {
class GrpcCallsTest : public GrpcTest {
protected:
  GrpcCallsTest() {
    folder.write("models/floats.json", copyModel("TENSOR_FLOAT32"));
    folder.write("models/broken.json", "{}");
  }

  grpc::Status infer(const ModelInferRequest &request) {
    grpc::ClientContext context;
    response.Clear();
    return stub->ModelInfer(&context, request, &response);
  }

  /// Calls \p method of the stub.
  template <typename Method, typename Request, typename Response>
  grpc::Status call(Method method, const Request &request, Response &answer) {
    grpc::ClientContext context;
    return (stub.get()->*method)(&context, request, &answer);
  }

  ModelInferResponse response;
};

using Stub = GRPCInferenceService::Stub;
} // namespace

TEST_F(GrpcCallsTest, LiveAndReady) {
  start();
  ServerLiveResponse live;
  ASSERT_TRUE(call(&Stub::ServerLive, ServerLiveRequest(), live).ok());
  EXPECT_TRUE(live.live());
  // One of the two models cannot be loaded.
  ServerReadyResponse ready;
  ASSERT_TRUE(call(&Stub::ServerReady, ServerReadyRequest(), ready).ok());
  EXPECT_FALSE(ready.ready());

  ModelReadyRequest request;
  ModelReadyResponse model;
  request.set_name("floats");
  ASSERT_TRUE(call(&Stub::ModelReady, request, model).ok());
  EXPECT_TRUE(model.ready());
  request.set_version("1");
  ASSERT_TRUE(call(&Stub::ModelReady, request, model).ok());
  EXPECT_TRUE(model.ready());
  request.set_version("2");
  expectStatus(call(&Stub::ModelReady, request, model), StatusCode::NOT_FOUND,
               "model 'floats' has no version '2'");
  request.clear_version();
  request.set_name("broken");
  ASSERT_TRUE(call(&Stub::ModelReady, request, model).ok());
  EXPECT_FALSE(model.ready());
  request.set_name("absent");
  expectStatus(call(&Stub::ModelReady, request, model), StatusCode::NOT_FOUND,
               "there is no model 'absent'");
}

TEST_F(GrpcCallsTest, Metadata) {
  start();
  ServerMetadataResponse server;
  ASSERT_TRUE(
      call(&Stub::ServerMetadata, ServerMetadataRequest(), server).ok());
  EXPECT_EQ(server.name(), "nnhal-serve");
  EXPECT_FALSE(server.version().empty());
  EXPECT_EQ(server.extensions_size(),
            int(this->server->info().extensions.size()));

  ModelMetadataRequest request;
  ModelMetadataResponse model;
  request.set_name("floats");
  ASSERT_TRUE(call(&Stub::ModelMetadata, request, model).ok());
  EXPECT_EQ(model.name(), "floats");
  ASSERT_EQ(model.versions_size(), 1);
  EXPECT_EQ(model.versions(0), "1");
  EXPECT_FALSE(model.platform().empty());
  ASSERT_EQ(model.inputs_size(), 1);
  EXPECT_EQ(model.inputs(0).name(), "input0");
  EXPECT_EQ(model.inputs(0).datatype(), "FP32");
  ASSERT_EQ(model.inputs(0).shape_size(), 2);
  EXPECT_EQ(model.inputs(0).shape(1), 3);
  ASSERT_EQ(model.outputs_size(), 1);
  EXPECT_EQ(model.outputs(0).name(), "output0");
  request.set_name("absent");
  expectStatus(call(&Stub::ModelMetadata, request, model),
               StatusCode::NOT_FOUND, "there is no model 'absent'");
}

TEST_F(GrpcCallsTest, RawInference) {
  start();
  ModelInferRequest request = requestOf("floats", "input0", "FP32", {2, 3});
  request.set_id("request 7");
  std::string elements = bytesOf<float>({1, -2, 3.5F, 0, 1e30F, -0.0F});
  request.add_raw_input_contents(elements);
  grpc::Status status = infer(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.model_name(), "floats");
  EXPECT_EQ(response.model_version(), "1");
  EXPECT_EQ(response.id(), "request 7");
  ASSERT_EQ(response.outputs_size(), 1);
  EXPECT_EQ(response.outputs(0).name(), "output0");
  EXPECT_EQ(response.outputs(0).datatype(), "FP32");
  EXPECT_EQ(response.outputs(0).shape_size(), 2);
  EXPECT_FALSE(response.outputs(0).has_contents());
  ASSERT_EQ(response.raw_output_contents_size(), 1);
  EXPECT_EQ(response.raw_output_contents(0), elements);
}

TEST_F(GrpcCallsTest, TypedInference) {
  start();
  ModelInferRequest request = requestOf("floats", "input0", "FP32", {2, 3});
  for (float value : {1.F, -2.F, 3.5F, 0.F, 1e30F, 4.F})
    request.mutable_inputs(0)->mutable_contents()->add_fp32_contents(value);
  request.add_outputs()->set_name("output0");
  grpc::Status status = infer(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.raw_output_contents_size(), 0);
  ASSERT_EQ(response.outputs_size(), 1);
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(
      response.outputs(0).contents(), request.inputs(0).contents()));
}

namespace {
struct TypeCase {
  const char *operandType;
  const char *name;
  size_t size;
};
} // namespace

TEST_F(GrpcCallsTest, EveryTypeOfTensorsOfNNAPI) {
  const TypeCase cases[] = {{"TENSOR_FLOAT16", "FP16", 2},
                            {"TENSOR_FLOAT32", "FP32", 4},
                            {"TENSOR_BOOL8", "BOOL", 1},
                            {"TENSOR_INT32", "INT32", 4},
                            {"TENSOR_QUANT8_ASYMM", "UINT8", 1},
                            {"TENSOR_QUANT8_ASYMM_SIGNED", "INT8", 1},
                            {"TENSOR_QUANT8_SYMM", "INT8", 1},
                            {"TENSOR_QUANT16_ASYMM", "UINT16", 2},
                            {"TENSOR_QUANT16_SYMM", "INT16", 2}};
  for (const TypeCase &one : cases)
    folder.write(fmt::format("models/{}.json", one.operandType),
                 copyModel(one.operandType));
  start();
  for (const TypeCase &one : cases) {
    SCOPED_TRACE(one.operandType);
    ModelInferRequest raw =
        requestOf(one.operandType, "input0", one.name, {2, 3});
    std::string elements(6 * one.size, '\0');
    elements[0] = 1;
    elements[5 * one.size] = 1;
    raw.add_raw_input_contents(elements);
    grpc::Status status = infer(raw);
    ASSERT_TRUE(status.ok()) << status.error_message();
    ASSERT_EQ(response.raw_output_contents_size(), 1);
    EXPECT_EQ(response.raw_output_contents(0), elements);
    EXPECT_EQ(response.outputs(0).datatype(), one.name);
  }
}

TEST_F(GrpcCallsTest, TypedSmallIntegers) {
  folder.write("models/bytes.json", copyModel("TENSOR_QUANT8_ASYMM_SIGNED"));
  start();
  ModelInferRequest request = requestOf("bytes", "input0", "INT8", {2, 3});
  for (int value : {-128, 127, 0, 1, 2, 3})
    request.mutable_inputs(0)->mutable_contents()->add_int_contents(value);
  grpc::Status status = infer(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.outputs_size(), 1);
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(
      response.outputs(0).contents(), request.inputs(0).contents()));
}

TEST_F(GrpcCallsTest, RefusedInference) {
  start();
  ModelInferRequest request = requestOf("absent", "input0", "FP32", {2, 3});
  expectStatus(infer(request), StatusCode::INVALID_ARGUMENT,
               "input 'input0': contents have 0 elements in fp32_contents, "
               "and shape [2,3] has 6");
  request.add_raw_input_contents(std::string(24, '\0'));
  expectStatus(infer(request), StatusCode::NOT_FOUND,
               "there is no model 'absent'");
  request.set_model_name("floats");
  request.set_model_version("9");
  expectStatus(infer(request), StatusCode::NOT_FOUND,
               "model 'floats' has no version '9'");
  request.clear_model_version();
  request.mutable_raw_input_contents(0)->resize(23);
  expectStatus(infer(request), StatusCode::INVALID_ARGUMENT,
               "input 'input0': 23 bytes of data are not the 24 of shape "
               "[2,3] and datatype FP32");
}

TEST_F(GrpcCallsTest, Repository) {
  start();
  RepositoryIndexResponse index;
  ASSERT_TRUE(
      call(&Stub::RepositoryIndex, RepositoryIndexRequest(), index).ok());
  ASSERT_EQ(index.models_size(), 2);
  EXPECT_EQ(index.models(0).name(), "broken");
  EXPECT_EQ(index.models(0).version(), "1");
  EXPECT_EQ(index.models(0).state(), "UNAVAILABLE");
  EXPECT_FALSE(index.models(0).reason().empty());
  EXPECT_EQ(index.models(1).state(), "READY");
  RepositoryIndexRequest request;
  request.set_ready(true);
  ASSERT_TRUE(call(&Stub::RepositoryIndex, request, index).ok());
  ASSERT_EQ(index.models_size(), 1);
  EXPECT_EQ(index.models(0).name(), "floats");
  request.set_repository_name("other");
  expectStatus(
      call(&Stub::RepositoryIndex, request, index),
      StatusCode::INVALID_ARGUMENT,
      "repository 'other' is unknown: the server has one, which has no name");
}

TEST_F(GrpcCallsTest, LoadAndUnload) {
  start();
  RepositoryModelUnloadRequest unload;
  RepositoryModelUnloadResponse unloaded;
  unload.set_model_name("floats");
  (*unload.mutable_parameters())["unload_dependents"].set_bool_param(true);
  ASSERT_TRUE(call(&Stub::RepositoryModelUnload, unload, unloaded).ok());
  EXPECT_EQ(unloaded.model_name(), "floats");
  EXPECT_TRUE(unloaded.isunloaded());
  ModelInferRequest request = requestOf("floats", "input0", "FP32", {2, 3});
  request.add_raw_input_contents(std::string(24, '\0'));
  expectStatus(infer(request), StatusCode::UNAVAILABLE,
               "model 'floats' is unloaded");

  RepositoryModelLoadRequest load;
  RepositoryModelLoadResponse loaded;
  load.set_model_name("floats");
  ASSERT_TRUE(call(&Stub::RepositoryModelLoad, load, loaded).ok());
  EXPECT_EQ(loaded.model_name(), "floats");
  EXPECT_TRUE(loaded.isloaded());
  EXPECT_TRUE(infer(request).ok());

  load.set_model_name("absent");
  expectStatus(call(&Stub::RepositoryModelLoad, load, loaded),
               StatusCode::NOT_FOUND,
               "the folder of models has no model 'absent'");
  unload.set_model_name("absent");
  expectStatus(call(&Stub::RepositoryModelUnload, unload, unloaded),
               StatusCode::NOT_FOUND, "there is no model 'absent'");
}

TEST_F(GrpcCallsTest, LoadAsKServeHasIt) {
  start();
  // The only field of KServe's message is the model, and has this number.
  RepositoryModelUnloadRequest unload;
  RepositoryModelUnloadResponse unloaded;
  unload.set_repository_name("floats");
  ASSERT_TRUE(call(&Stub::RepositoryModelUnload, unload, unloaded).ok());
  EXPECT_EQ(unloaded.model_name(), "floats");
  RepositoryModelLoadRequest load;
  RepositoryModelLoadResponse loaded;
  load.set_repository_name("floats");
  ASSERT_TRUE(call(&Stub::RepositoryModelLoad, load, loaded).ok());
  EXPECT_EQ(loaded.model_name(), "floats");
}

TEST_F(GrpcCallsTest, LoadsOfWhatTheFolderDoesNotHave) {
  start();
  RepositoryModelLoadRequest load;
  RepositoryModelLoadResponse loaded;
  load.set_model_name("floats");
  load.set_repository_name("other");
  expectStatus(
      call(&Stub::RepositoryModelLoad, load, loaded),
      StatusCode::INVALID_ARGUMENT,
      "repository 'other' is unknown: the server has one, which has no name");
  load.clear_repository_name();
  (*load.mutable_parameters())["config"].set_string_param("{}");
  expectStatus(call(&Stub::RepositoryModelLoad, load, loaded),
               StatusCode::INVALID_ARGUMENT,
               "parameter 'config' is not supported: models are loaded from "
               "the server's folder");
}

TEST_F(GrpcCallsTest, TracesAreContinued) {
  start();
  ModelInferRequest request = requestOf("floats", "input0", "FP32", {2, 3});
  request.add_raw_input_contents(std::string(24, '\0'));
  const std::string trace = "0af7651916cd43dd8448eb211c80319c";
  auto traceOf = [](const auto &metadata) {
    auto found = metadata.find("traceparent");
    return found == metadata.end()
               ? std::string()
               : std::string(found->second.data(), found->second.size());
  };
  auto answered = [&](const std::string &sent) {
    grpc::ClientContext context;
    if (!sent.empty())
      context.AddMetadata("traceparent", sent);
    bool isOk = stub->ModelInfer(&context, request, &response).ok();
    const auto &other = isOk ? context.GetServerTrailingMetadata()
                             : context.GetServerInitialMetadata();
    EXPECT_EQ(traceOf(other), "");
    return traceOf(isOk ? context.GetServerInitialMetadata()
                        : context.GetServerTrailingMetadata());
  };
  std::string sent = "00-" + trace + "-b7ad6b7169203331-01";
  std::string got = answered(sent);
  EXPECT_EQ(got.substr(0, 36), "00-" + trace + "-");
  EXPECT_EQ(got.size(), sent.size());
  EXPECT_NE(got, sent);
  EXPECT_EQ(answered("").size(), sent.size());
  EXPECT_EQ(answered("nonsense").size(), sent.size());
  // Failures have one, too.
  request.set_model_name("absent");
  EXPECT_EQ(answered(sent).substr(0, 36), "00-" + trace + "-");
}
