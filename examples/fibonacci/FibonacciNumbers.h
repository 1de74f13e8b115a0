// The computation of the operation of "com.example.fibonacci", which the device
// and the extension of the runtime's own devices share.
#ifndef EXAMPLES_FIBONACCINUMBERS_H
#define EXAMPLES_FIBONACCINUMBERS_H

#include "Fibonacci.h"

#include <nnhal/Runtime/Status.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace fibonacci {

/// Reads the extension data of an output, which may have any length.
nnhal::rt::Result<FibonacciQuantization>
readQuantization(std::span<const uint8_t> data);

/// Reads n, which is of int64_t or else of float.
nnhal::rt::Result<int64_t> readCount(std::span<const std::byte> input,
                                     bool isInteger);

/// Writes the first numbers, as many as \p elements holds: int64_t where there
/// is a quantization, else float.
nnhal::rt::Status
writeNumbers(const std::optional<FibonacciQuantization> &quantization,
             std::span<std::byte> elements);

} // namespace fibonacci

#endif // EXAMPLES_FIBONACCINUMBERS_H
