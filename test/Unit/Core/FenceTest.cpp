//===- FenceTest.cpp - A point in time reached once -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Fence.h"

#include "Faults/SystemCalls.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#if __has_include(<linux/udmabuf.h>)
#include <linux/udmabuf.h>
#endif

using namespace nnhal::rt;

namespace {

constexpr int64_t millisecond = 1'000'000;

struct Pipe {
  UniqueFd readEnd;
  UniqueFd writeEnd;
};

Pipe makePipe() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Pipe makeSocketPair() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

FenceRef mustAdopt(UniqueFd fd) {
  auto fence = Fence::adopt(std::move(fd));
  EXPECT_TRUE(fence.isOk()) << fence.status().message();
  return fence.isOk() ? *std::move(fence) : nullptr;
}

FenceRef mustCreate() {
  auto fence = Fence::create();
  EXPECT_TRUE(fence.isOk()) << fence.status().message();
  return fence.isOk() ? *std::move(fence) : nullptr;
}

UniqueFd mustShare(const FenceRef &fence) {
  auto fd = fence->share();
  EXPECT_TRUE(fd.isOk()) << fd.status().message();
  return fd.isOk() ? *std::move(fd) : UniqueFd();
}

std::string adoptError(UniqueFd fd) {
  auto fence = Fence::adopt(std::move(fd));
  EXPECT_FALSE(fence.isOk());
  EXPECT_EQ(fence.status().code(), StatusCode::invalidArgument);
  return fence.status().message();
}

/// Restores what a test changes about signals.
class SignalHandler {
public:
  SignalHandler(int signal, void (*handler)(int)) : signal(signal) {
    struct sigaction action = {};
    action.sa_handler = handler;
    ::sigaction(signal, &action, &before);
  }
  ~SignalHandler() { ::sigaction(signal, &before, nullptr); }

private:
  int signal;
  struct sigaction before = {};
};

std::atomic<int> signalCount;
void countSignal(int) { ++signalCount; }

// D-072, decisions 11
TEST(FenceTest, OwnFenceIsActiveUntilItIsCompleted) {
  FenceRef fence = mustCreate();
  EXPECT_TRUE(fence->isOwn());
  EXPECT_EQ(fence->poll(), FenceState::active);
  EXPECT_FALSE(fence->outcome().has_value());
  fence->complete(Status::ok());
  EXPECT_EQ(fence->poll(), FenceState::signaled);
  EXPECT_TRUE(fence->wait(noDeadline).isOk());
  EXPECT_TRUE(fence->wait(0).isOk());
}

// D-059: the error of the producer reaches those who wait.
TEST(FenceTest, OwnFenceReturnsTheRecordedError) {
  FenceRef fence = mustCreate();
  fence->complete({StatusCode::resourceExhaustedTransient, "no memory"});
  Status status = fence->wait(noDeadline);
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(), "no memory");
  EXPECT_EQ(fence->poll(), FenceState::error);
}

TEST(FenceTest, TheFirstOutcomeWins) {
  FenceRef good = mustCreate();
  good->complete(Status::ok());
  good->complete({StatusCode::generalFailure, "late"});
  EXPECT_TRUE(good->wait(noDeadline).isOk());
  FenceRef bad = mustCreate();
  bad->complete({StatusCode::generalFailure, "early"});
  bad->complete(Status::ok());
  EXPECT_EQ(bad->wait(noDeadline).message(), "early");
  EXPECT_EQ(syncWait(mustShare(bad).get(), 0), FenceState::error);
}

// D-072: a shared descriptor lives without the fence.
TEST(FenceTest, SharedDescriptorsCarrySuccessAndFailure) {
  FenceRef good = mustCreate();
  FenceRef bad = mustCreate();
  UniqueFd goodFd = mustShare(good);
  UniqueFd badFd = mustShare(bad);
  EXPECT_NE(goodFd.get(), good->fd());
  EXPECT_TRUE(::fcntl(goodFd.get(), F_GETFD) & FD_CLOEXEC);
  EXPECT_EQ(syncWait(goodFd.get(), 0), FenceState::active);
  good->complete(Status::ok());
  bad->complete({StatusCode::generalFailure, "broken"});
  good.reset();
  bad.reset();
  EXPECT_EQ(syncWait(goodFd.get(), 0), FenceState::signaled);
  EXPECT_EQ(syncWait(badFd.get(), 0), FenceState::error);
  FenceRef again = mustAdopt(std::move(badFd));
  int number = again->fd();
  EXPECT_EQ(again->wait(noDeadline).message(),
            fmt::format("the fence of descriptor {} was closed before it was "
                        "signalled",
                        number));
}

