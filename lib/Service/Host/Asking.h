//===- Asking.h - Questions of other threads to a client --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_ASKING_H
#define NNHAL_LIB_SERVICE_HOST_ASKING_H

#include "Answer.h"
#include "LoopQueue.h"

#include "Runtime/Support/Errors.h"

#include <chrono>
#include <condition_variable>
#include <optional>

namespace nnhal::service {

/// A question of a thread, which waits, to a client, which may never answer.
/// Answer is a Status or a Result. Threads: any.
template <typename Answer> class Question {
public:
  /// Only the first answer counts.
  void answer(Answer given) {
    std::lock_guard lock(mutex);
    if (std::exchange(hasAnswer, true))
      return;
    outcome.emplace(std::move(given));
    changed.notify_all();
  }
  bool isAnswered() const {
    std::lock_guard lock(mutex);
    return hasAnswer;
  }

  /// The answer; generalFailure when there is none after \p patience. Once.
  Answer wait(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex);
    if (!changed.wait_for(lock, patience, [this] { return bool(outcome); }))
      return rt::failure("the client did not answer within {} ms",
                         patience.count());
    return *std::move(outcome);
  }

private:
  mutable std::mutex mutex;
  std::condition_variable changed;
  bool hasAnswer = false;
  std::optional<Answer> outcome;
};

/// Has the thread of the event loop call \p ask, which promises an Answer for
/// \p question.
template <typename Answer, typename Ask>
void postQuestion(LoopQueue &loop, std::shared_ptr<Question<Answer>> question,
                  Ask ask) {
  loop.post([question = std::move(question), ask = std::move(ask)]() mutable {
    kj::evalNow(ask)
        .catch_([](kj::Exception &&exception) -> Answer {
          return statusOf(exception);
        })
        .then([question](Answer given) { question->answer(std::move(given)); })
        .detach([](kj::Exception &&) {});
  });
}

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_ASKING_H
