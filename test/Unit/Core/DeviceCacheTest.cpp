//===- DeviceCacheTest.cpp - What makes an entry stale --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReluModel.h"

#include "Runtime/Caching/CacheEntry.h"
#include "nnhal/Backend/HostCodeModel.h"
#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Trace.h"

#include "Runtime/Caching/BinaryIdentity.h"
#include "Runtime/Support/Errors.h"
#include "TestArtifact.h"

#include "Faults/SystemCalls.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <gnu/libc-version.h>
#include <set>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace nnhal::rt;
using nnhal::rt::test::reluModel;

namespace {

/// What a backend is, and what it was given.
struct Nature {
  std::string version = "1";
  CompilationIdentity identity = {"compiler 1", "cpu 1"};
  Status identityStatus;
  /// What it compiles: the two parts.
  std::string code = "the code";
  std::string constants = "the constants";
  /// What it was last asked to load.
  std::string loadedCode, loadedConstants;
  bool isMapped = false;
  Status loading;
  /// Called while a model is compiled; may be empty.
  std::function<void()> compiling;
};

class KeptModel final : public HostCodeModel {
public:
  const Interface &interface() const override { return face; }
  uint64_t arenaSize() const override { return 0; }
  Status call(NNHalExecutionContext &) const override { return Status::ok(); }

private:
  Interface face;
};

std::string textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

class KeepingBackend final : public Backend {
public:
  explicit KeepingBackend(std::shared_ptr<Nature> given)
      : nature(std::move(given)) {
    description.name = "test-keeping";
    description.version = nature->version;
    description.cacheFiles = {1, 1};
  }
  const DeviceInfo &info() const override { return description; }
  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    return std::vector<Status>(model.model.main.operations.size());
  }
  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &, const PrepareOptions &,
       const LoadObserver &observer) const override {
    if (nature->compiling)
      nature->compiling();
    CompiledModel compiled;
    auto code = std::as_bytes(std::span(nature->code));
    compiled.modelCache.assign(code.begin(), code.end());
    compiled.dataCache =
        Memory::copy(std::as_bytes(std::span(nature->constants)));
    NNHAL_RETURN_IF_ERROR(observer.keep(compiled));
    return std::unique_ptr<LoadedModel>(std::make_unique<KeptModel>());
  }
  Result<std::unique_ptr<LoadedModel>>
  loadArtifact(std::span<const std::byte> modelCache,
               const Memory &dataCache) const override {
    NNHAL_RETURN_IF_ERROR(nature->loading);
    auto constants = *dataCache.bytes();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(constants.data()) % 64, 0u);
    nature->loadedCode = textOf(modelCache);
    nature->isMapped = std::holds_alternative<Memory::Shared>(dataCache.kind());
    nature->loadedConstants = textOf(constants);
    return std::unique_ptr<LoadedModel>(std::make_unique<KeptModel>());
  }
  Result<CompilationIdentity> compilationIdentity() const override {
    NNHAL_RETURN_IF_ERROR(nature->identityStatus);
    return nature->identity;
  }

private:
  std::shared_ptr<Nature> nature;
  DeviceInfo description;
};