// D-059: nobody waits for ever for a producer that has gone.
TEST(FenceTest, DroppingAnUncompletedFenceFailsIt) {
  FenceRef fence = mustCreate();
  UniqueFd shared = mustShare(fence);
  fence.reset();
  EXPECT_EQ(syncWait(shared.get(), -1), FenceState::error);
}

// D-072: a client may close, or read, what it was given.
TEST(FenceTest, ClientsCannotDisturbTheProducer) {
  signalCount = 0;
  SignalHandler handler(SIGPIPE, countSignal);
  FenceRef closed = mustCreate();
  mustShare(closed).reset();
  closed->complete(Status::ok());
  EXPECT_TRUE(closed->wait(noDeadline).isOk());
  FenceRef drained = mustCreate();
  UniqueFd shared = mustShare(drained);
  drained->complete(Status::ok());
  char byte;
  EXPECT_EQ(::read(shared.get(), &byte, 1), 1);
  EXPECT_TRUE(drained->wait(noDeadline).isOk());
  EXPECT_EQ(drained->poll(), FenceState::signaled);
  EXPECT_EQ(signalCount, 0);
}

// Waiting ends at the deadline, and can be tried again (C-052).
TEST(FenceTest, AMissedDeadlineLeavesTheFenceUsable) {
  Pipe pipe = makePipe();
  FenceRef own = mustCreate();
  FenceRef foreign = mustAdopt(std::move(pipe.readEnd));
  for (const FenceRef &fence : {own, foreign}) {
    int64_t start = steadyNow();
    Status status = fence->wait(start + 5 * millisecond);
    EXPECT_GE(steadyNow(), start + 5 * millisecond);
    EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
    EXPECT_EQ(status.message(),
              "the fence was not signalled before the deadline");
    EXPECT_EQ(fence->wait(std::numeric_limits<int64_t>::min()).code(),
              StatusCode::missedDeadlineTransient);
  }
  own->complete(Status::ok());
  EXPECT_EQ(::write(pipe.writeEnd.get(), "x", 1), 1);
  EXPECT_TRUE(own->wait(noDeadline).isOk());
  EXPECT_TRUE(foreign->wait(noDeadline).isOk());
}

// D-072: eventfd, pipe and socket of others.
TEST(FenceTest, AdoptsWhatCanBeWaitedOn) {
  UniqueFd event(::eventfd(0, EFD_CLOEXEC));
  int eventNumber = event.get();
  FenceRef fence = mustAdopt(std::move(event));
  EXPECT_FALSE(fence->isOwn());
  EXPECT_EQ(fence->fd(), eventNumber);
  EXPECT_EQ(fence->poll(), FenceState::active);
  EXPECT_EQ(::eventfd_write(eventNumber, 1), 0);
  EXPECT_TRUE(fence->wait(noDeadline).isOk());

  for (auto make : {makePipe, makeSocketPair}) {
    Pipe ends = make();
    FenceRef good = mustAdopt(std::move(ends.readEnd));
    EXPECT_EQ(good->poll(), FenceState::active);
    EXPECT_EQ(::write(ends.writeEnd.get(), "x", 1), 1);
    EXPECT_EQ(good->poll(), FenceState::signaled);
    ends.writeEnd.reset();
    EXPECT_EQ(good->poll(), FenceState::signaled);

    ends = make();
    FenceRef bad = mustAdopt(std::move(ends.readEnd));
    ends.writeEnd.reset();
    EXPECT_EQ(bad->poll(), FenceState::error);
    Status status = bad->wait(noDeadline);
    EXPECT_EQ(status.code(), StatusCode::generalFailure);
    EXPECT_EQ(status.message(),
              fmt::format("the fence of descriptor {} was closed before it "
                          "was signalled",
                          bad->fd()));
  }
}

TEST(FenceTest, ASocketErrorFailsTheFence) {
  // Readable because of an error: this socket is not connected.
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  FenceRef fence = mustAdopt(std::move(socket));
  Status status = fence->wait(steadyNow() + 1000 * millisecond);
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(),
            fmt::format("the fence of descriptor {} was closed before it was "
                        "signalled",
                        fence->fd()));
  Pipe pair = makeSocketPair();
  // Unread data makes the peer's close an error: connection reset.
  EXPECT_EQ(::write(pair.readEnd.get(), "x", 1), 1);
  fence = mustAdopt(std::move(pair.readEnd));
  pair.writeEnd.reset();
  EXPECT_EQ(fence->wait(noDeadline).message(),
            fmt::format("the fence of descriptor {} failed: Connection reset "
                        "by peer",
                        fence->fd()));
}

