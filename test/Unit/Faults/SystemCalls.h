//===- SystemCalls.h - Calls of the system that fail ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_FAULTS_SYSTEMCALLS_H
#define NNHAL_TEST_UNIT_FAULTS_SYSTEMCALLS_H

namespace nnhal::rt {

enum class SystemCall {
  access,
  addSeals,
  dlopen,
  epollControl,
  epollCreate,
  fchmod,
  fdatasync,
  fstat,
  ftruncate,
  memfdCreate,
  ppoll,
  pread,
  stat,
  unlink,
  write
};

/// Lets every call of \p call but the first \p before fail with \p error while
/// the object lives; with 0 a pread() finds the end of the file instead. The
/// linker hands all calls of the program and of the archives that it links to
/// this library (--wrap).
///
/// Threads: the calls of all threads fail. One object lives at a time.
class SystemCallFailure {
public:
  SystemCallFailure(SystemCall call, int error, int before = 0);
  ~SystemCallFailure();
  SystemCallFailure(const SystemCallFailure &) = delete;
  SystemCallFailure &operator=(const SystemCallFailure &) = delete;
};

} // namespace nnhal::rt

#endif // NNHAL_TEST_UNIT_FAULTS_SYSTEMCALLS_H
