//===- Messages.cpp - Messages to requests and back -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

using namespace nnhal;
using namespace nnhal::serving;
using inference::InferParameter;
using inference::ModelInferRequest;
using inference::ModelInferResponse;

static_assert(std::endian::native == std::endian::little,
              "raw contents are little endian and are used where they lie");

/// Sets \p number to the value of \p parameter, which is called \p name.
static Outcome readNumber(std::string_view name,
                          const InferParameter &parameter, uint64_t &number) {
  if (parameter.has_uint64_param()) {
    number = parameter.uint64_param();
    return Outcome();
  }
  if (!parameter.has_int64_param())
    return refuse(OutcomeCode::invalidArgument,
                  "parameter '{}' is no int64_param or uint64_param", name);
  if (parameter.int64_param() < 0)
    return refuse(OutcomeCode::invalidArgument, "parameter '{}': {} is below 0",
                  name, parameter.int64_param());
  number = uint64_t(parameter.int64_param());
  return Outcome();
}

/// Reads the parameters of the request that are known; the protocol lets a
/// server pass over others.
static Outcome readParameters(const ModelInferRequest &message,
                              InferenceRequest &request) {
  uint64_t number = 0;
  const auto &parameters = message.parameters();
  if (auto found = parameters.find("priority"); found != parameters.end()) {
    if (Outcome wrong = readNumber("priority", found->second, number);
        !wrong.isOk())
      return wrong;
    if (Outcome wrong = setPriority(request, number); !wrong.isOk())
      return wrong;
  }
  if (auto found = parameters.find("timeout"); found != parameters.end()) {
    if (Outcome wrong = readNumber("timeout", found->second, number);
        !wrong.isOk())
      return wrong;
    setTimeout(request, number);
  }
  return Outcome();
}

/// Refuses the \p parameters of \p tensor, "input 'x'" for example, that ask
/// for what this server does not do: to pass over them would answer with
/// something else.
template <typename Parameters>
static Outcome checkParameters(const std::string &tensor, bool isOutput,
                               const Parameters &parameters) {
  for (const auto &[name, value] : parameters)
    if ((isOutput && name == "classification") ||
        name.starts_with("shared_memory_"))
      return refuse(OutcomeCode::invalidArgument,
                    "{}: parameter '{}' is not supported: this extension of "
                    "Triton is not offered",
                    tensor, name);
  return Outcome();
}

static Outcome readInput(const ModelInferRequest &message, int index,
                         ReadRequest &read) {
  const ModelInferRequest::InferInputTensor &input = message.inputs(index);
  RequestTensor &tensor = read.request.inputs.emplace_back();
  tensor.name = input.name();
  rt::Result<DataType> type = parseDataType(input.datatype());
  if (!type.isOk())
    return Outcome(std::move(type).takeStatus().withContext(
        "input '" + input.name() + "'"));
  tensor.type = *type;
  tensor.shape.assign(input.shape().begin(), input.shape().end());
  if (!read.isRaw)
    return readContents(input.contents(), read.narrowed, tensor);
  if (input.has_contents())
    return refuse(OutcomeCode::invalidArgument,
                  "input '{}' has contents, and the request has "
                  "raw_input_contents: one of them is allowed",
                  input.name());
  tensor.data = std::as_bytes(std::span(message.raw_input_contents(index)));
  return Outcome();
}

/// Reads the names of outputs, and looks at the parameters of every tensor:
/// elements in shared memory are not in the message, which is no complaint
/// about the message.
static Outcome readTensorParameters(const ModelInferRequest &message,
                                    InferenceRequest &request) {
  for (const auto &output : message.outputs()) {
    request.outputs.push_back(output.name());
    if (Outcome wrong = checkParameters("output '" + output.name() + "'",
                                        /*isOutput=*/true, output.parameters());
        !wrong.isOk())
      return wrong;
  }
  for (const auto &input : message.inputs())
    if (Outcome wrong = checkParameters("input '" + input.name() + "'",
                                        /*isOutput=*/false, input.parameters());
        !wrong.isOk())
      return wrong;
  return Outcome();
}

Outcome serving::readRequest(const ModelInferRequest &message,
                             ReadRequest &read) {
  InferenceRequest &request = read.request;
  request.model = message.model_name();
  request.version = message.model_version();
  request.id = message.id();
  if (Outcome wrong = readParameters(message, request); !wrong.isOk())
    return wrong;
  if (Outcome wrong = readTensorParameters(message, request); !wrong.isOk())
    return wrong;
  read.isRaw = message.raw_input_contents_size() > 0;
  if (read.isRaw && message.raw_input_contents_size() != message.inputs_size())
    return refuse(OutcomeCode::invalidArgument,
                  "raw_input_contents are those of {} inputs, and the request "
                  "has {}",
                  message.raw_input_contents_size(), message.inputs_size());
  request.inputs.reserve(size_t(message.inputs_size()));
  for (int i = 0; i < message.inputs_size(); ++i)
    if (Outcome wrong = readInput(message, i, read); !wrong.isOk())
      return wrong;
  return Outcome();
}

