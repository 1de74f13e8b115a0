//===- CacheFlowTest.cpp - What devices are asked, and with which files ---===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFlow.h"

#include "nnhal/Runtime/ReferenceDevice.h"

#include <fstream>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;
namespace fs = std::filesystem;

namespace {

using CacheFlowTest = CacheFlow;

// E-003, E-032: no token, no caching, and a token of zeros for the device.
TEST_F(CacheFlowTest, WithoutATokenNothingIsCached) {
  application.reset();
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(calls(), "prepare 0+0 ");
  EXPECT_EQ(device.prepared[0].token, CacheToken());
  EXPECT_EQ(report.outcome, CacheOutcome::off);
  EXPECT_EQ(report.detail, "there is no token");
  EXPECT_TRUE(fs::is_empty(directory));
}

// E-028, E-032, L-042: no files.
TEST_F(CacheFlowTest, CompilesWhatIsNotThere) {
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(calls(), "prepare 2+1 ");
  EXPECT_EQ(report.outcome, CacheOutcome::missAbsent);
  EXPECT_EQ(sources, 1);
}

// E-032, E-057, L-042: files that the device takes; nobody looks at the model.
TEST_F(CacheFlowTest, LoadsWhatIsThere) {
  EXPECT_EQ(prepare().message(), "");
  CacheToken token = device.prepared[0].token;
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(calls(), "from-cache 2+1 ");
  EXPECT_EQ(device.loaded[0].token, token);
  EXPECT_EQ(report.outcome, CacheOutcome::hit);
  EXPECT_EQ(sources, 1);
}

// E-031, E-032: files that the device refuses, or answers with nothing.
TEST_F(CacheFlowTest, CompilesWhatTheDeviceRefuses) {
  EXPECT_EQ(prepare().message(), "");
  device.loadStatus = badData("not mine");
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(calls(), "from-cache 2+1 prepare 2+1 ");
  EXPECT_TRUE(isMiss(report.outcome));
  EXPECT_EQ(report.detail, "not mine");
  device.loadStatus = Status::ok();
  device.givesNull = true;
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(calls(), "from-cache 2+1 prepare 2+1 ");
  EXPECT_TRUE(isMiss(report.outcome));
  EXPECT_EQ(report.detail, "the device gave no model");
}

// E-028: with a file missing the device is not even asked.
TEST_F(CacheFlowTest, LoadsOnlyWholeEntries) {
  EXPECT_EQ(prepare().message(), "");
  std::set<std::string> whole = files();
  ASSERT_EQ(whole.size(), 3u);
  for (const std::string &name : whole) {
    fs::remove(fs::path(directory) / name);
    EXPECT_EQ(prepare().message(), "");
    EXPECT_EQ(calls(), "prepare 2+1 ") << name;
    EXPECT_EQ(files(), whole);
  }
}

// E-004: a slash is appended where there is none.
TEST_F(CacheFlowTest, PutsFilesIntoTheDirectory) {
  EXPECT_EQ(prepare().message(), "");
  std::set<std::string> names = files();
  EXPECT_EQ(names.size(), 3u);
  EXPECT_EQ(std::distance(fs::directory_iterator(root), {}), 1);
  directory += '/';
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(report.outcome, CacheOutcome::hit);
  EXPECT_EQ(files(), names);
  EXPECT_EQ(CompilationCache(cache).directory(), directory);
}

// E-023 to E-025: as many files as the device says, under the token's names.
TEST_F(CacheFlowTest, NamesFilesAfterTheToken) {
  for (CacheFiles count : {CacheFiles{1, 1}, CacheFiles{0, 1}, CacheFiles{1, 0},
                           CacheFiles{32, 32}}) {
    fs::remove_all(directory);
    fs::create_directory(directory);
    device.files = count;
    EXPECT_EQ(prepare().message(), "");
    auto token = CompilationCache::tokenFor(device, application, {}, options);
    ASSERT_TRUE(token);
    std::set<std::string> expected;
    for (uint32_t i = 0; i < count.modelCache; ++i)
      expected.insert(cacheFileName(*token, CacheFileKind::model, i));
    for (uint32_t i = 0; i < count.dataCache; ++i)
      expected.insert(cacheFileName(*token, CacheFileKind::data, i));
    EXPECT_EQ(files(), expected);
    EXPECT_EQ(device.prepared[0].token, *token);
    EXPECT_EQ(prepare().message(), "");
    EXPECT_EQ(report.outcome, CacheOutcome::hit);
  }
}

// E-009, E-010, E-026, E-027: for the user alone, in both directions, one
// descriptor each.
TEST_F(CacheFlowTest, OpensFilesForTheUserAlone) {
  mode_t before = umask(0);
  EXPECT_EQ(prepare().message(), "");
  Call saved = device.prepared.at(0);
  EXPECT_EQ(prepare().message(), "");
  umask(before);
  for (const Call &call : {saved, device.loaded.at(0)}) {
    EXPECT_EQ(call.flags, std::vector<int>(3, O_RDWR));
    EXPECT_EQ(call.modes, std::vector<unsigned>(3, 0600));
    for (const auto *list : {&call.handles.modelCache, &call.handles.dataCache})
      for (const std::vector<int> &handle : *list)
        EXPECT_EQ(handle.size(), 1u);
  }
}

// E-030: whoever wants descriptors later has to duplicate them.
TEST_F(CacheFlowTest, ClosesFilesAfterTheCall) {
  auto expectClosed = [](const Call &call) {
    for (const std::vector<int> &handle : call.handles.modelCache)
      EXPECT_EQ(fcntl(handle.at(0), F_GETFD), -1);
  };
  EXPECT_EQ(prepare().message(), "");
  expectClosed(device.prepared.at(0));
  EXPECT_EQ(prepare().message(), "");
  expectClosed(device.loaded.at(0));
}

// E-007, E-029, E-033: a directory that cannot be used; the device still hears
// the token.
TEST_F(CacheFlowTest, CompilesWithoutADirectory) {
  std::ofstream(root / "file") << "no directory";
  for (std::string bad :
       {std::string("/nonexistent"), std::string(root / "file")}) {
    directory = bad;
    EXPECT_EQ(prepare().message(), "");
    EXPECT_EQ(calls(), "prepare 0+0 ");
    auto token = CompilationCache::tokenFor(device, application, {}, options);
    EXPECT_EQ(device.prepared[0].token, *token);
    EXPECT_EQ(report.saveProblem, CacheOutcome::missUnreadable);
    EXPECT_EQ(report.saveDetail, "cannot write to '" + bad + "/'");
  }
}

// E-029: nothing of an entry is left when one of its files is in the way.
TEST_F(CacheFlowTest, CompilesWhereAFileIsInTheWay) {
  fs::create_directory(
      fs::path(directory) /
      (cacheFileName(token(), CacheFileKind::data, 0) + ".new"));
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(calls(), "prepare 0+0 ");
  EXPECT_EQ(device.prepared[0].token, token());
  EXPECT_EQ(report.saveDetail, "cannot create files in '" + directory + "/'");
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(CacheFlowTest, CompilesWhereAFolderHasTheNameOfAFile) { // E-029
  std::string name = cacheFileName(token(), CacheFileKind::data, 0);
  fs::create_directory(fs::path(directory) / name);
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(report.saveDetail, "cannot rename a file to '" + directory + "/" +
                                   name + "': Is a directory");
  EXPECT_NE(lines.find("; not saved, "), lines.npos) << lines;
  EXPECT_EQ(files(), std::set<std::string>{name});
}

// What a directory holds is believed, and vouched for, only where nobody else
// can put files into it or replace those of this user.
TEST_F(CacheFlowTest, VouchesForPrivateDirectories) {
  EXPECT_EQ(prepare().message(), "");
  for (int mode : {0700, 0755, 01777, 01775}) {
    ASSERT_EQ(::chmod(directory.c_str(), mode_t(mode)), 0);
    EXPECT_EQ(prepare().message(), "");
    ASSERT_EQ(calls(), "from-cache 2+1 ") << mode;
    EXPECT_TRUE(device.loaded[0].handles.arePrivate) << mode;
  }
}

TEST_F(CacheFlowTest, DistrustsDirectoriesOfOthers) {
  EXPECT_EQ(prepare().message(), "");
  std::set<std::string> names = files();
  for (int mode : {0777, 0775, 0703, 0720}) {
    ASSERT_EQ(::chmod(directory.c_str(), mode_t(mode)), 0);
    EXPECT_EQ(prepare().message(), "");
    EXPECT_EQ(calls(), "prepare 0+0 ");
    EXPECT_EQ(report.outcome, CacheOutcome::missWritableByOthers);
    EXPECT_EQ(report.detail,
              fmt::format("the directory '{}/' can be written to by other "
                          "users (mode {:04o})",
                          directory, mode));
    EXPECT_EQ(report.saveProblem, CacheOutcome::missWritableByOthers);
    EXPECT_EQ(report.saveDetail, "what is saved there would not be believed");
    EXPECT_EQ(files(), names);
  }
  // Another user than root.
  ASSERT_EQ(::chmod(directory.c_str(), 0700), 0);
  if (::geteuid() != 0 || ::chown(directory.c_str(), 12345, -1) != 0)
    GTEST_SKIP() << "only root can give a directory away";
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(calls(), "prepare 0+0 ");
  EXPECT_EQ(report.detail, fmt::format("the directory '{}/' belongs to user "
                                       "12345, not to 0",
                                       directory));
}

// A file that others could have written to is replaced by one that they cannot
// write to.
TEST_F(CacheFlowTest, DistrustsFilesOfOthers) {
  EXPECT_EQ(prepare().message(), "");
  std::set<std::string> names = files();
  for (const std::string &name : names) {
    if (!name.ends_with("0") && !name.ends_with("1"))
      continue;
    bool isModel = name[64] == '1';
    for (int mode : {0666, 0664, 0606}) {
      fs::path path = fs::path(directory) / name;
      ASSERT_EQ(::chmod(path.c_str(), mode_t(mode)), 0);
      EXPECT_EQ(prepare().message(), "");
      EXPECT_EQ(calls(), "prepare 2+1 ");
      EXPECT_EQ(report.outcome, CacheOutcome::missWritableByOthers);
      EXPECT_EQ(report.detail,
                fmt::format("the {}-cache file can be written to by other "
                            "users (mode {:04o})",
                            isModel ? "model" : "data", mode));
      EXPECT_EQ(report.saveProblem, CacheOutcome::off);
      EXPECT_EQ(prepare().message(), "");
      EXPECT_EQ(calls(), "from-cache 2+1 ");
    }
  }
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give a file away";
  fs::path path = fs::path(directory) / *names.begin();
  ASSERT_EQ(::chown(path.c_str(), 12345, -1), 0);
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(report.outcome, CacheOutcome::missWritableByOthers);
  EXPECT_TRUE(report.detail.ends_with("belongs to user 12345, not to 0"));
}

// E-008: the application empties the directory, or writes what it likes.
TEST_F(CacheFlowTest, RecoversFromAnything) {
  EXPECT_EQ(prepare().message(), "");
  std::set<std::string> names = files();
  fs::remove_all(directory);
  fs::create_directory(directory);
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(calls(), "prepare 2+1 ");
  for (const std::string &name : names)
    std::ofstream(fs::path(directory) / name) << std::string(100000, 'x');
  device.loadStatus = failure("damaged");
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(calls(), "from-cache 2+1 prepare 2+1 ");
  for (const std::string &name : names)
    EXPECT_EQ(fs::file_size(fs::path(directory) / name), 4u);
  device.loadStatus = Status::ok();
  // A pipe that nobody writes to must not hold anybody up.
  fs::path first = fs::path(directory) / *names.begin();
  fs::remove(first);
  ASSERT_EQ(::mkfifo(first.c_str(), 0600), 0);
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(report.outcome, CacheOutcome::hit);
  // Symbolic links lead elsewhere.
  fs::remove(first);
  fs::create_symlink("/etc/hostname", first);
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(report.outcome, CacheOutcome::missAbsent);
  // Something that cannot be a file.
  fs::remove(first);
  fs::create_directory(first);
  EXPECT_EQ(prepare().message(), "");
}

// E-033: what goes wrong while saving is reported, leaves no entry and fails
// nothing.
TEST_F(CacheFlowTest, KeepsNothingThatWasNotSaved) {
  device.saveProblem = CacheOutcome::missNoState;
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(report.saveProblem, CacheOutcome::missNoState);
  EXPECT_EQ(report.saveDetail, "no room on the device");
  EXPECT_TRUE(files().empty());
}

// A preparation that fails leaves no entry either.
TEST_F(CacheFlowTest, KeepsNothingOfAFailure) {
  device.prepareStatus = badData("no such operation");
  EXPECT_EQ(prepare().message(), "no such operation");
  EXPECT_TRUE(files().empty());
}

// E-005, E-011, E-018, E-019: whatever changes makes another entry, and the old
// one stays.
TEST_F(CacheFlowTest, KeepsAnEntryForEachWay) {
  EXPECT_EQ(prepare().message(), "");
  size_t expected = 3;
  auto expectNewEntry = [&](const char *what) {
    EXPECT_EQ(prepare().message(), "");
    EXPECT_EQ(report.outcome, CacheOutcome::missAbsent) << what;
    EXPECT_EQ(files().size(), expected += 3) << what;
    EXPECT_EQ(prepare().message(), "");
    EXPECT_EQ(report.outcome, CacheOutcome::hit) << what;
  };
  application = CacheToken{8};
  expectNewEntry("application's token");
  options.preference = ExecutionPreference::lowPower;
  expectNewEntry("preference");
  options.priority = Priority::high;
  expectNewEntry("priority");
  partition = {{0, 0}};
  expectNewEntry("partition");
  partition = {{0, 1}};
  expectNewEntry("operation");
  partition = {{1, 1}};
  expectNewEntry("referenced model");
  device.deviceVersion = "2";
  expectNewEntry("version");
  device.deviceName = "test-other";
  expectNewEntry("device");
}

// E-021, E-036: both calls hear the deadline, and the entry is the same.
TEST_F(CacheFlowTest, PassesTheDeadline) {
  options.deadline = steadyNow() + 60'000'000'000;
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(device.prepared.at(0).deadline, options.deadline);
  options.deadline += 1'000'000'000;
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(report.outcome, CacheOutcome::hit);
  EXPECT_EQ(device.loaded.at(0).deadline, options.deadline);
}

// E-018, E-034: devices that keep nothing, or are too old to.
TEST_F(CacheFlowTest, AsksNoDeviceThatKeepsNothing) {
  device.files = {0, 0};
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(calls(), "prepare 0+0 ");
  EXPECT_EQ(report.outcome, CacheOutcome::off);
  EXPECT_EQ(report.detail, "the device keeps no compiled models");
  EXPECT_EQ(CompilationCache::tokenFor(*createReferenceDevice(), application,
                                       {}, options),
            std::nullopt);
  device.files = {1, 1};
  device.version_ = HalVersion::V1_1;
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(calls(), "prepare 0+0 ");
  EXPECT_TRUE(fs::is_empty(directory));
  device.version_ = HalVersion::V1_2;
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(calls(), "prepare 1+1 ");
}

// E-037: hits and misses are seen in the log and in the trace.
TEST_F(CacheFlowTest, SaysHowItWent) {
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(lines, "compilation: cache: miss, absent (there is no entry)\n");
  EXPECT_EQ(prepare().message(), "");
  EXPECT_NE(lines.find("compilation: cache: hit\n"), lines.npos);
  std::multiset<std::string> texts;
  for (const TraceEvent &event : tracer->events())
    texts.insert(event.text());
  EXPECT_EQ(texts.count("[NN_LR_PP]cache: miss, absent (there is no entry)"),
            1u);
  EXPECT_EQ(texts.count("[NN_LR_PP]cache: hit"), 1u);
}

// What processes that died have left is removed, and does not cost the lock of
// who removes it: the entry's own, and another's. What is still being written
// stays.
TEST_F(CacheFlowTest, RemovesLeftovers) {
  for (const CacheToken &of : {token(), CacheToken{16}, CacheToken{9}})
    std::ofstream(fs::path(directory) /
                  (cacheFileName(of, CacheFileKind::model, 0) + ".new"))
        << "half";
  std::ofstream(fs::path(directory) / "readme.new") << "somebody else's";
  auto writing = EntryLock::open(directory + '/');
  ASSERT_TRUE(writing && writing->tryLock({16}));
  bool isFree = true;
  device.whilePreparing = [&] {
    auto other = EntryLock::open(directory + '/');
    isFree = !other || other->tryLock(token());
  };
  EXPECT_EQ(prepare().message(), "");
  EXPECT_FALSE(isFree);
  std::set<std::string> names = files();
  EXPECT_EQ(names.erase("readme.new"), 1u);
  EXPECT_EQ(names.erase(cacheFileName({16}, CacheFileKind::model, 0) + ".new"),
            1u);
  EXPECT_EQ(names.size(), 3u);
  for (const std::string &name : names)
    EXPECT_FALSE(name.ends_with(".new")) << name;
}

} // namespace
