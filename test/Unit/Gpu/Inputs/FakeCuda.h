//===- FakeCuda.h - A driver of CUDA that a test controls -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_GPU_INPUTS_FAKECUDA_H
#define NNHAL_TEST_UNIT_GPU_INPUTS_FAKECUDA_H

#include "Runtime/Devices/Gpu/Cuda/CudaApi.h"

#include <cstddef>
#include <string>
#include <vector>

/// The answers of the fake, and what it has seen; its library exports
/// `nnhalFakeCuda`. Its memory is that of the host, its machine code the PTX
/// behind a word of its own, and its kernels are a function of the test.
struct FakeCuda {
  using CUresult = nnhal::rt::cuda::CUresult;

  CUresult init = 0;
  int version = 13000;
  CUresult countDevices = 0;
  int deviceCount = 1;
  CUresult attribute = 0;
  int major = 9;
  int minor = 0;
  CUresult retain = 0;
  /// Allocations of more bytes fail.
  size_t mostBytes = SIZE_MAX;
  CUresult link = 0;
  const char *log = "";
  CUresult loadModule = 0;
  CUresult getFunction = 0;
  int mostThreads = 1024;
  CUresult launchKernel = 0;
  CUresult launchGraph = 0;
  CUresult queryEvent = 0;
  /// So many queries of events are answered with CUDA_ERROR_NOT_READY.
  size_t pendingQueries = 0;
  CUresult elapsed = 0;
  /// Executes a kernel with the addresses of its buffers.
  void (*kernel)(const std::string &name,
                 const std::vector<std::byte *> &buffers, unsigned groups,
                 unsigned threads) = nullptr;

  size_t links = 0;
  size_t graphs = 0;
  size_t graphLaunches = 0;
  size_t kernelLaunches = 0;
  /// Objects, allocations and contexts that have not been given back.
  long alive = 0;
  /// Contexts that have been pushed and not popped.
  long pushed = 0;
};

#endif // NNHAL_TEST_UNIT_GPU_INPUTS_FAKECUDA_H
