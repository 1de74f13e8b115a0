//===- RenamedDevice.h - A device under another name ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_RENAMEDDEVICE_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_RENAMEDDEVICE_H

#include "nnhal/Runtime/Device.h"

#include <memory>
#include <string>

namespace nnhal::ndk {

/// Returns \p device, which behaves as before and is called \p name. Prepared
/// models and buffers are its own.
std::unique_ptr<rt::Device> renameDevice(std::unique_ptr<rt::Device> device,
                                         std::string name);

} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_RENAMEDDEVICE_H
