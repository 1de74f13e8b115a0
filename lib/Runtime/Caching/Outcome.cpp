//===- Outcome.cpp - Names of what became of a cache ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/CacheHandles.h"

using namespace nnhal::rt;

std::string_view nnhal::rt::toString(CacheOutcome outcome) {
  switch (outcome) {
  case CacheOutcome::off:
    return "off";
  case CacheOutcome::hit:
    return "hit";
  case CacheOutcome::missAbsent:
    return "absent";
  case CacheOutcome::missModelChanged:
    return "model-changed";
  case CacheOutcome::missOptionsChanged:
    return "options-changed";
  case CacheOutcome::missCompilerChanged:
    return "compiler-changed";
  case CacheOutcome::missDriverChanged:
    return "driver-changed";
  case CacheOutcome::missCpuChanged:
    return "cpu-changed";
  case CacheOutcome::missFormatChanged:
    return "format-changed";
  case CacheOutcome::missTampered:
    return "tampered";
  case CacheOutcome::missTruncated:
    return "truncated";
  case CacheOutcome::missOtherToken:
    return "other-token";
  case CacheOutcome::missNotRecorded:
    return "not-recorded";
  case CacheOutcome::missLocked:
    return "locked";
  case CacheOutcome::missUnreadable:
    return "unreadable";
  case CacheOutcome::missNoState:
    return "no-state";
  case CacheOutcome::missWritableByOthers:
    return "writable-by-others";
  }
  return "unknown";
}
