//===- ProgramOutput.h - What a program of a test prints --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_NEURALNETWORKS_PROGRAMOUTPUT_H
#define NNHAL_TEST_UNIT_NEURALNETWORKS_PROGRAMOUTPUT_H

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <sys/wait.h>

namespace client {

/// Returns what \p command prints, both streams; it ends with status 0.
inline std::string outputOf(const std::string &command) {
  FILE *pipe = ::popen((command + " 2>&1").c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  std::string text;
  char buffer[4096];
  while (size_t count = std::fread(buffer, 1, sizeof(buffer), pipe))
    text.append(buffer, count);
  int status = ::pclose(pipe);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text;
  return text;
}

} // namespace client

#endif // NNHAL_TEST_UNIT_NEURALNETWORKS_PROGRAMOUTPUT_H
