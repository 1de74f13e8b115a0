//===- nnhal-cache.cpp - Looks after a directory of compiled models -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Standard output carries results only, everything else goes to standard
// error. Exit status: 0 success, 1 the work failed, 2 wrong usage.
//
//===----------------------------------------------------------------------===//

#include "Entries.h"
#include "Options.h"
#include "Warm.h"

#include "Runtime/Support/Errors.h"
#include "Tools/Process/Process.h"
#include "nnhal/Runtime/Version.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <tuple>

using namespace nnhal;
using namespace nnhal::cachetool;
using rt::Status;
using tools::exitUsage;
using tools::fail;

/// Enough of a token to tell entries apart; the whole is the file name.
static std::string shortName(const Entry &entry) {
  return rt::cacheFileName(entry.token, rt::CacheFileKind::model, 0)
      .substr(0, 16);
}

static std::string describeAge(int64_t seconds) {
  if (seconds < 60)
    return fmt::format("{}s", seconds);
  if (seconds < 3600)
    return fmt::format("{}m", seconds / 60);
  if (seconds < 2 * 86400)
    return fmt::format("{}h", seconds / 3600);
  return fmt::format("{}d", seconds / 86400);
}

static std::string describeVerdict(const rt::CacheVerdict &verdict) {
  return fmt::format("{}: {}", toString(verdict.outcome), verdict.detail);
}

static std::string describeState(const Entry &entry) {
  switch (entry.state) {
  case State::whole:
    return "ok";
  case State::beingWritten:
    return "being written";
  case State::unreadable:
    return "unreadable: permission denied";
  case State::damaged:
    break;
  }
  return describeVerdict(entry.verdict);
}

/// Returns the list's description of an entry, of which it reads no more than
/// the headers.
static std::string describeHeaders(const std::string &directory,
                                   const Entry &entry) {
  if (entry.state != State::whole)
    return describeState(entry);
  rt::CacheVerdict verdict = checkOwner(directory, entry);
  if (verdict.isHit())
    return "headers and sizes ok, code and constants not checked";
  return describeVerdict(verdict);
}

static std::string describeKey(const rt::CacheEntryInfo &info) {
  if (!info.contentKey)
    return "-";
  std::string text;
  for (size_t i = 0; i < 8; ++i)
    text += fmt::format("{:02x}", (*info.contentKey)[i]);
  return text;
}

static std::string describeMaker(const rt::CacheEntryInfo &info) {
  if (info.identity.device.empty())
    return "-";
  return fmt::format("{}/{}", info.identity.device,
                     info.identity.deviceVersion);
}

/// A process that is at work has its files for seconds.
static bool isLeft(const Leftover &file) { return file.ageSeconds > 3600; }

static void noteLeftovers(const Directory &directory) {
  size_t count = 0;
  uint64_t bytes = 0;
  for (const Leftover &file : directory.leftovers)
    if (isLeft(file)) {
      ++count;
      bytes += file.bytes;
    }
  if (count > 0)
    fmt::print(stderr,
               "note: {} files of {} bytes are left of processes that "
               "died\n",
               count, bytes);
}

static Status list(const Options &options, int64_t now) {
  NNHAL_ASSIGN_OR_RETURN(Directory directory,
                         readDirectory(options.directory, now, Depth::header));
  uint64_t bytes = 0;
  for (const Entry &entry : directory.entries) {
    bytes += entry.bytes;
    fmt::print("{} {:>10} {:>10} {} {} {} {}\n", shortName(entry),
               entry.info.modelCacheSize, entry.info.dataCacheSize,
               describeMaker(entry.info), describeKey(entry.info),
               describeAge(entry.ageSeconds),
               describeHeaders(options.directory, entry));
  }
  fmt::print("{} entries, {} bytes\n", directory.entries.size(), bytes);
  rt::CacheVerdict trust = rt::checkCacheDirectory(options.directory);
  if (!trust.isHit())
    fmt::print(stderr, "note: nothing here is loaded: {}\n", trust.detail);
  noteLeftovers(directory);
  return Status::ok();
}

