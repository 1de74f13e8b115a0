//===- ClientProgram.h - The client in C as a process -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_NEURALNETWORKS_CLIENTPROGRAM_H
#define NNHAL_TEST_UNIT_NEURALNETWORKS_CLIENTPROGRAM_H

#include "ProgramOutput.h"

#include <dlfcn.h>

namespace client {

/// The path of the library that is tested.
inline std::string libraryPath() {
  Dl_info info = {};
  EXPECT_NE(
      ::dladdr(::dlsym(RTLD_DEFAULT, "ANeuralNetworksModel_create"), &info), 0);
  return info.dli_fname;
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
