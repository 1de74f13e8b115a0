//===- MessagesTest.cpp - Messages to requests and back -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include "Serving/Grpc/Messages.h"

using namespace nnhal;
using namespace nnhal::serving;
using inference::ModelInferRequest;
using inference::ModelInferResponse;

static void expectRefused(const ModelInferRequest &message,
                          std::string_view text) {
  ReadRequest read;
  Outcome outcome = readRequest(message, read);
  EXPECT_EQ(outcome.code(), OutcomeCode::invalidArgument);
  EXPECT_EQ(outcome.message(), text);
}

TEST(GrpcMessagesTest, RawElementsAreUsedWhereTheyLie) {
  ModelInferRequest message = requestOf("m", "x", "FP32", {2});
  message.set_model_version("3");
  message.set_id("seven");
  message.add_outputs()->set_name("y");
  message.add_raw_input_contents(bytesOf<float>({1, 2}));
  ReadRequest read;
  ASSERT_TRUE(readRequest(message, read).isOk());
  EXPECT_EQ(read.request.model, "m");
  EXPECT_EQ(read.request.version, "3");
  EXPECT_EQ(read.request.id, "seven");
  EXPECT_EQ(read.request.outputs, std::vector<std::string>{"y"});
  ASSERT_EQ(read.request.inputs.size(), 1);
  const RequestTensor &tensor = read.request.inputs.front();
  EXPECT_EQ(tensor.name, "x");
  EXPECT_EQ(tensor.type, DataType::fp32);
  EXPECT_EQ(tensor.shape, std::vector<int64_t>{2});
  EXPECT_EQ(static_cast<const void *>(tensor.data.data()),
            static_cast<const void *>(message.raw_input_contents(0).data()));
  EXPECT_EQ(tensor.data.size(), 8);
  EXPECT_TRUE(read.isRaw);
}

TEST(GrpcMessagesTest, BothFormsOfElements) {
  ModelInferRequest message = requestOf("m", "x", "FP32", {1});
  message.mutable_inputs(0)->mutable_contents()->add_fp32_contents(1);
  message.add_raw_input_contents(bytesOf<float>({1}));
  expectRefused(message, "input 'x' has contents, and the request has "
                         "raw_input_contents: one of them is allowed");
}

TEST(GrpcMessagesTest, RawElementsOfOtherInputs) {
  ModelInferRequest message = requestOf("m", "x", "FP32", {1});
  message.add_raw_input_contents(bytesOf<float>({1}));
  message.add_raw_input_contents(bytesOf<float>({1}));
  expectRefused(
      message,
      "raw_input_contents are those of 2 inputs, and the request has 1");
}

TEST(GrpcMessagesTest, DataTypesThatNoModelHas) {
  expectRefused(requestOf("m", "x", "BYTES", {1}),
                "input 'x': datatype BYTES is that of no model: tensors of "
                "NNAPI have no such elements");
  expectRefused(requestOf("m", "x", "FLOAT", {1}),
                "input 'x': datatype 'FLOAT' is none of the protocol");
}

TEST(GrpcMessagesTest, Priority) {
  ModelInferRequest message;
  auto &priority = (*message.mutable_parameters())["priority"];
  ReadRequest read;
  priority.set_uint64_param(3);
  ASSERT_TRUE(readRequest(message, read).isOk());
  EXPECT_EQ(read.request.priority, rt::Priority::low);
  priority.set_int64_param(1);
  ASSERT_TRUE(readRequest(message, read).isOk());
  EXPECT_EQ(read.request.priority, rt::Priority::high);
  priority.set_int64_param(4);
  expectRefused(message, "parameter 'priority': 4 is not from 0 to 3");
  priority.set_int64_param(-1);
  expectRefused(message, "parameter 'priority': -1 is below 0");
  priority.set_string_param("high");
  expectRefused(message,
                "parameter 'priority' is no int64_param or uint64_param");
}

TEST(GrpcMessagesTest, TimeoutBringsTheDeadlineForward) {
  ModelInferRequest message;
  auto &timeout = (*message.mutable_parameters())["timeout"];
  constexpr rt::Deadline second = 1'000'000'000;
  timeout.set_int64_param(2'000'000);
  ReadRequest read;
  ASSERT_TRUE(readRequest(message, read).isOk());
  EXPECT_LE(read.request.deadline, rt::steadyNow() + 2 * second);
  EXPECT_GT(read.request.deadline, rt::steadyNow() + second);
  rt::Deadline before = read.request.deadline = rt::steadyNow() + second;
  ASSERT_TRUE(readRequest(message, read).isOk());
  EXPECT_EQ(read.request.deadline, before);
  timeout.set_bool_param(true);
  expectRefused(message,
                "parameter 'timeout' is no int64_param or uint64_param");
}

