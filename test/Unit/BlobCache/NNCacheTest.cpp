//===- NNCacheTest.cpp - A blob cache in a file ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/NNCache.h"

#include "Faults/SystemCalls.h"
#include "Runtime/Caching/Crc32c.h"

#include "nnhal/Runtime/Log.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

using namespace nnhal::rt;
using namespace std::chrono_literals;

namespace {

uint32_t crcOf(std::string_view text) {
  return crc32c(std::as_bytes(std::span(text)));
}

void set(NNCache &cache, std::string_view key, std::string_view value) {
  cache.setBlob(key.data(), ssize_t(key.size()), value.data(),
                ssize_t(value.size()));
}

std::string get(NNCache &cache, std::string_view key) {
  std::string buffer(100, '\0');
  ssize_t size = cache.getBlob(key.data(), ssize_t(key.size()), buffer.data(),
                               ssize_t(buffer.size()));
  buffer.resize(size_t(size));
  return buffer;
}

class NNCacheTest : public testing::Test {
protected:
  NNCacheTest() {
    std::string pattern =
        std::filesystem::temp_directory_path() / "nncache-XXXXXX";
    directory = mkdtemp(pattern.data());
    path = directory / "cache";
  }
  ~NNCacheTest() override { std::filesystem::remove_all(directory); }

  NNCache::Options options(std::chrono::milliseconds delay = 1h) {
    return {.log = log, .saveDelay = delay, .buildId = "build"};
  }
  /// With \p path as its file, on.
  void start(NNCache &cache, size_t total = 1000) {
    cache.setCacheFilename(path);
    cache.initialize(8, 100, total);
  }
  /// A file with "key" for "value".
  void writeFile() {
    NNCache cache(options());
    start(cache);
    set(cache, "key", "value");
  }
  /// What a new cache finds in the file.
  std::string getFromFile(std::string_view key = "key", size_t total = 1000) {
    NNCache cache(options());
    start(cache, total);
    std::string value = get(cache, key);
    cache.setCacheFilename(""); // The file stays as it is.
    return value;
  }
  std::string read() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string &bytes) {
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << bytes;
  }
  /// Waits until the file exists and is complete.
  bool appears() const {
    for (int i = 0; i < 500; ++i, std::this_thread::sleep_for(10ms))
      if (struct stat info;
          stat(path.c_str(), &info) == 0 && (info.st_mode & 0777) == 0400)
        return true;
    return false;
  }

  std::filesystem::path directory;
  std::filesystem::path path;
  std::string lines;
  std::shared_ptr<Log> log = std::make_shared<Log>(
      0, [this](std::string_view line) { (lines += line) += '\n'; });
};

// E-095: of "123456789" the usual CRC-32C is 0xE3069283; begun with 0 and not
// inverted it is this.
TEST(Crc32cTest, KnownValues) {
  EXPECT_EQ(crcOf(""), 0u);
  EXPECT_EQ(crcOf("123456789"), 0x58E3FA20u);
  EXPECT_EQ(crcOf(std::string(32, '\0')), 0u);
  EXPECT_EQ(crcOf("\x01"), 0xF26B8303u);
}

// E-091.
TEST_F(NNCacheTest, IsOffUntilInitialized) {
  NNCache cache(options());
  set(cache, "key", "value");
  EXPECT_EQ(get(cache, "key"), "");
  cache.initialize(8, 100, 1000);
  EXPECT_EQ(get(cache, "key"), "");
  set(cache, "key", "value");
  EXPECT_EQ(get(cache, "key"), "value");
  cache.terminate();
  EXPECT_EQ(get(cache, "key"), "");
  set(cache, "key", "value");
  cache.initialize(8, 100, 1000);
  EXPECT_EQ(get(cache, "key"), "");
}

