//===- WorkerChannel.h - Between a host and a compile worker ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_COMPILEWORKER_WORKERCHANNEL_H
#define NNHAL_LIB_SERVICE_COMPILEWORKER_WORKERCHANNEL_H

#include "Service/Protocol/Channel.h"
#include "Service/Protocol/Descriptors.h"

namespace nnhal::service {

/// A model of the size that a client may send, with all of its pools.
inline ChannelLimits workerLimits() {
  return {.messageWords = uint64_t(1) << 25, // 256 MB
          .descriptors = maxDescriptorsPerMessage,
          .waitingWords = uint64_t(1) << 26};
}

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_COMPILEWORKER_WORKERCHANNEL_H
