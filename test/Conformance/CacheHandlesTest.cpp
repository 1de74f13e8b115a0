//===- CacheHandlesTest.cpp - Wrong handles for a cache -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFiles.h"

#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

constexpr std::initializer_list<StatusCode> invalidOrFailure = {
    StatusCode::invalidArgument, StatusCode::generalFailure};

/// The lists of handles of both kinds, one after the other.
constexpr std::vector<std::vector<int>> CacheHandles::*bothKinds[] = {
    &CacheHandles::modelCache, &CacheHandles::dataCache};

class CacheHandlesTest : public CachePrecisionTest {
protected:
  void SetUp() override {
    model = cachedModel(GetParam());
    if (auto reason = reasonToSkip(model))
      GTEST_SKIP() << *reason;
    expected = resultOf(*device->prepareModel(model).operator*());
  }

  /// A preparation with \p handles succeeds and leaves nothing that \p good
  /// could be loaded from.
  void expectNothingSaved(const CacheHandles &handles) {
    PreparedModelRef prepared = prepare(model, handles, token);
    ASSERT_NE(prepared, nullptr);
    EXPECT_EQ(resultOf(*prepared), expected);
    EXPECT_EQ(nnhal::rt::toString(saveProblem), "unreadable");
    expectRefused(handles, token, invalidOrFailure);
    expectRefused(files.open(), token, {StatusCode::generalFailure},
                  CacheOutcome::missAbsent);
  }

  AnnotatedModel model;
  std::vector<std::byte> expected;
};

// E-025, E-038: one more and one fewer of each kind.
TEST_P(CacheHandlesTest, SaveToCacheInvalidNumCache) {
  for (auto kind : bothKinds) {
    CacheHandles handles = files.open();
    (handles.*kind).push_back((handles.*kind)[0]);
    expectNothingSaved(handles);
    handles = files.open();
    (handles.*kind).pop_back();
    expectNothingSaved(handles);
  }
}

// E-039: a handle without or with two descriptors.
TEST_P(CacheHandlesTest, SaveToCacheInvalidNumFd) {
  for (auto kind : bothKinds) {
    CacheHandles handles = files.open();
    (handles.*kind)[0].push_back((handles.*kind)[0][0]);
    expectNothingSaved(handles);
    handles = files.open();
    (handles.*kind)[0].clear();
    expectNothingSaved(handles);
  }
}

// E-040: each handle without one of the directions.
TEST_P(CacheHandlesTest, SaveToCacheInvalidAccessMode) {
  files.open();
  for (int mode : {O_RDONLY, O_WRONLY}) {
    expectNothingSaved(files.open(mode, O_RDWR));
    expectNothingSaved(files.open(O_RDWR, mode));
  }
}

// Descriptors that are none, or of no regular file.
TEST_P(CacheHandlesTest, SaveToWhatIsNoFile) {
  CacheHandles handles = files.open();
  handles.dataCache[0][0] = 100000;
  expectNothingSaved(handles);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  handles = files.open();
  handles.modelCache[0][0] = ends[0];
  expectNothingSaved(handles);
  ::close(ends[0]);
  ::close(ends[1]);
}

// E-051.
TEST_P(CacheHandlesTest, PrepareModelFromCacheInvalidNumCache) {
  prepare(model, files.open(), token);
  for (auto kind : bothKinds) {
    CacheHandles handles = files.open();
    (handles.*kind).push_back((handles.*kind)[0]);
    expectRefused(handles, token, invalidOrFailure,
                  CacheOutcome::missUnreadable);
    handles = files.open();
    (handles.*kind).pop_back();
    expectRefused(handles, token, invalidOrFailure,
                  CacheOutcome::missUnreadable);
  }
  EXPECT_TRUE(load(files.open(), token).status.isOk());
}

// E-051.
TEST_P(CacheHandlesTest, PrepareModelFromCacheInvalidNumFd) {
  prepare(model, files.open(), token);
  for (auto kind : bothKinds) {
    CacheHandles handles = files.open();
    (handles.*kind)[0].push_back((handles.*kind)[0][0]);
    expectRefused(handles, token, invalidOrFailure,
                  CacheOutcome::missUnreadable);
    handles = files.open();
    (handles.*kind)[0].clear();
    expectRefused(handles, token, invalidOrFailure,
                  CacheOutcome::missUnreadable);
  }
}

// C-064, E-052: exactly GENERAL_FAILURE.
TEST_P(CacheHandlesTest, PrepareModelFromCacheInvalidAccessMode) {
  // Messages have the numbers of descriptors of the process that looks at them.
  NNHAL_SKIP_REMOTE(*device);
  prepare(model, files.open(), token);
  for (int mode : {O_WRONLY, O_RDONLY}) {
    expectRefused(files.open(mode, O_RDWR), token, {StatusCode::generalFailure},
                  CacheOutcome::missUnreadable);
    CacheHandles handles = files.open(O_RDWR, mode);
    Loaded loaded = load(handles, token);
    EXPECT_EQ(loaded.status.code(), StatusCode::generalFailure);
    EXPECT_EQ(loaded.detail, "the data-cache descriptor " +
                                 std::to_string(handles.dataCache[0][0]) +
                                 " is not open for reading and writing");
  }
}

TEST_P(CacheHandlesTest, MessagesNameWhatIsWrong) {
  NNHAL_SKIP_REMOTE(*device);
  CacheHandles handles = files.open();
  handles.modelCache.push_back({0});
  EXPECT_EQ(load(handles, token).status.message(),
            "2 model-cache handles are given, not 1");
  handles = files.open();
  handles.dataCache[0].clear();
  EXPECT_EQ(load(handles, token).status.message(),
            "the data-cache handle has 0 descriptors, not 1");
  handles.dataCache[0] = {100000};
  EXPECT_EQ(load(handles, token).status.message(),
            "the data-cache descriptor 100000 cannot be used: Bad file "
            "descriptor");
  int fd = ::open("/dev/null", O_RDWR);
  handles.dataCache[0] = {fd};
  EXPECT_EQ(load(handles, token).detail, "the data-cache descriptor " +
                                             std::to_string(fd) +
                                             " is not a regular file");
  ::close(fd);
}

// C-068, E-053.
TEST_P(CacheHandlesTest, NonZeroOffset) {
  CacheHandles handles = files.open();
  ASSERT_EQ(::lseek(handles.modelCache[0][0], 7, SEEK_SET), 7);
  ASSERT_EQ(::lseek(handles.dataCache[0][0], 9, SEEK_SET), 9);
  prepare(model, handles, token);
  EXPECT_EQ(saveProblem, CacheOutcome::off);
  ASSERT_EQ(::lseek(handles.modelCache[0][0], 11, SEEK_SET), 11);
  ASSERT_EQ(::lseek(handles.dataCache[0][0], 13, SEEK_SET), 13);
  Loaded loaded = load(handles, token);
  ASSERT_TRUE(loaded.status.isOk()) << loaded.status.message();
  EXPECT_EQ(resultOf(*loaded.model), expected);
}

INSTANTIATE_TEST_SUITE_P(All, CacheHandlesTest,
                         testing::Values(Precision::float32, Precision::quant8),
                         [](const auto &info) { return toString(info.param); });

} // namespace
