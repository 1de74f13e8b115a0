//===- OlderDevice.h - Devices of HAL 1.0, 1.1 and 1.2 ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_OLDERDEVICE_H
#define NNHAL_RUNTIME_OLDERDEVICE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/Reactor.h"

#include <memory>

namespace nnhal::rt {

/// Makes a device that speaks \p version, which is older than 1.3, and has
/// \p device do the work; returns \p device itself when it speaks an older
/// version than that. Nothing reaches it that the version cannot say, and
/// nothing comes back:
///
/// - Capabilities are those that the form of the version keeps (C-016 to
///   C-018). Below 1.2 type and version are unknown, and there are no
///   extensions, cache files and bursts (C-085, E-034, G-003).
/// - Models are taken in the form of the version. One that does not comply is
///   invalidArgument for supportedOperations(), which is asked about slices,
///   and generalFailure for preparations (C-088).
/// - Preparations know no preference in 1.0, no caching below 1.2 (then
///   prepareModelFromCache() is a generalFailure), and no priority and deadline
///   below 1.3. Below 1.3 the device is called asynchronously only, and
///   prepareModel() waits.
/// - Executions have no deadline and no time limit of loops. Below 1.2 they are
///   asynchronous only, and execute() waits; the shape of every output is known
///   from model and request (D-011, D-027), reported as stated, and timing is
///   not measured (D-001). What a request may have in its pools is that of
///   checkCompliance().
/// - executeFenced() waits for the fences by means of \p reactor, executes then
///   and completes a fence of the runtime; its duration is not looked at. The
///   reactor is made when it is null and needed.
/// - allocate() is a generalFailure.
/// - Statuses are those of the version (C-101), except that a device that is
///   dead says so. An output that is too small is a generalFailure below 1.2,
///   because nobody would tell the needed size.
///
/// Options and members that are in no version of the HAL, such as compilation
/// options and artifacts, are passed on.
NNHAL_API std::unique_ptr<Device>
asHalVersion(std::unique_ptr<Device> device, HalVersion version,
             std::shared_ptr<Reactor> reactor = nullptr);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_OLDERDEVICE_H
