//===- Audience.h - Who hears of a preparation ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_CLIENT_AUDIENCE_H
#define NNHAL_LIB_SERVICE_CLIENT_AUDIENCE_H

#include "Driver.capnp.h"
#include "EventLoop.h"

#include "nnhal/Runtime/Device.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace nnhal::service::client {

/// Runs what is to be told about one preparation, in order: on the thread that
/// waits for the preparation, or on threads for what users do.
///
/// The objects that the user's functions refer to live until the outcome is
/// told, and no longer, unless a compilation in the background follows: later
/// news is dropped, whatever a service says.
///
/// Threads: any.
class Audience : public std::enable_shared_from_this<Audience> {
public:
  /// Without \p callback somebody calls listen().
  Audience(std::shared_ptr<EventLoop> loop, bool hasBackground,
           rt::PrepareCallback callback = nullptr)
      : loop(std::move(loop)), hasBackground(hasBackground),
        callback(std::move(callback)), isHeard(!this->callback) {}

  enum class News { preparation, background };
  void tell(News news, std::function<void()> job);
  /// Tells the outcome to the callback, or to the thread that waits for it.
  void end(rt::Result<rt::PreparedModelRef> outcome);
  /// Hears what is told until the outcome is there, or until \p isCancelled,
  /// asked about every millisecond where it is not empty, says so: then there
  /// is none.
  std::optional<rt::Result<rt::PreparedModelRef>>
  listen(const std::function<bool()> &isCancelled);

private:
  void add(std::function<void()> job);
  void drain();
  void runAll(std::unique_lock<std::mutex> &lock);

  const std::shared_ptr<EventLoop> loop;
  const bool hasBackground;
  rt::PrepareCallback callback;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> jobs;
  std::optional<rt::Result<rt::PreparedModelRef>> outcome;
  bool hasEnded = false;
  /// Some thread runs the jobs, or is about to.
  bool isHeard;
};

/// The capability through which a service tells \p observer; null when it would
/// tell nobody. Only on the loop's thread.
wire::PrepareObserver::Client makeObserver(const rt::PrepareObserver &observer,
                                           std::shared_ptr<Audience> audience);

} // namespace nnhal::service::client

#endif // NNHAL_LIB_SERVICE_CLIENT_AUDIENCE_H
