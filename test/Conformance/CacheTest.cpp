//===- CacheTest.cpp - Compilation caching --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFiles.h"

#include <sys/file.h>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

using SavingTest = CachePrecisionTest;

#define NNHAL_SKIP_WITHOUT_CACHE(MODEL)                                        \
  if (auto reason = reasonToSkip(MODEL))                                       \
  GTEST_SKIP() << *reason

// C-063, E-006, E-042, E-056, E-057: what is saved when a preparation
// has ended is loaded without the model, and computes the same.
TEST_P(SavingTest, SaveAndLoad) {
  AnnotatedModel model = cachedModel(GetParam());
  NNHAL_SKIP_WITHOUT_CACHE(model);
  PreparedModelRef without = *device->prepareModel(model);
  PreparedModelRef saved = prepare(model, files.open(), token);
  ASSERT_NE(saved, nullptr);
  EXPECT_EQ(saveProblem, CacheOutcome::off);
  Loaded loaded = load(files.open(), token);
  ASSERT_TRUE(loaded.status.isOk()) << loaded.status.message();
  EXPECT_EQ(loaded.outcome, CacheOutcome::hit);
  EXPECT_EQ(resultOf(*saved), resultOf(*without));
  EXPECT_EQ(resultOf(*loaded.model), resultOf(*without));
  EXPECT_EQ(loaded.model->interface().outputs, without->interface().outputs);
}

// E-020, E-058: after a restart, too, and with nothing but the files.
TEST_P(SavingTest, EntriesSurviveARestart) {
  AnnotatedModel model = cachedModel(GetParam());
  NNHAL_SKIP_WITHOUT_CACHE(model);
  std::vector<std::byte> expected =
      resultOf(*prepare(model, files.open(), token));
  restart();
  Loaded loaded = load(files.open(O_RDWR, O_RDWR), token);
  ASSERT_TRUE(loaded.status.isOk()) << loaded.status.message();
  EXPECT_EQ(resultOf(*loaded.model), expected);
}

INSTANTIATE_TEST_SUITE_P(All, SavingTest,
                         testing::Values(Precision::float32, Precision::quant8),
                         [](const auto &info) { return toString(info.param); });

// E-003: empty lists and a token of zeros.
TEST_F(CacheTest, withoutHandlesNothingIsCached) {
  AnnotatedModel model = cachedModel(Precision::float32);
  if (auto reason = unsupportedReason(*device, model))
    GTEST_SKIP() << *reason;
  EXPECT_NE(prepare(model, {}, {}), nullptr);
  EXPECT_EQ(saveProblem, CacheOutcome::off);
  EXPECT_EQ(::access(services.stateDirectory.c_str(), F_OK), -1);
}

// C-066, E-034, E-038: a device that keeps nothing ignores what it is given.
TEST_F(CacheTest, devicesWithoutCacheIgnoreHandles) {
  CacheFiles numbers = device->cacheFiles();
  EXPECT_LE(numbers.modelCache, maxCacheFiles); // E-025
  EXPECT_LE(numbers.dataCache, maxCacheFiles);
  if (numbers.modelCache + numbers.dataCache > 0)
    GTEST_SKIP() << "the device keeps compiled models";
  if (auto reason = unsupportedReason(*device, cachedModel(Precision::float32)))
    GTEST_SKIP() << *reason;
  EXPECT_NE(prepare(cachedModel(Precision::float32), files.open(), token),
            nullptr);
  EXPECT_TRUE(readAll(files.modelPath).empty());
  expectRefused(files.open(), token, {StatusCode::generalFailure},
                CacheOutcome::off);
}

// E-041, E-043: longer and shorter content of before, and none.
TEST_F(CacheTest, previousContentIsReplaced) {
  AnnotatedModel model = cachedModel(Precision::float32);
  NNHAL_SKIP_WITHOUT_CACHE(model);
  std::vector<std::byte> expected;
  for (size_t size : {size_t(0), size_t(10), size_t(10'000'000)}) {
    writeAll(files.modelPath, std::vector<std::byte>(size, std::byte(9)));
    writeAll(files.dataPath, std::vector<std::byte>(size, std::byte(9)));
    prepare(model, files.open(), token);
    Loaded loaded = load(files.open(), token);
    ASSERT_TRUE(loaded.status.isOk()) << loaded.status.message();
    if (expected.empty())
      expected = readAll(files.modelPath);
    EXPECT_EQ(readAll(files.modelPath), expected);
  }
}

TEST_F(CacheTest, emptyFilesAreNoEntry) {
  AnnotatedModel model = cachedModel(Precision::float32);
  NNHAL_SKIP_WITHOUT_CACHE(model);
  expectRefused(files.open(), token, {StatusCode::generalFailure},
                CacheOutcome::missAbsent);
}

