//===- Database.cpp - A private SQLite file -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Database.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Memory.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::cache;

static std::string errorText(int error) {
  return std::generic_category().message(error);
}

/// Creates \p directory, and those above it, for this user.
static Status createDirectory(const std::string &directory) {
  std::filesystem::path path;
  for (const std::filesystem::path &part : std::filesystem::path(directory)) {
    path /= part;
    // Above the last one there may be folders that cannot be written to.
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST &&
        ::access(path.c_str(), F_OK) != 0)
      return failure("cannot create the state directory '{}': {}", directory,
                     errorText(errno));
  }
  return Status::ok();
}

/// The contents of the directory decide what is executed, so nobody else may
/// write to it.
static Status checkDirectory(const std::string &directory) {
  struct stat info;
  if (::stat(directory.c_str(), &info) != 0)
    return failure("cannot inspect the state directory '{}': {}", directory,
                   errorText(errno));
  if (!S_ISDIR(info.st_mode))
    return failure("the state directory '{}' is not a directory", directory);
  if (info.st_uid != ::geteuid())
    return failure("the state directory '{}' belongs to user {}, not to {}",
                   directory, info.st_uid, ::geteuid());
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return failure("the state directory '{}' can be written to by other users",
                   directory);
  if (::access(directory.c_str(), W_OK | X_OK) != 0)
    return failure("cannot write to the state directory '{}': {}", directory,
                   errorText(errno));
  return Status::ok();
}

/// Removes the file together with its journal, of whichever kind, which would
/// otherwise be applied to the next file.
static void remove(const std::string &path) {
  for (const char *suffix : {"", "-journal", "-wal", "-shm"})
    ::unlink((path + suffix).c_str());
}

/// Whether \p path exists and is this user's alone. Inspected by name: closing
/// a descriptor of it would drop the locks of another connection.
static bool isPrivateFile(const std::string &path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         info.st_uid == ::geteuid() && (info.st_mode & 0077) == 0;
}

/// Creates an empty file \p path that is private from its first moment: SQLite
/// itself would ask the umask.
static Status createFile(const std::string &path) {
  std::string temporary = fmt::format("{}.{}", path, ::getpid());
  ::unlink(temporary.c_str());
  UniqueFd fd(::open(temporary.c_str(),
                     O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.isValid())
    return failure("cannot create '{}': {}", path, errorText(errno));
  // Somebody else may have been faster, which is as good.
  bool isThere =
      ::link(temporary.c_str(), path.c_str()) == 0 || errno == EEXIST;
  int error = errno;
  ::unlink(temporary.c_str());
  if (!isThere)
    return failure("cannot create '{}': {}", path, errorText(error));
  return Status::ok();
}

/// Whether \p code means that the file is not what it was when it was written.
/// All statements are constant and right for the tables: an error in one, and a
/// violated constraint, come from a damaged schema. A file that cannot be
/// written has a damaged header, or another file has taken its name.
static bool isDamage(int code) {
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB ||
         code == SQLITE_ERROR || code == SQLITE_CONSTRAINT ||
         code == SQLITE_MISMATCH || code == SQLITE_READONLY;
}

Database::FileName Database::fileAt(const std::string &path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0)
    return {};
  return {info.st_dev, info.st_ino};
}

Status Database::lastError() {
  Status status = failure("'{}': {}", path, sqlite3_errmsg(handle));
  if (isDamage(sqlite3_errcode(handle)) && !wasDamaged) {
    wasDamaged = true;
    // The path may already name another file, with which another process has
    // replaced this one: that one stays.
    if (fileAt(path) == file)
      remove(path);
  }
  return status;
}

/// The time to wait for a lock that another user can hold.
static constexpr int foreignLockMilliseconds = 100;

/// Holds the directory while a file is made or replaced: of programs that start
/// together one does it. Waits for at most \p milliseconds; who gets no lock
/// goes on without.
static UniqueFd lockDirectory(const std::string &directory, int milliseconds) {
  UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Every user who may open the directory can hold its lock for as long as they
  // like.
  struct stat info;
  if (fd.isValid() && ::fstat(fd.get(), &info) == 0 &&
      (info.st_mode & (S_IRGRP | S_IROTH)))
    milliseconds = std::min(milliseconds, foreignLockMilliseconds);
  for (int waited = 0; fd.isValid() && waited < milliseconds; ++waited) {
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
      break;
    ::usleep(1000);
  }
  return fd;
}

/// The connection at its settings. SQLite's own rollback journal stays: it is
/// not there while nobody writes, where a write-ahead log makes the first
/// reader of each process recover it and write its index anew.
static void configure(sqlite3 *handle, int busyMilliseconds) {
  sqlite3_busy_timeout(handle, busyMilliseconds);
  // The default would be 120 KB of small blocks for each connection, to answer
  // a handful of queries.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_LOOKASIDE, nullptr, 0, 0);
  // A transaction would wait for the disk four times, and the file that it
  // makes for it once more: as long as it takes to compile a small model. A
  // failure is met again by the statements after this one.
  sqlite3_exec(handle, "PRAGMA synchronous = OFF", nullptr, nullptr, nullptr);
}

