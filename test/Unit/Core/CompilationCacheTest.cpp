//===- CompilationCacheTest.cpp - The client's side of caching ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/CompilationCache.h"
#include "nnhal/Runtime/CacheToken.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Memory.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include "Runtime/Caching/CacheDirectory.h"
#include "Runtime/Support/Errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nnhal::rt;

namespace {

class NoModel final : public PreparedModel {
public:
  const Interface &interface() const override { return face; }
  Status execute(const Request &, ExecutionResult &) const override {
    return Status::ok();
  }
  Status executeAsync(Request, ExecutionCallback) const override {
    return Status::ok();
  }
  Result<std::shared_ptr<FencedExecution>>
  executeFenced(Request, std::vector<FenceRef>,
                std::optional<uint64_t>) const override {
    return failure("not fenced");
  }

private:
  Interface face;
};

/// A device that counts how it is asked, and writes "entry" into its files.
class CountingDevice final : public Device {
public:
  std::string_view name() const override { return deviceName; }
  std::string_view version() const override { return "1"; }
  DeviceType type() const override { return DeviceType::other; }
  HalVersion halVersion() const override { return hal; }
  const std::vector<Extension> &extensions() const override { return none; }
  CacheFiles cacheFiles() const override { return files; }
  DeviceTraits traits() const override { return {}; }
  const Capabilities &capabilities() const override { return figures; }
  DeviceStatus status() const override { return DeviceStatus::available; }
  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &) const override {
    return std::vector<Status>();
  }
  Result<PreparedModelRef>
  prepareModel(const AnnotatedModel &, const PrepareOptions &options,
               const PrepareObserver &observer) const override {
    ++prepared;
    last = options;
    for (const auto *list :
         {&options.cache.modelCache, &options.cache.dataCache})
      for (const std::vector<int> &handle : *list) {
        EXPECT_EQ(handle.size(), 1u);                               // E-027
        EXPECT_EQ(::fcntl(handle[0], F_GETFL) & O_ACCMODE, O_RDWR); // E-010
        struct stat info = {};
        EXPECT_EQ(::fstat(handle[0], &info), 0);
        EXPECT_EQ(info.st_mode & 0777, 0600u); // E-009, E-026
        EXPECT_EQ(info.st_size, 0);
        EXPECT_EQ(::write(handle[0], "entry", 5), 5);
      }
    if (pause.count() > 0)
      std::this_thread::sleep_for(pause);
    if (cannotSave)
      observer.cacheObserver(CacheOutcome::missNoState, "no state");
    if (!works)
      return failure("does not compile");
    return PreparedModelRef(std::make_shared<NoModel>());
  }
  Status prepareModelAsync(std::shared_ptr<const AnnotatedModel>,
                           const PrepareOptions &, PrepareCallback,
                           const PrepareObserver &) const override {
    return failure("not asynchronous");
  }
  Result<PreparedModelRef>
  prepareModelFromCache(const CacheHandles &handles, const CacheToken &,
                        const PrepareOptions &options,
                        const PrepareObserver &) const override {
    ++loaded;
    last = options;
    EXPECT_EQ(handles.modelCache.size(), files.modelCache); // E-025
    EXPECT_EQ(handles.dataCache.size(), files.dataCache);
    char text[6] = {};
    for (const std::vector<int> &handle : handles.modelCache) {
      EXPECT_EQ(::fcntl(handle[0], F_GETFL) & O_ACCMODE, O_RDWR); // E-010
      (void)!::pread(handle[0], text, 5, 0);
    }
    if (givesNull)
      return PreparedModelRef();
    if (!accepts || std::string_view(text) != "entry")
      return failure("not accepted");
    return PreparedModelRef(std::make_shared<NoModel>());
  }
  Result<PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte>, const Memory &,
                           const PrepareOptions &) const override {
    return failure("no artifacts");
  }
  Result<std::shared_ptr<Buffer>>
  allocate(const BufferDesc &, std::span<const PreparedModelRef>,
           std::span<const BufferRole>,
           std::span<const BufferRole>) const override {
    return failure("no buffers");
  }

  std::string deviceName = "test-counting";
  HalVersion hal = HalVersion::V1_3;
  CacheFiles files = {1, 2};
  bool accepts = true, givesNull = false, works = true, cannotSave = false;
  std::chrono::milliseconds pause{0};
  mutable std::atomic<int> prepared = 0, loaded = 0;
  mutable PrepareOptions last;

