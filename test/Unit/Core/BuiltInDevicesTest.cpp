//===- BuiltInDevicesTest.cpp - The devices of the library ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/BuiltInDevices.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;

namespace {

TEST(BuiltInDevicesTest, AreThoseOfTheListAndShareServices) {
  std::vector<std::string> asked;
  BuiltInDevicesOptions options;
  options.services.measuredCapabilities = [&](std::string_view device,
                                              std::string_view) {
    asked.emplace_back(device);
    return std::optional(uniformCapabilities({0.25f, 0.75f}));
  };
  std::vector<std::string> names;
  for (const auto &device : createBuiltInDevices(options)) {
    names.emplace_back(device->name());
    EXPECT_TRUE(device->capabilities() == uniformCapabilities({0.25f, 0.75f}));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"nnhal-cpu", "nnhal-reference"}));
  EXPECT_EQ(asked, names);
}

} // namespace
