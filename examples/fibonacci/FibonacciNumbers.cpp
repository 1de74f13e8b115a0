#include "FibonacciNumbers.h"

#include <cmath>
#include <cstring>
#include <string>
#include <utility>

using namespace nnhal::rt;

/// The greatest n: what follows does not fit int64_t.
static constexpr int64_t maxCount = 92;

static Status refuse(std::string reason) {
  return Status(StatusCode::invalidArgument, std::move(reason));
}

static Status failed(std::string reason) {
  return Status(StatusCode::generalFailure, std::move(reason));
}

Result<FibonacciQuantization>
fibonacci::readQuantization(std::span<const uint8_t> data) {
  FibonacciQuantization result;
  if (data.size() != sizeof(result))
    return refuse("the output has " + std::to_string(data.size()) +
                  " bytes of extension data, expected " +
                  std::to_string(sizeof(result)));
  std::memcpy(&result, data.data(), sizeof(result));
  if (!(result.scale > 0) || std::isinf(result.scale))
    return refuse("the scale " + std::to_string(result.scale) +
                  " is not positive and finite");
  return result;
}

template <typename T> static T load(std::span<const std::byte> bytes) {
  T result;
  std::memcpy(&result, bytes.data(), sizeof(result));
  return result;
}

Result<int64_t> fibonacci::readCount(std::span<const std::byte> input,
                                     bool isInteger) {
  size_t size = isInteger ? sizeof(int64_t) : sizeof(float);
  if (input.size() != size)
    return failed("the input has " + std::to_string(input.size()) +
                  " bytes, expected " + std::to_string(size));
  // Every float up to 92 is a double, and NaN is within no bounds.
  double count =
      isInteger ? double(load<int64_t>(input)) : double(load<float>(input));
  if (!(count >= 1 && count <= maxCount) || count != std::floor(count))
    return failed("n is " + std::to_string(count) +
                  ", expected an integer from 1 to " +
                  std::to_string(maxCount));
  return int64_t(count);
}

/// number / scale + zeroPoint, rounded to the nearest integer; nothing where
/// that does not fit.
static std::optional<int64_t>
quantize(int64_t number, const FibonacciQuantization &quantization) {
  long double quotient = (long double)number / quantization.scale;
  int64_t result = 0;
  if (!(quotient <= 0x1p63L - 1) ||
      __builtin_add_overflow(std::llroundl(quotient), quantization.zeroPoint,
                             &result))
    return std::nullopt;
  return result;
}

Status fibonacci::writeNumbers(
    const std::optional<FibonacciQuantization> &quantization,
    std::span<std::byte> elements) {
  size_t elementSize = quantization ? sizeof(int64_t) : sizeof(float);
  // The number behind the last one need not fit.
  uint64_t number = 1, next = 1;
  for (size_t i = 0; i < elements.size() / elementSize; ++i) {
    std::byte *element = elements.data() + i * elementSize;
    if (quantization) {
      auto quantized = quantize(int64_t(number), *quantization);
      if (!quantized)
        return failed("element " + std::to_string(i) + " does not fit 64 bits");
      std::memcpy(element, &*quantized, elementSize);
    } else {
      auto value = float(number);
      std::memcpy(element, &value, elementSize);
    }
    number = std::exchange(next, number + next);
  }
  return Status::ok();
}