private:
  std::vector<Extension> none;
  Capabilities figures;
};

class CompilationCacheTest : public testing::Test {
protected:
  void SetUp() override {
    directory = testing::TempDir() + "nnhal-directory-XXXXXX";
    ASSERT_NE(::mkdtemp(directory.data()), nullptr);
    options.directory = directory;
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  CacheReport prepare(bool succeeds = true) {
    CacheReport report;
    AnnotatedModel model;
    auto prepared = CompilationCache(options).prepare(
        device, application, partition,
        [&]() -> Result<const AnnotatedModel *> {
          ++sources;
          return &model;
        },
        preparing, report);
    EXPECT_EQ(prepared.isOk(), succeeds);
    return report;
  }
  /// How often the device was asked for a load and for a compilation since the
  /// last call.
  void expectAsked(int loads, int preparations) {
    EXPECT_EQ(device.loaded.exchange(0), loads);
    EXPECT_EQ(device.prepared.exchange(0), preparations);
  }
  /// The files, without the lock.
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto &file : std::filesystem::directory_iterator(directory))
      if (file.path().filename() != "nnhal.lock")
        list.push_back(file.path().filename());
    std::ranges::sort(list);
    return list;
  }
  CacheToken token() const {
    return *CompilationCache::tokenFor(device, application, partition,
                                       preparing);
  }

  std::string directory;
  CompilationCache::Options options;
  CountingDevice device;
  std::optional<CacheToken> application = CacheToken{1};
  std::vector<SourceOperation> partition;
  PrepareOptions preparing;
  int sources = 0;
};

// E-028, E-031, E-032: absent; there and accepted; there and not.
TEST_F(CompilationCacheTest, E032_Matrix) {
  EXPECT_EQ(prepare().outcome, CacheOutcome::missAbsent);
  expectAsked(0, 1);
  EXPECT_EQ(prepare().outcome, CacheOutcome::hit);
  expectAsked(1, 0);
  EXPECT_EQ(sources, 1); // A hit needs no model.
  device.accepts = false;
  CacheReport report = prepare();
  EXPECT_EQ(report.outcome, CacheOutcome::missUnreadable);
  EXPECT_EQ(report.detail, "not accepted");
  expectAsked(1, 1);
  device.givesNull = true;
  EXPECT_EQ(prepare().detail, "the device gave no model");
  expectAsked(1, 1);
}

// E-003, E-018, E-032: no token.
TEST_F(CompilationCacheTest, E032_WithoutToken) {
  application.reset();
  CacheReport report = prepare();
  EXPECT_EQ(report.outcome, CacheOutcome::off);
  EXPECT_EQ(report.detail, "there is no token");
  expectAsked(0, 1);
  EXPECT_TRUE(device.last.cache.isEmpty());
  EXPECT_EQ(device.last.token, CacheToken());
  EXPECT_TRUE(names().empty());
}

// E-018, E-034: devices that keep nothing, and those of before HAL 1.2.
TEST_F(CompilationCacheTest, E034_DevicesWithoutCache) {
  device.files = {0, 0};
  EXPECT_EQ(prepare().detail, "the device keeps no compiled models");
  device.files = {1, 1};
  device.hal = HalVersion::V1_1;
  EXPECT_EQ(prepare().outcome, CacheOutcome::off);
  expectAsked(0, 2);
  EXPECT_TRUE(device.last.cache.isEmpty());
  auto reference = createReferenceDevice();
  EXPECT_EQ(
      CompilationCache::tokenFor(*reference, CacheToken{1}, {}, preparing),
      std::nullopt);
}

// E-004, E-023 to E-025: inside the directory, with or without a slash.
TEST_F(CompilationCacheTest, E004_FilesAreInside) {
  prepare();
  std::vector<std::string> expected = {
      cacheFileName(token(), CacheFileKind::model, 0),
      cacheFileName(token(), CacheFileKind::data, 0),
      cacheFileName(token(), CacheFileKind::data, 1)};
  EXPECT_EQ(names(), expected);
  options.directory += '/';
  EXPECT_EQ(prepare().outcome, CacheOutcome::hit);
  EXPECT_EQ(CompilationCache(options).directory(), options.directory);
}