static Status verify(const Options &options, int64_t now) {
  NNHAL_ASSIGN_OR_RETURN(
      Directory directory,
      readDirectory(options.directory, now, Depth::everything));
  auto count = [&](State state) {
    return size_t(std::ranges::count(directory.entries, state, &Entry::state));
  };
  for (const Entry &entry : directory.entries)
    if (entry.state != State::whole)
      fmt::print("{} {}\n", shortName(entry), describeState(entry));
  size_t damaged = count(State::damaged);
  fmt::print("{} entries, {} damaged", directory.entries.size(), damaged);
  if (size_t written = count(State::beingWritten))
    fmt::print(", {} being written", written);
  if (size_t unreadable = count(State::unreadable))
    fmt::print(", {} unreadable", unreadable);
  fmt::print("\n");
  noteLeftovers(directory);
  if (damaged > 0)
    return rt::failure("{} of {} entries are damaged", damaged,
                       directory.entries.size());
  return Status::ok();
}

/// Returns the reason why \p entry goes, whatever the size of all; empty when
/// it stays.
static std::string reasonToRemove(const Options &options, const Entry &entry) {
  if (entry.state == State::beingWritten)
    return "";
  if (options.removeInvalid && entry.state == State::damaged)
    return describeState(entry);
  if (options.maxAgeSeconds && entry.ageSeconds > *options.maxAgeSeconds)
    return fmt::format("{} old", describeAge(entry.ageSeconds));
  return "";
}

static Status removeLeftovers(const Options &options,
                              const Directory &directory) {
  for (const Leftover &file : directory.leftovers) {
    if (!isLeft(file))
      continue;
    fmt::print("{} left behind {} ago\n", file.name,
               describeAge(file.ageSeconds));
    if (!options.isDryRun)
      NNHAL_RETURN_IF_ERROR(removeFile(options.directory, file.name));
  }
  return Status::ok();
}

static Status prune(const Options &options, int64_t now) {
  NNHAL_ASSIGN_OR_RETURN(
      Directory directory,
      readDirectory(options.directory, now,
                    options.removeInvalid ? Depth::everything : Depth::header));
  // The oldest first; of equal age by name.
  std::ranges::sort(directory.entries, [](const Entry &a, const Entry &b) {
    return std::tie(b.ageSeconds, a.token) < std::tie(a.ageSeconds, b.token);
  });
  uint64_t kept = 0;
  for (const Entry &entry : directory.entries)
    if (reasonToRemove(options, entry).empty())
      kept += entry.bytes;
  size_t removed = 0;
  uint64_t freed = 0;
  for (const Entry &entry : directory.entries) {
    std::string reason = reasonToRemove(options, entry);
    bool mayGo = entry.state != State::beingWritten;
    if (reason.empty() && mayGo && options.maxBytes &&
        kept > *options.maxBytes) {
      reason = fmt::format("{} bytes are kept, {} are allowed", kept,
                           *options.maxBytes);
      kept -= entry.bytes;
    }
    if (reason.empty())
      continue;
    fmt::print("{} {}\n", shortName(entry), reason);
    uint64_t bytes = entry.bytes;
    if (!options.isDryRun) {
      NNHAL_ASSIGN_OR_RETURN(bytes, removeEntry(options.directory, entry));
    }
    ++removed;
    freed += bytes;
  }
  NNHAL_RETURN_IF_ERROR(removeLeftovers(options, directory));
  fmt::print("{} of {} entries {}, {} bytes\n", removed,
             directory.entries.size(),
             options.isDryRun ? "would be removed" : "removed", freed);
  return Status::ok();
}

static Status run(const Options &options) {
  int64_t now = int64_t(std::time(nullptr));
  switch (options.command) {
  case Command::help:
    fmt::print("{}", helpText());
    return Status::ok();
  case Command::version:
    fmt::print("nnhal-cache {}\n", NNHAL_VERSION);
    return Status::ok();
  case Command::list:
    return list(options, now);
  case Command::verify:
    return verify(options, now);
  case Command::prune:
    return prune(options, now);
  case Command::warm:
    return warm(options);
  }
  return Status::ok();
}

static int runTool(std::span<const std::string_view> arguments) {
  auto options = parseOptions(arguments);
  if (!options.isOk())
    return fail(options.status(), exitUsage);
  return tools::finish(run(*options));
}

int main(int argc, char **argv) {
  return tools::runProcess(argc, argv, runTool);
}
