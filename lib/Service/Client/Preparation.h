//===- Preparation.h - Models that a service prepares -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_CLIENT_PREPARATION_H
#define NNHAL_LIB_SERVICE_CLIENT_PREPARATION_H

#include "Session.h"

#include "nnhal/Runtime/Device.h"

namespace nnhal::service::client {

// The members of a device that prepare models, over one session. Each fails
// with deadObject when that is lost.

/// Prepares and waits, on this thread, where \p observer hears everything until
/// then. \p hasBegun becomes true when the service has begun.
rt::Result<rt::PreparedModelRef>
prepare(const std::shared_ptr<Session> &session,
        const rt::AnnotatedModel &model, const rt::PrepareOptions &options,
        const rt::PrepareObserver &observer, bool &hasBegun);

/// Begins to prepare. \p callback is called if \p hasBegun becomes true, and
/// only then.
rt::Status beginPreparation(const std::shared_ptr<Session> &session,
                            const rt::AnnotatedModel &model,
                            const rt::PrepareOptions &options,
                            const rt::PrepareObserver &observer,
                            const rt::PrepareCallback &callback,
                            bool &hasBegun);

/// Loads what the files and the token of \p options name.
rt::Result<rt::PreparedModelRef>
loadFromCache(const std::shared_ptr<Session> &session,
              const rt::PrepareOptions &options,
              const rt::PrepareObserver &observer);

rt::Result<rt::PreparedModelRef>
loadFromArtifact(const std::shared_ptr<Session> &session,
                 std::span<const std::byte> modelCache,
                 std::span<const std::byte> dataCache,
                 const rt::PrepareOptions &options);

} // namespace nnhal::service::client

#endif // NNHAL_LIB_SERVICE_CLIENT_PREPARATION_H
