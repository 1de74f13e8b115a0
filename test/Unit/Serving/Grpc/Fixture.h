//===- Fixture.h - A server and a client over gRPC --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_SERVING_GRPC_FIXTURE_H
#define NNHAL_TEST_UNIT_SERVING_GRPC_FIXTURE_H

#include "../TestFolder.h"

#include "Serving/Core/Server.h"
#include "Serving/Grpc/GrpcFront.h"

#include "open_inference_grpc.grpc.pb.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::serving {

/// A model whose output is its input, of the NNAPI type \p type and the shape
/// [2,3].
std::string copyModel(std::string_view type);

/// A model that adds one to its first input, i, until it is not less than its
/// second, n; both have the shape [1].
std::string loopModel();

/// A folder of models, a server of them on nnhal-reference and a front, which a
/// test may change before start().
class GrpcTest : public testing::Test {
protected:
  GrpcTest();
  /// Serves what has been written, and connects.
  void start();
  /// A stub with a connection of its own.
  std::unique_ptr<inference::GRPCInferenceService::Stub>
  connect(int maxMessageBytes = 1 << 30);

  /// Sends \p request, the bytes of a message, to \p method, which is called
  /// "/PACKAGE.SERVICE/METHOD", and sets \p answer to those of the answer.
  grpc::Status callRaw(const std::string &method, const std::string &request,
                       std::string &answer);

  /// Expects \p status to be \p code with \p message.
  static void expectStatus(const grpc::Status &status, grpc::StatusCode code,
                           std::string_view message);

  /// Models are in the folder `models` of this one.
  TestFolder folder;
  ServerOptions serverOptions;
  GrpcOptions options;
  std::unique_ptr<Server> server;
  std::unique_ptr<GrpcFront> front;
  std::unique_ptr<inference::GRPCInferenceService::Stub> stub;

private:
  std::unique_ptr<grpc::GenericStub> generic;
};

/// A request to the model \p model with the input \p input.
inference::ModelInferRequest requestOf(const std::string &model,
                                       const std::string &input,
                                       const std::string &type,
                                       std::initializer_list<int64_t> shape);

/// The bytes of \p values.
template <typename T> std::string bytesOf(const std::vector<T> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(T));
}

/// A request to the model of loopModel() for \p iterations.
inference::ModelInferRequest loopRequest(int32_t iterations);

} // namespace nnhal::serving

#endif // NNHAL_TEST_UNIT_SERVING_GRPC_FIXTURE_H
