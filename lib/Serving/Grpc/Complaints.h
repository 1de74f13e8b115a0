//===- Complaints.h - What gRPC says on standard error ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_GRPC_COMPLAINTS_H
#define NNHAL_LIB_SERVING_GRPC_COMPLAINTS_H

#include <string>

namespace nnhal::serving {

/// Lets gRPC and protobuf write nothing to standard error any more, in the
/// whole process, but why they abort it. They would write a line for each
/// damaged message and failed handshake, and anyone can send those.
void silenceComplaints();

/// Keeps what gRPC would have said on this thread while the object lives: it
/// has no other way to tell why it cannot listen. After silenceComplaints().
class KeptComplaints {
public:
  KeptComplaints();
  ~KeptComplaints();
  KeptComplaints(const KeptComplaints &) = delete;
  KeptComplaints &operator=(const KeptComplaints &) = delete;

  /// The failure of the system that was complained of first, "Address already
  /// in use" for example; empty where there was none.
  std::string systemFailure() const;

private:
  std::string text;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_GRPC_COMPLAINTS_H
