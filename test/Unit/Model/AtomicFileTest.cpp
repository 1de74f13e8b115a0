//===- AtomicFileTest.cpp - Files that appear at once ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Support/AtomicFile.h"
#include "nnhal/Runtime/Memory.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace nnhal::rt;

namespace {

class AtomicFileTest : public testing::Test {
protected:
  void SetUp() override {
    directory = testing::TempDir() + "nnhal-atomic-XXXXXX";
    ASSERT_NE(::mkdtemp(directory.data()), nullptr);
    path = directory + "/file";
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto &file : std::filesystem::directory_iterator(directory))
      list.push_back(file.path().filename());
    return list;
  }
  std::string content() const {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static Status write(const std::string &path, std::string_view text) {
    return writeFileAtomically(path, std::as_bytes(std::span(text)));
  }

  std::string directory;
  std::string path;
};

TEST_F(AtomicFileTest, ReplacesAndLeavesNothingElse) {
  for (std::string_view text : {"first", "", "second one"}) {
    ASSERT_EQ(write(path, text).message(), "");
    EXPECT_EQ(content(), text);
    EXPECT_EQ(names(), std::vector<std::string>{"file"});
  }
}

TEST_F(AtomicFileTest, ModeIsThatOfAnyNewFile) {
  mode_t before = ::umask(0027);
  EXPECT_EQ(write(path, "text").message(), "");
  ::umask(before);
  struct stat info = {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(AtomicFileTest, SaysWhyItCannotWrite) {
  EXPECT_EQ(write(directory + "/none/file", "text").message(),
            "cannot write '" + directory +
                "/none/file': No such file or directory");
  ASSERT_EQ(::mkdir(path.c_str(), 0700), 0);
  EXPECT_EQ(write(path, "text").message(),
            "cannot write '" + path + "': Is a directory");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(AtomicFileTest, WhatCannotBeWrittenShowsBefore) {
  auto textOf = [](const std::string &path) {
    return checkWritable(path).message();
  };
  EXPECT_EQ(textOf(path), "");
  EXPECT_EQ(textOf("/dev/stderr"), "");
  EXPECT_EQ(textOf("file-in-the-current-folder"), "");
  for (const std::string &wrong :
       {directory + "/none/file", directory, directory + "/none/",
        directory + "/" + std::string(300, 'n')})
    EXPECT_EQ(textOf(wrong), write(wrong, "text").message());
  EXPECT_TRUE(names().empty());
  ASSERT_TRUE(write(path, "text").isOk());
  EXPECT_EQ(textOf(path), "");
  EXPECT_EQ(textOf(path + "/file"),
            "cannot write '" + path + "/file': Not a directory");
  // Not even the superuser creates files there.
  EXPECT_NE(textOf("/proc/self/file"), "");
}

TEST_F(AtomicFileTest, AFolderIsWritableThatCanBeMade) {
  auto textOf = [](const std::string &path) {
    return checkWritableFolder(path).message();
  };
  for (const std::string &right :
       {directory, directory + "/", directory + "/none",
        directory + "/none/of//these/", std::string("none"), std::string("/")})
    EXPECT_EQ(textOf(right), right == "/" && ::geteuid() != 0
                                 ? "cannot write to the folder '/': "
                                   "Permission denied"
                                 : "");
  ASSERT_TRUE(write(path, "text").isOk());
  EXPECT_EQ(textOf(path + "/none/of/these"),
            "cannot write to the folder '" + path +
                "/none/of/these': Not a directory");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(AtomicFileTest, PipesAndDevicesStayWhatTheyAre) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  UniqueFd reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK));
  EXPECT_EQ(write(path, "text").message(), "");
  std::string text(8, ' ');
  ASSERT_EQ(::read(reader.get(), text.data(), text.size()), 4);
  EXPECT_EQ(text.substr(0, 4), "text");
  struct stat info = {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_TRUE(S_ISFIFO(info.st_mode));
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
  // This is a link to a file that is open, which /dev/stdout is, too.
  std::string open = "/proc/self/fd/" + std::to_string(reader.get());
  EXPECT_EQ(write(open, "more").message(), "");
  EXPECT_EQ(::read(reader.get(), text.data(), text.size()), 4);
}

/// Writes 1 MiB in a process that may write 4 KiB, with \p action for the
/// signal about that. Returns how the process ended.
int writeTooMuch(const std::string &path, void (*action)(int)) {
  pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, action);
    rlimit limit = {4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::vector<std::byte> bytes(1 << 20);
    Status status = writeFileAtomically(path, bytes);
    bool isExpected =
        status.message() == "cannot write '" + path + "': File too large";
    ::_exit(isExpected ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

TEST_F(AtomicFileTest, NothingIsLeftOfAFailure) {
  ASSERT_EQ(write(path, "before").message(), "");
  int status = writeTooMuch(path, SIG_IGN);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
  EXPECT_EQ(content(), "before");
}

// The signal ends the process in the middle of a write, as any other would.
TEST_F(AtomicFileTest, NothingIsLeftOfAKilledProcess) {
  UniqueFd nameless(::open(directory.c_str(), O_WRONLY | O_TMPFILE, 0600));
  if (!nameless.isValid())
    GTEST_SKIP() << "the file system has no files without names";
  int status = writeTooMuch(path, SIG_DFL);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ) << status;
  EXPECT_TRUE(names().empty());
}

} // namespace