TEST(GrpcMessagesTest, OtherParametersAreIgnored) {
  ModelInferRequest message = requestOf("m", "x", "FP32", {0});
  (*message.mutable_parameters())["sequence_id"].set_int64_param(-5);
  (*message.mutable_inputs(0)->mutable_parameters())["binary"].set_bool_param(
      true);
  ReadRequest read;
  EXPECT_TRUE(readRequest(message, read).isOk());
}

TEST(GrpcMessagesTest, OneRawOutputMakesAllRaw) {
  std::string halves(4, '\1');
  std::string floats = bytesOf<float>({1});
  InferenceResponse response;
  response.outputs.resize(2);
  response.outputs[0] = {
      "h", DataType::fp16, {2}, std::as_bytes(std::span(halves))};
  response.outputs[1] = {
      "f", DataType::fp32, {1}, std::as_bytes(std::span(floats))};
  ModelInferResponse message;
  ASSERT_TRUE(writeResponse(ReadRequest(), response, message).isOk());
  ASSERT_EQ(message.raw_output_contents_size(), 2);
  EXPECT_EQ(message.raw_output_contents(0), halves);
  EXPECT_EQ(message.raw_output_contents(1), floats);
  EXPECT_FALSE(message.outputs(1).has_contents());
  EXPECT_EQ(message.outputs(0).datatype(), "FP16");
}

TEST(GrpcMessagesTest, ResponsesThatNoMessageHas) {
  EXPECT_TRUE(checkMessageSize((uint64_t(1) << 31) - 1).isOk());
  auto expectRefusal = [](DataType type, uint64_t size, bool isRaw) {
    // Nobody looks at elements of which there are too many.
    std::byte one = {};
    InferenceResponse response;
    response.outputs.resize(1);
    response.outputs[0] = {"y", type, {}, std::span(&one, size)};
    ReadRequest read;
    read.isRaw = isRaw;
    ModelInferResponse message;
    Outcome outcome = writeResponse(read, response, message);
    EXPECT_EQ(outcome.code(), OutcomeCode::failed);
    EXPECT_EQ(outcome.message(),
              "the response has 2147483648 bytes or more, and a message of "
              "gRPC has at most 2147483647");
    EXPECT_EQ(message.outputs_size(), 0);
  };
  constexpr uint64_t tooMany = uint64_t(1) << 31;
  expectRefusal(DataType::int8, tooMany, false);
  expectRefusal(DataType::boolean, tooMany, false);
  expectRefusal(DataType::int64, tooMany * 8, false);
  expectRefusal(DataType::fp32, tooMany, false);
  expectRefusal(DataType::fp64, tooMany, false);
  expectRefusal(DataType::int64, tooMany, true);
  expectRefusal(DataType::fp16, tooMany, false);
}

TEST(GrpcMessagesTest, ExtensionsThatAreNotOffered) {
  ModelInferRequest message = requestOf("m", "x", "FP32", {1});
  auto &input = *message.mutable_inputs(0)->mutable_parameters();
  input["shared_memory_region"].set_string_param("r");
  expectRefused(message, "input 'x': parameter 'shared_memory_region' is not "
                         "supported: this extension of Triton is not offered");
  input.clear();
  auto &output = *message.add_outputs();
  output.set_name("y");
  auto &parameters = *output.mutable_parameters();
  parameters["classification"].set_int64_param(3);
  expectRefused(message, "output 'y': parameter 'classification' is not "
                         "supported: this extension of Triton is not offered");
  parameters.clear();
  parameters["shared_memory_offset"].set_int64_param(0);
  expectRefused(message, "output 'y': parameter 'shared_memory_offset' is not "
                         "supported: this extension of Triton is not offered");
}

TEST(GrpcMessagesTest, EveryOutcomeHasACode) {
  auto codeOf = [](OutcomeCode code) {
    grpc::Status status = statusOf(Outcome(code, "why"));
    EXPECT_EQ(status.error_message(), "why");
    return status.error_code();
  };
  EXPECT_TRUE(statusOf(Outcome()).ok());
  EXPECT_EQ(codeOf(OutcomeCode::invalidArgument),
            grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(codeOf(OutcomeCode::notFound), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(codeOf(OutcomeCode::overloaded),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(codeOf(OutcomeCode::unavailable), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(codeOf(OutcomeCode::deadlineExceeded),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(codeOf(OutcomeCode::cancelled), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(codeOf(OutcomeCode::failed), grpc::StatusCode::INTERNAL);
}

TEST(GrpcMessagesTest, RequestsThatThereIsNoMemoryFor) {
  grpc::Status status =
      answerGuarded([]() -> grpc::Status { throw std::bad_alloc(); });
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.error_message(), "no memory for the request");
  EXPECT_TRUE(answerGuarded([] { return grpc::Status::OK; }).ok());
}

TEST(GrpcMessagesTest, LongMessagesEndBetweenCharacters) {
  std::string text(1999, 'a');
  text += "\xc3\xa4 and more";
  grpc::Status status = statusOf(Outcome(OutcomeCode::failed, text));
  EXPECT_EQ(status.error_message(), std::string(1999, 'a') + "...");
}