#if __has_include(<linux/udmabuf.h>) && defined(DMA_BUF_IOCTL_EXPORT_SYNC_FILE)
// D-072: where the kernel has them, a sync_file tells its own status.
TEST(FenceTest, AdoptsASyncFile) {
  UniqueFd device(::open("/dev/udmabuf", O_RDWR | O_CLOEXEC));
  if (!device.isValid())
    GTEST_SKIP() << "no /dev/udmabuf to make a sync_file with";
  UniqueFd memory(::memfd_create("fence", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(memory.get(), ::getpagesize()), 0);
  ASSERT_EQ(::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  udmabuf_create create = {};
  create.memfd = static_cast<uint32_t>(memory.get());
  create.size = static_cast<uint64_t>(::getpagesize());
  UniqueFd buffer(::ioctl(device.get(), UDMABUF_CREATE, &create));
  if (!buffer.isValid())
    GTEST_SKIP() << "no udmabuf can be made";
  dma_buf_export_sync_file request = {};
  request.flags = DMA_BUF_SYNC_RW;
  request.fd = -1;
  if (::ioctl(buffer.get(), DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &request) != 0)
    GTEST_SKIP() << "the kernel exports no sync_file";
  EXPECT_EQ(syncWait(request.fd, 0), FenceState::signaled);
  FenceRef fence = mustAdopt(UniqueFd(request.fd));
  EXPECT_TRUE(fence->wait(noDeadline).isOk());
}
#endif

// D-070, D-072
TEST(FenceTest, RefusesWhatCannotBeAFence) {
  EXPECT_EQ(adoptError(UniqueFd()),
            "descriptor -1 is not a fence: it must be above 0");
  EXPECT_EQ(adoptError(UniqueFd(0)),
            "descriptor 0 is not a fence: it must be above 0");
  EXPECT_EQ(adoptError(UniqueFd(987654)),
            "descriptor 987654 is not a fence: Bad file descriptor");
  UniqueFd file(::memfd_create("regular", MFD_CLOEXEC));
  int number = file.get();
  EXPECT_EQ(adoptError(std::move(file)),
            fmt::format("descriptor {} is not a fence: it cannot be waited on",
                        number));
  EXPECT_EQ(::fcntl(number, F_GETFD), -1); // Taken over, also on failure.
  UniqueFd folder(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  number = folder.get();
  EXPECT_EQ(adoptError(std::move(folder)),
            fmt::format("descriptor {} is not a fence: it cannot be waited on",
                        number));
  Pipe pipe = makePipe();
  number = pipe.writeEnd.get();
  EXPECT_EQ(
      adoptError(std::move(pipe.writeEnd)),
      fmt::format("descriptor {} is not a fence: it is open only for writing",
                  number));
}

// D-070: no fence has the descriptor 0, even if that is the lowest free one.
TEST(FenceTest, NeverHasDescriptorZero) {
  UniqueFd input(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  ::close(0);
  FenceRef fence = mustCreate();
  FenceRef other = mustCreate();
  UniqueFd shared = mustShare(fence);
  UniqueFd again = mustShare(other);
  int numbers[] = {fence->fd(), other->fd(), shared.get(), again.get()};
  if (input.isValid())
    ::dup2(input.get(), 0);
  EXPECT_EQ(std::ranges::count(numbers, 0), 0);
  fence->complete(Status::ok());
  EXPECT_EQ(syncWait(shared.get(), 0), FenceState::signaled);
}

TEST(FenceTest, RunsOutOfDescriptorsWithAStatus) {
  FenceRef fence = mustCreate();
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = {0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  auto created = Fence::create();
  auto shared = fence->share();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(created.status().code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(created.status().message(),
            "cannot create a fence: Too many open files");
  // The lowest number asked for is above the limit.
  EXPECT_EQ(shared.status().code(), StatusCode::resourceExhaustedTransient);
}

// K-047, D-065
TEST(SyncWaitTest, ReportsTheFourStates) {
  EXPECT_EQ(syncWait(-1, 0), FenceState::unknown);
  EXPECT_EQ(syncWait(0, 0), FenceState::unknown);
  EXPECT_EQ(syncWait(987654, 0), FenceState::error);
  UniqueFd event(::eventfd(0, EFD_CLOEXEC));
  EXPECT_EQ(syncWait(event.get(), 0), FenceState::active);
  int64_t start = steadyNow();
  EXPECT_EQ(syncWait(event.get(), 3), FenceState::active);
  EXPECT_GE(steadyNow(), start + 3 * millisecond);
  EXPECT_EQ(::eventfd_write(event.get(), 1), 0);
  EXPECT_EQ(syncWait(event.get(), -1), FenceState::signaled);
  Pipe pipe = makePipe();
  pipe.writeEnd.reset();
  EXPECT_EQ(syncWait(pipe.readEnd.get(), -1), FenceState::error);
}

// K-047, D-065: interruptions are retried, with what is left of the time. A
// wait that nobody came to interrupt on a busy machine begins anew.
TEST(SyncWaitTest, RetriesInterruptions) {
  signalCount = 0;
  SignalHandler handler(SIGUSR1, countSignal);
  Pipe pipe = makePipe();
  FenceRef fence = mustAdopt(mustShare(mustAdopt(std::move(pipe.readEnd))));
  FenceRef own = mustCreate();
  std::atomic<bool> isDone{false};
  std::thread waiter([&] {
    auto interrupted = [](int64_t milliseconds, auto wait) {
      int before;
      do {
        before = signalCount;
        int64_t end = steadyNow() + milliseconds * millisecond;
        wait(end);
        EXPECT_GE(steadyNow(), end);
      } while (signalCount < before + 2);
    };
    interrupted(10, [&](int64_t) {
      EXPECT_EQ(syncWait(fence->fd(), 10), FenceState::active);
    });
    for (const FenceRef &each : {fence, own})
      interrupted(20, [&](int64_t end) {
        EXPECT_EQ(each->wait(end).code(), StatusCode::missedDeadlineTransient);
      });
    isDone = true;
  });
  while (!isDone) {
    ::pthread_kill(waiter.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  waiter.join();
}

// Many waiters of one fence, in and out of it.
TEST(FenceTest, ManyThreadsWaitForOneFence) {
  for (int round = 0; round < 50; ++round) {
    FenceRef fence = mustCreate();
    std::array<std::thread, 6> threads;
    std::atomic<int> good{0};
    for (size_t i = 0; i < threads.size(); ++i)
      threads[i] = std::thread([&, i] {
        if (i < 2)
          good += fence->wait(noDeadline).isOk();
        else if (i < 4)
          good += syncWait(mustShare(fence).get(), -1) == FenceState::signaled;
        else
          fence->complete(Status::ok());
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(good, 4);
  }
}

// D-059: another process sees the outcome, also when it outlives the fence.
TEST(FenceTest, AnotherProcessSeesTheOutcome) {
  FenceRef good = mustCreate();
  FenceRef bad = mustCreate();
  good->complete(Status::ok());
  bad->complete({StatusCode::generalFailure, "broken"});
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool isRight = syncWait(good->fd(), 100) == FenceState::signaled &&
                   syncWait(bad->fd(), 100) == FenceState::error;
    ::_exit(isRight ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(FenceTest, ReportsWhatTheSystemRefuses) {
  Pipe pipe = makePipe();
  auto adopt = [&] {
    int fd = ::dup(pipe.readEnd.get());
    Status status = Fence::adopt(UniqueFd(fd)).status();
    EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
    return std::pair(fd, status.message());
  };
  {
    SystemCallFailure failure(SystemCall::epollCreate, EMFILE);
    auto [fd, message] = adopt();
    EXPECT_EQ(
        message,
        fmt::format("cannot check descriptor {}: Too many open files", fd));
  }
  {
    SystemCallFailure failure(SystemCall::epollControl, ENOMEM);
    auto [fd, message] = adopt();
    EXPECT_EQ(
        message,
        fmt::format("cannot check descriptor {}: Cannot allocate memory", fd));
  }
  FenceRef fence = mustAdopt(std::move(pipe.readEnd));
  SystemCallFailure failure(SystemCall::ppoll, ENOMEM);
  Status status = fence->wait(noDeadline);
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(),
            fmt::format("cannot wait for descriptor {}: Cannot allocate memory",
                        fence->fd()));
  auto outcome = fence->outcome();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->message(),
            fmt::format("cannot ask descriptor {}: Cannot allocate memory",
                        fence->fd()));
}

} // namespace
