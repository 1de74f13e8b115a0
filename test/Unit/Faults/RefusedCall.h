//===- RefusedCall.h - Calls that the kernel refuses ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_FAULTS_REFUSEDCALL_H
#define NNHAL_TEST_UNIT_FAULTS_REFUSEDCALL_H

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fcntl.h>
#include <functional>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nnhal::rt::test {

/// A system call that fails in a whole process, libraries and programs that it
/// becomes included; SystemCallFailure is for calls of the tests' own code.
struct RefusedCall {
  long number;
  int error;
  /// Refuse only calls whose third argument is 0.
  bool onlyWithoutFlags = false;

  /// Refuses from now on, in this process and in its children.
  [[nodiscard]] bool apply() const {
    constexpr auto flags = uint32_t(offsetof(seccomp_data, args[2]));
    // A mismatch of the flags skips the refusal, or nothing.
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(number), 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0,
                 uint8_t(onlyWithoutFlags ? 1 : 0)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | uint32_t(error)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program = {std::size(code), code};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }
};

/// Returns the text of \p run, called in a process in which \p call fails.
inline std::string textWithout(const RefusedCall &call,
                               const std::function<std::string()> &run) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  pid_t child = ::fork();
  if (child == 0) {
    std::string text = call.apply() ? run() : "the call cannot be refused";
    (void)!::write(ends[1], text.data(), text.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  char text[1024];
  ssize_t size = ::read(ends[0], text, sizeof(text));
  ::close(ends[0]);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  return {text, size_t(std::max<ssize_t>(size, 0))};
}

} // namespace nnhal::rt::test

#endif // NNHAL_TEST_UNIT_FAULTS_REFUSEDCALL_H
