//===- Modes.h - The processes of the service -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_SERVICE_MODES_H
#define NNHAL_TOOLS_NNHAL_SERVICE_MODES_H

#include "Options.h"

#include "nnhal/Runtime/Log.h"

#include <memory>

namespace nnhal::servicetool {

/// Hosts Options::hostedDevice for the supervisor at the other end of
/// childChannel. Returns when that is gone.
rt::Status runHost(const Options &options,
                   const std::shared_ptr<const rt::Log> &log);

/// Compiles for the host at the other end of childChannel. Returns when that is
/// gone, perhaps while a thread still compiles.
rt::Status runCompileWorker(const Options &options,
                            const std::shared_ptr<const rt::Log> &log);

} // namespace nnhal::servicetool

#endif // NNHAL_TOOLS_NNHAL_SERVICE_MODES_H
