//===- TemporaryFolder.cpp - A folder that does not last ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TemporaryFolder.h"

#include "Runtime/Support/Errors.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <random>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::tools;

//===----------------------------------------------------------------------===//
// The end of the process by a signal
//===----------------------------------------------------------------------===//

// A handler of signals calls no function that allocates or locks: what follows
// are system calls, and folders are listed without <dirent.h>'s functions.

/// Folders nest no deeper in what the programs make.
static constexpr int maxDepth = 16;

static void sleepForMilliseconds(long count) {
  timespec time = {0, count * 1'000'000};
  (void)::nanosleep(&time, nullptr);
}

static bool isItselfOrParent(const char *name) {
  return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

/// Removes the folder \p name of \p parent with what is in it, once. False when
/// it is still there.
static bool removeFolder(int parent, const char *name, int depth) {
  int folder =
      ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0 || depth > maxDepth)
    return errno == ENOENT;
  alignas(dirent64) char buffer[2048];
  long count = 0;
  while ((count = ::syscall(SYS_getdents64, folder, buffer, sizeof(buffer))) >
         0)
    for (long at = 0; at < count;) {
      const auto *entry = reinterpret_cast<const dirent64 *>(buffer + at);
      at += entry->d_reclen;
      if (!isItselfOrParent(entry->d_name) &&
          ::unlinkat(folder, entry->d_name, 0) != 0)
        (void)removeFolder(folder, entry->d_name, depth + 1);
    }
  ::close(folder);
  return ::unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

/// The folders that go with the process; null for a place that is free. A
/// program has one or two.
static std::atomic<const char *> kept[8];
/// The process that made them: one that it has forked leaves them alone.
static std::atomic<pid_t> owner = 0;

/// Removes the folders once their owner has ended, whose threads would go on to
/// write there.
[[noreturn]] static void removeAfterwards() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    (void)::signal(signal, SIG_IGN);
  while (::getppid() == owner)
    sleepForMilliseconds(1);
  // Processes that the owner has started take a moment to end, too.
  constexpr int attempts = 300;
  for (std::atomic<const char *> &path : kept)
    if (const char *name = path)
      for (int i = 0; i < attempts && !removeFolder(AT_FDCWD, name, 0); ++i)
        sleepForMilliseconds(10);
  ::_exit(0);
}

/// Lets \p signal, whose handling is the usual one by now, end the process, and
/// a process that outlives it remove the folders.
static void endBySignal(int signal) {
  bool hasFolders = false;
  for (const std::atomic<const char *> &path : kept)
    hasFolders |= path != nullptr;
  if (hasFolders && ::getpid() == owner && ::_Fork() == 0)
    removeAfterwards();
  (void)::raise(signal);
}

/// Handles the signals that people and supervisors end programs with, unless
/// they are ignored or somebody else handles them.
static void handleSignals() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction found = {};
    if (::sigaction(signal, nullptr, &found) != 0 ||
        found.sa_handler != SIG_DFL)
      continue;
    struct sigaction mine = {};
    mine.sa_handler = endBySignal;
    mine.sa_flags = SA_RESETHAND;
    (void)::sigaction(signal, &mine, nullptr);
  }
}

/// Lets \p path, which stays where it is, go with the process.
static void keep(const char *path) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (owner != ::getpid()) {
    // The folders of a process that has forked this one are none of its own.
    for (std::atomic<const char *> &place : kept)
      place = nullptr;
    owner = ::getpid();
    handleSignals();
  }
  for (std::atomic<const char *> &place : kept) {
    const char *expected = nullptr;
    if (place.compare_exchange_strong(expected, path))
      return;
  }
}

static void forget(const char *path) {
  for (std::atomic<const char *> &place : kept) {
    const char *expected = path;
    if (place.compare_exchange_strong(expected, nullptr))
      return;
  }
}

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

/// A name that nobody guesses.
static std::string freshName(const std::filesystem::path &parent) {
  std::random_device random;
  uint64_t number = uint64_t(random()) << 32 | random();
  return (parent / fmt::format("nnhal-check-{:016x}", number)).string();
}

rt::Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code error;
  std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error)
    return rt::failure("cannot find a folder for temporary files: {}",
                       error.message());
  TemporaryFolder made;
  made.folder = std::make_unique<const std::string>(freshName(parent));
  // Before the folder is there, since a signal may come right after.
  keep(made.folder->c_str());
  if (::mkdir(made.folder->c_str(), S_IRWXU) == 0)
    return made;
  int reason = errno;
  forget(made.folder->c_str());
  std::unique_ptr<const std::string> path = std::move(made.folder);
  return rt::failure("cannot create '{}': {}", *path,
                     std::generic_category().message(reason));
}

const std::string &TemporaryFolder::path() const {
  static const std::string none;
  return folder ? *folder : none;
}

TemporaryFolder::~TemporaryFolder() {
  if (!folder)
    return;
  std::error_code ignored;
  std::filesystem::remove_all(*folder, ignored);
  forget(folder->c_str());
}
