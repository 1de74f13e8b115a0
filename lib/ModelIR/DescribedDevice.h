//===- DescribedDevice.h - Devices that a file describes --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_MODELIR_DESCRIBEDDEVICE_H
#define NNHAL_LIB_MODELIR_DESCRIBEDDEVICE_H

#include "nnhal/Runtime/Device.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <vector>

namespace nnhal {

/// Devices that can be asked what they support and nothing else.
struct DescribedDevices {
  std::vector<std::unique_ptr<rt::Device>> devices;
  /// One of them; null for none.
  const rt::Device *fallback = nullptr;
};

/// Reads the JSON of the pass nnhal-partition from \p text. Fails with
/// invalidArgument, which names the device and the key.
rt::Result<DescribedDevices> readDevices(llvm::StringRef text);

} // namespace nnhal

#endif // NNHAL_LIB_MODELIR_DESCRIBEDDEVICE_H
