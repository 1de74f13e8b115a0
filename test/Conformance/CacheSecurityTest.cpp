//===- CacheSecurityTest.cpp - Damaged and swapped cache files ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFiles.h"

#include <atomic>
#include <cstdlib>
#include <random>
#include <thread>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

struct SecurityCase {
  Precision precision;
  unsigned seed;
};

/// E-056: both precisions, ten seeds each.
class CacheSecurityTest : public CacheTest,
                          public testing::WithParamInterface<SecurityCase> {
protected:
  void SetUp() override {
    model = cachedModel(GetParam().precision);
    if (auto reason = reasonToSkip(model))
      GTEST_SKIP() << *reason;
    PreparedModelRef prepared = prepare(model, files.open(), token);
    ASSERT_NE(prepared, nullptr);
    expected = resultOf(*prepared);
  }

  size_t below(size_t bound) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random);
  }
  void flipBit(std::span<std::byte> bytes) {
    bytes[below(bytes.size())] ^= std::byte(1 << below(8));
  }

  /// E-006, E-049: what does load executes, and is null exactly when it failed.
  void expectHarmless() {
    Loaded loaded = load(files.open(), token);
    if (loaded.model)
      resultOf(*loaded.model);
    else
      EXPECT_TRUE(loaded.status.code() == StatusCode::generalFailure ||
                  loaded.status.code() == StatusCode::invalidArgument);
  }

  std::mt19937 random{GetParam().seed};
  AnnotatedModel model;
  std::vector<std::byte> expected;
};

// E-047.
TEST_P(CacheSecurityTest, CorruptedModelCache) {
  std::vector<std::byte> bytes = readAll(files.modelPath);
  for (int i = 0; i < 20; ++i) {
    std::vector<std::byte> damaged = bytes;
    flipBit(damaged);
    writeAll(files.modelPath, damaged);
    expectRefused(files.open(), token, {StatusCode::generalFailure},
                  CacheOutcome::missTampered);
  }
  writeAll(files.modelPath, bytes);
  EXPECT_TRUE(load(files.open(), token).status.isOk());
}

// E-048: 1 to 256 random bytes more; and fewer.
TEST_P(CacheSecurityTest, WrongLengthModelCache) {
  std::vector<std::byte> bytes = readAll(files.modelPath);
  for (int i = 0; i < 10; ++i) {
    std::vector<std::byte> longer = bytes;
    for (size_t more = 1 + below(256); more > 0; --more)
      longer.push_back(std::byte(below(256)));
    writeAll(files.modelPath, longer);
    expectRefused(files.open(), token, {StatusCode::generalFailure},
                  CacheOutcome::missTampered);
    std::vector<std::byte> shorter = bytes;
    shorter.resize(1 + below(bytes.size() - 1));
    writeAll(files.modelPath, shorter);
    expectRefused(files.open(), token, {StatusCode::generalFailure},
                  CacheOutcome::missTruncated);
  }
}

// E-049.
TEST_P(CacheSecurityTest, DamagedDataCache) {
  std::vector<std::byte> bytes = readAll(files.dataPath);
  for (int i = 0; i < 10; ++i) {
    std::vector<std::byte> damaged = bytes;
    flipBit(damaged);
    writeAll(files.dataPath, damaged);
    expectHarmless();
    damaged.resize(damaged.size() + 1 + below(256), std::byte(below(256)));
    writeAll(files.dataPath, damaged);
    expectRefused(files.open(), token, {StatusCode::generalFailure},
                  CacheOutcome::missTampered);
    damaged.resize(below(bytes.size()));
    writeAll(files.dataPath, damaged);
    expectRefused(files.open(), token, {StatusCode::generalFailure},
                  CacheOutcome::missTruncated);
  }
}

// E-046.
TEST_P(CacheSecurityTest, WrongToken) {
  CacheToken wrong = token;
  flipBit(std::as_writable_bytes(std::span(wrong)));
  expectRefused(files.open(), wrong, {StatusCode::generalFailure},
                CacheOutcome::missOtherToken);
}

