//===- Worker.cpp - A process that may crash ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

#include "Runtime/Support/Errors.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::Result;
using rt::Status;

Status Worker::start() {
  int down[2], up[2];
  if (pipe2(down, O_CLOEXEC) != 0)
    return rt::failure("cannot make a pipe: {}", std::strerror(errno));
  rt::UniqueFd downRead(down[0]);
  toProcess = rt::UniqueFd(down[1]);
  if (pipe2(up, O_CLOEXEC) != 0)
    return rt::failure("cannot make a pipe: {}", std::strerror(errno));
  fromProcess = rt::UniqueFd(up[0]);
  rt::UniqueFd upWrite(up[1]);
  std::vector<std::string> words = {"/proc/self/exe"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char *> argv;
  argv.reserve(words.size() + 1);
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, downRead.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, upWrite.get(), STDOUT_FILENO);
  int error = posix_spawn(&process, "/proc/self/exe", &actions, nullptr,
                          argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  unread.clear();
  if (error == 0)
    return Status::ok();
  process = -1;
  return rt::failure("cannot start a process: {}", std::strerror(error));
}

std::string Worker::stop() {
  toProcess.reset();
  fromProcess.reset();
  if (process < 0)
    return "not started";
  int status = 0;
  // One that has ended keeps the status it ended with.
  if (waitpid(process, &status, WNOHANG) == 0) {
    kill(process, SIGKILL);
    waitpid(process, &status, 0);
  }
  process = -1;
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

/// Milliseconds until \p deadline, at least 0.
static int remaining(std::chrono::steady_clock::time_point deadline) {
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  return left.count() > 0 ? int(left.count()) : 0;
}

Result<std::string> Worker::ask(const std::string &line,
                                std::chrono::seconds timeout) {
  if (process < 0)
    NNHAL_RETURN_IF_ERROR(start());
  auto deadline = std::chrono::steady_clock::now() + timeout;
  std::string text = line + "\n";
  bool isSent =
      write(toProcess.get(), text.data(), text.size()) == ssize_t(text.size());
  while (isSent) {
    if (size_t end = unread.find('\n'); end != std::string::npos) {
      std::string answer = unread.substr(0, end);
      unread.erase(0, end + 1);
      return answer;
    }
    pollfd descriptor = {fromProcess.get(), POLLIN, 0};
    int ready = poll(&descriptor, 1, remaining(deadline));
    if (ready == 0) {
      stop();
      return Status(rt::StatusCode::missedDeadlineTransient,
                    fmt::format("no answer in {} s", timeout.count()));
    }
    char buffer[4096];
    ssize_t count = read(fromProcess.get(), buffer, sizeof buffer);
    if (count > 0)
      unread.append(buffer, size_t(count));
    else if (count == 0 || errno != EINTR)
      break;
  }
  // Its end is imminent: it closed its side.
  for (int i = 0; i < 200 && kill(process, 0) == 0; ++i) {
    siginfo_t info{};
    if (waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == process)
      break;
    usleep(10'000);
  }
  return rt::failure("the process ended with {}", stop());
}
