//===- HostileTesting.h - What hostile clients share ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_NDK_HOSTILETESTING_H
#define NNHAL_TEST_NDK_HOSTILETESTING_H

#include "NdkObjects.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#define NNHAL_HAS_LEAK_SANITIZER
#endif
#endif

namespace nnhal::test {

/// While one of these lives, the leak sanitizer takes what its thread allocates
/// for in use. Executions that are freed while they run are left as they are
/// (J-048), and a client cannot tell which ones were.
#ifdef NNHAL_HAS_LEAK_SANITIZER
using ExpectedLeaks = __lsan::ScopedDisabler;
#else
struct [[maybe_unused]] ExpectedLeaks {
  ExpectedLeaks() {}
  ~ExpectedLeaks() {}
};
#endif

/// Expects that \p code is a ResultCode, and returns it (J-113).
inline int expectCode(int code) {
  EXPECT_GE(code, ANEURALNETWORKS_NO_ERROR);
  EXPECT_LE(code, ANEURALNETWORKS_DEAD_OBJECT);
  return code;
}

/// Calls \p round with 0, 1 and so on: \p rounds times, or, where
/// NNHAL_HOSTILE_SECONDS is set, for that time. Ends with the first failure.
template <typename Round> uint64_t repeat(uint64_t rounds, Round round) {
  using Clock = std::chrono::steady_clock;
  const char *text = std::getenv("NNHAL_HOSTILE_SECONDS");
  auto end = Clock::now() + std::chrono::seconds(text ? std::atoi(text) : 0);
  uint64_t number = 0;
  for (; (text ? Clock::now() < end : number < rounds) &&
         !::testing::Test::HasFailure();
       ++number) {
    SCOPED_TRACE(::testing::Message() << "round " << number);
    round(number);
  }
  return number;
}

/// The device of that name; null when there is none.
inline const ANeuralNetworksDevice *findDevice(std::string_view wanted) {
  uint32_t count = 0;
  expectCode(ANeuralNetworks_getDeviceCount(&count));
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice *device = nullptr;
    const char *name = nullptr;
    expectCode(ANeuralNetworks_getDevice(i, &device));
    expectCode(ANeuralNetworksDevice_getName(device, &name));
    if (name && name == wanted)
      return device;
  }
  return nullptr;
}

/// nnapi-reference, which is always there.
inline const ANeuralNetworksDevice *referenceDevice() {
  return findDevice("nnapi-reference");
}

/// A finished model of one operation of \p type on four floats.
inline NdkModel unaryModel(ANeuralNetworksOperationType type) {
  ANeuralNetworksModel *made = nullptr;
  expectCode(ANeuralNetworksModel_create(&made));
  const uint32_t four = 4, input = 0, output = 1;
  ANeuralNetworksOperandType floats = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &four,
                                       0, 0};
  expectCode(ANeuralNetworksModel_addOperand(made, &floats));
  expectCode(ANeuralNetworksModel_addOperand(made, &floats));
  expectCode(
      ANeuralNetworksModel_addOperation(made, type, 1, &input, 1, &output));
  expectCode(ANeuralNetworksModel_identifyInputsAndOutputs(made, 1, &input, 1,
                                                           &output));
  EXPECT_EQ(ANeuralNetworksModel_finish(made), ANEURALNETWORKS_NO_ERROR);
  return NdkModel(made);
}

/// A compilation of \p model on nnapi-reference; null when it fails.
inline NdkCompilation compile(ANeuralNetworksModel *model) {
  const ANeuralNetworksDevice *device = referenceDevice();
  ANeuralNetworksCompilation *made = nullptr;
  expectCode(
      ANeuralNetworksCompilation_createForDevices(model, &device, 1, &made));
  NdkCompilation compilation(made);
  if (expectCode(ANeuralNetworksCompilation_finish(made)) !=
      ANEURALNETWORKS_NO_ERROR)
    compilation.reset();
  return compilation;
}

} // namespace nnhal::test

#endif // NNHAL_TEST_NDK_HOSTILETESTING_H
