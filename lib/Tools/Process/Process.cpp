//===- Process.cpp - The process of every tool ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Process.h"

#include "Runtime/Support/Errors.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <new>
#include <system_error>
#include <unistd.h>
#include <vector>

using namespace nnhal;
using rt::Status;

static void prepareProcess() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
      continue;
    // The lowest free descriptor is this one. Reading standard input and
    // writing results fail as they would on a closed descriptor; messages have
    // nowhere to go.
    int mode = fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY;
    (void)!::open("/dev/null", mode);
  }
  (void)std::signal(SIGXFSZ, SIG_IGN);
}

int tools::runProcess(
    int argc, char **argv,
    int (*tool)(std::span<const std::string_view> arguments)) {
  prepareProcess();
  try {
    std::vector<std::string_view> arguments(argv + 1, argv + argc);
    return tool(arguments);
  } catch (const std::bad_alloc &) {
    std::fputs("error: out of memory\n", stderr);
  } catch (const std::exception &error) {
    // std::system_error is what {fmt} raises when standard output cannot be
    // written.
    std::fprintf(stderr, "error: %s\n", error.what());
  }
  return exitFailure;
}

int tools::fail(const Status &status, int exitStatus) {
  // This does not call fmt::print, which throws when standard error cannot be
  // written: the exit status counts all the more then.
  std::string text = fmt::format("error: {}\n", status.message());
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  return exitStatus;
}

Status tools::flushOutput() {
  // This also reports output that could not be written before.
  if (std::fflush(stdout) != 0)
    return rt::failure("cannot write to standard output: {}",
                       std::generic_category().message(errno));
  if (std::ferror(stdout))
    return rt::failure("cannot write to standard output");
  return Status::ok();
}

int tools::finish(Status status) {
  Status flushed = flushOutput();
  if (status.isOk())
    status = std::move(flushed);
  return status.isOk() ? 0 : fail(status, exitFailure);
}