// E-030: the client closes its descriptors when the call returns.
TEST_F(CacheTest, asynchronousPreparationsKeepTheFilesThemselves) {
  auto model =
      std::make_shared<AnnotatedModel>(cachedModel(Precision::float32));
  NNHAL_SKIP_WITHOUT_CACHE(*model);
  auto notified = std::make_shared<Notified<Result<PreparedModelRef>>>();
  PrepareOptions options;
  options.cache = files.open();
  options.token = token;
  ASSERT_TRUE(device
                  ->prepareModelAsync(model, options,
                                      [notified](auto result) {
                                        notified->notify(std::move(result));
                                      })
                  .isOk());
  files.open(O_RDONLY, O_RDONLY);
  Result<PreparedModelRef> prepared = notified->wait();
  ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
  EXPECT_TRUE(load(files.open(), token).status.isOk());
}

// E-036.
TEST_F(CacheTest, deadlinesHoldForLoads) {
  AnnotatedModel model = cachedModel(Precision::float32);
  NNHAL_SKIP_WITHOUT_CACHE(model);
  prepare(model, files.open(), token);
  PrepareOptions options;
  options.deadline = 1;
  EXPECT_EQ(load(files.open(), token, options).status.code(),
            StatusCode::missedDeadlinePersistent);
}

// E-067: what somebody else is writing is no entry, and is not written to.
TEST_F(CacheTest, lockedFilesAreLeftAlone) {
  AnnotatedModel model = cachedModel(Precision::float32);
  NNHAL_SKIP_WITHOUT_CACHE(model);
  prepare(model, files.open(), token);
  std::vector<std::byte> before = readAll(files.modelPath);
  UniqueFd writer(::open(files.modelPath.c_str(), O_RDWR));
  ASSERT_EQ(::flock(writer.get(), LOCK_EX), 0);
  expectRefused(files.open(), token, {StatusCode::generalFailure},
                CacheOutcome::missLocked);
  EXPECT_NE(prepare(model, files.open(), token), nullptr);
  EXPECT_EQ(saveProblem, CacheOutcome::missLocked);
  EXPECT_EQ(readAll(files.modelPath), before);
  writer.reset();
  EXPECT_TRUE(load(files.open(), token).status.isOk());
}

// The device knows what it was compiled with, and a client what it was made
// from.
TEST_F(CacheTest, OptionsAndContentKeyAreCompared) {
  AnnotatedModel model = cachedModel(Precision::quant8);
  NNHAL_SKIP_WITHOUT_CACHE(model);
  PrepareOptions options;
  options.cache = files.open();
  options.token = token;
  options.contentKey = ContentKey{7};
  ASSERT_TRUE(device->prepareModel(model, options).isOk());
  EXPECT_TRUE(load(files.open(), token, options).status.isOk());
  PrepareOptions withoutKey;
  EXPECT_TRUE(load(files.open(), token, withoutKey).status.isOk());
  PrepareOptions otherKey = options;
  otherKey.contentKey = ContentKey{8};
  Loaded changed = load(files.open(), token, otherKey);
  EXPECT_EQ(changed.outcome, CacheOutcome::missModelChanged);
  EXPECT_EQ(changed.status.message(),
            "the cache has no usable entry (model-changed): the entry was made "
            "from another model");
  PrepareOptions otherRounding = options;
  otherRounding.compile.rounding = Rounding::singleRounding;
  Loaded rounded = load(files.open(), token, otherRounding);
  EXPECT_EQ(rounded.outcome, CacheOutcome::missOptionsChanged);
  EXPECT_EQ(rounded.detail, "the entry was made with other compile options");
}

// An unusable state directory means no caching, and a reason.
TEST_F(CacheTest, nothingIsCachedWithoutState) {
  NNHAL_SKIP_REMOTE(*device);
  AnnotatedModel model = cachedModel(Precision::float32);
  NNHAL_SKIP_WITHOUT_CACHE(model);
  prepare(model, files.open(), token);
  for (std::string state : {std::string(), files.modelPath}) {
    services.stateDirectory = state;
    restart();
    expectRefused(files.open(), token, {StatusCode::generalFailure},
                  CacheOutcome::missNoState);
    EntryFiles fresh(directory.path() + "/fresh");
    EXPECT_NE(prepare(model, fresh.open(), token), nullptr);
    EXPECT_EQ(saveProblem, CacheOutcome::missNoState);
    EXPECT_TRUE(readAll(fresh.modelPath).empty());
  }
}

} // namespace
