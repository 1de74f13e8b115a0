//===- Thread.h - Threads of the runtime ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SUPPORT_THREAD_H
#define NNHAL_LIB_RUNTIME_SUPPORT_THREAD_H

#include "nnhal/Runtime/Status.h"

#include <functional>
#include <thread>

namespace nnhal::rt {

/// Makes \p thread, which ran nothing, run \p body. It receives no signals
/// (those of the program are for the program's threads) and shows \p name, at
/// most 15 characters, in debuggers. Fails with resourceExhaustedTransient when
/// the system gives no thread.
Status startThread(std::thread &thread, const char *name,
                   std::function<void()> body);

/// Starts a thread like startThread() that nobody joins.
Status startDetached(const char *name, std::function<void()> body);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_THREAD_H