// E-050: the entry of another model, under its own token and under this one.
TEST_P(CacheSecurityTest, ReplaceSecuritySensitiveCache) {
  AnnotatedModel other = otherModel(GetParam().precision);
  CacheToken otherToken = token;
  flipBit(std::as_writable_bytes(std::span(otherToken)));
  EntryFiles otherFiles(directory.path() + "/other");
  prepare(other, otherFiles.open(), otherToken);
  ASSERT_TRUE(load(otherFiles.open(), otherToken).status.isOk());
  writeAll(files.modelPath, readAll(otherFiles.modelPath));
  expectRefused(files.open(), token, {StatusCode::generalFailure},
                CacheOutcome::missOtherToken);
  writeAll(files.dataPath, readAll(otherFiles.dataPath));
  expectRefused(files.open(), token, {StatusCode::generalFailure},
                CacheOutcome::missOtherToken);
}

// The constants of another entry do not pass for those of this one.
TEST_P(CacheSecurityTest, ReplacedDataCacheIsRefused) {
  EntryFiles otherFiles(directory.path() + "/other");
  prepare(otherModel(GetParam().precision), otherFiles.open(), token);
  writeAll(files.dataPath, readAll(otherFiles.dataPath));
  expectRefused(files.open(), token, {StatusCode::generalFailure},
                CacheOutcome::missTampered);
}

// E-065: two clients with one token, each with its files.
TEST_P(CacheSecurityTest, EqualTokensOfTwoClients) {
  EntryFiles otherFiles(directory.path() + "/other");
  PreparedModelRef other =
      prepare(otherModel(GetParam().precision), otherFiles.open(), token);
  Loaded own = load(files.open(), token);
  Loaded theirs = load(otherFiles.open(), token);
  ASSERT_TRUE(own.status.isOk() && theirs.status.isOk());
  EXPECT_EQ(resultOf(*own.model), expected);
  EXPECT_EQ(resultOf(*theirs.model), resultOf(*other));
  EXPECT_NE(resultOf(*theirs.model), expected);
}

// E-008: after any damage a preparation makes the entry whole again.
TEST_P(CacheSecurityTest, PreparationRepairs) {
  std::vector<std::byte> bytes = readAll(files.modelPath);
  flipBit(bytes);
  bytes.resize(1 + below(bytes.size()));
  writeAll(files.modelPath, bytes);
  ::unlink(files.dataPath.c_str());
  prepare(model, files.open(), token);
  Loaded loaded = load(files.open(), token);
  ASSERT_TRUE(loaded.status.isOk()) << loaded.status.message();
  EXPECT_EQ(resultOf(*loaded.model), expected);
}

// E-058: an entry that another device, or this one in another life, has made.
TEST_P(CacheSecurityTest, EntriesFromElsewhereAreRefused) {
  // The state of a service is not this process's to move.
  NNHAL_SKIP_REMOTE(*device);
  services.stateDirectory = directory.path() + "/elsewhere";
  restart();
  expectRefused(files.open(), token, {StatusCode::generalFailure},
                CacheOutcome::missNotRecorded);
}

std::vector<SecurityCase> allSecurityCases() {
  std::vector<SecurityCase> cases;
  for (Precision precision : {Precision::float32, Precision::quant8})
    for (unsigned seed = 0; seed < 10; ++seed)
      cases.push_back({precision, seed});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, CacheSecurityTest,
                         testing::ValuesIn(allSecurityCases()),
                         [](const auto &info) {
                           return toString(info.param.precision) + "_" +
                                  std::to_string(info.param.seed);
                         });

