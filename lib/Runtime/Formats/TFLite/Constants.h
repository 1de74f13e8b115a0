//===- Constants.h - Constants that are not used as they stand --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_CONSTANTS_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_CONSTANTS_H

#include "Tensors.h"

#include <vector>

namespace nnhal::rt::tflite {

/// Whether expandConstant() is needed before the HAL can read \p tensor.
bool needsExpansion(const Tensor &tensor);

/// Appends the value of the constant \p tensor, dense and in its HAL type, to
/// \p bytes. Fails with invalidArgument when its index structure leaves its
/// bounds, when a 64-bit value does not fit 32 bits, or when \p bytes would
/// exceed \p maxSize.
Status expandConstant(const Tensor &tensor, size_t maxSize,
                      std::vector<std::byte> &bytes);

/// The values of a constant integer tensor. invalidArgument as above, or when
/// it holds other than INT32 or INT64.
Result<std::vector<int32_t>> constantIntegers(const Tensor &tensor);

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_CONSTANTS_H
