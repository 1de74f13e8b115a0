//===- FatalErrors.cpp - What LLVM cannot go on after ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Compiler/FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"

#include <cstring>
#include <mutex>
#include <new>
#include <unistd.h>

using namespace nnhal;

/// Empty on threads that do not compile.
static thread_local std::string_view doingNow;
static std::new_handler outerNewHandler = nullptr;

/// Ends the process after a line of \p parts. Neither allocates nor returns.
[[noreturn]] static void
endProcess(std::initializer_list<std::string_view> parts) {
  for (std::string_view part : parts)
    while (!part.empty()) {
      ssize_t written = ::write(STDERR_FILENO, part.data(), part.size());
      if (written <= 0)
        break;
      part.remove_prefix(size_t(written));
    }
  ::_exit(1);
}

[[noreturn]] static void endOutOfMemory() {
  std::string_view doing = doingNow.empty() ? "compiling" : doingNow;
  endProcess({"error: out of memory while ", doing, "\n"});
}

static void onBadAlloc(void *, const char *, bool) { endOutOfMemory(); }

static void onFatalError(void *, const char *reason, bool) {
  // How LLVM reports that an allocator of its own has got nothing.
  if (std::strstr(reason, "out of memory"))
    endOutOfMemory();
  endProcess({"error: ", reason, "\n"});
}

/// What `new` calls when there is no memory.
static void onNewFailed() {
  if (!doingNow.empty())
    endOutOfMemory();
  if (outerNewHandler)
    return outerNewHandler();
  throw std::bad_alloc();
}

static void installHandlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    // LLVM has one handler of each kind; the last one stays.
    llvm::remove_bad_alloc_error_handler();
    llvm::install_bad_alloc_error_handler(onBadAlloc);
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler(onFatalError);
    outerNewHandler = std::set_new_handler(onNewFailed);
  });
}

FatalErrorScope::FatalErrorScope(std::string_view doing) : outer(doingNow) {
  installHandlers();
  doingNow = doing;
}

FatalErrorScope::~FatalErrorScope() { doingNow = outer; }

std::string_view FatalErrorScope::current() { return doingNow; }
