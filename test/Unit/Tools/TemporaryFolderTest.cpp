//===- TemporaryFolderTest.cpp - Folders that do not last -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Check/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

using namespace nnhal;
using tools::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

class TemporaryFolderTest : public testing::Test {
protected:
  void SetUp() override {
    base = testing::TempDir() + "nnhal-folders-XXXXXX";
    ASSERT_NE(::mkdtemp(base.data()), nullptr);
  }
  void TearDown() override { fs::remove_all(base); }

  /// Runs \p work in a process whose temporary files are in the base folder,
  /// and returns how it ended.
  int endOf(const std::function<void()> &work) const {
    pid_t child = ::fork();
    if (child == 0) {
      ::setenv("TMPDIR", base.c_str(), 1);
      work();
      ::_exit(0);
    }
    int state = 0;
    EXPECT_EQ(::waitpid(child, &state, 0), child);
    return state;
  }

  /// Makes folders in one another, and in each of them many files.
  static void fill(const std::string &folder) {
    std::string inner = folder;
    for (int depth = 0; depth < 3; ++depth) {
      inner += "/inner";
      fs::create_directory(inner);
      for (int i = 0; i < 40; ++i)
        std::ofstream(inner + "/a-file-with-a-long-name-" + std::to_string(i))
            << i;
    }
    fs::create_symlink("/", folder + "/link");
  }

  /// Whether something stays: what a signal has ended is cleared a moment
  /// later.
  bool isLeft() const {
    for (int i = 0; i < 1000 && !fs::is_empty(base); ++i)
      ::usleep(10'000);
    return !fs::is_empty(base);
  }

  std::string base;
};

TEST_F(TemporaryFolderTest, SignalsThatEndTheProcessRemoveFolders) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    int state = endOf([&] {
      auto one = TemporaryFolder::create();
      auto two = TemporaryFolder::create();
      fill(one->path());
      fill(two->path());
      (void)::raise(signal);
    });
    EXPECT_TRUE(WIFSIGNALED(state) && WTERMSIG(state) == signal) << state;
    EXPECT_FALSE(isLeft()) << signal;
  }
}

TEST_F(TemporaryFolderTest, IgnoredSignalsStayIgnored) {
  int state = endOf([&] {
    (void)::signal(SIGHUP, SIG_IGN);
    auto folder = TemporaryFolder::create();
    (void)::raise(SIGHUP);
    if (!fs::exists(folder->path()))
      ::_exit(1);
  });
  EXPECT_EQ(state, 0);
}

TEST_F(TemporaryFolderTest, ForkedProcessesLeaveFoldersAlone) {
  int state = endOf([&] {
    auto folder = TemporaryFolder::create();
    pid_t child = ::fork();
    if (child == 0)
      (void)::raise(SIGTERM);
    int ended = 0;
    (void)::waitpid(child, &ended, 0);
    bool isThere = fs::exists(folder->path());
    folder = TemporaryFolder();
    ::_exit(isThere && WIFSIGNALED(ended) ? 0 : 1);
  });
  EXPECT_EQ(state, 0);
  EXPECT_FALSE(isLeft());
}

TEST_F(TemporaryFolderTest, FoldersThatAreGoneAreForgotten) {
  int state = endOf([&] {
    std::string path;
    for (int i = 0; i < 20; ++i) {
      auto folder = TemporaryFolder::create();
      TemporaryFolder moved = *std::move(folder);
      path = moved.path();
    }
    // Somebody else has taken the name since.
    fs::create_directory(path);
    auto last = TemporaryFolder::create();
    fs::create_symlink(last->path(), base + "/last");
    (void)::raise(SIGTERM);
  });
  EXPECT_TRUE(WIFSIGNALED(state)) << state;
  for (int i = 0; i < 1000 && fs::exists(base + "/last"); ++i)
    ::usleep(10'000);
  EXPECT_FALSE(fs::exists(base + "/last"));
  EXPECT_EQ(std::distance(fs::directory_iterator(base), {}), 2);
}

} // namespace
