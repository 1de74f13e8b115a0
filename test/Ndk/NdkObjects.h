//===- NdkObjects.h - Owners of objects of the NDK API ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_NDK_NDKOBJECTS_H
#define NNHAL_TEST_NDK_NDKOBJECTS_H

#include "nnhal/Runtime/Status.h"

#include <android/NeuralNetworks.h>

#include <memory>

namespace nnhal::test {

template <auto Free> struct NdkDeleter {
  template <typename Object> void operator()(Object *object) const {
    Free(object);
  }
};

using NdkModel = std::unique_ptr<ANeuralNetworksModel,
                                 NdkDeleter<ANeuralNetworksModel_free>>;
using NdkCompilation =
    std::unique_ptr<ANeuralNetworksCompilation,
                    NdkDeleter<ANeuralNetworksCompilation_free>>;
using NdkExecution = std::unique_ptr<ANeuralNetworksExecution,
                                     NdkDeleter<ANeuralNetworksExecution_free>>;
using NdkMemory = std::unique_ptr<ANeuralNetworksMemory,
                                  NdkDeleter<ANeuralNetworksMemory_free>>;
using NdkMemoryDesc =
    std::unique_ptr<ANeuralNetworksMemoryDesc,
                    NdkDeleter<ANeuralNetworksMemoryDesc_free>>;
using NdkEvent = std::unique_ptr<ANeuralNetworksEvent,
                                 NdkDeleter<ANeuralNetworksEvent_free>>;
using NdkBurst = std::unique_ptr<ANeuralNetworksBurst,
                                 NdkDeleter<ANeuralNetworksBurst_free>>;

/// The HAL's code for the result code \p code of the NDK API.
rt::StatusCode statusCodeOf(int code);

/// Success for NO_ERROR, otherwise a failure that names \p call and \p code.
rt::Status statusOf(int code, const char *call);

} // namespace nnhal::test

/// Calls a function of the NDK API and returns its failure from the enclosing
/// function.
#define NNHAL_NDK(FUNCTION, ...)                                               \
  NNHAL_RETURN_IF_ERROR(                                                       \
      ::nnhal::test::statusOf(FUNCTION(__VA_ARGS__), #FUNCTION))

#endif // NNHAL_TEST_NDK_NDKOBJECTS_H
