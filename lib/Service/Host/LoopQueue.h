//===- LoopQueue.h - Work of other threads on the event loop ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_LOOPQUEUE_H
#define NNHAL_LIB_SERVICE_HOST_LOOPQUEUE_H

#include <kj/async.h>

#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace nnhal::service {

/// Functions that other threads have for the thread of the event loop, where
/// capabilities live.
///
/// Ownership: shared by everybody who posts.
/// Threads:   any, except where it is said.
class LoopQueue {
public:
  /// Calls \p function on the thread of the event loop, or never after the last
  /// callAll().
  void post(std::function<void()> function);

  /// Calls what is posted until the promise is dropped. The thread of the event
  /// loop, once.
  kj::Promise<void> run();
  /// Calls what is posted. The thread of the event loop.
  void callAll();

  /// \p object, which the thread of the event loop destroys, whoever lets go of
  /// it last.
  template <typename T>
  static std::shared_ptr<T> own(std::shared_ptr<LoopQueue> queue, T object) {
    return std::shared_ptr<T>(new T(kj::mv(object)),
                              [queue = std::move(queue)](T *owned) {
                                queue->post([owned] { delete owned; });
                              });
  }

private:
  using Functions = std::deque<std::function<void()>>;
  kj::Promise<void> wait();

  std::mutex mutex;
  Functions functions;
  /// Null while nobody sleeps.
  kj::Own<kj::CrossThreadPromiseFulfiller<void>> bell;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_LOOPQUEUE_H
