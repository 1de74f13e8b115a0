//===- SoundModel.cpp - A shipped model of a stream of sound --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFLiteWriter.h"

#include <flatbuffers/flexbuffers.h>

namespace nnhal::rt {

namespace {

using Integers = std::vector<int16_t>;
using OptionValues = std::vector<std::pair<const char *, int>>;

/// Writes the operators of sound, most of which are custom ones.
class SoundWriter {
public:
  int32_t tensor(schema::TensorType type, std::vector<int32_t> shape,
                 std::string name) {
    TensorSpec spec;
    spec.shape = std::move(shape);
    spec.type = type;
    spec.name = std::move(name);
    return file.tensor(spec);
  }
  int32_t constant(const Integers &values) {
    return file.constant<int16_t>(
        {{int32_t(values.size())}, schema::TensorType::INT16}, values);
  }
  void custom(const char *name, std::vector<int32_t> inputs,
              std::vector<int32_t> outputs, const OptionValues &values) {
    flexbuffers::Builder options;
    options.Map([&] {
      for (auto [key, value] : values)
        options.Int(key, value);
    });
    options.Finish();
    file.add(schema::BuiltinOperator::CUSTOM, std::move(inputs),
             std::move(outputs), schema::BuiltinOptions::NONE, 0,
             {.custom = name, .customOptions = options.GetBuffer()});
  }
  int32_t cast(int32_t from, schema::TensorType type, schema::TensorType to,
               std::vector<int32_t> shape) {
    int32_t result = tensor(to, std::move(shape), "");
    file.add(schema::BuiltinOperator::CAST, {from}, {result},
             schema::CreateCastOptions(file.builder, type, to));
    return result;
  }

  TFLiteWriter file;
};

/// Four triangles of frequencies, their descents, and gains of noise.
struct Tables {
  Integers window, rising, falling, gains;

  Tables() {
    for (int i = 0; i < 24; ++i)
      window.push_back(int16_t(4096 - (2 * i - 23) * (2 * i - 23) * 7));
    for (int i = 0; i < 12; ++i) {
      rising.push_back(int16_t(4096 * (i % 3 + 1) / 4));
      falling.push_back(int16_t(4096 - rising.back()));
    }
    for (int i = 0; i < 125; ++i)
      gains.push_back(int16_t(9000 - 70 * i));
  }
};

} // namespace

std::vector<std::byte> writeSoundFrontEnd() {
  constexpr auto int16 = schema::TensorType::INT16,
                 int32 = schema::TensorType::INT32,
                 uint32 = schema::TensorType::UINT32,
                 uint64 = schema::TensorType::UINT64,
                 truth = schema::TensorType::BOOL;
  SoundWriter sound;
  const Tables tables;
  int32_t samples = sound.tensor(int16, {16}, "samples");
  int32_t frames = sound.tensor(int16, {1, 24}, "frames"),
          isFrame = sound.tensor(truth, {}, "is_frame");
  sound.custom("SignalFramer", {samples}, {frames, isFrame},
               {{"frame_size", 24}, {"frame_step", 16}, {"prefill", 1}});
  int32_t windowed = sound.tensor(int16, {1, 24}, "windowed"),
          window = sound.constant(tables.window);
  sound.custom("SignalWindow", {frames, window}, {windowed}, {{"shift", 12}});
  int32_t row = sound.tensor(int16, {24}, "row");
  sound.file.add(schema::BuiltinOperator::RESHAPE,
                 {windowed, sound.file.integers({-1})}, {row});
  int32_t scaled = sound.tensor(int16, {24}, "scaled"),
          bits = sound.tensor(int32, {}, "bits");
  sound.custom("SignalFftAutoScale", {row}, {scaled, bits}, {});
  int32_t spectrum = sound.tensor(int16, {34}, "spectrum");
  sound.custom("SignalRfft", {scaled}, {spectrum},
               {{"T", 7}, {"fft_length", 32}});
  int32_t energy = sound.tensor(uint32, {17}, "energy");
  sound.custom("SignalEnergy", {spectrum}, {energy},
               {{"end_index", 14}, {"start_index", 1}});
  // Files have other operators between those of signals. Here conversions,
  // which are operations of nnhal.tflite, stand between energies and filter
  // bank.
  energy = sound.cast(energy, uint32, int32, {17});
  energy = sound.cast(energy, int32, uint32, {17});
  int32_t sums = sound.tensor(uint64, {4}, "sums");
  sound.custom(
      "SignalFilterBank",
      {energy, sound.constant(tables.rising), sound.constant(tables.falling),
       sound.constant({1, 2, 4, 7, 10}), sound.constant({0, 1, 3, 6, 9}),
       sound.constant({1, 2, 3, 3, 3})},
      {sums}, {{"num_channels", 4}});
  int32_t roots = sound.tensor(uint32, {4}, "roots");
  sound.custom("SignalFilterBankSquareRoot", {sums, bits}, {roots}, {});
  int32_t clean = sound.tensor(uint32, {4}, "clean"),
          noise = sound.tensor(uint32, {4}, "noise");
  sound.custom("SignalFilterBankSpectralSubtraction", {roots}, {clean, noise},
               {{"alternate_one_minus_smoothing", 15401},
                {"alternate_smoothing", 983},
                {"clamping", 0},
                {"min_signal_remaining", 819},
                {"num_channels", 4},
                {"one_minus_smoothing", 15974},
                {"smoothing", 410},
                {"smoothing_bits", 10},
                {"spectral_subtraction_bits", 14}});
  int32_t gained = sound.tensor(uint32, {4}, "gained");
  sound.custom("SignalPCAN", {clean, noise, sound.constant(tables.gains)},
               {gained}, {{"snr_shift", 6}});
  int32_t features = sound.tensor(int16, {4}, "features");
  sound.custom("SignalFilterBankLog", {gained}, {features},
               {{"input_correction_bits", 3}, {"output_scale", 64}});
  int32_t stack = sound.tensor(int16, {8}, "stack"),
          isStack = sound.tensor(truth, {}, "is_stack");
  sound.custom("SignalStacker", {features}, {stack, isStack},
               {{"num_channels", 4},
                {"stacker_left_context", 1},
                {"stacker_right_context", 0},
                {"stacker_step", 2}});
  return sound.file.finish({samples}, {stack, isStack, isFrame});
}

} // namespace nnhal::rt
