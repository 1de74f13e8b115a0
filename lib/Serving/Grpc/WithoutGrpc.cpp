//===- WithoutGrpc.cpp - The front of a build without gRPC ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands in for the rest of the folder where CMake has not found gRPC, so that
// programs need not ask.
//
//===----------------------------------------------------------------------===//

#include "GrpcFront.h"

#include "Runtime/Support/Errors.h"

#include <utility>

using namespace nnhal;
using namespace nnhal::serving;

/// Never made.
class GrpcFront::Implementation {
public:
  std::string target;
};

GrpcFront::GrpcFront(std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}

GrpcFront::~GrpcFront() = default;

rt::Result<std::unique_ptr<GrpcFront>> GrpcFront::create(const GrpcOptions &,
                                                         Server &) {
  return rt::failure("this build has no gRPC");
}

uint16_t GrpcFront::port() const { return 0; }

const std::string &GrpcFront::target() const { return implementation->target; }

void GrpcFront::stop(rt::Deadline) {}
