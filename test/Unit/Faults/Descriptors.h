//===- Descriptors.h - A process without descriptors ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_FAULTS_DESCRIPTORS_H
#define NNHAL_TEST_UNIT_FAULTS_DESCRIPTORS_H

#include <gtest/gtest.h>

#include <sys/resource.h>

namespace nnhal::rt {

/// Lets the process open no descriptor while the object lives. Those that are
/// open stay so.
///
/// Threads: all threads of the process get none.
class DescriptorFailure {
public:
  DescriptorFailure() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~DescriptorFailure() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0); }
  DescriptorFailure(const DescriptorFailure &) = delete;
  DescriptorFailure &operator=(const DescriptorFailure &) = delete;

private:
  rlimit before = {};
};

} // namespace nnhal::rt

#endif // NNHAL_TEST_UNIT_FAULTS_DESCRIPTORS_H