/// out = x op c op c ..., a chain whose entry takes a while to save (E-063).
/// With MUL by 2 and ADD of 2 the results tell the models apart.
AnnotatedModel chainModel(OperationType type) {
  AnnotatedModel annotated;
  SubgraphBuilder builder(annotated.model);
  const Dimensions shape = {4};
  uint32_t value = builder.input(OperandType::TENSOR_FLOAT32, shape);
  constexpr int operations = 100;
  for (int i = 0; i < operations; ++i) {
    // Shapes that differ keep the constants apart.
    uint32_t constant = builder.constant<float>(
        OperandType::TENSOR_FLOAT32, shape,
        {2.0f, 2.0f, 2.0f, 2.0f + float(i) / (4 * operations)});
    uint32_t next = i == operations - 1
                        ? builder.output(OperandType::TENSOR_FLOAT32, shape)
                        : builder.temporary(OperandType::TENSOR_FLOAT32, shape);
    builder.operation(type, {value, constant, builder.scalar(0)}, {next});
    value = next;
  }
  annotated.model.main = builder.finish();
  return annotated;
}

std::vector<float> chainResult(const PreparedModel &model) {
  FloatArguments arguments(model);
  ExecutionResult result;
  EXPECT_EQ(model.execute(arguments.request, result).message(), "");
  return arguments.outputs[0];
}

/// Somebody who overwrites a file again and again with what is in \p sources.
class Intruder {
public:
  Intruder(const std::string &path,
           const std::vector<std::vector<std::byte>> &sources)
      : thread([this, path, sources] {
          UniqueFd fd(::open(path.c_str(), O_RDWR));
          for (size_t i = 0; !isOver; ++i) {
            const auto &bytes = sources[i % sources.size()];
            (void)!::ftruncate(fd.get(), off_t(bytes.size()));
            (void)!::pwrite(fd.get(), bytes.data(), bytes.size(), 0);
            ++writes;
          }
        }) {
    while (writes == 0)
      std::this_thread::yield();
  }
  ~Intruder() {
    isOver = true;
    thread.join();
  }

private:
  std::atomic<bool> isOver = false;
  std::atomic<int> writes = 0;
  std::thread thread;
};

class CacheRaceTest : public CacheTest {
protected:
  void SetUp() override {
    multiply = chainModel(OperationType::MUL);
    if (auto reason = reasonToSkip(multiply))
      GTEST_SKIP() << *reason;
    EntryFiles added(directory.path() + "/added");
    PreparedModelRef sum =
        prepare(chainModel(OperationType::ADD), added.open(), {9});
    PreparedModelRef product = prepare(multiply, files.open(), token);
    ASSERT_TRUE(sum && product);
    expected = chainResult(*product);
    ASSERT_NE(chainResult(*sum), expected);
    other = readAll(added.modelPath);
    own = readAll(files.modelPath);
  }

  AnnotatedModel multiply;
  std::vector<float> expected;
  /// The model-cache files of this model and of the other one.
  std::vector<std::byte> own, other;
};

// E-061, E-063, L-033: the file is overwritten while it is written. Compiling
// takes a device most of the time.
TEST_F(CacheRaceTest, SaveToCache_TOCTOU) {
  const int tries = std::getenv("NNHAL_TEST_ALL") ? 100 : 20;
  for (int i = 0; i < tries; ++i) {
    {
      CacheHandles handles = files.open();
      Intruder intruder(files.modelPath, {other});
      ASSERT_NE(prepare(multiply, handles, token), nullptr);
    }
    Loaded loaded = load(files.open(), token);
    if (loaded.model)
      EXPECT_EQ(chainResult(*loaded.model), expected);
    else
      EXPECT_EQ(loaded.status.code(), StatusCode::generalFailure);
  }
}

// E-062, E-063, L-033: the file is overwritten while it is read.
TEST_F(CacheRaceTest, PrepareFromCache_TOCTOU) {
  CacheHandles handles = files.open();
  Intruder intruder(files.modelPath, {other, own});
  int hits = 0;
  for (int i = 0; i < 500; ++i) {
    Loaded loaded = load(handles, token);
    if (!loaded.model) {
      EXPECT_EQ(loaded.status.code(), StatusCode::generalFailure);
      continue;
    }
    ++hits;
    ASSERT_EQ(chainResult(*loaded.model), expected);
  }
  RecordProperty("hits", hits);
}

} // namespace