Outcome serving::checkMessageSize(uint64_t bytes) {
  constexpr uint64_t most = std::numeric_limits<int>::max();
  if (bytes <= most)
    return Outcome();
  return refuse(OutcomeCode::failed,
                "the response has {} bytes or more, and a message of gRPC has "
                "at most {}",
                bytes, most);
}

/// The bytes that \p output has at least in a message: numbers of its own
/// width, or each a byte where they have different lengths.
static uint64_t leastBytesOf(const ResponseTensor &output, bool isRaw) {
  bool isWide = output.type == DataType::fp32 || output.type == DataType::fp64;
  return isRaw || isWide ? output.data.size()
                         : output.data.size() / sizeOf(output.type);
}

Outcome serving::writeResponse(const ReadRequest &read,
                               const InferenceResponse &response,
                               ModelInferResponse &message) {
  // Raw bytes of one output rule out the contents of the others.
  bool isRaw =
      read.isRaw ||
      !std::ranges::all_of(response.outputs, [](const ResponseTensor &output) {
        return hasContents(output.type);
      });
  // protobuf counts bytes and elements in int, and goes wrong beyond.
  uint64_t least = 0;
  for (const ResponseTensor &output : response.outputs)
    least += leastBytesOf(output, isRaw);
  if (Outcome wrong = checkMessageSize(least); !wrong.isOk())
    return wrong;
  message.set_model_name(response.model);
  message.set_model_version(response.version);
  message.set_id(read.request.id);
  for (const ResponseTensor &output : response.outputs) {
    ModelInferResponse::InferOutputTensor &tensor = *message.add_outputs();
    tensor.set_name(output.name.data(), output.name.size());
    std::string_view type = nameOf(output.type);
    tensor.set_datatype(type.data(), type.size());
    tensor.mutable_shape()->Assign(output.shape.begin(), output.shape.end());
    if (isRaw)
      message.add_raw_output_contents(output.data.data(), output.data.size());
    else
      writeContents(output, *tensor.mutable_contents());
  }
  Outcome outcome = checkMessageSize(message.ByteSizeLong());
  if (!outcome.isOk())
    message.Clear();
  return outcome;
}

template <typename Tensors>
static void writeTensors(const std::vector<TensorInfo> &tensors,
                         Tensors &messages) {
  for (const TensorInfo &tensor : tensors) {
    auto &message = *messages.Add();
    message.set_name(tensor.name);
    std::string_view type = nameOf(tensor.type);
    message.set_datatype(type.data(), type.size());
    message.mutable_shape()->Assign(tensor.shape.begin(), tensor.shape.end());
  }
}

void serving::writeMetadata(const ModelInfo &info,
                            inference::ModelMetadataResponse &message) {
  message.set_name(info.name);
  message.mutable_versions()->Assign(info.versions.begin(),
                                     info.versions.end());
  message.set_platform(info.platform);
  writeTensors(info.inputs, *message.mutable_inputs());
  writeTensors(info.outputs, *message.mutable_outputs());
}

static grpc::StatusCode codeOf(OutcomeCode code) {
  switch (code) {
  case OutcomeCode::ok:
    return grpc::StatusCode::OK;
  case OutcomeCode::invalidArgument:
    return grpc::StatusCode::INVALID_ARGUMENT;
  case OutcomeCode::notFound:
    return grpc::StatusCode::NOT_FOUND;
  case OutcomeCode::overloaded:
    return grpc::StatusCode::RESOURCE_EXHAUSTED;
  case OutcomeCode::unavailable:
    return grpc::StatusCode::UNAVAILABLE;
  case OutcomeCode::deadlineExceeded:
    return grpc::StatusCode::DEADLINE_EXCEEDED;
  case OutcomeCode::cancelled:
    return grpc::StatusCode::CANCELLED;
  case OutcomeCode::failed:
    break;
  }
  return grpc::StatusCode::INTERNAL;
}

/// Returns \p text, or what of it fits into the metadata that clients accept,
/// which is 8 KiB, when each byte takes three. Messages repeat names of
/// requests, which may be long.
static std::string clipped(std::string_view text) {
  constexpr size_t most = 2000;
  if (text.size() <= most)
    return std::string(text);
  size_t end = most;
  auto isContinuation = [&](char unit) { return (unit & 0xc0) == 0x80; };
  while (end > 0 && isContinuation(text[end]))
    --end;
  return std::string(text.substr(0, end)) + "...";
}

grpc::Status serving::statusOf(const Outcome &outcome) {
  return {codeOf(outcome.code()), clipped(outcome.message())};
}