// E-005, E-011, E-035: what differs has other files.
TEST_F(CompilationCacheTest, E011_NothingIsShared) {
  prepare();
  preparing.preference = ExecutionPreference::lowPower;
  EXPECT_EQ(prepare().outcome, CacheOutcome::missAbsent);
  preparing.priority = Priority::high;
  EXPECT_EQ(prepare().outcome, CacheOutcome::missAbsent);
  application = CacheToken{2};
  EXPECT_EQ(prepare().outcome, CacheOutcome::missAbsent);
  partition = {{0, 1}};
  EXPECT_EQ(prepare().outcome, CacheOutcome::missAbsent);
  partition = {{0, 2}};
  EXPECT_EQ(prepare().outcome, CacheOutcome::missAbsent);
  device.deviceName = "test-another";
  EXPECT_EQ(prepare().outcome, CacheOutcome::missAbsent);
  EXPECT_EQ(names().size(), 7u * 3u);
}

// E-021, E-036: a deadline goes to both calls and not into the token.
TEST_F(CompilationCacheTest, E021_Deadlines) {
  prepare();
  preparing.deadline = noDeadline - 5;
  EXPECT_EQ(prepare().outcome, CacheOutcome::hit);
  EXPECT_EQ(device.last.deadline, noDeadline - 5);
  device.accepts = false;
  prepare();
  EXPECT_EQ(device.last.deadline, noDeadline - 5);
}

// E-007, E-029: no directory, no files, but a token.
TEST_F(CompilationCacheTest, E007_UnusableDirectories) {
  options.directory = "/nonexistent";
  CacheReport report = prepare();
  EXPECT_EQ(report.outcome, CacheOutcome::missAbsent);
  EXPECT_EQ(report.saveDetail, "cannot write to '/nonexistent/'");
  expectAsked(0, 1);
  EXPECT_TRUE(device.last.cache.isEmpty());
  EXPECT_EQ(device.last.token, token());
}

// E-029: a file that is in the way.
TEST_F(CompilationCacheTest, E029_FilesThatCannotBeCreated) {
  std::string name =
      directory + "/" + cacheFileName(token(), CacheFileKind::data, 1);
  std::filesystem::create_directory(name + ".new");
  EXPECT_EQ(prepare().saveDetail,
            "cannot create files in '" + directory + "/'");
  EXPECT_TRUE(device.last.cache.isEmpty());
  EXPECT_EQ(device.last.token, token());
  EXPECT_EQ(names().size(), 1u);
}

// E-008: any file may be gone, or be anything.
TEST_F(CompilationCacheTest, E008_LostAndForeignFiles) {
  prepare();
  for (const std::string &name : names()) {
    std::filesystem::remove(directory + "/" + name);
    expectAsked(0, 1);
    EXPECT_EQ(prepare().outcome, CacheOutcome::missAbsent);
    expectAsked(0, 1);
    EXPECT_EQ(prepare().outcome, CacheOutcome::hit);
    device.loaded = 0, device.prepared = 1;
  }
  std::string model =
      directory + "/" + cacheFileName(token(), CacheFileKind::model, 0);
  std::ofstream(model) << "junk";
  EXPECT_EQ(prepare().outcome, CacheOutcome::missUnreadable);
  EXPECT_EQ(prepare().outcome, CacheOutcome::hit);
  // A pipe that nobody writes to must not hold anybody up.
  std::filesystem::remove(model);
  ASSERT_EQ(::mkfifo(model.c_str(), 0600), 0);
  prepare();
  EXPECT_EQ(prepare().outcome, CacheOutcome::hit);
  // Symbolic links lead elsewhere.
  std::filesystem::remove(model);
  ASSERT_EQ(::symlink("/etc/hostname", model.c_str()), 0);
  EXPECT_EQ(prepare().outcome, CacheOutcome::missAbsent);
}

// E-033: what cannot be saved, and what does not compile, leaves nothing.
TEST_F(CompilationCacheTest, E033_NothingIsLeftOfFailures) {
  device.cannotSave = true;
  CacheReport report = prepare();
  EXPECT_EQ(report.saveProblem, CacheOutcome::missNoState);
  EXPECT_EQ(report.saveDetail, "no state");
  EXPECT_TRUE(names().empty());
  device.cannotSave = false;
  device.works = false;
  prepare(/*succeeds=*/false);
  EXPECT_TRUE(names().empty());
}

