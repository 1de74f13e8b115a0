//===- Complaints.cpp - What gRPC says on standard error ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Complaints.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <cstdio>
#include <string_view>

using namespace nnhal;
using namespace nnhal::serving;

/// Where complaints of this thread are kept; null where they are not.
static thread_local std::string *kept = nullptr;

static void takeComplaint(gpr_log_func_args *complaint) {
  std::string_view text = complaint->message;
  if (text.starts_with("assertion failed"))
    std::fprintf(stderr, "%s:%d: %s\n", complaint->file, complaint->line,
                 complaint->message);
  if (kept)
    kept->append(text);
}

void serving::silenceComplaints() {
  // protobuf writes fatal ones all the same.
  google::protobuf::SetLogHandler(nullptr);
  gpr_set_log_function(takeComplaint);
}

KeptComplaints::KeptComplaints() { kept = &text; }

KeptComplaints::~KeptComplaints() { kept = nullptr; }

std::string KeptComplaints::systemFailure() const {
  constexpr std::string_view key = "os_error:\"";
  size_t begin = text.find(key);
  if (begin == std::string::npos)
    return {};
  begin += key.size();
  return text.substr(begin, text.find('"', begin) - begin);
}
