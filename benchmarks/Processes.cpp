//===- Processes.cpp - How long processes take to answer ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: nnhal-benchmark-processes RUNS PROGRAM [ARGUMENT...]
//
// Starts PROGRAM one time after the other. Prints a line for each: the
// microseconds from before the call that makes the process to the first byte
// that it writes to standard output, those to its end, and what it wrote up to
// the first line break.
//
// A program of its own: of what an interpreter measures its own work around a
// start is a third.
//
//===----------------------------------------------------------------------===//

#include "Words.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

using Clock = std::chrono::steady_clock;

namespace {
struct Answer {
  /// In microseconds.
  double toFirstByte = 0;
  double toEnd = 0;
  std::string text;
};
} // namespace

static double microsecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin)
      .count();
}

/// Starts \p command with its standard output in \p output.
static std::optional<pid_t> start(char **command, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t process = 0;
  int error =
      posix_spawn(&process, command[0], &actions, nullptr, command, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0)
    return process;
  fmt::print(stderr, "error: cannot start '{}': {}\n", command[0],
             std::strerror(error));
  return std::nullopt;
}

/// Nothing when the process cannot be started or fails.
static std::optional<Answer> run(char **command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    std::fputs("error: cannot create a pipe\n", stderr);
    return std::nullopt;
  }
  Clock::time_point begin = Clock::now();
  std::optional<pid_t> process = start(command, ends[1]);
  ::close(ends[1]);
  Answer answer;
  char part[4096];
  ssize_t count;
  while (process && (count = ::read(ends[0], part, sizeof(part))) > 0) {
    if (answer.text.empty())
      answer.toFirstByte = microsecondsSince(begin);
    answer.text.append(part, size_t(count));
  }
  ::close(ends[0]);
  int status = 0;
  if (!process || ::waitpid(*process, &status, 0) != *process)
    return std::nullopt;
  answer.toEnd = microsecondsSince(begin);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return answer;
  fmt::print(stderr, "error: '{}' failed\n", command[0]);
  return std::nullopt;
}

int main(int argc, char **argv) {
  const std::vector<std::string> words = nnhal::readWords(
      {.program = "nnhal-benchmark-processes",
       .words = "RUNS PROGRAM [ARGUMENT...]",
       .purpose =
           "Starts PROGRAM one time after the other. Prints for each the "
           "microseconds to its\nfirst output and to its end, and the "
           "first line that it prints.",
       .least = 2,
       .most = SIZE_MAX,
       .own = 2},
      argc, argv);
  unsigned runs = 0;
  const std::string &number = words[0];
  auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), runs);
  if (error != std::errc() || *end != '\0' || runs == 0)
    nnhal::misuse("RUNS: '" + number + "' is not a number above 0");
  for (unsigned i = 0; i < runs; ++i) {
    std::optional<Answer> answer = run(argv + 2);
    if (!answer)
      return 1;
    fmt::print("{:.1f} {:.1f} {}\n", answer->toFirstByte, answer->toEnd,
               answer->text.substr(0, answer->text.find('\n')));
  }
  return 0;
}
