//===- KernelStoreTest.cpp - Machine code of kernels is kept --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Caching/KernelStore.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sqlite3.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::cache;

namespace {

using Object = std::vector<std::byte>;

class KernelStoreTest : public testing::Test {
protected:
  void SetUp() override {
    directory = testing::TempDir() + "nnhal-kernels-XXXXXX";
    ASSERT_NE(::mkdtemp(directory.data()), nullptr);
    options.directory = directory + "/state";
    options.compiler = "a build";
    options.clock = [this] { return now; };
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  std::unique_ptr<KernelStore> open() {
    auto store = KernelStore::open(options);
    EXPECT_TRUE(store.isOk()) << store.status().message();
    return store.isOk() ? *std::move(store) : nullptr;
  }
  std::string filePath() const { return options.directory + "/kernels"; }
  void execute(const char *sql) const {
    sqlite3 *handle = nullptr;
    ASSERT_EQ(sqlite3_open(filePath().c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }
  static Object objectOf(size_t size, int first) {
    Object object(size);
    for (size_t i = 0; i < size; ++i)
      object[i] = std::byte(first + int(i % 7));
    return object;
  }

  std::string directory;
  KernelStore::Options options;
  int64_t now = 1'000'000;
};

TEST_F(KernelStoreTest, FindsWhatWasKept) {
  Object object = objectOf(10'000, 3);
  ASSERT_TRUE(open()->keep("key", object).isOk());
  auto store = open();
  EXPECT_EQ(store->find("key"), object);
  EXPECT_EQ(store->find("another key"), std::nullopt);
  // The latest takes the place of the first.
  Object other = objectOf(20, 9);
  ASSERT_TRUE(store->keep("key", other).isOk());
  EXPECT_EQ(store->find("key"), other);
  EXPECT_EQ(*store->count(), 1);
}

TEST_F(KernelStoreTest, KeepsSeveralAtOnce) {
  Object first = objectOf(10, 1), second = objectOf(10'000, 2);
  KernelStore::Entry entries[] = {
      {"first", first}, {"second", second}, {"first", second}};
  auto store = open();
  ASSERT_TRUE(store->keep(entries).isOk());
  EXPECT_EQ(store->find("first"), second);
  EXPECT_EQ(store->find("second"), second);
  EXPECT_EQ(*store->count(), 2);
}

TEST_F(KernelStoreTest, BuildsOfTheCompilerShareTheFileAlone) {
  auto first = open();
  ASSERT_TRUE(first->keep("key", objectOf(1, 1)).isOk());
  options.compiler = "another build";
  auto second = open();
  EXPECT_EQ(second->find("key"), std::nullopt);
  ASSERT_TRUE(second->keep("key", objectOf(1, 2)).isOk());
  EXPECT_EQ(first->find("key"), objectOf(1, 1));
  EXPECT_EQ(*second->count(), 2);
}

TEST_F(KernelStoreTest, WhatIsNotUsedGoesFirst) {
  options.maxBytes = 1 << 20;
  auto store = open();
  ASSERT_TRUE(store->keep("used", objectOf(10'000, 0)).isOk());
  for (int i = 0; i < 200; ++i) {
    now += 7200;
    ASSERT_TRUE(store->find("used").has_value()) << i;
    ASSERT_TRUE(store->keep(std::to_string(i), objectOf(10'000, i)).isOk());
  }
  EXPECT_EQ(store->find("0"), std::nullopt);
  EXPECT_TRUE(store->find("199").has_value());
  EXPECT_LT(*store->count(), 110);
  EXPECT_GT(*store->count(), 50);
  EXPECT_LT(std::filesystem::file_size(filePath()), 1'200'000u);
}

TEST_F(KernelStoreTest, AnotherObjectThanWasKeptIsForgotten) {
  auto store = open();
  ASSERT_TRUE(store->keep("key", objectOf(100, 1)).isOk());
  ASSERT_TRUE(store->keep("text", objectOf(100, 1)).isOk());
  store.reset();
  execute("UPDATE kernels SET object = zeroblob(100) WHERE rowid = 1;"
          "UPDATE kernels SET hash = 7 WHERE rowid = 2");
  store = open();
  EXPECT_EQ(store->find("key"), std::nullopt);
  EXPECT_EQ(store->find("text"), std::nullopt);
  EXPECT_EQ(*store->count(), 0);
}

TEST_F(KernelStoreTest, DamagedFilesAreReplaced) {
  Object object = objectOf(50'000, 1);
  ASSERT_TRUE(open()->keep("key", object).isOk());
  std::string intact;
  {
    std::ifstream stream(filePath(), std::ios::binary);
    intact.assign(std::istreambuf_iterator<char>(stream), {});
  }
  for (size_t at = 0; at < intact.size(); at += 97) {
    std::string damaged = intact;
    damaged[at] = char(damaged[at] ^ 0x55);
    std::ofstream(filePath(), std::ios::binary) << damaged;
    // The first may lose the file, the second has a usable one.
    for (int round = 0; round < 2; ++round)
      if (auto store = KernelStore::open(options); store.isOk()) {
        std::optional<Object> found = (*store)->find("key");
        EXPECT_TRUE(!found || *found == object) << at;
        (void)(*store)->keep("key", object).isOk();
      }
    auto store = open();
    EXPECT_TRUE(store->keep("key", object).isOk()) << at;
    EXPECT_EQ(store->find("key"), object) << at;
  }
}

TEST_F(KernelStoreTest, ThreadsAndProcessesShareIt) {
  auto work = [&](int number) {
    auto store = open();
    for (int i = 0; i < 20; ++i) {
      std::string key = std::to_string((number + i) % 7);
      Object object = objectOf(3'000, (number + i) % 7);
      if (auto found = store->find(key); found && *found != object)
        return false;
      // Another process may take longer than this one waits.
      (void)store->keep(key, object).isOk();
    }
    return true;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    pid_t child = ::fork();
    if (child == 0)
      ::_exit(work(i) ? 0 : 1);
    children.push_back(child);
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] { EXPECT_TRUE(work(i)); });
  for (std::thread &thread : threads)
    thread.join();
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(open()->find(std::to_string(i)), objectOf(3'000, i));
}

TEST_F(KernelStoreTest, AProcessThatIsKilledCostsNothing) {
  pid_t child = ::fork();
  if (child == 0) {
    auto store = open();
    for (int i = 0;; ++i)
      (void)store->keep(std::to_string(i), objectOf(5'000, i)).isOk();
  }
  ::usleep(100'000);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  auto store = open();
  int64_t count = *store->count();
  EXPECT_GT(count, 0);
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(store->find(std::to_string(i)), objectOf(5'000, i)) << i;
}

TEST_F(KernelStoreTest, ADirectoryOfOthersIsRefused) {
  std::filesystem::create_directories(options.directory);
  std::filesystem::permissions(options.directory,
                               std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  auto store = KernelStore::open(options);
  ASSERT_FALSE(store.isOk());
  EXPECT_NE(store.status().message().find("can be written to by other users"),
            std::string::npos);
}

} // namespace
