//===- StoreTest.cpp - What is remembered about cache files ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Caching/IntegrityStore.h"

#include "Faults/SystemCalls.h"
#include "Runtime/Caching/ContentKeyStore.h"
#include "nnhal/Runtime/Memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::cache;

namespace {

class StoreTest : public testing::Test {
protected:
  void SetUp() override {
    directory = testing::TempDir() + "nnhal-store-XXXXXX";
    ASSERT_NE(::mkdtemp(directory.data()), nullptr);
    options.directory = directory + "/state";
    options.name = "test";
    options.clock = [this] { return now; };
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  std::unique_ptr<IntegrityStore> open() {
    auto store = IntegrityStore::open(options);
    EXPECT_TRUE(store.isOk()) << store.status().message();
    return store.isOk() ? *std::move(store) : nullptr;
  }
  std::string filePath() const { return options.directory + "/test.integrity"; }
  static mode_t modeOf(const std::string &path) {
    struct stat info = {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 0777;
  }
  static bool knows(IntegrityStore &store, uint8_t token, uint8_t hash) {
    auto answer = store.isRecorded({token}, {hash});
    EXPECT_TRUE(answer.isOk()) << answer.status().message();
    return answer.isOk() && *answer;
  }

  std::string directory;
  IntegrityStore::Options options;
  int64_t now = 1'000'000;
};

// E-058: across restarts.
TEST_F(StoreTest, RemembersAcrossRestarts) {
  ASSERT_TRUE(open()->record({1}, {2}).isOk());
  auto store = open();
  EXPECT_TRUE(knows(*store, 1, 2));
  EXPECT_FALSE(knows(*store, 1, 3));
  EXPECT_FALSE(knows(*store, 2, 2));
}

// E-059: for this user alone, from the first moment.
// A system that ends without writing its memory to the disk may leave a row of
// which a part is of another one.
TEST_F(StoreTest, PartsOfOtherRowsAreNoHashes) {
  ASSERT_TRUE(open()->record({1}, {2}).isOk());
  ASSERT_TRUE(open()->record({3}, {4}).isOk());
  sqlite3 *handle = nullptr;
  ASSERT_EQ(sqlite3_open(filePath().c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle,
                         "UPDATE entries SET hash = (SELECT hash FROM entries "
                         "WHERE sequence = 1) WHERE sequence = 2",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  EXPECT_EQ(sqlite3_changes(handle), 1);
  sqlite3_close(handle);
  auto store = open();
  EXPECT_TRUE(knows(*store, 1, 2));
  EXPECT_FALSE(knows(*store, 3, 2));
  EXPECT_FALSE(knows(*store, 3, 4));
}

TEST_F(StoreTest, FilesArePrivate) {
  mode_t before = ::umask(0);
  auto store = open();
  ASSERT_TRUE(store->record({1}, {2}).isOk());
  EXPECT_EQ(modeOf(options.directory), 0700u);
  for (const auto &file :
       std::filesystem::directory_iterator(options.directory))
    EXPECT_EQ(modeOf(file.path()), 0600u) << file.path();
  ::umask(before);
}

// E-059: another build of driver or compiler starts anew, and programs with
// different builds that share the file leave each other's entries alone.
TEST_F(StoreTest, BuildsKnowWhatTheyRecorded) {
  ASSERT_TRUE(open()->record({1}, {2}).isOk());
  options.identity = {9};
  EXPECT_FALSE(knows(*open(), 1, 2));
  ASSERT_TRUE(open()->record({1}, {3}).isOk());
  EXPECT_TRUE(knows(*open(), 1, 3));
  options.identity = {};
  EXPECT_TRUE(knows(*open(), 1, 2));
  EXPECT_FALSE(knows(*open(), 1, 3));
}

// E-059: bounded; the least recently used goes.
TEST_F(StoreTest, OldestUsesAreForgotten) {
  options.maxEntries = 16;
  auto store = open();
  for (uint8_t token = 0; token < 16; ++token, ++now)
    ASSERT_TRUE(store->record({token}, {1}).isOk());
  now += 10'000;
  EXPECT_TRUE(knows(*store, 0, 1)); // A use.
  for (uint8_t token = 16; token < 40; ++token, ++now) {
    ASSERT_TRUE(store->record({token}, {1}).isOk());
    EXPECT_LE(*store->count(), 16);
  }
  EXPECT_FALSE(knows(*store, 1, 1));
  EXPECT_TRUE(knows(*store, 39, 1));
}

TEST_F(StoreTest, UsesKeepAnEntry) {
  options.maxEntries = 8;
  auto store = open();
  for (uint8_t token = 0; token < 8; ++token, ++now)
    ASSERT_TRUE(store->record({token}, {1}).isOk());
  now += 10'000;
  EXPECT_TRUE(knows(*store, 0, 1));
  ASSERT_TRUE(store->record({8}, {1}).isOk());
  EXPECT_TRUE(knows(*store, 0, 1));
  EXPECT_FALSE(knows(*store, 1, 1));
}

// E-065: a few files per token, not any number.
TEST_F(StoreTest, TokensHaveFewHashes) {
  auto store = open();
  for (uint8_t hash = 0; hash < 10; ++hash)
    ASSERT_TRUE(store->record({1}, {hash}).isOk());
  EXPECT_EQ(*store->count(), 4);
  EXPECT_TRUE(knows(*store, 1, 9));
  EXPECT_TRUE(knows(*store, 1, 6));
  EXPECT_FALSE(knows(*store, 1, 5));
}

// E-064: many clients at once.
TEST_F(StoreTest, ManyThreads) {
  auto store = open();
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (uint8_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (uint8_t i = 0; i < 25; ++i)
        if (!store->record({t, i}, {t}).isOk() ||
            !*store->isRecorded({t, i}, {t}) ||
            *store->isRecorded({t, i}, {uint8_t(t + 1)}))
          ++failures;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(*store->count(), 200);
}

// E-064: also of processes that find no file yet.
TEST_F(StoreTest, ManyProcessesOnAnEmptyDirectory) {
  std::vector<pid_t> children;
  for (uint8_t p = 0; p < 16; ++p) {
    pid_t child = ::fork();
    if (child == 0) {
      auto store = IntegrityStore::open(options);
      bool isGood = store.isOk() && (*store)->record({p}, {1}).isOk() &&
                    *(*store)->isRecorded({p}, {1});
      if (!store.isOk())
        fprintf(stderr, "%s\n", store.status().message().c_str());
      _exit(isGood ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(*open()->count(), 16);
}

// What others could have written is not believed.
TEST_F(StoreTest, FilesThatOthersCanWriteAreReplaced) {
  ASSERT_TRUE(open()->record({1}, {2}).isOk());
  ASSERT_EQ(::chmod(filePath().c_str(), 0666), 0);
  EXPECT_FALSE(knows(*open(), 1, 2));
  EXPECT_EQ(modeOf(filePath()), 0600u);
}

TEST_F(StoreTest, SymbolicLinksAreNotFollowed) {
  std::filesystem::create_directories(options.directory);
  ASSERT_EQ(::symlink("/etc/passwd", filePath().c_str()), 0);
  EXPECT_FALSE(knows(*open(), 1, 2));
  EXPECT_TRUE(std::filesystem::is_regular_file(
      std::filesystem::symlink_status(filePath())));
}

TEST_F(StoreTest, DamagedFilesAreReplaced) {
  ASSERT_TRUE(open()->record({1}, {2}).isOk());
  std::ofstream(filePath(), std::ios::trunc) << std::string(8192, 'x');
  auto store = open();
  ASSERT_NE(store, nullptr);
  EXPECT_FALSE(knows(*store, 1, 2));
  EXPECT_TRUE(store->record({1}, {2}).isOk());
}

// A damaged record of what was written costs a compilation, not a failure.
TEST_F(StoreTest, FilesThatAreDamagedWithinAreReplaced) {
  ASSERT_TRUE(open()->record({1}, {2}).isOk());
  std::ifstream stream(filePath(), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string damaged = whole;
    for (int flips = i % 3; flips >= 0; --flips)
      damaged[random() % damaged.size()] ^= char(1 << random() % 8);
    std::ofstream(filePath(), std::ios::binary | std::ios::trunc) << damaged;
    ASSERT_EQ(::chmod(filePath().c_str(), 0600), 0);
    {
      auto store = IntegrityStore::open(options);
      ASSERT_TRUE(store.isOk()) << i << ": " << store.status().message();
      (void)(*store)->isRecorded({1}, {2}).isOk();
      (void)(*store)->record({1}, {2}).isOk();
    }
    // At the latest what met the damage has made room for a new file.
    auto store = IntegrityStore::open(options);
    ASSERT_TRUE(store.isOk()) << i << ": " << store.status().message();
    EXPECT_TRUE((*store)->record({1}, {2}).isOk()) << i;
  }
}

// Whoever may open the directory can hold its lock; nobody waits for them.
TEST_F(StoreTest, LocksOfDirectoriesThatOthersCanOpenAreNotWaitedFor) {
  std::filesystem::create_directories(options.directory);
  ASSERT_EQ(::chmod(options.directory.c_str(), 0755), 0);
  UniqueFd fd(::open(options.directory.c_str(), O_RDONLY | O_DIRECTORY));
  ASSERT_EQ(::flock(fd.get(), LOCK_EX), 0);
  auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(open()->record({1}, {2}).isOk());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

TEST_F(StoreTest, UnusableDirectories) {
  auto messageOf = [&](const std::string &path) {
    options.directory = path;
    auto store = IntegrityStore::open(options);
    return store.isOk() ? "" : store.status().message();
  };
  EXPECT_EQ(messageOf("/proc/none"),
            "cannot create the state directory '/proc/none': No such file or "
            "directory");
  std::string file = directory + "/file";
  std::ofstream(file) << "x";
  EXPECT_EQ(messageOf(file),
            "the state directory '" + file + "' is not a directory");
  std::string open = directory + "/open";
  std::filesystem::create_directory(open);
  ASSERT_EQ(::chmod(open.c_str(), 0777), 0);
  EXPECT_EQ(messageOf(open), "the state directory '" + open +
                                 "' can be written to by other users");
  std::string foreign = directory + "/foreign";
  std::filesystem::create_directory(foreign);
  if (::chown(foreign.c_str(), 12345, 12345) == 0) {
    EXPECT_EQ(messageOf(foreign), "the state directory '" + foreign +
                                      "' belongs to user 12345, not to " +
                                      std::to_string(::geteuid()));
  }
  std::string good = directory + "/good";
  std::filesystem::create_directory(good);
  {
    SystemCallFailure failure(SystemCall::stat, EIO);
    EXPECT_EQ(messageOf(good), "cannot inspect the state directory '" + good +
                                   "': Input/output error");
  }
  SystemCallFailure failure(SystemCall::access, EROFS);
  EXPECT_EQ(messageOf(good), "cannot write to the state directory '" + good +
                                 "': Read-only file system");
}

TEST_F(StoreTest, NeedsMemory) {
  open();
  sqlite3_int64 before = sqlite3_hard_heap_limit64(1);
  auto store = IntegrityStore::open(options);
  sqlite3_hard_heap_limit64(before);
  EXPECT_EQ(store.status().code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(store.status().message(), "no memory to open '" + filePath() + "'");
}

class ContentKeyStoreTest : public StoreTest {
protected:
  void SetUp() override {
    StoreTest::SetUp();
    keys.directory = options.directory;
    keys.settleTime = 0;
    path = directory + "/model";
    std::ofstream(path) << "content";
  }
  std::unique_ptr<ContentKeyStore> openKeys() {
    auto store = ContentKeyStore::open(keys);
    EXPECT_TRUE(store.isOk()) << store.status().message();
    return *std::move(store);
  }
  FileStamp stamp() const {
    UniqueFd fd(::open(path.c_str(), O_RDONLY));
    return stampOf(fd.get()).value_or(FileStamp());
  }

  ContentKeyStore::Options keys;
  std::string path;
};

TEST_F(ContentKeyStoreTest, RemembersUnchangedFiles) {
  ASSERT_TRUE(openKeys()->remember(stamp(), {1}, {2}).isOk());
  auto store = openKeys();
  EXPECT_EQ(store->find(stamp(), {1}), ContentKey{2});
  EXPECT_EQ(store->find(stamp(), {3}), std::nullopt);
}

TEST_F(ContentKeyStoreTest, ChangesAreNoticed) {
  auto store = openKeys();
  FileStamp before = stamp();
  ASSERT_TRUE(store->remember(before, {1}, {2}).isOk());
  // Neither the size nor the time of modification tells of the change.
  timespec old[2] = {{.tv_sec = before.modified / 1'000'000'000,
                      .tv_nsec = before.modified % 1'000'000'000},
                     {.tv_sec = before.modified / 1'000'000'000,
                      .tv_nsec = before.modified % 1'000'000'000}};
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::ofstream(path) << "CONTENT";
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), old, 0), 0);
  EXPECT_EQ(stamp().modified, before.modified);
  EXPECT_EQ(store->find(stamp(), {1}), std::nullopt);
  EXPECT_EQ(store->find(before, {1}), ContentKey{2});
}

TEST_F(ContentKeyStoreTest, FilesThatHaveJustChangedAreNotRemembered) {
  keys.settleTime = 2'000'000'000;
  int64_t time = stamp().changed + 1'000'000'000;
  keys.clock = [&] { return time; };
  auto store = openKeys();
  ASSERT_TRUE(store->remember(stamp(), {1}, {2}).isOk());
  EXPECT_EQ(store->find(stamp(), {1}), std::nullopt);
  time += 2'000'000'000;
  ASSERT_TRUE(store->remember(stamp(), {1}, {2}).isOk());
  EXPECT_EQ(store->find(stamp(), {1}), ContentKey{2});
}

TEST_F(ContentKeyStoreTest, BoundedAndOfOneImporter) {
  keys.maxFiles = 3;
  int64_t time = int64_t(1) << 62;
  keys.clock = [&] { return ++time; };
  auto store = openKeys();
  for (uint8_t i = 0; i < 6; ++i)
    ASSERT_TRUE(store->remember(stamp(), {i}, {i}).isOk());
  EXPECT_EQ(store->find(stamp(), {2}), std::nullopt);
  EXPECT_EQ(store->find(stamp(), {3}), ContentKey{3});
  keys.identity = {1};
  EXPECT_EQ(openKeys()->find(stamp(), {3}), std::nullopt);
}

// Whatever is damaged, a store opens, gives the key or none, and is whole again
// once a key has been remembered.
TEST_F(ContentKeyStoreTest, DamagedFilesAreRebuilt) {
  ASSERT_TRUE(openKeys()->remember(stamp(), {1}, {2}).isOk());
  std::string file = keys.directory + "/content-keys";
  std::ifstream stream(file, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  std::mt19937 random(1);
  int lost = 0;
  for (int i = 0; i < 400; ++i) {
    std::string damaged = whole;
    if (i % 8 == 0)
      damaged.resize(random() % damaged.size());
    // The header, the schema and the rows rather than what is free.
    for (int flips = i % 3; !damaged.empty() && flips >= 0; --flips)
      damaged[random() % std::min<size_t>(damaged.size(),
                                          i % 2 ? 1024 : damaged.size())] ^=
          char(1 << random() % 8);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << damaged;
    ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
    {
      auto store = ContentKeyStore::open(keys);
      ASSERT_TRUE(store.isOk()) << i << ": " << store.status().message();
      std::optional<ContentKey> found = (*store)->find(stamp(), {1});
      EXPECT_TRUE(!found || found == ContentKey{2}) << i;
      if (!found)
        ++lost;
      Status remembered = (*store)->remember(stamp(), {1}, {2});
      ASSERT_TRUE(remembered.isOk()) << i << ": " << remembered.message();
    }
    EXPECT_EQ(openKeys()->find(stamp(), {1}), ContentKey{2}) << i;
  }
  EXPECT_GT(lost, 20);
}

// A system that ends without writing its memory to the disk may leave the end
// of a row as it was before the file changed.
TEST_F(ContentKeyStoreTest, OldEndsOfRowsAreNoKeys) {
  FileStamp after = stamp(), before = after;
  before.changed -= 1'000'000'000;
  auto keyColumn = [&](const std::string &sql,
                       const std::string &written = {}) {
    std::string column;
    sqlite3 *handle = nullptr;
    sqlite3_stmt *statement = nullptr;
    std::string file = keys.directory + "/content-keys";
    EXPECT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr),
              SQLITE_OK);
    if (!written.empty())
      sqlite3_bind_blob(statement, 1, written.data(), int(written.size()),
                        SQLITE_STATIC);
    if (sqlite3_step(statement) == SQLITE_ROW)
      column.assign(
          static_cast<const char *>(sqlite3_column_blob(statement, 0)),
          size_t(sqlite3_column_bytes(statement, 0)));
    sqlite3_finalize(statement);
    sqlite3_close(handle);
    return column;
  };
  ASSERT_TRUE(openKeys()->remember(before, {1}, {2}).isOk());
  std::string old = keyColumn("SELECT key FROM files");
  ASSERT_TRUE(openKeys()->remember(after, {1}, {3}).isOk());
  ASSERT_EQ(openKeys()->find(after, {1}), ContentKey{3});
  keyColumn("UPDATE files SET key = ?", old);
  EXPECT_EQ(openKeys()->find(after, {1}), std::nullopt);
  EXPECT_EQ(openKeys()->find(before, {1}), std::nullopt);
}

TEST_F(ContentKeyStoreTest, OnlyRegularFilesHaveStamps) {
  UniqueFd null(::open("/dev/null", O_RDONLY));
  EXPECT_EQ(stampOf(null.get()), std::nullopt);
  EXPECT_EQ(stampOf(-1), std::nullopt);
}

} // namespace
