//===- ContentKeyStore.cpp - Content keys of unchanged files --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContentKeyStore.h"

#include "Database.h"

#include "Runtime/Artifact/Sha256.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <sys/stat.h>

using namespace nnhal::rt;
using namespace nnhal::rt::cache;

// The newest row of a file replaces its predecessors: one row per file and way
// to read it. Behind a key is the digest that checkOf() makes: a row of which a
// part is old, after a loss of power, is none.
static constexpr const char *schema =
    "CREATE TABLE IF NOT EXISTS files(device INTEGER NOT NULL, "
    "inode INTEGER NOT NULL, variant BLOB NOT NULL, size INTEGER NOT NULL, "
    "modified INTEGER NOT NULL, changed INTEGER NOT NULL, key BLOB NOT NULL, "
    "remembered INTEGER NOT NULL, PRIMARY KEY(device, inode, variant)) "
    "WITHOUT ROWID;";

static int64_t nanoseconds(const timespec &time) {
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::optional<FileStamp> nnhal::rt::stampOf(int fd) {
  struct stat info;
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
    return std::nullopt;
  return FileStamp{info.st_dev, info.st_ino, uint64_t(info.st_size),
                   nanoseconds(info.st_mtim), nanoseconds(info.st_ctim)};
}

ContentKeyStore::ContentKeyStore(Options options,
                                 std::unique_ptr<Database> database)
    : options(std::move(options)), database(std::move(database)) {}

ContentKeyStore::~ContentKeyStore() = default;

static Result<std::unique_ptr<Database>>
tryOpenDatabase(const ContentKeyStore::Options &options, bool &isDamaged) {
  Database::Options file;
  file.directory = options.directory;
  file.fileName = "content-keys";
  file.schema = schema;
  NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<Database> database,
                         Database::open(file));
  Status used = database->run("SELECT key FROM files LIMIT 1");
  isDamaged = database->isDamaged();
  NNHAL_RETURN_IF_ERROR(std::move(used));
  return database;
}

/// The database; a damaged one is replaced by a new one.
static Result<std::unique_ptr<Database>>
openDatabase(const ContentKeyStore::Options &options) {
  bool isDamaged = false;
  auto database = tryOpenDatabase(options, isDamaged);
  return isDamaged ? tryOpenDatabase(options, isDamaged) : std::move(database);
}

Result<std::unique_ptr<ContentKeyStore>>
ContentKeyStore::open(Options options) {
  NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<Database> database,
                         openDatabase(options));
  return std::unique_ptr<ContentKeyStore>(
      new ContentKeyStore(std::move(options), std::move(database)));
}

void ContentKeyStore::repair() {
  if (!database->isDamaged())
    return;
  auto opened = openDatabase(options);
  if (opened.isOk())
    database = *std::move(opened);
}

Sha256Digest ContentKeyStore::rowOf(const Sha256Digest &variant) const {
  Sha256Digest both[] = {options.identity, variant};
  return sha256(std::as_bytes(std::span(both)));
}

Sha256Digest ContentKeyStore::checkOf(const FileStamp &stamp,
                                      const Sha256Digest &variant,
                                      const ContentKey &key) const {
  Sha256 hash;
  for (uint64_t number : {stamp.device, stamp.inode, stamp.size,
                          uint64_t(stamp.modified), uint64_t(stamp.changed)})
    hash.number(number);
  Sha256Digest row = rowOf(variant);
  hash.update(std::as_bytes(std::span(row)));
  hash.update(std::as_bytes(std::span(key)));
  return hash.finish();
}

std::optional<ContentKey> ContentKeyStore::find(const FileStamp &stamp,
                                                const Sha256Digest &variant) {
  std::lock_guard lock(mutex);
  std::optional<ContentKey> key;
  Status found = database->run(
      "SELECT key FROM files WHERE device = ? AND inode = ? AND variant = ? "
      "AND size = ? AND modified = ? AND changed = ?",
      {int64_t(stamp.device), int64_t(stamp.inode), rowOf(variant),
       int64_t(stamp.size), stamp.modified, stamp.changed},
      [&](std::span<const Database::Value> row) {
        const auto *bytes = std::get_if<std::span<const uint8_t>>(&row[0]);
        constexpr size_t keySize = std::tuple_size_v<ContentKey>;
        if (!bytes || bytes->size() < keySize)
          return;
        ContentKey found;
        std::ranges::copy(bytes->first(keySize), found.begin());
        if (std::ranges::equal(bytes->subspan(keySize),
                               checkOf(stamp, variant, found)))
          key = found;
      });
  if (found.isOk())
    return key;
  repair();
  return std::nullopt;
}

Status ContentKeyStore::remember(const FileStamp &stamp,
                                 const Sha256Digest &variant,
                                 const ContentKey &key) {
  using namespace std::chrono;
  int64_t now = options.clock ? options.clock()
                              : duration_cast<std::chrono::nanoseconds>(
                                    system_clock::now().time_since_epoch())
                                    .count();
  if (now - std::max(stamp.modified, stamp.changed) < options.settleTime)
    return Status::ok();
  std::lock_guard lock(mutex);
  Status status = write(stamp, variant, key, now);
  if (status.isOk() || !database->isDamaged())
    return status;
  repair();
  return write(stamp, variant, key, now);
}

Status ContentKeyStore::write(const FileStamp &stamp,
                              const Sha256Digest &variant,
                              const ContentKey &key, int64_t now) {
  std::vector<uint8_t> checked(key.begin(), key.end());
  std::ranges::copy(checkOf(stamp, variant, key), std::back_inserter(checked));
  return database->transact([&]() -> Status {
    NNHAL_RETURN_IF_ERROR(database->run(
        "INSERT OR REPLACE INTO files VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
        {int64_t(stamp.device), int64_t(stamp.inode), rowOf(variant),
         int64_t(stamp.size), stamp.modified, stamp.changed, checked, now}));
    return database->run(
        "DELETE FROM files WHERE (device, inode, variant) IN (SELECT device, "
        "inode, variant FROM files ORDER BY remembered DESC LIMIT -1 OFFSET ?)",
        {options.maxFiles});
  });
}
