//===- SystemCalls.cpp - Calls of the system that fail --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SystemCalls.h"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <type_traits>
#include <unistd.h>

using namespace nnhal::rt;

static constexpr int none = -1;
static std::atomic<int> failingCall = none;
static std::atomic<int> failingError = 0;
static std::atomic<int> callsBefore = 0;

SystemCallFailure::SystemCallFailure(SystemCall call, int error, int before) {
  failingError = error;
  callsBefore = before;
  failingCall = int(call);
}

SystemCallFailure::~SystemCallFailure() { failingCall = none; }

/// Returns the outcome of \p real, or -1 with the error that \p call has now.
template <typename Function>
static auto callUnlessFailing(SystemCall call, Function real)
    -> decltype(real()) {
  if (failingCall != int(call) || callsBefore-- > 0)
    return real();
  errno = failingError;
  if constexpr (std::is_pointer_v<decltype(real())>)
    return nullptr;
  else
    return failingError == 0 ? 0 : -1;
}

// The names are the linker's (--wrap).
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" {

#define NNHAL_WRAP(CALL, RESULT, NAME, PARAMETERS, ARGUMENTS)                  \
  RESULT __real_##NAME PARAMETERS;                                             \
  RESULT __wrap_##NAME PARAMETERS {                                            \
    return callUnlessFailing(SystemCall::CALL,                                 \
                             [&] { return __real_##NAME ARGUMENTS; });         \
  }

NNHAL_WRAP(access, int, access, (const char *path, int mode), (path, mode))
NNHAL_WRAP(dlopen, void *, dlopen, (const char *path, int flags), (path, flags))
NNHAL_WRAP(epollControl, int, epoll_ctl,
           (int poller, int operation, int fd, epoll_event *event),
           (poller, operation, fd, event))
NNHAL_WRAP(epollCreate, int, epoll_create1, (int flags), (flags))
NNHAL_WRAP(fchmod, int, fchmod, (int fd, mode_t mode), (fd, mode))
NNHAL_WRAP(fdatasync, int, fdatasync, (int fd), (fd))
NNHAL_WRAP(fstat, int, fstat, (int fd, struct stat *info), (fd, info))
NNHAL_WRAP(ftruncate, int, ftruncate, (int fd, off_t size), (fd, size))
NNHAL_WRAP(memfdCreate, int, memfd_create, (const char *name, unsigned flags),
           (name, flags))
NNHAL_WRAP(ppoll, int, ppoll,
           (pollfd * entries, nfds_t count, const timespec *timeout,
            const sigset_t *mask),
           (entries, count, timeout, mask))
NNHAL_WRAP(pread, ssize_t, pread,
           (int fd, void *bytes, size_t size, off_t offset),
           (fd, bytes, size, offset))
NNHAL_WRAP(stat, int, stat, (const char *path, struct stat *info), (path, info))
NNHAL_WRAP(unlink, int, unlink, (const char *path), (path))
NNHAL_WRAP(write, ssize_t, write, (int fd, const void *bytes, size_t size),
           (fd, bytes, size))
#undef NNHAL_WRAP

int __real_fcntl(int fd, int command, void *argument);
int __wrap_fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  auto real = [&] { return __real_fcntl(fd, command, argument); };
  return command == F_ADD_SEALS ? callUnlessFailing(SystemCall::addSeals, real)
                                : real();
}

} // extern "C"
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
