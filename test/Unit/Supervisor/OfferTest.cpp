//===- OfferTest.cpp - The devices that a service offers ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Service/Supervisor/Offer.h"

#include "Launch.h"

#include "../Faults/RefusedCall.h"

#include <sys/resource.h>

using namespace nnhal;
using namespace nnhal::service;

namespace {

std::vector<std::string> namesOf(const std::vector<FoundDevice> &devices) {
  std::vector<std::string> names;
  for (const FoundDevice &device : devices)
    names.push_back(device.name);
  return names;
}

TEST(OfferTest, DevicesAreSelectedByName) {
  std::vector<FoundDevice> found = {{"a-a", {}}, {"b-b", {"p.so"}}};
  EXPECT_EQ(namesOf(*selectDevices(found, {})),
            (std::vector<std::string>{"a-a", "b-b"}));
  EXPECT_EQ(namesOf(*selectDevices(found, {"b-b", "b-b"})),
            std::vector<std::string>{"b-b"});
  EXPECT_EQ(selectDevices(found, {"c-c"}).status().message(),
            "unknown device 'c-c'; known devices: a-a, b-b");
}

/// The answer of the program that lists devices.
std::string tell(const std::vector<std::string> &plugins,
                 const std::vector<std::string> &names = {}) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  EXPECT_TRUE(tellDevices(plugins, names, rt::UniqueFd(ends[1])).isOk());
  char text[1024];
  ssize_t size = ::read(ends[0], text, sizeof(text));
  ::close(ends[0]);
  return {text, size_t(std::max<ssize_t>(size, 0))};
}

TEST(OfferTest, DevicesAreTold) {
  EXPECT_EQ(tell({}), R"({"devices":[{"name":"nnhal-cpu","plugins":[]},)"
                      R"({"name":"nnhal-reference","plugins":[]}]})");
  std::string failed = tell({"/nonexistent.so"});
  EXPECT_TRUE(failed.starts_with(
      R"({"error":"cannot open the plug-in '/nonexistent.so')"))
      << failed;
}

// Drivers of GPUs are loaded where somebody asks for one of them.
TEST(OfferTest, GpusAreToldByName) {
  EXPECT_EQ(tell({}, {"nnhal-cpu", "test-engine"}), tell({}));
  // This machine has a GPU of the name, or says why it has none.
  std::string told = tell({}, {"nnhal-vulkan"});
  EXPECT_TRUE(told.ends_with(R"({"name":"nnhal-vulkan","plugins":[]}]})") ||
              told.starts_with(R"({"error":")"))
      << told;
}

TEST(OfferTest, ATaleThatCannotBeToldIsAFailure) {
  rt::UniqueFd unwritable(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(tellDevices({}, {}, std::move(unwritable)).message(),
            "cannot tell the devices: Bad file descriptor");
}

// The lister is this very program, which tells nothing.
TEST(OfferTest, AListerThatTellsNothingIsNamed) {
  ChildProgram lister = {{"--gtest_filter=none"}, {}};
  std::string message = findDevices(lister).status().message();
  EXPECT_TRUE(message.starts_with("the list of devices is damaged: "))
      << message;
  // GoogleTest refuses a part of the tests that there is not.
  lister.environment = {"GTEST_TOTAL_SHARDS=1", "GTEST_SHARD_INDEX=1"};
  EXPECT_EQ(findDevices(lister).status().message(),
            "the process that lists the devices has ended: exit status 1");
}

TEST(OfferTest, AListerThatCannotBeMadeIsNamed) {
  auto find = [] { return findDevices({}).status().message(); };
  EXPECT_EQ(rt::test::textWithout({SYS_clone, EAGAIN}, find),
            "cannot make a process: Resource temporarily unavailable");
  auto findWithoutFiles = [&] {
    // The socket pair takes two descriptors.
    int first = ::dup(STDERR_FILENO);
    int second = ::dup(STDERR_FILENO);
    ::close(first);
    ::close(second);
    rlimit limit = {rlim_t(second) + 1, rlim_t(second) + 1};
    (void)::setrlimit(RLIMIT_NOFILE, &limit);
    return find();
  };
  EXPECT_EQ(rt::test::textWithout({-1, 0}, findWithoutFiles),
            "cannot open '/dev/null': Too many open files");
}

} // namespace
