//===- SignalSpectrum.cpp - Spectra of frames of sound --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators of the signal library of TensorFlow Lite Micro, from the samples of
// a frame to the energies of its frequencies. 16-bit integers count as numbers,
// whatever scale a file gives them.
//
//===----------------------------------------------------------------------===//

#include "FourierTransform.h"
#include "Options.h"

#include <bit>
#include <limits>

using namespace nnhal;
using namespace nnhal::tflite_custom;

static constexpr int32_t mostPoints = 1 << 16;

//===----------------------------------------------------------------------===//
// SignalWindow
//===----------------------------------------------------------------------===//

static Result<int32_t> windowShift(const Use &use) {
  return Options::read(
      use, [](Options &options) { return options.integer("shift", 0, 31); });
}

static Result<Types> checkWindow(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(2, 1));
  NNHAL_RETURN_IF_ERROR(windowShift(use).takeStatus());
  NNHAL_RETURN_IF_ERROR(use.checkType(0, "samples", int16Type));
  const Extents &samples = use.input(0).dimensions;
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(1, "weights", int16Type, {samples.back()}));
  return Types{typeOf(int16Type, samples)};
}

static Status executeWindow(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(int32_t shift, windowShift(use));
  NNHAL_ASSIGN_OR_RETURN(
      std::span<int16_t> to,
      allocate<int16_t>(outputs, 0, use.input(0).dimensions));
  auto samples = elementsOf<int16_t>(use, 0);
  auto weights = elementsOf<int16_t>(use, 1);
  for (size_t i = 0; i < to.size(); ++i) {
    int32_t product = int32_t(samples[i]) * weights[i % weights.size()];
    to[i] =
        int16_t(std::clamp<int32_t>(product >> shift, INT16_MIN, INT16_MAX));
  }
  return Status::ok();
}

const OperatorRow tflite_custom::windowRow = {"SignalWindow", checkWindow,
                                              executeWindow};

//===----------------------------------------------------------------------===//
// SignalFftAutoScale
//===----------------------------------------------------------------------===//

static Result<Types> checkAutoScale(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(1, 2));
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(0, "samples", int16Type, {unknownExtent}));
  return Types{typeOf(int16Type, use.input(0).dimensions),
               typeOf(int32Type, {1})};
}

static Status executeAutoScale(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(
      std::span<int16_t> to,
      allocate<int16_t>(outputs, 0, use.input(0).dimensions));
  NNHAL_ASSIGN_OR_RETURN(std::span<int32_t> bits,
                         allocate<int32_t>(outputs, 1, {1}));
  auto samples = elementsOf<int16_t>(use, 0);
  // The magnitude of -32768 has 16 bits, is negative and yields to others.
  int16_t most = 0;
  for (int16_t sample : samples)
    if (sample > most)
      most = sample;
    else if (-int32_t(sample) > most)
      most = int16_t(-int32_t(sample));
  int shift = most > 0 ? 15 - std::bit_width(uint16_t(most)) : 0;
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = int16_t(int32_t(samples[i]) * (1 << shift));
  bits[0] = shift;
  return Status::ok();
}

const OperatorRow tflite_custom::autoScaleRow = {
    "SignalFftAutoScale", checkAutoScale, executeAutoScale};

//===----------------------------------------------------------------------===//
// SignalRfft, SignalIrfft
//===----------------------------------------------------------------------===//

static Result<int32_t> transformLength(const Use &use) {
  return Options::read(use, [](Options &options) {
    int32_t length = options.integer("fft_length", 2, mostPoints);
    if (length % 2 != 0)
      options.reject(
          refuse("custom option 'fft_length' is ", length, ", which is odd"));
    return length;
  });
}

/// The numbers of a spectrum, of which each is complex.
static int64_t spectrumLength(int32_t length) {
  return (int64_t(length) / 2 + 1) * 2;
}

/// Checks the type of what is transformed, called \p name.
static Status checkTransformed(const Use &use, std::string_view name) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(1, 1));
  OperandType type = use.input(0).type;
  if (type != int16Type && type != int32Type)
    type = floatType;
  return use.checkType(0, name, type);
}

static Result<Types> checkTransform(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkTransformed(use, "samples"));
  NNHAL_ASSIGN_OR_RETURN(int32_t length, transformLength(use));
  Extents extents = use.input(0).dimensions;
  if (extents.back() > length)
    return refuse("transforms ", length, " samples, but there are ",
                  extents.back());
  extents.back() = spectrumLength(length);
  return Types{typeOf(use.input(0).type, std::move(extents))};
}

