//===- ClientProgram.h - The client in C as a process -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_NEURALNETWORKS_CLIENTPROGRAM_H
#define NNHAL_TEST_UNIT_NEURALNETWORKS_CLIENTPROGRAM_H

#include <gtest/gtest.h>

#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <sys/wait.h>

namespace client {

/// The path of the library that is tested.
inline std::string libraryPath() {
  Dl_info info = {};
  EXPECT_NE(
      ::dladdr(::dlsym(RTLD_DEFAULT, "ANeuralNetworksModel_create"), &info), 0);
  return info.dli_fname;
}

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

/// Runs the client in C with settings, as "NAME=VALUE NAME=VALUE". It uses
/// nnapi-reference alone unless they say otherwise: a build may be without a
/// compiler for other devices.
inline std::string runClient(const std::string &work,
                             const std::string &settings = "NNHAL_CPUONLY=1") {
  return outputOf("env " + settings + " '" NNHAL_TEST_CLIENT "' '" +
                  libraryPath() + "' " + work);
}

} // namespace client

#endif // NNHAL_TEST_UNIT_NEURALNETWORKS_CLIENTPROGRAM_H
