//===- Fence.cpp - A point in time reached once ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Fence.h"
#include "Runtime/Support/Errors.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <mutex>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal::rt;

namespace {

std::string errorText(int error) {
  return std::generic_category().message(error);
}

Status missedDeadline() {
  return {StatusCode::missedDeadlineTransient,
          "the fence was not signalled before the deadline"};
}

/// D-070: 0 is not a descriptor that a fence can have.
Result<UniqueFd> duplicate(int fd) {
  UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 1));
  if (!copy.isValid())
    return outOfResources("cannot duplicate descriptor {}: {}", fd,
                          errorText(errno));
  return copy;
}

/// The events of \p fd: 0 when \p deadline passed first, nothing when poll()
/// fails.
std::optional<short> pollUntil(int fd, Deadline deadline) {
  pollfd entry{fd, POLLIN, 0};
  while (true) {
    timespec left{0, 0};
    if (deadline != noDeadline) {
      Deadline now = steadyNow();
      Deadline remaining = deadline > now ? deadline - now : 0;
      left.tv_sec = static_cast<time_t>(remaining / 1'000'000'000);
      left.tv_nsec = static_cast<long>(remaining % 1'000'000'000);
    }
    int count =
        ::ppoll(&entry, 1, deadline == noDeadline ? nullptr : &left, nullptr);
    if (count >= 0)
      return count == 0 ? short(0) : entry.revents;
    if (errno != EINTR && errno != EAGAIN)
      return std::nullopt;
  }
}

/// A readable stream: a byte, or its end (a failure)?
std::optional<Status> socketOutcome(int fd) {
  char byte;
  ssize_t count;
  do {
    count = ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  } while (count < 0 && errno == EINTR);
  if (count > 0)
    return Status::ok();
  if (count == 0)
    return failure("the fence of descriptor {} was closed before it was "
                   "signalled",
                   fd);
  if (errno == EAGAIN || errno == EWOULDBLOCK)
    return std::nullopt; // Another holder has read the byte.
  return failure("the fence of descriptor {} failed: {}", fd, errorText(errno));
}

/// A readable descriptor that is not a socket.
Status readableOutcome(int fd, const struct stat &information) {
  if (S_ISFIFO(information.st_mode) || S_ISCHR(information.st_mode))
    return Status::ok();
  sync_file_info info = {};
  // Anything but a sync_file refuses this; then readable is signalled.
  if (::ioctl(fd, SYNC_IOC_FILE_INFO, &info) != 0 || info.status >= 0)
    return Status::ok();
  return failure("the fence of descriptor {} failed: {}", fd,
                 errorText(-info.status));
}

/// Returns the outcome that \p events mean for a descriptor that others signal;
/// nothing while it is active.
std::optional<Status> foreignOutcome(int fd, uint32_t events) {
  if (events & POLLIN) {
    struct stat information = {};
    if (::fstat(fd, &information) != 0)
      return failure("the fence of descriptor {} failed: {}", fd,
                     errorText(errno));
    if (S_ISSOCK(information.st_mode))
      return socketOutcome(fd);
    return readableOutcome(fd, information);
  }
  if (events & POLLNVAL)
    return failure("the fence of descriptor {} is not open", fd);
  if (events & POLLHUP)
    return failure("the fence of descriptor {} was closed before it was "
                   "signalled",
                   fd);
  if (events & POLLERR)
    return failure("the fence of descriptor {} failed", fd);
  return std::nullopt;
}

FenceState stateOf(const std::optional<Status> &outcome) {
  if (!outcome)
    return FenceState::active;
  return outcome->isOk() ? FenceState::signaled : FenceState::error;
}

/// Fails with invalidArgument when \p fd cannot be polled for reading.
Status checkPollable(int fd) {
  int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0)
    return badData("descriptor {} is not a fence: {}", fd, errorText(errno));
  if ((flags & O_ACCMODE) == O_WRONLY)
    return badData("descriptor {} is not a fence: it is open only for writing",
                   fd);
  UniqueFd poller(::epoll_create1(EPOLL_CLOEXEC));
  if (!poller.isValid())
    return outOfResources("cannot check descriptor {}: {}", fd,
                          errorText(errno));
  epoll_event event = {};
  event.events = EPOLLIN;
  if (::epoll_ctl(poller.get(), EPOLL_CTL_ADD, fd, &event) == 0)
    return Status::ok();
  if (errno == ENOMEM || errno == ENOSPC)
    return outOfResources("cannot check descriptor {}: {}", fd,
                          errorText(errno));
  return badData("descriptor {} is not a fence: it cannot be waited on", fd);
}

} // namespace

