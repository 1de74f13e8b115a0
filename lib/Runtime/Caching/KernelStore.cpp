//===- KernelStore.cpp - Machine code of kernels by content ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelStore.h"

#include "Database.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>

using namespace nnhal::rt;
using namespace nnhal::rt::cache;

static constexpr const char *schema =
    "CREATE TABLE IF NOT EXISTS kernels(key BLOB NOT NULL PRIMARY KEY, "
    "used INTEGER NOT NULL, hash BLOB NOT NULL, object BLOB NOT NULL);"
    "CREATE INDEX IF NOT EXISTS byUse ON kernels(used);";

/// A use within this many seconds of the last one is not written down.
static constexpr int64_t useGranularity = 3600;

KernelStore::KernelStore(Options options, std::unique_ptr<Database> database)
    : options(std::move(options)), database(std::move(database)) {}

KernelStore::~KernelStore() = default;

int64_t KernelStore::now() const {
  return options.clock ? options.clock() : int64_t(std::time(nullptr));
}

Result<std::unique_ptr<KernelStore>> KernelStore::open(Options options) {
  Database::Options file;
  file.directory = options.directory;
  file.fileName = "kernels";
  file.schema = schema;
  // A kernel is compiled sooner than another process is waited for.
  file.busyMilliseconds = 200;
  NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<Database> database,
                         Database::open(file));
  return std::unique_ptr<KernelStore>(
      new KernelStore(std::move(options), std::move(database)));
}

Sha256Digest KernelStore::rowOf(std::string_view key) const {
  std::string_view texts[] = {"kernel", options.compiler, key};
  return sha256OfTexts(texts);
}

/// The object in \p row, hash and object, if it is the one that was kept.
static std::optional<std::vector<std::byte>>
checkedObject(std::span<const Database::Value> row) {
  const auto *hash = std::get_if<std::span<const uint8_t>>(&row[0]);
  const auto *object = std::get_if<std::span<const uint8_t>>(&row[1]);
  if (!hash || !object)
    return std::nullopt;
  std::span<const std::byte> bytes = std::as_bytes(*object);
  if (!std::ranges::equal(*hash, sha256(bytes)))
    return std::nullopt;
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

std::optional<std::vector<std::byte>> KernelStore::find(std::string_view key) {
  Sha256Digest row = rowOf(key);
  std::lock_guard lock(mutex);
  std::optional<std::vector<std::byte>> object;
  bool isThere = false;
  int64_t used = 0;
  Status found =
      database->run("SELECT hash, object, used FROM kernels WHERE key = ?",
                    {row}, [&](std::span<const Database::Value> columns) {
                      isThere = true;
                      object = checkedObject(columns);
                      if (const auto *time = std::get_if<int64_t>(&columns[2]))
                        used = *time;
                    });
  if (!found.isOk() || !isThere)
    return std::nullopt;
  // The object is good, or gone, even where the file cannot be written.
  if (!object)
    (void)database->run("DELETE FROM kernels WHERE key = ?", {row}).isOk();
  else if (std::abs(now() - used) >= useGranularity)
    (void)database
        ->run("UPDATE kernels SET used = ? WHERE key = ?", {now(), row})
        .isOk();
  return object;
}

Status KernelStore::prune() {
  int64_t bytes = 0;
  auto readBytes = [&](std::span<const Database::Value> row) {
    if (const auto *sum = std::get_if<int64_t>(&row[0]))
      bytes = *sum;
  };
  // Pages that are free are used again before the file grows.
  NNHAL_RETURN_IF_ERROR(database->run(
      "SELECT (page_count - freelist_count) * page_size FROM "
      "pragma_page_count, pragma_freelist_count, pragma_page_size",
      {}, readBytes));
  if (bytes <= options.maxBytes)
    return Status::ok();
  // Some more than necessary, so that not every object has others searched.
  return database->run(
      "DELETE FROM kernels WHERE rowid IN (SELECT rowid FROM kernels ORDER BY "
      "used, rowid LIMIT (SELECT count(*) / 8 + 1 FROM kernels))");
}

Status KernelStore::keep(std::span<const Entry> entries) {
  std::lock_guard lock(mutex);
  return database->transact([&]() -> Status {
    for (const auto &[key, object] : entries) {
      Sha256Digest row = rowOf(key);
      Sha256Digest hash = sha256(object);
      std::span<const uint8_t> bytes(
          reinterpret_cast<const uint8_t *>(object.data()), object.size());
      NNHAL_RETURN_IF_ERROR(database->run(
          "INSERT OR REPLACE INTO kernels(key, used, hash, object) "
          "VALUES(?, ?, ?, ?)",
          {row, now(), hash, bytes}));
    }
    return prune();
  });
}

Result<int64_t> KernelStore::count() {
  std::lock_guard lock(mutex);
  int64_t count = 0;
  NNHAL_RETURN_IF_ERROR(database->run("SELECT count(*) FROM kernels", {},
                                      [&](std::span<const Database::Value> r) {
                                        count = std::get<int64_t>(r[0]);
                                      }));
  return count;
}
