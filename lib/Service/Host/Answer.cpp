//===- Answer.cpp - Answers to calls of a client --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Answer.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal;
using namespace nnhal::service;

rt::Status service::statusOf(const kj::Exception &exception) {
  std::string_view text(exception.getDescription().cStr(),
                        exception.getDescription().size());
  switch (exception.getType()) {
  case kj::Exception::Type::DISCONNECTED:
    return rt::Status(rt::StatusCode::deadObject, std::string(text));
  case kj::Exception::Type::OVERLOADED:
    return rt::outOfResources("{}", text);
  default:
    return rt::badData("a message cannot be read: {}", text);
  }
}