class DeviceCacheTest : public testing::Test {
protected:
  void SetUp() override {
    directory = testing::TempDir() + "nnhal-device-XXXXXX";
    ASSERT_NE(::mkdtemp(directory.data()), nullptr);
    services.stateDirectory = directory + "/state";
    model = UniqueFd(::open((directory + "/model").c_str(),
                            O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    data = UniqueFd(::open((directory + "/data").c_str(),
                           O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    save();
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  std::unique_ptr<Device> device() const {
    return createDevice(std::make_unique<KeepingBackend>(nature), services);
  }
  CacheHandles handles() const {
    return {{{model.get()}}, {{data.get()}}, arePrivate};
  }

  void save() {
    PrepareOptions options;
    PrepareObserver observer;
    options.cache = handles();
    observer.cacheObserver = [&](CacheOutcome outcome, std::string_view text) {
      saved = fmt::format("{}: {}", toString(outcome), text);
    };
    saved.clear();
    auto prepared = device()->prepareModel(reluModel(), options, observer);
    EXPECT_TRUE(prepared.isOk()) << prepared.status().message();
  }
  /// What loading reports, as another process would find it.
  std::string load() {
    std::string told;
    PrepareObserver observer;
    observer.cacheObserver = [&](CacheOutcome outcome, std::string_view text) {
      told = fmt::format("{}: {}", toString(outcome), text);
    };
    status =
        device()->prepareModelFromCache(handles(), {}, {}, observer).status();
    return told;
  }

  std::string directory;
  std::shared_ptr<Nature> nature = std::make_shared<Nature>();
  DeviceServices services;
  UniqueFd model, data;
  bool arePrivate = false;
  std::string saved;
  Status status;
};

// E-045, E-057: exactly what was saved is what is loaded.
TEST_F(DeviceCacheTest, LoadsWhatWasSaved) {
  EXPECT_EQ(load(), "hit: ");
  EXPECT_EQ(nature->loadedCode, nature->code);
  EXPECT_EQ(nature->loadedConstants, nature->constants);
}

// From the loan to the last byte others see that the entry is being written.
TEST_F(DeviceCacheTest, TheLockIsHeldWhileAModelIsCompiled) {
  UniqueFd other(::open((directory + "/model").c_str(), O_RDONLY | O_CLOEXEC));
  int times = 0;
  nature->compiling = [&] {
    ++times;
    EXPECT_NE(::flock(other.get(), LOCK_SH | LOCK_NB), 0);
    EXPECT_EQ(errno, EWOULDBLOCK);
  };
  save();
  EXPECT_EQ(times, 1);
  EXPECT_EQ(saved, "");
  EXPECT_EQ(::flock(other.get(), LOCK_SH | LOCK_NB), 0);
  ::flock(other.get(), LOCK_UN);
  EXPECT_EQ(load(), "hit: ");
}

// A lock of another process lets a preparation succeed, without the cache.
TEST_F(DeviceCacheTest, FilesThatSomebodyElseUses) {
  std::string lines;
  services.log = std::make_shared<Log>(
      maskOf(LogTag::compilation),
      [&](std::string_view line) { lines += std::string(line) + "\n"; });
  UniqueFd other(::open((directory + "/model").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(other.get(), LOCK_SH | LOCK_NB), 0);
  save();
  EXPECT_EQ(saved, "locked: somebody else uses the files");
  EXPECT_NE(lines.find("test-keeping: save to the cache: locked, somebody else "
                       "uses the files\n"),
            lines.npos)
      << lines;
  EXPECT_EQ(load(), "hit: ");
  ASSERT_EQ(::flock(other.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(load(), "locked: somebody else writes the files");
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  ASSERT_EQ(::flock(other.get(), LOCK_UN), 0);
  save();
  EXPECT_EQ(saved, "");
  EXPECT_EQ(load(), "hit: ");
}

// Constants are mapped when the client vouches for the files and nobody else
// can write to them.
TEST_F(DeviceCacheTest, MapsPrivateFiles) {
  EXPECT_EQ(load(), "hit: ");
  EXPECT_FALSE(nature->isMapped);
  arePrivate = true;
  EXPECT_EQ(load(), "hit: ");
  EXPECT_TRUE(nature->isMapped);
  EXPECT_EQ(nature->loadedConstants, nature->constants);
  nature->constants.clear();
  save();
  EXPECT_EQ(load(), "hit: ");
  EXPECT_FALSE(nature->isMapped);
}

// Files that other users can write to are not believed, whether the client
// vouches for them or not.
TEST_F(DeviceCacheTest, FilesOfOthers) {
  for (bool vouched : {false, true}) {
    arePrivate = vouched;
    for (int mode : {0666, 0664, 0660, 0606}) {
      for (auto [fd, name] :
           {std::pair(model.get(), "model"), {data.get(), "data"}}) {
        ASSERT_EQ(::fchmod(fd, mode_t(mode)), 0);
        EXPECT_EQ(load(),
                  fmt::format("writable-by-others: the {}-cache file can be "
                              "written to by other users (mode {:04o})",
                              name, mode));
        EXPECT_FALSE(status.isOk());
        ASSERT_EQ(::fchmod(fd, 0600), 0);
        EXPECT_EQ(load(), "hit: ");
      }
    }
  }
}

// Nobody can open a file that has no name: memory of this process, whose mode
// is 0777.
TEST_F(DeviceCacheTest, FilesWithoutNames) {
  model = UniqueFd(::memfd_create("model", MFD_CLOEXEC));
  data = UniqueFd(::memfd_create("data", MFD_CLOEXEC));
  save();
  EXPECT_EQ(saved, "");
  EXPECT_EQ(load(), "hit: ");
}

// What is mapped is checked as what is copied is.
TEST_F(DeviceCacheTest, ShortPrivateFiles) {
  arePrivate = true;
  ASSERT_EQ(::ftruncate(data.get(), 4096 + 1), 0);
  EXPECT_TRUE(load().starts_with("truncated: ")) << load();
}

// E-044: a model without constants.
TEST_F(DeviceCacheTest, NoConstants) {
  nature->constants.clear();
  save();
  EXPECT_EQ(load(), "hit: ");
  EXPECT_EQ(nature->loadedConstants, "");
}

// E-054, E-059: another version of the driver.
TEST_F(DeviceCacheTest, AnotherDriver) {
  nature->version = "2";
  EXPECT_EQ(load(), "driver-changed: the entry was made by another build of "
                    "the device (test-keeping 1)");
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  nature->version = "1";
  EXPECT_EQ(load(), "hit: ");
}

// E-058: what the device wrote is in its state directory.
TEST_F(DeviceCacheTest, AnotherStateDirectory) {
  services.stateDirectory = directory + "/other";
  EXPECT_EQ(load(), "not-recorded: the device does not know to have written "
                    "the entry");
}

TEST_F(DeviceCacheTest, AnotherCompiler) {
  nature->identity.compiler = "compiler 2";
  EXPECT_EQ(load(), "compiler-changed: the entry was made by another build of "
                    "the compiler");
}

// E-055: a CPU with other features.
TEST_F(DeviceCacheTest, AnotherCpu) {
  nature->identity.cpu = "cpu 2";
  EXPECT_EQ(load(), "cpu-changed: the entry is for a CPU with other features");
  nature->identity.cpu = "cpu 1";
  EXPECT_EQ(load(), "hit: ");
}

TEST_F(DeviceCacheTest, WithoutIdentityNothingIsCached) {
  nature->identityStatus = failure("there is no compiler");
  EXPECT_EQ(load(), "no-state: there is no compiler");
  save();
  EXPECT_EQ(saved, "no-state: there is no compiler");
}

TEST_F(DeviceCacheTest, WhatDoesNotLoadIsAMiss) {
  nature->loading = badData("no such kernel");
  EXPECT_EQ(load(), "unreadable: no such kernel");
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(),
            "the entry of the cache cannot be loaded: no such kernel");
}

// E-037: the log and the trace have it.
TEST_F(DeviceCacheTest, IsVisible) {
  std::string lines;
  services.log = std::make_shared<Log>(
      maskOf(LogTag::compilation),
      [&](std::string_view line) { lines += std::string(line) + "\n"; });
  services.tracer = std::make_shared<Tracer>();
  load();
  nature->version = "2";
  load();
  services.stateDirectory.clear();
  load();
  EXPECT_NE(lines.find("compilation: test-keeping: load from the cache: done"),
            std::string::npos)
      << lines;
  EXPECT_NE(lines.find("load from the cache: driver-changed, the entry"),
            std::string::npos);
  EXPECT_NE(lines.find("test-keeping: nothing is cached: there is no state "
                       "directory"),
            std::string::npos);
  int sections = 0;
  for (const TraceEvent &event : services.tracer->events())
    sections += event.text() == "[NN_LD_PC]load from the cache: done";
  EXPECT_EQ(sections, 1);
}

// A disk without room: the preparation succeeds, the files are no entry.
TEST_F(DeviceCacheTest, FullDisksLeaveNoEntry) {
  nature->code = std::string(400'000, 'c');
  rlimit before = {}, small = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 200'000;
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  save();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(saved, "unreadable: cannot write to a cache file: File too large");
  EXPECT_EQ(load(), "absent: the model-cache file is empty");
}

// The preparation succeeds when the system refuses to write, a load fails when
// it refuses to read.
TEST_F(DeviceCacheTest, ReportsWhatTheSystemRefuses) {
  auto saveWithout = [&](SystemCall call, int error) {
    SystemCallFailure failure(call, error);
    save();
    return saved;
  };
  auto loadWithout = [&](SystemCall call, int error, int before = 0) {
    auto shared = device();
    std::string told;
    PrepareObserver observer;
    observer.cacheObserver = [&](CacheOutcome outcome, std::string_view text) {
      told = fmt::format("{}: {}", toString(outcome), text);
    };
    SystemCallFailure failure(call, error, before);
    (void)shared->prepareModelFromCache(handles(), {}, {}, observer);
    return told;
  };
  EXPECT_EQ(saveWithout(SystemCall::ftruncate, EIO),
            "unreadable: cannot empty a cache file: Input/output error");
  EXPECT_EQ(saveWithout(SystemCall::fdatasync, EIO),
            "unreadable: cannot write a cache file to the disk: Input/output "
            "error");
  EXPECT_EQ(load(), "absent: the model-cache file is empty");
  save();
  EXPECT_EQ(loadWithout(SystemCall::pread, EIO),
            "unreadable: cannot read a cache file: Input/output error");
  std::set<std::string> outcomes;
  for (int before = 0; before < 20; ++before) {
    outcomes.insert(loadWithout(SystemCall::fstat, EIO, before));
    outcomes.insert(loadWithout(SystemCall::pread, 0, before));
  }
  size_t modelSize = std::filesystem::file_size(directory + "/model");
  for (const std::string &expected :
       {std::string("unreadable: cannot inspect the model-cache file: "
                    "Input/output error"),
        std::string("unreadable: cannot inspect the data-cache file: "
                    "Input/output error"),
        fmt::format("truncated: the model-cache file shrank from {} to 0 bytes",
                    modelSize),
        std::string("truncated: the data-cache file shrank to 0 bytes of "
                    "constants"),
        std::string("hit: ")})
    EXPECT_TRUE(outcomes.contains(expected)) << expected;
}

// E-061, E-062 against another process: whoever replaces the file between the
// check and the use, the bytes that were checked are the bytes that are used.
TEST_F(DeviceCacheTest, AnotherProcessReplacesTheFile) {
  std::vector<std::byte> genuine(size_t(::lseek(model.get(), 0, SEEK_END)));
  ASSERT_EQ(::pread(model.get(), genuine.data(), genuine.size(), 0),
            ssize_t(genuine.size()));
  std::vector<std::byte> evil = genuine;
  std::memcpy(evil.data() + cacheEntryHeaderSize, "EVIL", 4);
  pid_t child = ::fork();
  if (child == 0)
    for (size_t i = 0;; ++i) {
      const auto &bytes = i % 2 ? genuine : evil;
      (void)!::pwrite(model.get(), bytes.data(), bytes.size(), 0);
      ::usleep(unsigned(i % 7) * 10);
    }
  auto shared = device();
  int hits = 0, misses = 0;
  for (int i = 0; i < 3000; ++i) {
    nature->loadedCode.clear();
    auto prepared = shared->prepareModelFromCache(handles(), {}, {});
    ++(prepared.isOk() ? hits : misses);
    EXPECT_EQ(nature->loadedCode, prepared.isOk() ? nature->code : "");
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_GT(hits, 0);
  EXPECT_GT(misses, 0);
}

// E-044, E-049: whatever becomes of the constants, there are as many as the
// model-cache file says.
TEST_F(DeviceCacheTest, DamagedConstantsKeepTheirNumber) {
  std::vector<std::byte> genuine(size_t(::lseek(data.get(), 0, SEEK_END)));
  ASSERT_EQ(::pread(data.get(), genuine.data(), genuine.size(), 0),
            ssize_t(genuine.size()));
  auto shared = device();
  for (size_t i = 0; i < 400; ++i) {
    std::vector<std::byte> damaged = genuine;
    damaged[i * 7919 % damaged.size()] ^= std::byte(1 << i % 8);
    if (i % 4 == 1)
      damaged.resize(i * 104729 % genuine.size());
    if (i % 4 == 2)
      damaged.resize(genuine.size() + i);
    if (i % 4 == 3)
      damaged[genuine.size() - 1 - i % nature->constants.size()] ^=
          std::byte(0xFF);
    ASSERT_EQ(::ftruncate(data.get(), 0), 0);
    ASSERT_EQ(::pwrite(data.get(), damaged.data(), damaged.size(), 0),
              ssize_t(damaged.size()));
    nature->loadedConstants.clear();
    bool isLoaded = shared->prepareModelFromCache(handles(), {}, {}).isOk();
    EXPECT_EQ(nature->loadedConstants.size(),
              isLoaded ? nature->constants.size() : 0);
  }
  ASSERT_EQ(::ftruncate(data.get(), 0), 0);
  genuine.back() ^= std::byte(1);
  ASSERT_EQ(::pwrite(data.get(), genuine.data(), genuine.size(), 0),
            ssize_t(genuine.size()));
  EXPECT_EQ(load(), "hit: ");
}

// The identity of a library is that of its build.
TEST(BinaryIdentityTest, NamesBuilds) {
  std::string directory = std::string(NNHAL_TEST_INPUTS) + "/";
  auto fake = binaryIdentity(directory + "NNHalFakeCompiler.so");
  auto again = binaryIdentity(directory + "NNHalFakeCompiler.so");
  auto other = binaryIdentity(directory + "NNHalFakeCompilerMajor2.so");
  ASSERT_TRUE(fake.isOk() && again.isOk() && other.isOk());
  EXPECT_EQ(*fake, *again);
  EXPECT_NE(fake->substr(fake->find(':')), other->substr(other->find(':')));
  auto plugin = binaryIdentity(directory + "NNHalExampleDevice.so");
  ASSERT_TRUE(plugin.isOk());
  EXPECT_NE(plugin->find("libNNHalRuntime.so.0:"), std::string::npos)
      << *plugin;
}

TEST(BinaryIdentityTest, FindsTheFileOfAnAddress) {
  static const int ofThisProgram = 0;
  EXPECT_EQ(fileOfAddress(&ofThisProgram),
            std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_NE(fileOfAddress(reinterpret_cast<const void *>(&gnu_get_libc_version))
                .find("libc.so"),
            std::string::npos);
  EXPECT_EQ(fileOfAddress(nullptr), "");
}

TEST(BinaryIdentityTest, AnyFileIsAnswered) {
  EXPECT_EQ(binaryIdentity("/nonexistent").status().message(),
            "'/nonexistent' is not a readable library");
  EXPECT_FALSE(binaryIdentity("/etc/passwd").isOk());
  // Every byte of the headers damaged.
  std::vector<std::byte> bytes = readTestLibrary("NNHalFakeCompiler");
  UniqueFd file(::memfd_create("library", MFD_CLOEXEC));
  std::string path = fmt::format("/proc/self/fd/{}", file.get());
  int answers = 0;
  for (size_t i = 0; i < std::min<size_t>(bytes.size(), 2000); ++i) {
    std::vector<std::byte> damaged = bytes;
    damaged[i] ^= std::byte(0xFF);
    ASSERT_EQ(::pwrite(file.get(), damaged.data(), damaged.size(), 0),
              ssize_t(damaged.size()));
    answers += binaryIdentity(path).isOk();
  }
  EXPECT_GT(answers, 0);
}

} // namespace
