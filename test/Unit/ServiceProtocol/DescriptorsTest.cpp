//===- DescriptorsTest.cpp - Descriptors as capabilities ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Message.h"

#include "Faults/Descriptors.h"
#include "Service/Protocol/Channel.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;

namespace {

template <typename... Named>
std::vector<NamedDescriptor> listOf(Named... named) {
  std::vector<NamedDescriptor> list;
  (list.push_back(std::move(named)), ...);
  return list;
}

NamedDescriptor descriptor(rt::UniqueFd fd, std::string name) {
  return {makeDescriptor(std::move(fd)), std::move(name)};
}

rt::UniqueFd openNull() { return rt::UniqueFd(::open("/dev/null", O_RDONLY)); }

TEST(Descriptors, ArriveAsDuplicatesInOrder) { // F-087
  EventLoop loop;
  rt::UniqueFd first = openNull();
  rt::UniqueFd second(::open("/dev/zero", O_RDONLY));
  struct stat expected[2];
  ASSERT_EQ(::fstat(first.get(), &expected[0]), 0);
  ASSERT_EQ(::fstat(second.get(), &expected[1]), 0);
  int firstNumber = first.get();
  auto taken = loop.take(listOf(descriptor(std::move(first), "one"),
                                descriptor(std::move(second), "two")));
  ASSERT_TRUE(taken.isOk()) << taken.status().message();
  ASSERT_EQ(taken->size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    struct stat found;
    ASSERT_EQ(::fstat((*taken)[i].get(), &found), 0);
    EXPECT_EQ(found.st_rdev, expected[i].st_rdev);
    EXPECT_EQ(::fcntl((*taken)[i].get(), F_GETFD), FD_CLOEXEC);
  }
  EXPECT_EQ(::fcntl(firstNumber, F_GETFD), -1) << "the capability is gone";
}

TEST(Descriptors, NamesTheOneThatIsMissing) {
  EventLoop loop;
  auto taken = loop.take(
      listOf(descriptor(openNull(), "pool 0"),
             NamedDescriptor{wire::Descriptor::Client(nullptr), "pool 1"}));
  EXPECT_EQ(taken.status().message(), "pool 1 came without a descriptor");
  EXPECT_EQ(taken.status().code(), rt::StatusCode::invalidArgument);

  class Broken final : public wire::Descriptor::Server {};
  taken = loop.take(listOf(NamedDescriptor{kj::heap<Broken>(), "a queue"}));
  EXPECT_EQ(taken.status().message(), "a queue came without a descriptor");

  wire::Descriptor::Client gone =
      kj::Promise<wire::Descriptor::Client>(KJ_EXCEPTION(FAILED, "gone"));
  taken = loop.take(listOf(NamedDescriptor{kj::mv(gone), "a fence"}));
  EXPECT_EQ(taken.status().message(), "a fence came without a descriptor");
}

TEST(Descriptors, RefusesTooManyBeforeAnyIsTaken) {
  EventLoop loop;
  auto taken = loop.take(listOf(descriptor(openNull(), "pool 0"),
                                descriptor(openNull(), "pool 1")),
                         /*limit=*/1);
  EXPECT_EQ(taken.status().message(),
            "a message carries 2 descriptors where 1 are allowed");
}

TEST(Channel, NoDescriptors) {
  rt::DescriptorFailure failure;
  auto pair = makeSocketPair();
  EXPECT_EQ(pair.status().code(), rt::StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(pair.status().message(),
            "cannot make a pair of sockets: Too many open files");
}

TEST(Descriptors, NoneAreNone) {
  EventLoop loop;
  auto taken = loop.take({});
  ASSERT_TRUE(taken.isOk());
  EXPECT_TRUE(taken->empty());
}

} // namespace