Result<std::unique_ptr<Database>> Database::openFile(const std::string &path,
                                                     const Options &options,
                                                     bool mayCreate,
                                                     Condition &condition) {
  condition = Condition::unusable;
  sqlite3 *handle = nullptr;
  FileName file = fileAt(path);
  int code =
      sqlite3_open_v2(path.c_str(), &handle,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                          SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOFOLLOW,
                      nullptr);
  if (!handle)
    return outOfResources("no memory to open '{}'", path);
  std::unique_ptr<Database> database(new Database(handle, path, file));
  bool isReady = false;
  if (code == SQLITE_OK) {
    configure(handle, options.busyMilliseconds);
    Status counted = database->run("SELECT count(*) FROM sqlite_schema", {},
                                   [&](std::span<const Value> row) {
                                     isReady = std::get<int64_t>(row[0]) > 0;
                                   });
    code = counted.isOk() ? SQLITE_OK : sqlite3_errcode(handle);
  }
  if (code == SQLITE_OK && !isReady && mayCreate) {
    // All at once: others take a file with any table for ready.
    std::string schema =
        fmt::format("BEGIN IMMEDIATE;{}COMMIT", options.schema);
    code = sqlite3_exec(handle, schema.c_str(), nullptr, nullptr, nullptr);
    isReady = code == SQLITE_OK;
  }
  if (code == SQLITE_OK && isReady) {
    condition = Condition::ready;
    return database;
  }
  if (code == SQLITE_OK)
    condition = Condition::isNew;
  if (isDamage(code))
    condition = Condition::damaged;
  return database->lastError();
}

Result<std::unique_ptr<Database>> Database::open(const Options &options) {
  NNHAL_RETURN_IF_ERROR(createDirectory(options.directory));
  NNHAL_RETURN_IF_ERROR(checkDirectory(options.directory));
  std::string path = options.directory + "/" + options.fileName;
  Condition condition = Condition::isNew;
  if (isPrivateFile(path)) {
    auto database = openFile(path, options, /*mayCreate=*/false, condition);
    if (condition == Condition::ready || condition == Condition::unusable)
      return database;
  }
  UniqueFd lock = lockDirectory(options.directory, options.busyMilliseconds);
  auto openOrCreate = [&]() -> Result<std::unique_ptr<Database>> {
    if (!isPrivateFile(path)) {
      remove(path);
      NNHAL_RETURN_IF_ERROR(createFile(path));
    }
    return openFile(path, options, /*mayCreate=*/true, condition);
  };
  // Somebody else may have repaired it before the lock was given.
  auto database = openOrCreate();
  if (condition != Condition::damaged)
    return database;
  remove(path);
  return openOrCreate();
}

Database::~Database() {
  // SQLite does not close a database that has statements.
  statements.clear();
  sqlite3_close(handle);
}

static int bind(sqlite3_stmt *statement, int index,
                const Database::Value &value) {
  if (const auto *number = std::get_if<int64_t>(&value))
    return sqlite3_bind_int64(statement, index, *number);
  auto bytes = std::get<std::span<const uint8_t>>(value);
  return sqlite3_bind_blob64(statement, index, bytes.data(), bytes.size(),
                             SQLITE_STATIC);
}

static Database::Value column(sqlite3_stmt *statement, int index) {
  if (sqlite3_column_type(statement, index) == SQLITE_INTEGER)
    return int64_t(sqlite3_column_int64(statement, index));
  const auto *data =
      static_cast<const uint8_t *>(sqlite3_column_blob(statement, index));
  return std::span<const uint8_t>(
      data, size_t(sqlite3_column_bytes(statement, index)));
}

Database::Statement Database::take(const std::string &sql) {
  if (auto known = statements.extract(sql))
    return std::move(known.mapped());
  sqlite3_stmt *statement = nullptr;
  // Its error is that of the database.
  (void)sqlite3_prepare_v3(handle, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT,
                           &statement, nullptr);
  return {statement, sqlite3_finalize};
}

Status
Database::execute(sqlite3_stmt *statement,
                  std::initializer_list<Value> arguments,
                  const std::function<void(std::span<const Value>)> &onRow) {
  int index = 0;
  for (const Value &value : arguments)
    if (bind(statement, ++index, value) != SQLITE_OK)
      return lastError();
  std::vector<Value> row;
  for (;;) {
    int code = sqlite3_step(statement);
    if (code == SQLITE_DONE)
      return Status::ok();
    if (code != SQLITE_ROW)
      return lastError();
    row.clear();
    for (int i = 0; i < sqlite3_column_count(statement); ++i)
      row.push_back(column(statement, i));
    if (onRow)
      onRow(row);
  }
}

Status Database::run(const char *sql, std::initializer_list<Value> arguments,
                     const std::function<void(std::span<const Value>)> &onRow) {
  std::string text(sql);
  Statement statement = take(text);
  if (!statement)
    return lastError();
  NNHAL_RETURN_IF_ERROR(execute(statement.get(), arguments, onRow));
  // Arguments are memory of the caller, and a statement that is not reset keeps
  // its locks.
  sqlite3_reset(statement.get());
  sqlite3_clear_bindings(statement.get());
  statements.insert_or_assign(std::move(text), std::move(statement));
  return Status::ok();
}

Status Database::transact(const std::function<Status()> &body) {
  // Without memory, too: nobody else can write before the transaction ends.
  auto rollBack = [this] {
    if (sqlite3_get_autocommit(handle) == 0)
      sqlite3_exec(handle, "ROLLBACK", nullptr, nullptr, nullptr);
  };
  try {
    Status status = run("BEGIN IMMEDIATE");
    if (status.isOk())
      status = body();
    if (status.isOk())
      status = run("COMMIT");
    if (!status.isOk())
      rollBack();
    return status;
  } catch (...) {
    rollBack();
    throw;
  }
}
