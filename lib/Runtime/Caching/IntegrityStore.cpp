//===- IntegrityStore.cpp - The entries that a device has written ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegrityStore.h"

#include <cstdlib>
#include <ctime>

using namespace nnhal::rt;
using namespace nnhal::rt::cache;

// "token" is the digest of a token and of who records it: programs with other
// builds of the driver share the file. "hash" is the digest of that and of the
// hash of an entry, so that no part of another row passes for it. "sequence"
// orders uses within a second.
static constexpr const char *schema =
    "CREATE TABLE IF NOT EXISTS entries(token BLOB NOT NULL, "
    "hash BLOB NOT NULL, used INTEGER NOT NULL, sequence INTEGER NOT NULL, "
    "PRIMARY KEY(token, hash)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS byUse ON entries(used, sequence);";

/// A use within this many seconds of the last one is not written down: a warm
/// start should not write.
static constexpr int64_t useGranularity = 3600;

int64_t IntegrityStore::now() const {
  return options.clock ? options.clock() : int64_t(std::time(nullptr));
}

Result<std::unique_ptr<IntegrityStore>> IntegrityStore::open(Options options) {
  Database::Options file;
  file.directory = options.directory;
  file.fileName = options.name + ".integrity";
  file.schema = schema;
  file.busyMilliseconds = options.busyMilliseconds;
  Status used;
  for (bool isSecond : {false, true}) {
    NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<Database> database,
                           Database::open(file));
    used = database->run("SELECT hash FROM entries LIMIT 1");
    if (used.isOk())
      return std::unique_ptr<IntegrityStore>(
          new IntegrityStore(std::move(options), std::move(database)));
    // A damaged file has lost its name: the second one is new.
    if (!database->isDamaged() || isSecond)
      break;
  }
  return used;
}

Sha256Digest IntegrityStore::rowOf(const CacheToken &token) const {
  Sha256Digest both[] = {options.identity, token};
  return sha256(std::as_bytes(std::span(both)));
}

/// Returns the hash that is stored in the row of \p row for \p hash.
static Sha256Digest boundHash(const Sha256Digest &row,
                              const Sha256Digest &hash) {
  Sha256Digest both[] = {row, hash};
  return sha256(std::as_bytes(std::span(both)));
}

Result<int64_t> IntegrityStore::countLocked() {
  int64_t count = 0;
  NNHAL_RETURN_IF_ERROR(database->run("SELECT count(*) FROM entries", {},
                                      [&](std::span<const Database::Value> r) {
                                        count = std::get<int64_t>(r[0]);
                                      }));
  return count;
}

Result<int64_t> IntegrityStore::count() {
  std::lock_guard lock(mutex);
  return countLocked();
}

Status IntegrityStore::evict(const Sha256Digest &row) {
  NNHAL_RETURN_IF_ERROR(database->run(
      "DELETE FROM entries WHERE token = ?1 AND hash NOT IN (SELECT hash FROM "
      "entries WHERE token = ?1 ORDER BY used DESC, sequence DESC LIMIT ?2)",
      {row, options.maxHashesPerToken}));
  NNHAL_ASSIGN_OR_RETURN(int64_t count, countLocked());
  if (count <= options.maxEntries)
    return Status::ok();
  // Some more than necessary, so that not every save has to search.
  int64_t surplus = count - options.maxEntries + options.maxEntries / 8;
  return database->run(
      "DELETE FROM entries WHERE (token, hash) IN (SELECT token, hash FROM "
      "entries ORDER BY used, sequence LIMIT ?)",
      {surplus});
}

Status IntegrityStore::record(const CacheToken &token,
                              const Sha256Digest &hash) {
  Sha256Digest row = rowOf(token);
  std::lock_guard lock(mutex);
  return database->transact([&]() -> Status {
    NNHAL_RETURN_IF_ERROR(
        database->run("INSERT OR REPLACE INTO entries VALUES(?, ?, ?, "
                      "(SELECT ifnull(max(sequence), 0) + 1 FROM entries))",
                      {row, boundHash(row, hash), now()}));
    return evict(row);
  });
}

Result<bool> IntegrityStore::isRecorded(const CacheToken &token,
                                        const Sha256Digest &hash) {
  Sha256Digest row = rowOf(token), bound = boundHash(row, hash);
  std::lock_guard lock(mutex);
  bool isKnown = false;
  int64_t used = 0;
  NNHAL_RETURN_IF_ERROR(database->run(
      "SELECT used FROM entries WHERE token = ? AND hash = ?", {row, bound},
      [&](std::span<const Database::Value> columns) {
        isKnown = true;
        // Anything may stand in a damaged file.
        if (const auto *time = std::get_if<int64_t>(&columns[0]))
          used = *time;
      }));
  // A use that cannot be written down is a use all the same.
  if (isKnown && std::abs(now() - used) >= useGranularity)
    (void)database
        ->run("UPDATE entries SET used = ?, sequence = (SELECT max(sequence) + "
              "1 FROM entries) WHERE token = ? AND hash = ?",
              {now(), row, bound})
        .isOk();
  return isKnown;
}