static_assert(uint32_t(EPOLLIN) == POLLIN && uint32_t(EPOLLHUP) == POLLHUP &&
              uint32_t(EPOLLERR) == POLLERR);

/// Everybody who may ask for the outcome shares this: a waiter must not keep
/// the fence itself alive.
struct Fence::Own {
  mutable std::mutex mutex;
  mutable std::condition_variable ended;
  std::optional<Status> outcome;
  UniqueFd writeEnd;

  std::optional<Status> current() const {
    std::lock_guard lock(mutex);
    return outcome;
  }

  Status wait(Deadline deadline) const {
    std::unique_lock lock(mutex);
    auto isOver = [this] { return outcome.has_value(); };
    if (deadline == noDeadline) {
      ended.wait(lock, isOver);
      return *outcome;
    }
    std::chrono::steady_clock::time_point limit{
        std::chrono::nanoseconds(deadline)};
    if (!ended.wait_until(lock, limit, isOver))
      return missedDeadline();
    return *outcome;
  }

  void end(Status status) {
    std::lock_guard lock(mutex);
    if (outcome)
      return;
    bool isGood = status.isOk();
    outcome = std::move(status);
    // The fence holds the read end until after this, so there is no SIGPIPE. A
    // full pipe has been written by others and is readable: that will do.
    while (isGood && ::write(writeEnd.get(), "", 1) < 0 && errno == EINTR) {
    }
    writeEnd.reset();
    ended.notify_all();
  }
};

FenceState nnhal::rt::syncWait(int fd, int timeoutMs) {
  if (fd <= 0)
    return FenceState::unknown;
  Deadline deadline = noDeadline;
  if (timeoutMs >= 0)
    deadline = steadyNow() + int64_t(timeoutMs) * 1'000'000;
  while (true) {
    std::optional<short> events = pollUntil(fd, deadline);
    if (!events)
      return FenceState::unknown;
    FenceState state =
        stateOf(foreignOutcome(fd, static_cast<uint16_t>(*events)));
    if (state != FenceState::active || *events == 0)
      return state;
  }
}

Fence::Fence(UniqueFd readEnd, std::shared_ptr<Own> own)
    : readEnd(std::move(readEnd)), own(std::move(own)) {}

Fence::~Fence() {
  if (own)
    own->end({StatusCode::generalFailure,
              "the fence was dropped before it was signalled"});
}

Result<FenceRef> Fence::adopt(UniqueFd fd) {
  if (fd.get() <= 0) {
    // The descriptor 0 is not closed: an empty handle that reads as 0 would
    // cost standard input.
    int number = fd.release();
    return badData("descriptor {} is not a fence: it must be above 0", number);
  }
  NNHAL_RETURN_IF_ERROR(checkPollable(fd.get()));
  return FenceRef(new Fence(std::move(fd), nullptr));
}

Result<FenceRef> Fence::create() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return outOfResources("cannot create a fence: {}", errorText(errno));
  UniqueFd readEnd(ends[0]);
  auto own = std::make_shared<Own>();
  own->writeEnd = UniqueFd(ends[1]);
  if (readEnd.get() == 0) {
    NNHAL_ASSIGN_OR_RETURN(readEnd, duplicate(0));
  }
  return FenceRef(new Fence(std::move(readEnd), std::move(own)));
}

Status Fence::wait(Deadline deadline) const {
  if (own)
    return own->wait(deadline);
  while (true) {
    std::optional<short> events = pollUntil(fd(), deadline);
    if (!events)
      return failure("cannot wait for descriptor {}: {}", fd(),
                     errorText(errno));
    if (*events == 0)
      return missedDeadline();
    if (auto outcome = foreignOutcome(fd(), static_cast<uint16_t>(*events)))
      return *std::move(outcome);
  }
}

std::optional<Status> Fence::outcome() const {
  if (own)
    return own->current();
  std::optional<short> events = pollUntil(fd(), 0);
  if (!events)
    return failure("cannot ask descriptor {}: {}", fd(), errorText(errno));
  return foreignOutcome(fd(), static_cast<uint16_t>(*events));
}

FenceState Fence::poll() const { return stateOf(outcome()); }

Result<UniqueFd> Fence::share() const { return duplicate(fd()); }

void Fence::complete(Status outcome) {
  assert(own && "an adopted fence is completed by those who made it");
  if (own)
    own->end(std::move(outcome));
}

Result<Fence::Watch> Fence::watch() const {
  NNHAL_ASSIGN_OR_RETURN(UniqueFd copy, share());
  return Watch{std::move(copy), own};
}

std::optional<Status> Fence::Watch::outcome(uint32_t events) const {
  return own ? own->current() : foreignOutcome(fd.get(), events);
}
