//===- Database.h - A private SQLite file -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CACHING_DATABASE_H
#define NNHAL_LIB_RUNTIME_CACHING_DATABASE_H

#include "CacheEntry.h"

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace nnhal::rt::cache {

/// A database that this user alone can read and write, shared by processes.
///
/// What is in it is only worth something to the program that wrote it: a file
/// that is damaged, or that others could have written to, is replaced by an
/// empty one. Nothing waits for the disk: a process may end at any time, but
/// where the system ends without writing its memory to the disk, the last rows
/// may be lost, and parts of the file old. Rows must be such that a part of one
/// does not pass for another.
///
/// Threads:  one at a time.
/// Blocking: while another process writes, up to the time limit.
class Database {
public:
  using Value = std::variant<int64_t, std::span<const uint8_t>>;

  struct Options {
    /// Created where it is missing, for this user alone.
    std::string directory;
    std::string fileName;
    /// SQL that creates the tables, each "IF NOT EXISTS".
    const char *schema = "";
    /// Milliseconds to wait for other processes.
    int busyMilliseconds = 2000;
  };

  /// Opens the database. Fails with generalFailure, naming directory or file
  /// and the system's reason.
  static Result<std::unique_ptr<Database>> open(const Options &options);
  ~Database();
  Database(const Database &) = delete;
  Database &operator=(const Database &) = delete;

  /// Executes one statement; \p onRow gets each row's columns, integers and
  /// byte strings, valid during the call.
  Status run(const char *sql, std::initializer_list<Value> arguments = {},
             const std::function<void(std::span<const Value>)> &onRow = {});

  /// Whether a statement has met damage in the file. It is then no longer the
  /// file of its name, unless somebody has replaced it before, so that the next
  /// open() makes a new one. Nothing more is to be expected of this object.
  bool isDamaged() const { return wasDamaged; }

  /// Executes \p body between BEGIN IMMEDIATE and COMMIT, or ROLLBACK when it
  /// fails or throws.
  Status transact(const std::function<Status()> &body);

private:
  /// The identity of the file \p path when it was opened.
  struct FileName {
    uint64_t device = 0;
    uint64_t inode = 0;
    bool operator==(const FileName &) const = default;
  };
  static FileName fileAt(const std::string &path);

  Database(sqlite3 *handle, std::string path, FileName file)
      : handle(handle), path(std::move(path)), file(file) {}
  /// The error of the last call; damage is noted.
  Status lastError();
  using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt *)>;
  /// Returns the statement \p sql, ready to execute; nothing where that failed.
  Statement take(const std::string &sql);
  Status execute(sqlite3_stmt *statement,
                 std::initializer_list<Value> arguments,
                 const std::function<void(std::span<const Value>)> &onRow);
  /// The condition in which a file was found.
  enum class Condition { ready, isNew, damaged, unusable };
  static Result<std::unique_ptr<Database>> openFile(const std::string &path,
                                                    const Options &options,
                                                    bool mayCreate,
                                                    Condition &condition);

  sqlite3 *handle;
  std::string path;
  FileName file;
  bool wasDamaged = false;
  /// Statements that have been executed: to translate one takes longer than to
  /// look up a row. Those that are being executed are not among them.
  std::map<std::string, Statement, std::less<>> statements;
};

} // namespace nnhal::rt::cache

#endif // NNHAL_LIB_RUNTIME_CACHING_DATABASE_H
