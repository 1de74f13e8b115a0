//===- Inference.cpp - Requests and responses of inference ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::serving;

Outcome serving::setPriority(InferenceRequest &request, uint64_t number) {
  static constexpr rt::Priority priorities[] = {
      rt::Priority::high, rt::Priority::medium, rt::Priority::low};
  if (number > std::size(priorities))
    return refuse(OutcomeCode::invalidArgument,
                  "parameter 'priority': {} is not from 0 to {}", number,
                  std::size(priorities));
  if (number > 0)
    request.priority = priorities[number - 1];
  return Outcome();
}

void serving::setTimeout(InferenceRequest &request, uint64_t microseconds) {
  rt::Deadline now = rt::steadyNow();
  constexpr uint64_t nanosecondsPerMicrosecond = 1000;
  uint64_t most = uint64_t(rt::noDeadline - now) / nanosecondsPerMicrosecond;
  if (microseconds == 0 || microseconds >= most)
    return;
  request.deadline =
      std::min(request.deadline,
               now + rt::Deadline(microseconds * nanosecondsPerMicrosecond));
}
