//===- AllocationCounter.h - Counts what a thread allocates -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_CORE_ALLOCATIONCOUNTER_H
#define NNHAL_TEST_UNIT_CORE_ALLOCATIONCOUNTER_H

#include <cstddef>

namespace nnhal::rt {

/// How often this thread has called the default operator new.
size_t allocationsOfThisThread();

} // namespace nnhal::rt

#endif // NNHAL_TEST_UNIT_CORE_ALLOCATIONCOUNTER_H