// E-091: negative sizes.
TEST_F(NNCacheTest, IgnoresNegativeSizes) {
  NNCache cache(options());
  cache.initialize(8, 100, 1000);
  cache.setBlob("key", -1, "value", 5);
  cache.setBlob("key", 3, "value", -1);
  EXPECT_EQ(get(cache, "key"), "");
  set(cache, "key", "value");
  char buffer[8] = {};
  EXPECT_EQ(cache.getBlob("key", -1, buffer, 8), 0);
  EXPECT_EQ(cache.getBlob("key", 3, buffer, -1), 0);
  EXPECT_STREQ(buffer, "");
  void *value = buffer;
  EXPECT_EQ(cache.getBlob("key", -1, &value, [&](size_t) { return buffer; }),
            0);
  EXPECT_EQ(value, nullptr);
  EXPECT_EQ(cache.getBlob("key", 3, buffer, 8), 5);
  EXPECT_STREQ(buffer, "value");
}

// E-082.
TEST_F(NNCacheTest, CopiesIntoAllocatedMemory) {
  NNCache cache(options());
  cache.initialize(8, 100, 1000);
  set(cache, "key", "value");
  std::unique_ptr<char[]> memory;
  void *value = nullptr;
  EXPECT_EQ(cache.getBlob("key", 3, &value,
                          [&](size_t size) {
                            memory.reset(new char[size]);
                            return memory.get();
                          }),
            5);
  ASSERT_EQ(value, memory.get());
  EXPECT_EQ(std::string_view(memory.get(), 5), "value");
}

// E-092: run under the thread sanitizer too.
TEST_F(NNCacheTest, IsSharedByThreads) {
  NNCache cache(options(1ms));
  cache.setCacheFilename(path);
  cache.initialize(8, 100, 1000, {BlobCache::Select::lru});
  std::atomic<int> hits = 0, lies = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 2000; ++i) {
        std::string key = std::to_string((i + thread) % 50);
        std::string found = get(cache, key);
        if (!found.empty())
          ++(found == key + " is the key" ? hits : lies);
        set(cache, key, key + " is the key");
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_GT(hits, 0);
  EXPECT_EQ(lies, 0);
  cache.terminate();
  EXPECT_EQ(lines, "");
}

// E-093.
TEST_F(NNCacheTest, SavesWhenItEnds) {
  NNCache cache(options());
  start(cache);
  set(cache, "key", "value");
  EXPECT_FALSE(std::filesystem::exists(path));
  cache.terminate();
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_EQ(getFromFile(), "value");
  EXPECT_EQ(lines, "");
}

// E-093: a second time after the first, and of all that was set meanwhile.
TEST_F(NNCacheTest, SavesLater) {
  NNCache cache(options(200ms));
  start(cache);
  auto begin = std::chrono::steady_clock::now();
  set(cache, "key", "value");
  set(cache, "other", "second");
  ASSERT_TRUE(appears());
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 200ms);
  EXPECT_EQ(getFromFile("other"), "second");
  std::filesystem::remove(path);
  std::this_thread::sleep_for(300ms);
  EXPECT_FALSE(std::filesystem::exists(path)); // Both are in one save.
  set(cache, "third", "later");
  ASSERT_TRUE(appears());
  EXPECT_EQ(getFromFile("third"), "later");
}

// E-093.
TEST_F(NNCacheTest, WaitsFourSeconds) {
  EXPECT_EQ(NNCache::Options().saveDelay, 4s);
}

// E-093: an end meanwhile saves at once and needs no patience.
TEST_F(NNCacheTest, EndsWhileASaveIsDue) {
  auto begin = std::chrono::steady_clock::now();
  writeFile();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 60s);
  EXPECT_EQ(getFromFile(), "value");
}

// E-093: without a file nothing is written.
TEST_F(NNCacheTest, NeedsNoFile) {
  NNCache cache(options(1ms));
  cache.initialize(8, 100, 1000);
  set(cache, "key", "value");
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(get(cache, "key"), "value");
  cache.terminate();
  EXPECT_TRUE(std::filesystem::is_empty(directory));
}

