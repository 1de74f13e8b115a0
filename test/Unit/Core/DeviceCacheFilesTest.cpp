//===- DeviceCacheFilesTest.cpp - Entries of any number of files ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Caching/CacheEntry.h"
#include "nnhal/Backend/Backend.h"
#include "nnhal/Runtime/CompilationCache.h"

#include "FakeEngine.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

/// What a backend keeps, and what it was given back.
struct Kept {
  CacheFiles files;
  std::vector<std::string> model, data;
  std::vector<std::string> loadedModel, loadedData;
};

class KeptModel final : public LoadedModel {
public:
  const Interface &interface() const override { return face; }
  Status run(Invocation &) const override { return Status::ok(); }

private:
  Interface face;
};

class FilesBackend final : public Backend {
public:
  explicit FilesBackend(std::shared_ptr<Kept> given) : kept(std::move(given)) {
    description.name = "test-files";
    description.version = "1";
    description.cacheFiles = kept->files;
  }
  const DeviceInfo &info() const override { return description; }
  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &) const override {
    return std::vector<Status>(1);
  }
  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &, const PrepareOptions &,
       const LoadObserver &observer) const override {
    CacheContents contents;
    for (const std::string &text : kept->model)
      contents.modelCache.push_back(
          Memory::copy(std::as_bytes(std::span(text))));
    for (const std::string &text : kept->data)
      contents.dataCache.push_back(
          Memory::copy(std::as_bytes(std::span(text))));
    if (observer.keepEntry)
      observer.keepEntry(contents);
    return std::unique_ptr<LoadedModel>(std::make_unique<KeptModel>());
  }
  Result<std::unique_ptr<LoadedModel>>
  loadFromCache(const CacheContents &contents) const override {
    kept->loadedModel = textsOf(contents.modelCache);
    kept->loadedData = textsOf(contents.dataCache);
    return std::unique_ptr<LoadedModel>(std::make_unique<KeptModel>());
  }

private:
  static std::vector<std::string> textsOf(const std::vector<Memory> &list) {
    std::vector<std::string> texts;
    for (const Memory &memory : list) {
      std::span<const std::byte> bytes = *memory.bytes();
      texts.emplace_back(reinterpret_cast<const char *>(bytes.data()),
                         bytes.size());
      EXPECT_TRUE(bytes.empty() ||
                  reinterpret_cast<uintptr_t>(bytes.data()) % 64 == 0 ||
                  &memory != &list.front());
    }
    return texts;
  }

  std::shared_ptr<Kept> kept;
  DeviceInfo description;
};

