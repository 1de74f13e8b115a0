//===- Gate.h - Lets so many at a time through ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_GATE_H
#define NNHAL_LIB_SERVICE_HOST_GATE_H

#include <kj/async.h>

#include <deque>
#include <memory>
#include <utility>

namespace nnhal::service {

/// Lets so many calls of a client at a time through, in the order of arrival;
/// the others wait without a thread. Threads: that of the event loop.
class Gate {
  struct State {
    unsigned free;
    std::deque<kj::Own<kj::PromiseFulfiller<void>>> waiting;

    void leave() {
      ++free;
      while (!waiting.empty() && free > 0) {
        auto next = kj::mv(waiting.front());
        waiting.pop_front();
        if (!next->isWaiting())
          continue; // Its caller has left.
        --free;
        next->fulfill();
      }
    }
  };

public:
  /// The right to be inside, which the destructor gives back.
  class Pass {
  public:
    explicit Pass(std::shared_ptr<State> state) : state(std::move(state)) {}
    Pass(Pass &&other) noexcept = default;
    Pass &operator=(Pass &&other) = delete;
    ~Pass() {
      if (state)
        state->leave();
    }

  private:
    std::shared_ptr<State> state;
  };

  explicit Gate(unsigned places)
      : state(std::make_shared<State>(State{places, {}})) {}

  kj::Promise<Pass> enter() {
    if (state->free > 0) {
      --state->free;
      return Pass(state);
    }
    auto pair = kj::newPromiseAndFulfiller<void>();
    state->waiting.push_back(kj::mv(pair.fulfiller));
    return pair.promise.then([kept = state] { return Pass(kept); });
  }

private:
  const std::shared_ptr<State> state;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_GATE_H
