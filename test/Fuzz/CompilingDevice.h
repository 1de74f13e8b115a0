//===- CompilingDevice.h - nnhal-cpu with another compiler ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_FUZZ_COMPILINGDEVICE_H
#define NNHAL_TEST_FUZZ_COMPILINGDEVICE_H

#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/Device.h"

namespace nnhal::rt::fuzz {

/// nnhal-cpu with the compiler in the library that NNHAL_FUZZ_COMPILER names,
/// which is not instrumented. Lives as long as the process, since threads of
/// the compiler do. Ends the process when there is no such library.
const Device &compilingDevice();

/// The compiler in that library.
const Compiler &otherCompiler();

} // namespace nnhal::rt::fuzz

#endif // NNHAL_TEST_FUZZ_COMPILINGDEVICE_H
