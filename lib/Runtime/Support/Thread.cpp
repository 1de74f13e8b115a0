//===- Thread.cpp - Threads of the runtime --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Thread.h"

#include "Errors.h"

#include <csignal>
#include <pthread.h>
#include <system_error>

using namespace nnhal::rt;

Status nnhal::rt::startThread(std::thread &thread, const char *name,
                              std::function<void()> body) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  // A new thread inherits the mask.
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  Status status;
  try {
    thread = std::thread(std::move(body));
    ::pthread_setname_np(thread.native_handle(), name);
  } catch (const std::system_error &error) {
    status =
        outOfResources("cannot start a thread: {}", error.code().message());
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return status;
}

Status nnhal::rt::startDetached(const char *name, std::function<void()> body) {
  std::thread thread;
  NNHAL_RETURN_IF_ERROR(startThread(thread, name, std::move(body)));
  thread.detach();
  return Status::ok();
}
