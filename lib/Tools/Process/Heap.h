//===- Heap.h - How the heap of a process grows -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_PROCESS_HEAP_H
#define NNHAL_LIB_TOOLS_PROCESS_HEAP_H

namespace nnhal::tools {

/// Reserves addresses behind the heap of this process, which the system finds
/// memory for in large pages as they are used, where it has such pages. A
/// compilation fills tens of megabytes in small pieces; finding memory for them
/// page by page takes a twentieth of one whose kernels are kept.
///
/// Does nothing where blocks of a megabyte are not of the heap: who calls it
/// has raised M_MMAP_THRESHOLD beyond that.
///
/// Only for a program that compiles, and from its main thread: the heap does
/// not shrink below that any more.
void growHeapInLargePages();

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_PROCESS_HEAP_H
