//===- Shards.h - Many files, each in a process of its own ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_VALIDATION_SHARDS_H
#define NNHAL_TEST_VALIDATION_SHARDS_H

#include "Judge.h"

#include <string>
#include <vector>

namespace nnhal::mutations {

/// Judges the cases of a file, in a process that does nothing else; tells the
/// progress what is next.
using JudgeFile = std::function<rt::Status(const std::string &file, Tally &,
                                           const Progress &)>;

/// Judges \p files in child processes, \p jobs at a time, and returns the sum.
/// A child that dies, or takes more than \p seconds, is a violation that names
/// what it was at. Fails with what \p judge fails with, and with
/// resourceExhaustedTransient without a process. This process has no other
/// threads.
rt::Result<Tally> judgeFiles(const std::vector<std::string> &files,
                             unsigned jobs, unsigned seconds,
                             const JudgeFile &judge);

} // namespace nnhal::mutations

#endif // NNHAL_TEST_VALIDATION_SHARDS_H
