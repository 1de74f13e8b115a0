//===- DeviceTest.cpp - What a device says and prepares -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "nnhal/Runtime/DeviceRegistry.h"

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

using DeviceTest = ConformanceTest;

// C-010 to C-015, C-020, C-021: what the registry checks.
TEST_F(DeviceTest, canBeRegistered) {
  DeviceRegistry registry;
  std::string name(device->name());
  Status added = registry.add(std::move(device));
  EXPECT_EQ(added.message(), "");
  EXPECT_NE(registry.find(name), nullptr);
}

// C-036, C-039, C-047.
TEST_F(DeviceTest, preparesAsynchronously) {
  auto model = std::make_shared<AnnotatedModel>(addModel());
  if (auto reason = unsupportedReason(*device, *model))
    GTEST_SKIP() << *reason;
  Notified<Result<PreparedModelRef>> notified;
  Status launched = device->prepareModelAsync(
      model, {}, [&](auto result) { notified.notify(std::move(result)); });
  EXPECT_EQ(launched.message(), "");
  auto prepared = notified.wait();
  ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
  EXPECT_NE(*prepared, nullptr);
  EXPECT_EQ(notified.count(), 1);
  EXPECT_EQ(device->prepareModelAsync(model, {}, nullptr).message(),
            "a preparation needs a callback");
}

} // namespace
