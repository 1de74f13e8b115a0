//===- Service.h - Devices in processes of their own ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_SERVICE_H
#define NNHAL_RUNTIME_SERVICE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/DeviceServices.h"

#include <memory>
#include <string>
#include <vector>

namespace nnhal::rt {

/// The devices that nnhal-service offers at the socket \p path, in its order.
/// They share \p services, of which they use the log, the tracer and the
/// reactor: limits and threads are those of the service. A device that cannot
/// be described is left out, and the log says why (C-084).
///
/// A device of a service is one like any other, with the same name. The
/// differences are these:
/// - A fault of the device, or of code that it has compiled, ends the process
///   of the device, and never this one (C-083). Everything that waits for it
///   then ends with deadObject, fences fail, and bursts are invalidated (C-077,
///   G-057).
/// - Prepared models, buffers and bursts of a process that has ended answer
///   deadObject for ever (C-082). The device itself finds a restarted service
///   by its next call; a call that finds the old one dead is made once more,
///   unless it is an execution or a preparation that had begun (C-079). Name,
///   version and HAL version have to be the same, and the other properties are
///   not read again (C-080). Until then status() is offline and other calls end
///   with deadObject.
/// - Arguments in pools are not copied. Others are copied to and from shared
///   memory, and ExecutionResult::copiedBytes counts them.
/// - PrepareObserver: diagnostics, keepArtifact, compileEnded and cacheObserver
///   are called; isCancelled is asked, and lets go of the preparation. Progress
///   and remarks stay in the service. While prepareModel() waits they are
///   called on its thread, otherwise on a thread of the library.
/// - Callbacks run on threads of the library, and may call the device.
/// - DeviceServices::tracer has the sections of the service beside those of
///   this process, on the same clock.
///
/// The first call opens libNNHalServiceClient.so, which lies beside this
/// library or in ../lib of the program, and loads Cap'n Proto with it.
///
/// Fails with deviceUnavailable when that library cannot be opened, or when
/// nobody answers at \p path; with generalFailure when the library is of
/// another build, or the service speaks another major version of the protocol;
/// with what is wrong with the first device when none can be had.
///
/// Threads:  any.
/// Blocking: ten seconds at most for each device.
NNHAL_API Result<std::vector<std::unique_ptr<Device>>>
connectDevices(const std::string &path, const DeviceServices &services = {});

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_SERVICE_H
