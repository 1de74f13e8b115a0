//===- Api.h - The mark of exported symbols ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_API_H
#define NNHAL_RUNTIME_API_H

/// NNHAL_API marks a class or function of libNNHalRuntime that programs outside
/// of it may use. The library is compiled with hidden visibility, and nothing
/// without the mark can be linked against. lib/Runtime/NNHalRuntime.symbols
/// lists the result.
#define NNHAL_API [[gnu::visibility("default")]]

#endif // NNHAL_RUNTIME_API_H
