//===- StagedCacheTest.cpp - What is compiled later is cached later -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"

#include "nnhal/Backend/Backend.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/TFLiteModel.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <future>
#include <sys/file.h>
#include <unistd.h>

namespace nnhal::rt {
namespace {

/// The files of a cache entry, as a client opens them for one call.
struct Files {
  explicit Files(const std::filesystem::path &directory)
      : model(open((directory / "model").c_str(), O_RDWR | O_CREAT, 0600)),
        data(open((directory / "data").c_str(), O_RDWR | O_CREAT, 0600)) {}
  CacheHandles handles() const { return {{{model.get()}}, {{data.get()}}}; }
  UniqueFd model;
  UniqueFd data;
};

class StagedCacheTest : public testing::Test {
protected:
  StagedCacheTest() {
    std::string pattern =
        std::filesystem::temp_directory_path() / "staged-XXXXXX";
    directory = mkdtemp(pattern.data());
    auto file = Memory::readFile(NNHAL_TEST_DATA "/Models/small_cnn.tflite");
    EXPECT_TRUE(file.isOk()) << file.status().message();
    bytes = *std::move(file);
    auto imported = importTFLite(bytes, {});
    EXPECT_TRUE(imported.isOk()) << imported.status().message();
    model = *std::move(imported);
    device = makeDevice();
  }
  ~StagedCacheTest() override {
    device.reset();
    std::filesystem::remove_all(directory);
  }

  /// Makes a device like that of another process.
  std::unique_ptr<Device> makeDevice() {
    CpuDeviceOptions options;
    options.baseline = createReferenceBackend();
    options.services.stateDirectory = directory / "state";
    options.services.log = log;
    return createCpuDevice(std::move(options));
  }

  /// Compiles after the first execution, into the files; those that the call
  /// was given are closed when it has returned (E-030).
  PreparedModelRef prepare() {
    PrepareOptions options;
    PrepareObserver observer;
    options.compileAfter = 1;
    observer.compileEnded = [this](const Status &status) {
      ended.set_value(status);
    };
    options.token = token;
    observer.cacheObserver = [](auto...) {
      ADD_FAILURE() << "nobody is told of a save in the background";
    };
    Files files(directory);
    options.cache = files.handles();
    auto prepared = device->prepareModel(model, options, observer);
    EXPECT_TRUE(prepared.isOk()) << prepared.status().message();
    return prepared.isOk() ? *prepared : nullptr;
  }

  void execute(const PreparedModel &prepared) {
    Arguments arguments(prepared);
    ExecutionResult result;
    EXPECT_EQ(prepared.execute(arguments.request, result).message(), "");
  }

  /// What becomes of a load.
  CacheOutcome load(const Device &from) {
    CacheOutcome outcome = CacheOutcome::off;
    PrepareObserver observer;
    observer.cacheObserver = [&](CacheOutcome told, std::string_view) {
      outcome = told;
    };
    Files files(directory);
    auto prepared =
        from.prepareModelFromCache(files.handles(), token, {}, observer);
    EXPECT_EQ(prepared.isOk(), outcome == CacheOutcome::hit)
        << prepared.status().message();
    return outcome;
  }
  CacheOutcome load() { return load(*device); }

  uint64_t modelFileSize() {
    return std::filesystem::file_size(directory / "model");
  }

  std::filesystem::path directory;
  std::string lines;
  std::shared_ptr<const Log> log = std::make_shared<Log>(
      maskOf(LogTag::compilation),
      [this](std::string_view line) { (lines += line) += '\n'; });
  Memory bytes;
  AnnotatedModel model;
  CacheToken token = {1, 2, 3};
  std::unique_ptr<Device> device;
  std::promise<Status> ended;
};

// E-066, E-069: written after the call, through descriptors of the device's
// own, and known to it and to others from then on.
TEST_F(StagedCacheTest, isSavedWhenItIsCompiled) {
  PreparedModelRef prepared = prepare();
  EXPECT_EQ(load(), CacheOutcome::missLocked);
  execute(*prepared);
  EXPECT_EQ(ended.get_future().get().message(), "");
  EXPECT_EQ(load(), CacheOutcome::hit);
  EXPECT_EQ(load(*makeDevice()), CacheOutcome::hit);
}

// E-068: the files that stood there are locked from the moment at which the
// device has been given them until they hold the new entry.
TEST_F(StagedCacheTest, replacesAnEntry) {
  {
    PrepareOptions options;
    options.token = token;
    Files files(directory);
    options.cache = files.handles();
    ASSERT_TRUE(device->prepareModel(model, options).isOk());
  }
  ASSERT_EQ(load(), CacheOutcome::hit);
  PreparedModelRef prepared = prepare();
  EXPECT_EQ(load(), CacheOutcome::missLocked);
  execute(*prepared);
  EXPECT_EQ(ended.get_future().get().message(), "");
  EXPECT_EQ(load(), CacheOutcome::hit);
}

// E-067: while somebody else has the files, nothing is written; the code runs
// all the same.
TEST_F(StagedCacheTest, leavesLockedFilesAlone) {
  Files others(directory);
  ASSERT_EQ(flock(others.model.get(), LOCK_EX | LOCK_NB), 0);
  PreparedModelRef prepared = prepare();
  execute(*prepared);
  EXPECT_EQ(ended.get_future().get().message(), "");
  execute(*prepared);
  EXPECT_EQ(modelFileSize(), 0u);
  EXPECT_NE(lines.find("locked"), lines.npos) << lines;
  ASSERT_EQ(flock(others.model.get(), LOCK_UN), 0);
  EXPECT_EQ(load(), CacheOutcome::missAbsent);
}

// E-067: a file that is being written reads as none.
TEST_F(StagedCacheTest, readsNoLockedFile) {
  PreparedModelRef prepared = prepare();
  execute(*prepared);
  EXPECT_EQ(ended.get_future().get().message(), "");
  Files others(directory);
  ASSERT_EQ(flock(others.model.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(load(), CacheOutcome::missLocked);
  ASSERT_EQ(flock(others.model.get(), LOCK_UN), 0);
  EXPECT_EQ(load(), CacheOutcome::hit);
}

// E-069: the file alone is not enough: one that is put back is not executed
// where the device does not know it.
TEST_F(StagedCacheTest, isKnownByItsHashAlone) {
  PreparedModelRef prepared = prepare();
  execute(*prepared);
  EXPECT_EQ(ended.get_future().get().message(), "");
  prepared.reset();
  device.reset();
  std::filesystem::remove_all(directory / "state");
  EXPECT_EQ(load(*makeDevice()), CacheOutcome::missNotRecorded);
}

// E-070: a model that goes before it is compiled leaves no entry, whole or
// half.
TEST_F(StagedCacheTest, leavesNothingWhenTheModelIsGone) {
  PreparedModelRef prepared = prepare();
  prepared.reset();
  EXPECT_EQ(load(), CacheOutcome::missAbsent);
  EXPECT_EQ(modelFileSize(), 0u);
}

} // namespace
} // namespace nnhal::rt