class DeviceCacheFilesTest : public ::testing::Test {
protected:
  void SetUp() override {
    directory = ::testing::TempDir() + "nnhal-files-XXXXXX";
    ASSERT_NE(::mkdtemp(directory.data()), nullptr);
    services.stateDirectory = directory + "/state";
    use({2, 3});
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  void use(CacheFiles files) {
    *kept = {files, {}, {}, {}, {}};
    for (uint32_t i = 0; i < files.modelCache; ++i)
      kept->model.push_back("code " + std::to_string(i));
    for (uint32_t i = 0; i < files.dataCache; ++i)
      kept->data.push_back(std::string(i * 100, char('a' + i)));
  }
  std::unique_ptr<Device> device() const {
    return createDevice(std::make_unique<FilesBackend>(kept), services);
  }
  std::string path(const char *kind, uint32_t index) const {
    return directory + '/' + kind + std::to_string(index);
  }
  /// The files, open while this lives.
  struct Opened {
    CacheHandles handles;
    std::vector<UniqueFd> fds;
  };
  Opened open(CacheFiles files) const {
    Opened opened;
    auto openAll = [&](const char *kind, uint32_t count,
                       std::vector<std::vector<int>> &list) {
      for (uint32_t i = 0; i < count; ++i) {
        opened.fds.emplace_back(
            ::open(path(kind, i).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        list.push_back({opened.fds.back().get()});
      }
    };
    openAll("model", files.modelCache, opened.handles.modelCache);
    openAll("data", files.dataCache, opened.handles.dataCache);
    return opened;
  }
  Opened open() const { return open(kept->files); }

  /// What is told of a save; empty when nothing went wrong.
  std::string save(const CacheToken &token = {}) {
    std::string told;
    PrepareObserver observer;
    observer.cacheObserver = [&](CacheOutcome outcome, std::string_view text) {
      told = fmt::format("{}: {}", toString(outcome), text);
    };
    Opened files = open();
    PrepareOptions options;
    options.cache = files.handles;
    options.token = token;
    auto prepared = device()->prepareModel(reluModel(2, 2), options, observer);
    EXPECT_TRUE(prepared.isOk()) << prepared.status().message();
    return told;
  }
  /// What is told of a load.
  std::string load(const CacheToken &token = {}) {
    std::string told;
    PrepareObserver observer;
    observer.cacheObserver = [&](CacheOutcome outcome, std::string_view text) {
      told = fmt::format("{}: {}", toString(outcome), text);
    };
    Opened files = open();
    auto prepared =
        device()->prepareModelFromCache(files.handles, token, {}, observer);
    EXPECT_EQ(prepared.isOk(), told == "hit: ");
    return told;
  }
  /// Changes byte \p at of \p file while \p body runs.
  template <typename Body>
  static void damaged(const std::string &file, uint64_t at, Body body) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(std::streamoff(at));
    char byte = char(stream.get());
    auto put = [&](char value) {
      stream.seekp(std::streamoff(at));
      stream.put(value);
      stream.flush();
    };
    put(char(byte ^ 0x40));
    body();
    put(byte);
  }

  std::string directory;
  DeviceServices services;
  std::shared_ptr<Kept> kept = std::make_shared<Kept>();
};

// C-015, E-045: what was kept comes back, file by file.
TEST_F(DeviceCacheFilesTest, keepAnyNumber) {
  for (CacheFiles files : {CacheFiles{2, 3},
                           {1, 1},
                           {1, 0},
                           {3, 0},
                           {0, 1},
                           {0, 2},
                           {1, 2},
                           {2, 1},
                           {32, 32}}) {
    SCOPED_TRACE(fmt::format("{} and {}", files.modelCache, files.dataCache));
    use(files);
    EXPECT_EQ(device()->cacheFiles(), files);
    EXPECT_EQ(save(), "");
    EXPECT_EQ(load(), "hit: ");
    EXPECT_EQ(kept->loadedModel, kept->model);
    EXPECT_EQ(kept->loadedData, kept->data);
    EXPECT_EQ(load({1}).find("other-token"), 0u);
  }
}

// One file of each kind is what it always was: a header and the contents.
TEST_F(DeviceCacheFilesTest, oneOfEachHasNoList) {
  use({1, 1});
  kept->data = {"constants"};
  EXPECT_EQ(save(), "");
  EXPECT_EQ(std::filesystem::file_size(path("model", 0)), 512 + 6u);
  EXPECT_EQ(std::filesystem::file_size(path("data", 0)), 4096 + 9u);
}

// E-058: no byte of any model-cache file changes unnoticed, and no header of a
// data-cache file; constants are not read before they are used.
TEST_F(DeviceCacheFilesTest, areCoveredByOneDigest) {
  ASSERT_EQ(save(), "");
  for (uint32_t i = 0; i < 2; ++i)
    for (uint64_t at = 0; at < std::filesystem::file_size(path("model", i));
         ++at)
      damaged(path("model", i), at, [&] {
        std::string told = load();
        EXPECT_TRUE(told != "hit: ") << i << " " << at;
      });
  damaged(path("model", 1), 2, [&] {
    EXPECT_EQ(load(), "tampered: a model-cache file is not the one that the "
                      "first file speaks of");
  });
  for (uint32_t i = 0; i < 3; ++i)
    damaged(path("data", i), 40, [&] {
      EXPECT_EQ(load(), "tampered: the header of the data-cache file is not "
                        "that of the model-cache file");
    });
  damaged(path("data", 2), 4096 + 5, [&] { EXPECT_EQ(load(), "hit: "); });
  EXPECT_EQ(load(), "hit: ");
}

TEST_F(DeviceCacheFilesTest, haveTheirSizes) {
  ASSERT_EQ(save(), "");
  std::filesystem::resize_file(path("model", 1), 3);
  EXPECT_EQ(load(), "truncated: a model-cache file has 3 bytes instead of 6");
  std::filesystem::resize_file(path("model", 1), 0);
  EXPECT_EQ(load(), "truncated: a model-cache file has 0 bytes instead of 6");
  ASSERT_EQ(save(), "");
  std::filesystem::resize_file(path("data", 2), 4096 + 100);
  EXPECT_EQ(load(),
            "truncated: the data-cache file has 4196 bytes instead of 4296");
}

// E-041: whatever was in the files before, and of another entry.
TEST_F(DeviceCacheFilesTest, areReplacedTogether) {
  ASSERT_EQ(save(), "");
  std::filesystem::copy_file(path("model", 1), path("old", 1));
  kept->model[1] = "CODE 1";
  ASSERT_EQ(save(), "");
  EXPECT_EQ(load(), "hit: ");
  EXPECT_EQ(kept->loadedModel, kept->model);
  std::filesystem::copy_file(path("old", 1), path("model", 1),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(load(), "tampered: a model-cache file is not the one that the "
                    "first file speaks of");
}

// E-051.
TEST_F(DeviceCacheFilesTest, areAsManyAsTheDeviceSays) {
  ASSERT_EQ(save(), "");
  Opened fewer = open({2, 2}), more = open({3, 3});
  auto status = [&](const CacheHandles &handles) {
    return device()->prepareModelFromCache(handles, {}).status();
  };
  EXPECT_EQ(status(fewer.handles).code(), StatusCode::invalidArgument);
  EXPECT_EQ(status(fewer.handles).message(),
            "2 data-cache handles are given, not 3");
  EXPECT_EQ(status(more.handles).message(),
            "3 model-cache handles are given, not 2");
}

// A backend that gives something else than it has declared caches nothing.
TEST_F(DeviceCacheFilesTest, areAsManyAsTheContents) {
  kept->model.pop_back();
  EXPECT_EQ(save(), "unreadable: the backend gave 1 model-cache contents for 2 "
                    "files");
  EXPECT_EQ(load(), "absent: the model-cache file is empty");
}

// The client's side: files by name, in a directory.
TEST_F(DeviceCacheFilesTest, liveInADirectory) {
  use({12, 11});
  CompilationCache::Options options;
  options.directory = directory;
  CompilationCache cache(std::move(options));
  AnnotatedModel model = reluModel(2, 2);
  auto prepare = [&] {
    CacheReport report;
    auto prepared = cache.prepare(
        *device(), CacheToken{9}, {},
        [&] { return Result<const AnnotatedModel *>(&model); }, {}, report);
    EXPECT_TRUE(prepared.isOk()) << prepared.status().message();
    return report.outcome;
  };
  EXPECT_EQ(prepare(), CacheOutcome::missAbsent);
  EXPECT_EQ(prepare(), CacheOutcome::hit);
  EXPECT_EQ(kept->loadedModel, kept->model);
  EXPECT_EQ(kept->loadedData, kept->data);
}

} // namespace
