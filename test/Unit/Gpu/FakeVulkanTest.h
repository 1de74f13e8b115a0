//===- FakeVulkanTest.h - Tests with a driver of their own ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_GPU_FAKEVULKANTEST_H
#define NNHAL_TEST_UNIT_GPU_FAKEVULKANTEST_H

#include "Inputs/FakeVulkan.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

/// Opens engines of a loader that answers as `fake` says.
class FakeVulkanTest : public testing::Test {
protected:
  void SetUp() override {
    void *library = ::dlopen(NNHAL_FAKE_VULKAN, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    fake = static_cast<FakeVulkan *>(::dlsym(library, "nnhalFakeVulkan"));
    ASSERT_NE(fake, nullptr);
    *fake = {};
  }

  FakeVulkan *fake = nullptr;
};

#endif // NNHAL_TEST_UNIT_GPU_FAKEVULKANTEST_H