// E-094, E-095.
TEST_F(NNCacheTest, FileFormat) {
  writeFile();
  std::string bytes = read();
  ASSERT_GT(bytes.size(), 8u);
  EXPECT_EQ(bytes.substr(0, 4), "nn$$");
  uint32_t checksum;
  std::memcpy(&checksum, bytes.data() + 4, 4);
  EXPECT_EQ(checksum, crcOf(bytes.substr(8)));
  BlobCache content(8, 100, 1000, {}, {.buildId = "build"});
  EXPECT_EQ(content.unflatten(std::as_bytes(std::span(bytes)).subspan(8)), 0);
  EXPECT_EQ(content.entryCount(), 1u);
}

// E-096: a new file, for its owner to read.
TEST_F(NNCacheTest, ReplacesTheFile) {
  write("something else");
  std::filesystem::create_hard_link(path, directory / "link");
  writeFile();
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0400u);
  EXPECT_EQ(std::filesystem::file_size(directory / "link"), 14u);
  writeFile(); // Also one that cannot be written.
  EXPECT_EQ(getFromFile(), "value");
}

// E-096: a link is replaced, not followed.
TEST_F(NNCacheTest, FollowsNoLinkWhenSaving) {
  std::filesystem::create_symlink(directory / "victim", path);
  writeFile();
  EXPECT_FALSE(std::filesystem::exists(directory / "victim"));
  EXPECT_TRUE(
      std::filesystem::is_regular_file(std::filesystem::symlink_status(path)));
}

// E-096: what cannot be written in full is not there.
TEST_F(NNCacheTest, LeavesNoHalfFile) {
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  auto handler = signal(SIGXFSZ, SIG_IGN);
  rlimit small = {100, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  writeFile();
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(lines, "error: blob cache '" + path.string() +
                       "': cannot be written: File too large\n");
}

TEST_F(NNCacheTest, CannotSave) {
  path = directory / "none" / "cache";
  writeFile();
  EXPECT_EQ(lines, "error: blob cache '" + path.string() +
                       "': cannot be created: No such file or directory\n");
  lines.clear();
  path = directory;
  {
    NNCache cache(options());
    cache.initialize(8, 100, 1000);
    set(cache, "key", "value");
    cache.setCacheFilename(path);
  }
  EXPECT_EQ(lines, "error: blob cache '" + path.string() +
                       "': cannot be replaced: Is a directory\n");
}

// E-097.
TEST_F(NNCacheTest, RejectsLargeFiles) {
  writeFile();
  size_t size = read().size();
  EXPECT_EQ(getFromFile("key", (size + 1) / 2), "value");
  EXPECT_EQ(lines, "");
  EXPECT_EQ(getFromFile("key", (size + 1) / 2 - 1), "");
  EXPECT_EQ(lines, fmt::format("error: blob cache '{}': {} bytes exceed twice "
                               "the limit of {}\n",
                               path.string(), size, (size + 1) / 2 - 1));
}

// E-097.
TEST_F(NNCacheTest, RejectsWhatIsNoCache) {
  auto expectRejected = [&](const std::string &bytes,
                            const std::string &message) {
    lines.clear();
    write(bytes);
    EXPECT_EQ(getFromFile(), "");
    EXPECT_EQ(lines,
              "error: blob cache '" + path.string() + "': " + message + '\n');
  };
  writeFile();
  std::string bytes = read();
  expectRejected("", "0 bytes are less than a header of 8");
  expectRejected(bytes.substr(0, 7), "7 bytes are less than a header of 8");
  expectRejected("nn$%" + bytes.substr(4), "the magic number is not 'nn$$'");
  std::string sum(4, '\0');
  uint32_t checksum = crcOf("junk");
  std::memcpy(sum.data(), &checksum, 4);
  expectRejected("nn$$" + sum + "junk", "the entries are damaged");
  expectRejected("nn$$\x01" + std::string(3, '\0') + "junk",
                 fmt::format("the checksum is {:#010x}, the file states "
                             "0x00000001",
                             checksum));
}

// E-097: no bit of the file may change.
TEST_F(NNCacheTest, RejectsEveryFlippedBit) {
  writeFile();
  std::string bytes = read();
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] ^= char(1 << bit % 8);
    write(damaged);
    lines.clear();
    ASSERT_EQ(getFromFile(), "") << bit;
    ASSERT_NE(lines, "") << bit;
  }
}

