//===- CallerStateTest.cpp - Threads that programs call on ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <csignal>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace client;

// J-110: a NaN is a value of a tensor, whatever the processor does elsewhere.
TEST(NeuralNetworksCaller, ComputesWhereFloatsTrap) {
  constexpr int traps = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;
  CompiledAdd add;
  AddExecution here(add), elsewhere(add);
  for (AddExecution *each : {&here, &elsewhere}) {
    each->left[0] = INFINITY;
    each->right[0] = -INFINITY;
    each->setAll();
  }
  // Processors without traps refuse, and compute all the same.
  const int asked = ::feenableexcept(traps) < 0 ? 0 : traps;
  Event event;
  Result computed = here.execution.compute();
  Result started = elsewhere.execution.startCompute(&event);
  Result ended = event.wait();
  int enabled = ::fegetexcept();
  ::fedisableexcept(FE_ALL_EXCEPT);
  EXPECT_EQ(computed, Result::NO_ERROR);
  EXPECT_EQ(started, Result::NO_ERROR);
  EXPECT_EQ(ended, Result::NO_ERROR);
  EXPECT_TRUE(std::isnan(here.sum[0]));
  EXPECT_TRUE(std::isnan(elsewhere.sum[0]));
  EXPECT_EQ(here.sum[1], 22);
  EXPECT_EQ(enabled, asked);
}

// J-110: a file that may not be written is one, and not the end of the process.
TEST(NeuralNetworksCaller, OutlivesTheLimitOfFileSizes) {
  constexpr size_t size = 64;
  int file = ::memfd_create("limited", MFD_CLOEXEC);
  ASSERT_GE(file, 0);
  ASSERT_EQ(::ftruncate(file, 2 * size), 0);
  constexpr int protection = PROT_READ | PROT_WRITE;
  Memory first(size, protection, file, 0), second(size, protection, file, size);
  ::close(file);
  ASSERT_TRUE(first.isValid() && second.isValid());
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  int limited = ANeuralNetworksMemory_copy(first.get(), second.get());
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(limited, ANEURALNETWORKS_UNMAPPABLE);
  EXPECT_EQ(ANeuralNetworksMemory_copy(first.get(), second.get()),
            ANEURALNETWORKS_NO_ERROR);
  // A later signal is the program's.
  sigset_t blocked;
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, nullptr, &blocked), 0);
  EXPECT_EQ(::sigismember(&blocked, SIGXFSZ), 0);
}
