//===- CyclesTest.cpp - Clients that come and go --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTesting.h"

#include "Runtime/Fifo/FifoMemory.h"

#include <filesystem>
#include <fstream>
#include <utility>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;

namespace {
/// The resources of this process; each connection, burst and memory would add
/// to it.
struct Holdings {
  size_t descriptors = 0;
  size_t threads = 0;
  size_t mappings = 0;
  bool operator==(const Holdings &) const = default;
};

size_t entries(const char *folder) {
  return size_t(std::distance(std::filesystem::directory_iterator(folder),
                              std::filesystem::directory_iterator()));
}

Holdings holdings() {
  std::ifstream maps("/proc/self/maps");
  size_t shared = 0;
  for (std::string line; std::getline(maps, line);)
    shared += line.find("/memfd:") != std::string::npos;
  return {entries("/proc/self/fd"), entries("/proc/self/task"), shared};
}

/// Gives the memories of slots that nobody asks for.
class NoCallback final : public wire::BurstCallback::Server {};

class CyclesTest : public HostTest {
protected:
  /// One client's whole life; it dies in one of several ways.
  void live(unsigned cycle) {
    auto client = connect();
    rt::test::SumPool sum;
    auto model = prepareSum(*client);
    Imported pool = import(*client, *sum.pool);
    EXPECT_EQ(ask(executeRequest(model, sum, pool.id)).message(), "");
    EXPECT_TRUE(sum.hasSum());
    auto burst = openBurst(model);
    if (cycle % 3 == 0)
      ::shutdown(client->fd, SHUT_RDWR); // With everything open.
    if (cycle % 3 == 1)
      burst = nullptr;
    if (cycle % 5 == 0) {
      [[maybe_unused]] auto dropped =
          executeRequest(model, sum, pool.id).send();
    }
  }

  wire::BurstContext::Client openBurst(wire::PreparedModel::Client model) {
    auto queue = [] {
      auto made = rt::FifoMemory::create(64, 24);
      EXPECT_TRUE(made.isOk());
      return makeDescriptor(*rt::duplicate(made->fd()));
    };
    auto request = model.configureBurstRequest();
    request.setCallback(kj::heap<NoCallback>());
    request.setRequests(queue());
    request.setResults(queue());
    auto answer = wait(request.send());
    rt::Status status = read(answer.getStatus());
    EXPECT_TRUE(status.isOk()) << status.message();
    return answer.getContext();
  }

  void settle() {
    EXPECT_TRUE(
        waitFor([&] { return host->clients() == 0 && control->devices == 0; }));
  }
};
} // namespace

TEST_F(CyclesTest, AThousandClientsLeaveNothingBehind) {
  for (unsigned i = 0; i < 30; ++i)
    live(i);
  settle();
  // A burst of the first clients that is still ending on a thread, where the
  // machine is busy, makes this count larger, never smaller.
  Holdings before = holdings();
  waitFor([&] {
    Holdings later = holdings();
    return std::exchange(before, later) == later;
  });
  for (unsigned i = 0; i < 1000; ++i)
    live(i);
  settle();
  // Threads that a pool keeps from the first time that it needs so many at
  // once, each with the mappings of its stack and of its allocator.
  constexpr size_t pooled = 8;
  EXPECT_TRUE(waitFor([&] {
    const Holdings now = holdings();
    return now.descriptors <= before.descriptors &&
           now.threads <= before.threads + pooled &&
           now.mappings <= before.mappings + 4 * pooled;
  })) << holdings().descriptors
      << " of " << before.descriptors << " descriptors, " << holdings().threads
      << " of " << before.threads << " threads, " << holdings().mappings
      << " of " << before.mappings << " mappings";
}