// E-097: a file that was rejected is replaced by the next save.
TEST_F(NNCacheTest, RecoversFromDamage) {
  write("junk of no use");
  writeFile();
  EXPECT_NE(lines, "");
  EXPECT_EQ(getFromFile(), "value");
}

TEST_F(NNCacheTest, CannotLoad) {
  std::filesystem::create_directory(path);
  EXPECT_EQ(getFromFile(), "");
  EXPECT_EQ(lines, "error: blob cache '" + path.string() +
                       "': is not a regular file\n");
  lines.clear();
  std::filesystem::remove(path);
  std::filesystem::create_symlink(path, path);
  EXPECT_EQ(getFromFile(), "");
  EXPECT_EQ(lines, "error: blob cache '" + path.string() +
                       "': cannot be opened: Too many levels of symbolic "
                       "links\n");
}

TEST_F(NNCacheTest, CannotMakeItReadable) {
  {
    SystemCallFailure failure(SystemCall::fchmod, EPERM);
    writeFile();
  }
  EXPECT_EQ(lines, "error: blob cache '" + path.string() +
                       "': cannot be made readable: Operation not permitted\n");
  EXPECT_FALSE(std::filesystem::exists(path));
}

// A pipe without a writer: nobody waits for one.
TEST_F(NNCacheTest, DoesNotWaitForPipes) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(getFromFile(), "");
  EXPECT_EQ(lines, "error: blob cache '" + path.string() +
                       "': is not a regular file\n");
}

// E-012, E-089: another build begins anew, says nothing, and leaves nothing of
// the old one.
TEST_F(NNCacheTest, DropsTheFileOfAnotherBuild) {
  writeFile();
  {
    NNCache cache({.log = log, .saveDelay = 1h, .buildId = "other"});
    start(cache);
    EXPECT_EQ(get(cache, "key"), "");
  }
  EXPECT_EQ(lines, "");
  EXPECT_EQ(read().find("value"), std::string::npos);
  EXPECT_NE(read().find("other"), std::string::npos);
}

// A build is more than a version.
TEST_F(NNCacheTest, KnowsItsBuild) {
  std::string build = NNCache::defaultBuildId();
  EXPECT_EQ(NNCache::Options().buildId, build);
  size_t dash = build.find('-');
  ASSERT_NE(dash, std::string::npos) << build;
  EXPECT_EQ(build.size(), dash + 1 + 32) << build;
  EXPECT_EQ(build.find_first_not_of("0123456789abcdef", dash + 1),
            std::string::npos)
      << build;
  EXPECT_LE(build.size(), BlobCache::maxBuildId);
}

// E-098.
TEST_F(NNCacheTest, ChangesLimitsAfterAnEnd) {
  NNCache cache(options());
  cache.initialize(8, 5, 1000);
  cache.initialize(8, 100, 1000);
  set(cache, "key", "longer value");
  EXPECT_EQ(get(cache, "key"), "");
  cache.terminate();
  cache.initialize(8, 100, 1000);
  set(cache, "key", "longer value");
  EXPECT_EQ(get(cache, "key"), "longer value");
}

// E-098: the policy too.
TEST_F(NNCacheTest, ChangesThePolicyAfterAnEnd) {
  NNCache cache(options());
  auto fillsUp = [&] {
    set(cache, "a", "1234");
    set(cache, "b", "1234567890");
    return get(cache, "b") != "";
  };
  cache.initialize(8, 100, 11, {BlobCache::Select::lru});
  cache.initialize(8, 100, 11,
                   {BlobCache::Select::lru, BlobCache::Capacity::fit});
  EXPECT_FALSE(fillsUp()); // 5 of 11 are not above half.
  cache.terminate();
  cache.initialize(8, 100, 11,
                   {BlobCache::Select::lru, BlobCache::Capacity::fit});
  EXPECT_TRUE(fillsUp());
}

} // namespace
