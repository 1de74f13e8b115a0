//===- Answer.h - Answers to calls of a client ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_ANSWER_H
#define NNHAL_LIB_SERVICE_HOST_ANSWER_H

#include "Account.h"

#include "Service/Protocol/Convert.h"

#include <kj/async.h>
#include <kj/exception.h>

#include <new>

namespace nnhal::service {

/// A message that cannot be read is the fault of its sender.
rt::Status statusOf(const kj::Exception &exception);

/// The outcome of \p function, which returns a Status or a Result, or what it
/// throws.
template <typename Function>
auto callGuarded(Function &&function) -> decltype(function()) {
  try {
    return function();
  } catch (const kj::Exception &exception) {
    return statusOf(exception);
  } catch (const std::bad_alloc &) {
    return rt::Status(rt::StatusCode::resourceExhaustedTransient,
                      "no memory for the call");
  }
}

/// Sends \p request, whose answer nobody waits for; nothing when the client has
/// left too many of them unanswered. The thread of the event loop.
template <typename Request>
void tell(const std::shared_ptr<Account> &account, Request request) {
  constexpr unsigned maxUnanswered = 1024;
  if (account->unanswered >= maxUnanswered)
    return;
  ++account->unanswered;
  // The client's end is no failure of the host.
  request.send()
      .ignoreResult()
      .catch_([](kj::Exception &&) {})
      .then([account] { --account->unanswered; })
      .detach([](kj::Exception &&) {});
}

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_ANSWER_H
