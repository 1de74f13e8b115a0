//===- Isolation.h - Work in a process of its own ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_ISOLATION_H
#define NNHAL_LIB_TOOLS_BENCHMARK_ISOLATION_H

#include "nnhal/Runtime/Status.h"

#include <functional>
#include <string>

namespace nnhal::tools {

/// Calls \p work in a child of this process and returns its text. What it
/// takes of memory, and what it breaks, is gone with the child: a crash is a
/// failure that names the signal.
///
/// This process may have no other threads. Fails with what \p work fails with,
/// with generalFailure when the child dies, and with missedDeadlineTransient
/// when it takes longer than \p seconds and is killed. Calls \p waiting, if
/// there is one, a few times a second meanwhile.
rt::Result<std::string>
runIsolated(const std::function<rt::Result<std::string>()> &work,
            double seconds, const std::function<void()> &waiting = {});

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_ISOLATION_H
