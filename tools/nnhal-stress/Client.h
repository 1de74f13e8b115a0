//===- Client.h - The work of one client ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_STRESS_CLIENT_H
#define NNHAL_TOOLS_NNHAL_STRESS_CLIENT_H

#include "Options.h"

namespace nnhal::stress {

/// Does the work of a client of the test \p options name, on their first
/// device. Success means that every result was right; fails with what was not,
/// and with invalidArgument for a test that does not exist, and with deadObject
/// where a service has died or cannot be reached.
rt::Status runClient(const Options &options);

} // namespace nnhal::stress

#endif // NNHAL_TOOLS_NNHAL_STRESS_CLIENT_H
