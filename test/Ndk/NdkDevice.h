//===- NdkDevice.h - The NDK library as a device ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_NDK_NDKDEVICE_H
#define NNHAL_TEST_NDK_NDKDEVICE_H

#include "nnhal/Runtime/Device.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nnhal::test {

/// The way in which the NDK library is used.
struct NdkUse {
  /// The devices that models are compiled for; the library chooses where there
  /// are none.
  std::vector<std::string> devices;
  /// Executions compute over a burst that lives as long as the model.
  bool useBurst = false;
  /// Inputs and outputs are in memory made from descriptors.
  bool useMemory = false;
  /// Compilations are cached in this folder, and made twice; empty: they are
  /// not.
  std::string cacheFolder;
  /// The threads that execute each request at the same time, and have to get
  /// the same outputs.
  unsigned threads = 1;
  /// Is told of each model when its first compilation has ended well, on the
  /// thread of that. May be empty.
  std::function<void(const rt::Model &)> compiled;
};

/// Makes a device of the NDK library, which is reached by its C functions
/// alone: whatever runs over devices runs over it. invalidArgument for a device
/// that the library does not have.
rt::Result<std::unique_ptr<rt::Device>> createNdkDevice(NdkUse use);

} // namespace nnhal::test

#endif // NNHAL_TEST_NDK_NDKDEVICE_H
