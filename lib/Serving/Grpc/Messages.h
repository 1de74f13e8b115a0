//===- Messages.h - Messages to requests and back ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_GRPC_MESSAGES_H
#define NNHAL_LIB_SERVING_GRPC_MESSAGES_H

#include "Contents.h"

#include "Serving/Core/Inference.h"
#include "Serving/Core/Outcome.h"
#include "Serving/Core/Server.h"

#include "open_inference_grpc.pb.h"

#include <grpcpp/support/status.h>

#include <new>

namespace nnhal::serving {

/// A request of inference that has come as a message.
struct ReadRequest {
  /// Its data are views of the message and of what stands below: for as long
  /// as both are.
  InferenceRequest request;
  NarrowedElements narrowed;
  /// The elements came as raw bytes, and are to be answered so.
  bool isRaw = false;
};

/// Fills \p read with what \p message says: everything but the client, the
/// trace and the deadline of the call, which is there before, because the
/// message may bring it forward. The elements are not copied, except for those
/// of 8 and 16 bits that come as numbers. Fails with invalidArgument, which
/// names the tensor or parameter, the found value and the bound.
Outcome readRequest(const inference::ModelInferRequest &message,
                    ReadRequest &read);

/// Fails, naming both numbers, where \p bytes are more than a message has.
Outcome checkMessageSize(uint64_t bytes);

/// Fills \p message with \p response to the request \p read, whose outputs it
/// copies once. Fails like checkMessageSize(), before it reads any output that
/// cannot fit.
Outcome writeResponse(const ReadRequest &read,
                      const InferenceResponse &response,
                      inference::ModelInferResponse &message);

/// Fills \p message with \p info.
void writeMetadata(const ModelInfo &info,
                   inference::ModelMetadataResponse &message);

/// The status of gRPC that \p outcome is.
grpc::Status statusOf(const Outcome &outcome);

/// Returns the status of \p call, or RESOURCE_EXHAUSTED when there is no memory
/// for it.
template <typename Call> grpc::Status answerGuarded(Call &&call) {
  try {
    return call();
  } catch (const std::bad_alloc &) {
    return statusOf(
        refuse(OutcomeCode::overloaded, "no memory for the request"));
  }
}

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_GRPC_MESSAGES_H
