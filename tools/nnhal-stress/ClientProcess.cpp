//===- ClientProcess.cpp - A client that may crash or hang ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientProcess.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::stress;
using rt::Status;

Status ClientProcess::start(std::vector<std::string> arguments) {
  kill();
  printed.clear();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return rt::failure("cannot start a client: {}", std::strerror(errno));
  output = rt::UniqueFd(ends[0]);
  rt::UniqueFd writeEnd(ends[1]);
  arguments.insert(arguments.begin(), "nnhal-stress");
  std::vector<char *> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string &word : arguments)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, writeEnd.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, writeEnd.get(), STDERR_FILENO);
  int error = posix_spawn(&process, "/proc/self/exe", &actions, nullptr,
                          argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0)
    return Status::ok();
  process = -1;
  return rt::failure("cannot start a client: {}", std::strerror(error));
}

std::string ClientProcess::lastLine() const {
  std::string_view text = printed;
  while (text.ends_with('\n'))
    text.remove_suffix(1);
  size_t begin = text.rfind('\n');
  return std::string(begin == text.npos ? text : text.substr(begin + 1));
}

/// Waits for a process that is about to end.
ClientEnd ClientProcess::end() {
  int status = 0;
  waitpid(process, &status, 0);
  process = -1;
  if (WIFSIGNALED(status))
    return {Outcome::crash,
            fmt::format("ended by signal {} ({}) after: {}", WTERMSIG(status),
                        strsignal(WTERMSIG(status)), lastLine())};
  switch (WEXITSTATUS(status)) {
  case 0:
    return {Outcome::success, lastLine()};
  case exitDriverDied:
    return {Outcome::crash, lastLine()};
  default:
    return {Outcome::failure, lastLine()};
  }
}

ClientEnd ClientProcess::wait(std::chrono::steady_clock::time_point deadline) {
  // What was printed last is kept, not all of it.
  constexpr size_t maxPrinted = size_t(1) << 16;
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd descriptor = {output.get(), POLLIN, 0};
    if (left.count() <= 0 ||
        poll(&descriptor, 1, int(std::min<int64_t>(left.count(), 60'000))) ==
            0) {
      if (std::chrono::steady_clock::now() < deadline)
        continue;
      kill();
      return {Outcome::hang, "no end in time, after: " + lastLine()};
    }
    char buffer[4096];
    ssize_t count = read(output.get(), buffer, sizeof buffer);
    if (count > 0)
      printed.append(buffer, size_t(count));
    else if (count == 0 || errno != EINTR)
      return end();
    if (printed.size() > maxPrinted)
      printed.erase(0, printed.size() - maxPrinted / 2);
  }
}

std::optional<ClientEnd>
ClientProcess::killWithin(std::chrono::milliseconds delay) {
  ClientEnd ended = wait(std::chrono::steady_clock::now() + delay);
  if (ended.outcome == Outcome::hang)
    return std::nullopt;
  return ended;
}

void ClientProcess::kill() {
  output.reset();
  if (process < 0)
    return;
  ::kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
  process = -1;
}
