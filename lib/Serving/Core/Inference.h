//===- Inference.h - Requests and responses of inference --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_INFERENCE_H
#define NNHAL_LIB_SERVING_CORE_INFERENCE_H

#include "DataType.h"
#include "Outcome.h"
#include "TraceContext.h"

#include "nnhal/Runtime/Execution.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::serving {

/// An input of a request.
struct RequestTensor {
  std::string name;
  DataType type = DataType::fp32;
  std::vector<int64_t> shape;
  /// The elements in row-major order and in the order of bytes of this machine.
  /// The caller owns them until infer() has returned. They are passed to the
  /// device as they are where their address is a multiple of the element's
  /// size, and are copied where it is not.
  std::span<const std::byte> data;
};

/// A request of inference, whatever protocol it came by.
struct InferenceRequest {
  std::string model;
  /// Empty for the version that the server chooses: the highest one.
  std::string version;
  /// The client's name of the request; may be empty.
  std::string id;
  /// Whose quota is used: an address, or what a trusted proxy says.
  std::string client;
  /// The header `traceparent`; may be empty or anything else.
  std::string traceparent;
  /// In any order.
  std::vector<RequestTensor> inputs;
  /// The names of the outputs that are wanted, in their order; all of them
  /// where it is empty.
  std::vector<std::string> outputs;
  /// Nothing for that of the model.
  std::optional<rt::Priority> priority;
  /// A time of rt::steadyNow(), for waiting and executing together.
  rt::Deadline deadline = rt::noDeadline;
  /// Whether the client is gone, so that an execution would be for nobody;
  /// empty where that cannot be told. Is called until infer() has returned, by
  /// any thread, and neither waits nor throws.
  std::function<bool()> isAbandoned;
};

/// Sets the priority of \p request from the protocol's number: 0 leaves it to
/// the model, 1 is high, 2 medium, 3 low. Fails with invalidArgument for
/// others.
Outcome setPriority(InferenceRequest &request, uint64_t number);

/// Lets \p request end in \p microseconds from now; 0 sets no bound. An
/// earlier deadline of the request stays.
void setTimeout(InferenceRequest &request, uint64_t microseconds);

/// An output of a response.
struct ResponseTensor {
  /// A view of the model's; valid as long as the response.
  std::string_view name;
  DataType type = DataType::fp32;
  std::vector<int64_t> shape;
  /// The elements, laid out like RequestTensor::data; valid as long as the
  /// response.
  std::span<const std::byte> data;
};

/// The answer to a request of inference.
///
/// Ownership: keeps the memory of its outputs; move-only in effect, because
///            views refer to that memory.
struct InferenceResponse {
  std::string model;
  /// The version that has answered.
  std::string version;
  std::vector<ResponseTensor> outputs;
  /// The ids of the server's span; present for failures, too, once the request
  /// has been looked at.
  TraceContext trace;
  /// Nanoseconds from the call until an execution began, and of that.
  int64_t queueNanoseconds = 0;
  int64_t executionNanoseconds = 0;
  /// The memory behind the outputs, and the model whose names they have.
  std::vector<std::shared_ptr<const void>> owners;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_INFERENCE_H
