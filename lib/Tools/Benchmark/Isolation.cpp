//===- Isolation.cpp - Work in a process of its own -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Isolation.h"

#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Memory.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <span>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal;
using rt::Status;

/// The first byte of what a child sends: what the text behind it is.
static constexpr char success = 'R';

static rt::Result<std::string>
callSafely(const std::function<rt::Result<std::string>()> &work) {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    return rt::outOfResources("out of memory");
  } catch (const std::exception &error) {
    return rt::failure("{}", error.what());
  }
}

[[noreturn]] static void
runChild(const std::function<rt::Result<std::string>()> &work, int fd,
         pid_t parent) {
  // A service or compiler that this process has started ends with it. Who has
  // ended before this tells nobody.
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
    ::_exit(1);
  rt::Result<std::string> result = callSafely(work);
  std::string text =
      result.isOk() ? success + *result : "E" + result.status().message();
  Status written = rt::writeAll(fd, std::as_bytes(std::span(text)));
  (void)std::fflush(nullptr);
  ::_exit(written.isOk() ? 0 : 1);
}

/// What a child sends until its end of the pipe is closed.
static rt::Result<std::string>
receive(int fd, std::chrono::steady_clock::time_point deadline,
        const std::function<void()> &waiting) {
  constexpr int millisecondsBetween = 250;
  std::string text;
  while (true) {
    if (waiting)
      waiting();
    if (std::chrono::steady_clock::now() >= deadline)
      return Status(rt::StatusCode::missedDeadlineTransient, "");
    pollfd ready = {fd, POLLIN, 0};
    if (::poll(&ready, 1, millisecondsBetween) <= 0)
      continue;
    char buffer[65536];
    ssize_t count = ::read(fd, buffer, sizeof(buffer));
    if (count > 0)
      text.append(buffer, size_t(count));
    else if (count == 0)
      return text;
    else if (errno != EINTR)
      return rt::failure("{}", std::generic_category().message(errno));
  }
}

rt::Result<std::string>
tools::runIsolated(const std::function<rt::Result<std::string>()> &work,
                   double seconds, const std::function<void()> &waiting) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return rt::outOfResources("cannot start a process: {}",
                              std::generic_category().message(errno));
  rt::UniqueFd reading(ends[0]), writing(ends[1]);
  (void)std::fflush(nullptr);
  pid_t parent = ::getpid();
  pid_t child = ::fork();
  if (child < 0)
    return rt::outOfResources("cannot start a process: {}",
                              std::generic_category().message(errno));
  if (child == 0) {
    // A child that writes what nobody can read any more ends by that.
    reading = rt::UniqueFd();
    runChild(work, writing.get(), parent);
  }
  writing = rt::UniqueFd();
  auto deadline = std::chrono::steady_clock::now() +
                  std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::duration<double>(seconds));
  rt::Result<std::string> text = receive(reading.get(), deadline, waiting);
  if (!text.isOk())
    ::kill(child, SIGKILL);
  int state = 0;
  while (::waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  if (text.status().code() == rt::StatusCode::missedDeadlineTransient)
    return Status(
        rt::StatusCode::missedDeadlineTransient,
        fmt::format("it took longer than {} s and was ended", seconds));
  if (!text.isOk())
    return text;
  if (WIFSIGNALED(state))
    return rt::failure("its process was ended by signal {} ({})",
                       WTERMSIG(state), ::strsignal(WTERMSIG(state)));
  if (text->empty())
    return rt::failure("its process ended with status {} and said nothing",
                       WEXITSTATUS(state));
  if (text->front() != success)
    return rt::failure("{}", text->substr(1));
  return text->substr(1);
}
