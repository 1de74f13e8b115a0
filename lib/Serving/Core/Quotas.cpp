//===- Quotas.cpp - What each client may ask for --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quotas.h"

#include "nnhal/Runtime/Execution.h"

#include <algorithm>
#include <iterator>

using namespace nnhal;
using namespace nnhal::serving;

static constexpr int64_t nanosecondsPerSecond = 1'000'000'000;
/// Clients of whom nothing is under way are forgotten from so many on, when
/// their quota is full again: an account says nothing then.
static constexpr size_t mostAccounts = 10000;

Quotas::Quotas(Quota quota, std::function<int64_t()> clock)
    : quota(quota), clock(clock ? std::move(clock) : rt::steadyNow) {}

void Quotas::refill(Account &account, int64_t now) const {
  double most = double(quota.requestsPerSecond);
  double gained =
      double(now - account.refilled) / double(nanosecondsPerSecond) * most;
  account.tokens = std::min(most, account.tokens + gained);
  account.refilled = now;
}

void Quotas::forgetIdle(int64_t now) {
  if (accounts.size() < mostAccounts ||
      now - lastForgotten < nanosecondsPerSecond)
    return;
  lastForgotten = now;
  for (auto entry = accounts.begin(); entry != accounts.end();) {
    Account &account = entry->second;
    refill(account, now);
    bool isIdle = account.running == 0 &&
                  account.tokens >= double(quota.requestsPerSecond);
    entry = isIdle ? accounts.erase(entry) : std::next(entry);
  }
}

Outcome Quotas::admit(const std::string &client, Admission &admission) {
  if (quota.requestsPerSecond == 0 && quota.concurrentRequests == 0)
    return Outcome();
  int64_t now = clock();
  std::lock_guard lock(mutex);
  forgetIdle(now);
  auto [found, isNew] = accounts.try_emplace(client);
  Account &account = found->second;
  if (isNew)
    account = {double(quota.requestsPerSecond), now, 0};
  refill(account, now);
  if (quota.concurrentRequests > 0 &&
      account.running >= quota.concurrentRequests)
    return refuse(OutcomeCode::overloaded,
                  "client '{}' has {} requests under way, as many as one may "
                  "have",
                  client, account.running);
  if (quota.requestsPerSecond > 0) {
    if (account.tokens < 1.0)
      return refuse(OutcomeCode::overloaded,
                    "client '{}' has sent more than {} requests per second",
                    client, quota.requestsPerSecond);
    account.tokens -= 1.0;
  }
  ++account.running;
  admission = Admission(this, client);
  return Outcome();
}

void Quotas::release(const std::string &client) {
  std::lock_guard lock(mutex);
  auto found = accounts.find(client);
  if (found != accounts.end() && found->second.running > 0)
    --found->second.running;
}
