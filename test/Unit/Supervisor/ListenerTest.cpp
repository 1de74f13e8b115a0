//===- ListenerTest.cpp - The socket of the service -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "../Faults/RefusedCall.h"

#include <sys/socket.h>
#include <sys/stat.h>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;

namespace {

std::string errorOf(const std::string &path) {
  auto listener = Listener::create(path, 0600);
  return listener.status().message();
}

TEST(ListenerTest, TheSocketHasItsModeAndGoesWithItsOwner) {
  Folder folder;
  std::string path = folder / "socket";
  {
    auto listener = Listener::create(path, 0640);
    ASSERT_TRUE(listener.isOk()) << listener.status().message();
    EXPECT_EQ(listener->path(), path);
    struct stat info;
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0640u);
    EXPECT_TRUE(connectTo(path).isOk());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ListenerTest, AnotherSocketOfTheNameStays) {
  Folder folder;
  std::string path = folder / "socket";
  {
    auto first = Listener::create(path, 0600);
    ASSERT_TRUE(first.isOk());
    std::filesystem::remove(path);
    std::ofstream(path) << "another";
  }
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(ListenerTest, ASocketOfTheDeadIsReplaced) {
  Folder folder;
  std::string path = folder / "socket";
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(Listener::create(path, 0600).isOk() ? (::kill(::getpid(), SIGKILL))
                                                : 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(std::filesystem::exists(path));
  auto listener = Listener::create(path, 0600);
  EXPECT_TRUE(listener.isOk()) << listener.status().message();
  EXPECT_TRUE(connectTo(path).isOk());
}

TEST(ListenerTest, WhatIsThereIsNamed) {
  Folder folder;
  std::string path = folder / "socket";
  auto listener = Listener::create(path, 0600);
  EXPECT_EQ(errorOf(path), "a service listens at '" + path + "' already");
  std::string file = folder / "file";
  std::ofstream(file) << "x";
  EXPECT_EQ(errorOf(file), "'" + file + "' is there and is not a socket");
  EXPECT_EQ(errorOf(""), "the path of a socket has 1 to 107 bytes, '' has 0");
  std::string longPath(108, 'x');
  EXPECT_EQ(errorOf(longPath), "the path of a socket has 1 to 107 bytes, '" +
                                   longPath + "' has 108");
  EXPECT_EQ(errorOf("/nonexistent/socket"),
            "cannot open the folder '/nonexistent': No such file or directory");
  EXPECT_EQ(connectTo(folder / "nothing").status().message(),
            "cannot connect to the service at '" + (folder / "nothing") +
                "': No such file or directory");
}

TEST(ListenerTest, CallsThatFailAreNamed) {
  Folder folder;
  std::string path = folder / "socket";
  auto errorWithout = [&](long call, int error) {
    return rt::test::textWithout({call, error}, [&] { return errorOf(path); });
  };
  EXPECT_EQ(errorWithout(SYS_socket, EMFILE),
            "cannot make a socket: Too many open files");
  EXPECT_EQ(errorWithout(SYS_bind, EROFS),
            "cannot make the socket '" + path + "': Read-only file system");
  EXPECT_EQ(errorWithout(SYS_listen, ENOBUFS),
            "cannot listen at '" + path + "': No buffer space available");
}

/// The message of inherit() in a process with \p variables and \p descriptor 3.
std::string inherit(const char *count, int descriptor) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  int written = ::fcntl(ends[1], F_DUPFD, 10);
  pid_t child = ::fork();
  if (child == 0) {
    ::dup2(descriptor, 3);
    ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    ::setenv("LISTEN_FDS", count, 1);
    auto listener = Listener::inherit();
    std::string text = !listener.isOk()      ? listener.status().message()
                       : listener->isThere() ? "at " + listener->path()
                                             : "nothing";
    if (std::getenv("LISTEN_FDS") || std::getenv("LISTEN_PID"))
      text += ", and tells its children";
    (void)!::write(written, text.data(), text.size());
    ::_exit(0);
  }
  ::close(written);
  ::close(ends[1]);
  char text[256];
  ssize_t size = ::read(ends[0], text, sizeof(text));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return {text, size_t(std::max<ssize_t>(size, 0))};
}

TEST(ListenerTest, SystemdGivesOneSocket) {
  Folder folder;
  std::string path = folder / "socket";
  auto listener = Listener::create(path, 0600);
  ASSERT_TRUE(listener.isOk());
  EXPECT_EQ(inherit("1", listener->fd()), "at " + path);
  EXPECT_EQ(inherit("0", listener->fd()), "nothing");
  EXPECT_EQ(inherit("x", listener->fd()), "nothing");
  EXPECT_EQ(inherit("2", listener->fd()),
            "the service was given 2 sockets, it takes 1");
  EXPECT_EQ(inherit("1", STDERR_FILENO),
            "descriptor 3 that the service was given is not a listening socket "
            "of the Unix domain");
  // Not for this process.
  ::setenv("LISTEN_PID", "1", 1);
  ::setenv("LISTEN_FDS", "1", 1);
  auto none = Listener::inherit();
  ASSERT_TRUE(none.isOk());
  EXPECT_FALSE(none->isThere());
}

} // namespace