// Files of a process that died while it wrote.
TEST_F(CompilationCacheTest, LeftoversAreRemoved) {
  CacheToken other = {7};
  std::string left = cacheFileName(other, CacheFileKind::model, 0) + ".new";
  std::string alive = cacheFileName({8}, CacheFileKind::model, 0) + ".new";
  std::ofstream(directory + "/" + left) << "half";
  std::ofstream(directory + "/" + alive) << "half";
  std::ofstream(directory + "/notes.new") << "the user's";
  auto lock = EntryLock::open(directory + "/");
  ASSERT_TRUE(lock && lock->tryLock({8}));
  prepare();
  std::vector<std::string> list = names();
  EXPECT_EQ(std::ranges::count(list, left), 0);
  EXPECT_EQ(std::ranges::count(list, alive), 1);
  EXPECT_EQ(std::ranges::count(list, "notes.new"), 1);
}

// Who comes second waits, and loads.
TEST_F(CompilationCacheTest, ThreadsCompileOnce) {
  device.pause = std::chrono::milliseconds(100);
  std::vector<std::thread> threads;
  std::atomic<int> hits = 0, waits = 0;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      CacheReport report;
      AnnotatedModel model;
      auto prepared = CompilationCache(options).prepare(
          device, application, {},
          [&]() -> Result<const AnnotatedModel *> { return &model; }, {},
          report);
      hits += prepared.isOk() && report.outcome == CacheOutcome::hit;
      waits += report.hasWaited;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(device.prepared, 1);
  EXPECT_EQ(hits, 7);
  EXPECT_GT(waits, 0);
}

TEST_F(CompilationCacheTest, WaitsAreBounded) {
  auto lock = EntryLock::open(directory + "/");
  ASSERT_TRUE(lock && lock->tryLock(token()));
  options.lockTimeout = 20'000'000;
  CacheReport report = prepare();
  EXPECT_EQ(report.outcome, CacheOutcome::missLocked);
  EXPECT_EQ(report.saveDetail,
            "somebody else is compiling the same for too long");
  EXPECT_TRUE(report.hasWaited);
  EXPECT_TRUE(device.last.cache.isEmpty());
  expectAsked(0, 1);
  options.lockTimeout = 3'600'000'000'000;
  preparing.deadline = steadyNow() + 20'000'000;
  EXPECT_EQ(prepare().outcome, CacheOutcome::missLocked);
}

// Another user who can open the lock file may hold it for no reason.
TEST_F(CompilationCacheTest, LocksThatOthersCanHoldAreNotWaitedForLong) {
  auto lock = EntryLock::open(directory + "/");
  ASSERT_TRUE(lock && lock->tryLock(token()));
  EXPECT_TRUE(lock->isPrivate());
  std::string lines;
  options.log = std::make_shared<Log>(
      parseLogMask("compilation", [](std::string_view) {}),
      [&](std::string_view line) { lines += std::string(line) + '\n'; });
  options.foreignLockTimeout = 20'000'000;
  std::string path = directory + "/" + cacheLockName;
  auto expectShortWait = [&] {
    lines.clear();
    auto begin = std::chrono::steady_clock::now();
    CacheReport report = prepare();
    EXPECT_LT(std::chrono::steady_clock::now() - begin,
              std::chrono::seconds(10));
    EXPECT_EQ(report.outcome, CacheOutcome::missLocked);
    EXPECT_EQ(report.saveDetail, "the lock of '" + directory +
                                     "/' is held, which other users can open: "
                                     "nobody waits for it for long");
    EXPECT_NE(lines.find("cache: somebody else holds the lock of '" +
                         directory +
                         "/', which other users can open: waiting 20 ms at "
                         "most"),
              std::string::npos)
        << lines;
  };
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  expectShortWait();
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  if (::chown(path.c_str(), 12345, 12345) == 0)
    expectShortWait();
}

TEST_F(CompilationCacheTest, LocksAreRegularFiles) {
  ASSERT_EQ(::mkfifo((directory + "/" + cacheLockName).c_str(), 0600), 0);
  EXPECT_FALSE(EntryLock::open(directory + "/"));
}

// A process that dies gives its lock up.
TEST_F(CompilationCacheTest, LocksOfTheDeadAreFree) {
  CacheToken own = token();
  pid_t child = ::fork();
  if (child == 0) {
    auto lock = EntryLock::open(directory + "/");
    _exit(lock && lock->tryLock(own) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  CacheReport report = prepare();
  EXPECT_FALSE(report.hasWaited);
  EXPECT_EQ(report.saveProblem, CacheOutcome::off);
}

} // namespace
