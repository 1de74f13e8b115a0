//===- WireTest.cpp - Names and numbers that clients have compiled in -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "open_inference_grpc.grpc.pb.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

/// "name number type" of each field of \p message, which are joined by commas.
static std::string fieldsOf(const Descriptor &message) {
  std::string text;
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor &field = *message.field(i);
    std::string type = field.type_name();
    if (field.is_map())
      type =
          "map of " + field.message_type()->map_value()->message_type()->name();
    else if (field.message_type())
      type = field.message_type()->name();
    text += fmt::format(
        "{}{} {} {}{}", i ? ", " : "", field.name(), field.number(),
        field.is_repeated() && !field.is_map() ? "repeated " : "", type);
  }
  return text;
}

/// The fields of the message \p name of the protocol.
static std::string fieldsOf(const std::string &name) {
  const Descriptor *message =
      google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
          "inference." + name);
  return message ? fieldsOf(*message) : "no such message";
}

TEST(GrpcWireTest, Calls) {
  const auto *service =
      google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(
          "inference.GRPCInferenceService");
  ASSERT_NE(service, nullptr);
  std::string calls;
  for (int i = 0; i < service->method_count(); ++i) {
    const auto &method = *service->method(i);
    EXPECT_EQ(method.input_type()->name(), method.name() + "Request");
    EXPECT_EQ(method.output_type()->name(), method.name() + "Response");
    EXPECT_FALSE(method.client_streaming() || method.server_streaming());
    calls += method.name() + " ";
  }
  EXPECT_EQ(calls, "ServerLive ServerReady ModelReady ServerMetadata "
                   "ModelMetadata ModelInfer RepositoryIndex "
                   "RepositoryModelLoad RepositoryModelUnload ");
}

TEST(GrpcWireTest, HealthAndMetadata) {
  EXPECT_EQ(fieldsOf("ServerLiveRequest"), "");
  EXPECT_EQ(fieldsOf("ServerLiveResponse"), "live 1 bool");
  EXPECT_EQ(fieldsOf("ServerReadyRequest"), "");
  EXPECT_EQ(fieldsOf("ServerReadyResponse"), "ready 1 bool");
  EXPECT_EQ(fieldsOf("ModelReadyRequest"), "name 1 string, version 2 string");
  EXPECT_EQ(fieldsOf("ModelReadyResponse"), "ready 1 bool");
  EXPECT_EQ(fieldsOf("ServerMetadataRequest"), "");
  EXPECT_EQ(fieldsOf("ServerMetadataResponse"),
            "name 1 string, version 2 string, extensions 3 repeated string");
  EXPECT_EQ(fieldsOf("ModelMetadataRequest"),
            "name 1 string, version 2 string");
  EXPECT_EQ(fieldsOf("ModelMetadataResponse"),
            "name 1 string, versions 2 repeated string, platform 3 string, "
            "inputs 4 repeated TensorMetadata, "
            "outputs 5 repeated TensorMetadata");
  EXPECT_EQ(fieldsOf("ModelMetadataResponse.TensorMetadata"),
            "name 1 string, datatype 2 string, shape 3 repeated int64");
}

TEST(GrpcWireTest, Inference) {
  EXPECT_EQ(fieldsOf("ModelInferRequest"),
            "model_name 1 string, model_version 2 string, id 3 string, "
            "parameters 4 map of InferParameter, "
            "inputs 5 repeated InferInputTensor, "
            "outputs 6 repeated InferRequestedOutputTensor, "
            "raw_input_contents 7 repeated bytes");
  EXPECT_EQ(fieldsOf("ModelInferRequest.InferInputTensor"),
            "name 1 string, datatype 2 string, shape 3 repeated int64, "
            "parameters 4 map of InferParameter, "
            "contents 5 InferTensorContents");
  EXPECT_EQ(fieldsOf("ModelInferRequest.InferRequestedOutputTensor"),
            "name 1 string, parameters 2 map of InferParameter");
  EXPECT_EQ(fieldsOf("ModelInferResponse"),
            "model_name 1 string, model_version 2 string, id 3 string, "
            "parameters 4 map of InferParameter, "
            "outputs 5 repeated InferOutputTensor, "
            "raw_output_contents 6 repeated bytes");
  EXPECT_EQ(fieldsOf("ModelInferResponse.InferOutputTensor"),
            "name 1 string, datatype 2 string, shape 3 repeated int64, "
            "parameters 4 map of InferParameter, "
            "contents 5 InferTensorContents");
  EXPECT_EQ(fieldsOf("InferParameter"),
            "bool_param 1 bool, int64_param 2 int64, string_param 3 string, "
            "double_param 4 double, uint64_param 5 uint64");
  EXPECT_EQ(fieldsOf("InferTensorContents"),
            "bool_contents 1 repeated bool, int_contents 2 repeated int32, "
            "int64_contents 3 repeated int64, "
            "uint_contents 4 repeated uint32, "
            "uint64_contents 5 repeated uint64, "
            "fp32_contents 6 repeated float, fp64_contents 7 repeated double, "
            "bytes_contents 8 repeated bytes");
}

TEST(GrpcWireTest, Repository) {
  EXPECT_EQ(fieldsOf("RepositoryIndexRequest"),
            "repository_name 1 string, ready 2 bool");
  EXPECT_EQ(fieldsOf("RepositoryIndexResponse"),
            "models 1 repeated ModelIndex");
  EXPECT_EQ(fieldsOf("RepositoryIndexResponse.ModelIndex"),
            "name 1 string, version 2 string, state 3 string, reason 4 string");
  for (const char *name :
       {"RepositoryModelLoadRequest", "RepositoryModelUnloadRequest"})
    EXPECT_EQ(fieldsOf(name), "repository_name 1 string, model_name 2 string, "
                              "parameters 3 map of ModelRepositoryParameter");
  EXPECT_EQ(fieldsOf("ModelRepositoryParameter"),
            "bool_param 1 bool, int64_param 2 int64, string_param 3 string, "
            "bytes_param 4 bytes");
  EXPECT_EQ(fieldsOf("RepositoryModelLoadResponse"),
            "model_name 1 string, isLoaded 2 bool");
  EXPECT_EQ(fieldsOf("RepositoryModelUnloadResponse"),
            "model_name 1 string, isUnloaded 2 bool");
}