static Result<Types> checkInverse(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkTransformed(use, "spectra"));
  NNHAL_ASSIGN_OR_RETURN(int32_t length, transformLength(use));
  Extents extents = use.input(0).dimensions;
  if (extents.back() != unknownExtent &&
      extents.back() != spectrumLength(length))
    return refuse("spectra have ", extents.back(), " numbers, expected ",
                  spectrumLength(length));
  extents.back() = length;
  return Types{typeOf(use.input(0).type, std::move(extents))};
}

template <typename T>
static Status transformRows(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(int32_t length, transformLength(use));
  Extents extents = use.input(0).dimensions;
  auto given = size_t(extents.back()), size = size_t(spectrumLength(length));
  extents.back() = int64_t(size);
  NNHAL_ASSIGN_OR_RETURN(std::span<T> to, allocate<T>(outputs, 0, extents));
  auto from = elementsOf<T>(use, 0);
  FourierTransform<T> transform(size_t(length), /*isInverse=*/false);
  std::vector<T> samples(size_t(length), 0);
  for (size_t row = 0; row < to.size() / size; ++row) {
    std::ranges::copy(from.subspan(row * given, given), samples.begin());
    transform.transform(samples, to.subspan(row * size, size));
  }
  return Status::ok();
}

template <typename T>
static Status invertRows(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(int32_t stated, transformLength(use));
  Extents extents = use.input(0).dimensions;
  auto length = size_t(stated), size = size_t(extents.back());
  extents.back() = stated;
  NNHAL_ASSIGN_OR_RETURN(std::span<T> to, allocate<T>(outputs, 0, extents));
  auto from = elementsOf<T>(use, 0);
  FourierTransform<T> transform(length, /*isInverse=*/true);
  for (size_t row = 0; row < to.size() / length; ++row)
    transform.invert(from.subspan(row * size, size),
                     to.subspan(row * length, length));
  if constexpr (std::is_floating_point_v<T>)
    for (T &sample : to)
      sample /= T(length);
  return Status::ok();
}

/// Calls \p run with a number of the type that checkTransformed() accepted.
template <typename Run> static Status withNumber(const Use &use, Run run) {
  OperandType type = use.input(0).type;
  if (type == int16Type)
    return run(int16_t());
  return type == int32Type ? run(int32_t()) : run(float());
}

static Status executeTransform(const Use &use, ExtensionOutputs &outputs) {
  return withNumber(use, [&](auto number) {
    return transformRows<decltype(number)>(use, outputs);
  });
}

static Status executeInverse(const Use &use, ExtensionOutputs &outputs) {
  return withNumber(use, [&](auto number) {
    return invertRows<decltype(number)>(use, outputs);
  });
}

const OperatorRow tflite_custom::transformRow = {"SignalRfft", checkTransform,
                                                 executeTransform};
const OperatorRow tflite_custom::inverseRow = {"SignalIrfft", checkInverse,
                                               executeInverse};

//===----------------------------------------------------------------------===//
// SignalEnergy
//===----------------------------------------------------------------------===//

namespace {
/// The frequencies of which the energy is wanted.
struct Band {
  int32_t begin = 0, end = 0;
};
} // namespace

static Result<Band> energyBand(const Use &use) {
  return Options::read(use, [&](Options &options) {
    int64_t count = use.extent(0, 0);
    int32_t most = count == unknownExtent
                       ? std::numeric_limits<int32_t>::max()
                       : int32_t(std::min<int64_t>(count / 2, INT32_MAX));
    Band band;
    band.begin = options.integer("start_index", 0, most);
    band.end = options.integer("end_index", 0, most);
    return band;
  });
}

static Result<Types> checkEnergy(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(1, 1));
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(0, "spectra", int16Type, {unknownExtent}));
  NNHAL_RETURN_IF_ERROR(energyBand(use).takeStatus());
  int64_t count = use.extent(0, 0);
  return Types{typeOf(tensorUint32,
                      {count == unknownExtent ? unknownExtent : count / 2})};
}

static Status executeEnergy(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(Band band, energyBand(use));
  NNHAL_ASSIGN_OR_RETURN(
      std::span<uint32_t> to,
      allocate<uint32_t>(outputs, 0, {use.extent(0, 0) / 2}));
  auto spectrum = elementsOf<int16_t>(use, 0);
  auto square = [&](size_t index) {
    int32_t part = spectrum[index];
    return uint32_t(part * part);
  };
  for (auto i = size_t(band.begin); i < size_t(band.end); ++i)
    to[i] = square(2 * i) + square(2 * i + 1);
  return Status::ok();
}

const OperatorRow tflite_custom::energyRow = {"SignalEnergy", checkEnergy,
                                              executeEnergy};
