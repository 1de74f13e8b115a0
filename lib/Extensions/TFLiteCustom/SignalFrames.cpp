//===- SignalFrames.cpp - Streams of sound in frames ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators of the signal library of TensorFlow Lite Micro that cut a stream
// into frames and put it together again. The samples that wait for a later
// execution are states of the operators, which are zeros in the first one.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

using namespace nnhal;
using namespace nnhal::tflite_custom;

static constexpr int32_t mostSamples = 1 << 20;

/// \p extents with \p last in place of the last one. A tensor has elements, so
/// that 0 of them are 1 that nobody reads.
static Extents withLast(Extents extents, int64_t last) {
  extents.back() = std::max<int64_t>(last, 1);
  return extents;
}

/// The number that state \p index holds, which \p most bounds.
static Result<int32_t> countOf(const Use &use, size_t index, int64_t most) {
  int32_t count = elementsOf<int32_t>(use, use.stateInput(index))[0];
  if (count < 0 || count > most)
    return fail("state ", index, " is ", count, ", which is not in 0..", most);
  return count;
}

/// A row of a stream is told from the next one by its samples. Models may leave
/// their number open, and then a request decides.
static Status checkNotEmpty(const Use &use) {
  const TensorType &samples = use.input(0);
  if (std::ranges::find(samples.dimensions, 0) != samples.dimensions.end())
    return refuse("samples have shape ", rt::shapeText(samples),
                  ", but all extents must be at least 1");
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// SignalDelay
//===----------------------------------------------------------------------===//

static Result<int32_t> delayOf(const Use &use) {
  return Options::read(use, [](Options &options) {
    return options.integer("delay_length", 0, mostSamples);
  });
}

static Result<Types> checkDelay(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(1, 1));
  NNHAL_RETURN_IF_ERROR(delayOf(use).takeStatus());
  NNHAL_RETURN_IF_ERROR(use.checkType(0, "samples", int16Type));
  NNHAL_RETURN_IF_ERROR(checkNotEmpty(use));
  return Types{typeOf(int16Type, use.input(0).dimensions)};
}

static Result<Types> delayStates(const Use &use) {
  NNHAL_ASSIGN_OR_RETURN(int32_t delay, delayOf(use));
  return Types{stateOf(int16Type, withLast(use.input(0).dimensions, delay))};
}

static Status executeDelay(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(int32_t stated, delayOf(use));
  const Extents &extents = use.input(0).dimensions;
  auto delay = size_t(stated), size = size_t(extents.back());
  NNHAL_ASSIGN_OR_RETURN(std::span<int16_t> to,
                         allocate<int16_t>(outputs, 0, extents));
  NNHAL_ASSIGN_OR_RETURN(
      std::span<int16_t> after,
      allocate<int16_t>(outputs, 1, withLast(extents, stated)));
  auto from = elementsOf<int16_t>(use, 0);
  auto before = elementsOf<int16_t>(use, use.stateInput(0));
  std::vector<int16_t> stream(delay + size);
  for (size_t row = 0; row < to.size() / size; ++row) {
    std::ranges::copy(before.subspan(row * delay, delay), stream.begin());
    std::ranges::copy(from.subspan(row * size, size),
                      stream.begin() + ptrdiff_t(delay));
    std::copy_n(stream.begin(), size, to.begin() + ptrdiff_t(row * size));
    std::copy_n(stream.begin() + ptrdiff_t(size), delay,
                after.begin() + ptrdiff_t(row * delay));
  }
  return Status::ok();
}

const OperatorRow tflite_custom::delayRow = {"SignalDelay", checkDelay,
                                             executeDelay, 1, delayStates};

//===----------------------------------------------------------------------===//
// SignalFramer
//===----------------------------------------------------------------------===//

namespace {
struct FramerOptions {
  int32_t size = 0, step = 0;
  bool isFilled = false;

  /// The samples that are held before the first execution, zeros.
  int64_t first() const { return isFilled ? size - step : 0; }
  /// The samples that are held at most between executions.
  int64_t most() const {
    if (isFilled || size <= step)
      return first();
    return (int64_t(size) - step + step - 1) / step * step;
  }
};
} // namespace

static Result<FramerOptions> framerOptions(const Use &use) {
  return Options::read(use, [](Options &options) {
    FramerOptions result;
    result.size = options.integer("frame_size", 1, mostSamples);
    result.step = options.integer("frame_step", 1, mostSamples);
    result.isFilled = options.truth("prefill");
    if (result.isFilled && result.size < result.step)
      options.reject(refuse(
          "custom option 'frame_size' is ", result.size,
          ", which prefill needs to be at least the frame_step ", result.step));
    return result;
  });
}

static Extents framesOf(const FramerOptions &options, Extents extents) {
  if (extents.back() != unknownExtent)
    extents.back() /= options.step;
  extents.push_back(options.size);
  return extents;
}

static Result<Types> checkFramer(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(1, 2));
  NNHAL_ASSIGN_OR_RETURN(FramerOptions options, framerOptions(use));
  NNHAL_RETURN_IF_ERROR(use.checkType(0, "samples", int16Type));
  NNHAL_RETURN_IF_ERROR(checkNotEmpty(use));
  const Extents &extents = use.input(0).dimensions;
  if (int64_t count = extents.back();
      count % options.step != 0 && count != unknownExtent)
    return refuse("there are ", count, " samples, expected a multiple of the ",
                  "frame_step ", options.step);
  return Types{typeOf(int16Type, framesOf(options, extents)),
               typeOf(boolType, {1})};
}

static Result<Types> framerStates(const Use &use) {
  NNHAL_ASSIGN_OR_RETURN(FramerOptions options, framerOptions(use));
  return Types{
      stateOf(int16Type, withLast(use.input(0).dimensions, options.most())),
      stateOf(int32Type, {1})};
}

/// The samples that the states say are held, less those that are held before
/// the first execution. They have to be whole steps: the state has place for
/// all samples that wait for a frame only then.
static Result<int32_t> heldSteps(const Use &use, const FramerOptions &options) {
  NNHAL_ASSIGN_OR_RETURN(int32_t count,
                         countOf(use, 1, options.most() - options.first()));
  if (count % options.step != 0)
    return fail("state 1 is ", count, ", expected a multiple of the ",
                "frame_step ", options.step);
  return count;
}

static Status executeFramer(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(FramerOptions options, framerOptions(use));
  NNHAL_ASSIGN_OR_RETURN(int32_t counted, heldSteps(use, options));
  const Extents &extents = use.input(0).dimensions;
  Extents heldExtents = withLast(extents, options.most());
  NNHAL_ASSIGN_OR_RETURN(
      std::span<int16_t> to,
      allocate<int16_t>(outputs, 0, framesOf(options, extents)));
  NNHAL_ASSIGN_OR_RETURN(std::span<uint8_t> isValid,
                         allocate<uint8_t>(outputs, 1, {1}));
  NNHAL_ASSIGN_OR_RETURN(std::span<int16_t> after,
                         allocate<int16_t>(outputs, 2, heldExtents));
  NNHAL_ASSIGN_OR_RETURN(std::span<int32_t> countAfter,
                         allocate<int32_t>(outputs, 3, {1}));
  auto size = size_t(options.size), step = size_t(options.step);
  auto given = size_t(extents.back()), capacity = size_t(heldExtents.back());
  size_t held = size_t(options.first()) + size_t(counted), available = held;
  auto from = elementsOf<int16_t>(use, 0);
  auto before = elementsOf<int16_t>(use, use.stateInput(0));
  std::vector<int16_t> stream(held + given);
  isValid[0] = 1;
  for (size_t row = 0; row < from.size() / given; ++row) {
    std::ranges::copy(before.subspan(row * capacity, held), stream.begin());
    std::ranges::copy(from.subspan(row * given, given),
                      stream.begin() + ptrdiff_t(held));
    auto place = stream.begin();
    available = held;
    for (size_t frame = 0; frame < given / step; ++frame) {
      available += step;
      if (available < size) {
        isValid[0] = 0;
        continue;
      }
      std::copy_n(place, size,
                  to.begin() +
                      ptrdiff_t((row * (given / step) + frame) * size));
      place += ptrdiff_t(step);
      available -= step;
    }
    std::copy_n(place, available, after.begin() + ptrdiff_t(row * capacity));
  }
  countAfter[0] = int32_t(available) - int32_t(options.first());
  return Status::ok();
}

const OperatorRow tflite_custom::framerRow = {"SignalFramer", checkFramer,
                                              executeFramer, 2, framerStates};

//===----------------------------------------------------------------------===//
// SignalStacker
//===----------------------------------------------------------------------===//

namespace {
struct StackerOptions {
  int32_t channels = 0, left = 0, right = 0, step = 0;

  /// The frames of a stack.
  int32_t frames() const { return left + right + 1; }
  int64_t size() const { return int64_t(channels) * frames(); }
};
} // namespace

static Result<StackerOptions> stackerOptions(const Use &use) {
  return Options::read(use, [](Options &options) {
    constexpr int32_t mostFrames = 1 << 12;
    StackerOptions result;
    result.channels = options.integer("num_channels", 1, INT16_MAX);
    result.left = options.integer("stacker_left_context", 0, mostFrames);
    result.right = options.integer("stacker_right_context", 0, mostFrames);
    result.step = options.integer("stacker_step", 1, result.frames());
    return result;
  });
}

static Result<Types> checkStacker(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(1, 2));
  NNHAL_ASSIGN_OR_RETURN(StackerOptions options, stackerOptions(use));
  NNHAL_RETURN_IF_ERROR(
      use.checkTensor(0, "channels", int16Type, {options.channels}));
  return Types{typeOf(int16Type, {options.size()}), typeOf(boolType, {1})};
}

static Result<Types> stackerStates(const Use &use) {
  NNHAL_ASSIGN_OR_RETURN(StackerOptions options, stackerOptions(use));
  return Types{stateOf(int16Type, {options.size()}), stateOf(int32Type, {1})};
}

static Status executeStacker(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(StackerOptions options, stackerOptions(use));
  // 0 before the first frame, then 1 more than the frames that are held.
  NNHAL_ASSIGN_OR_RETURN(int32_t counted, countOf(use, 1, options.frames()));
  NNHAL_ASSIGN_OR_RETURN(std::span<int16_t> to,
                         allocate<int16_t>(outputs, 0, {options.size()}));
  NNHAL_ASSIGN_OR_RETURN(std::span<uint8_t> isValid,
                         allocate<uint8_t>(outputs, 1, {1}));
  NNHAL_ASSIGN_OR_RETURN(std::span<int16_t> after,
                         allocate<int16_t>(outputs, 2, {options.size()}));
  NNHAL_ASSIGN_OR_RETURN(std::span<int32_t> countAfter,
                         allocate<int32_t>(outputs, 3, {1}));
  auto channels = size_t(options.channels);
  auto frame = elementsOf<int16_t>(use, 0);
  auto before = elementsOf<int16_t>(use, use.stateInput(0));
  std::vector<int16_t> stack(
      before.begin(),
      before.begin() + ptrdiff_t(size_t(std::max(counted - 1, 0)) * channels));
  // The first frame stands for those before it, too.
  for (int32_t i = 0; i <= (counted == 0 ? options.left : 0); ++i)
    stack.insert(stack.end(), frame.begin(), frame.end());
  size_t dropped = 0;
  if (stack.size() >= to.size()) {
    isValid[0] = 1;
    std::copy_n(stack.begin(), to.size(), to.begin());
    dropped = size_t(options.step) * channels;
  }
  std::copy(stack.begin() + ptrdiff_t(dropped), stack.end(), after.begin());
  countAfter[0] = int32_t((stack.size() - dropped) / channels) + 1;
  return Status::ok();
}

const OperatorRow tflite_custom::stackerRow = {
    "SignalStacker", checkStacker, executeStacker, 2, stackerStates};

//===----------------------------------------------------------------------===//
// SignalOverlapAdd
//===----------------------------------------------------------------------===//

static Result<int32_t> overlapStep(const Use &use) {
  return Options::read(use, [&](Options &options) {
    int64_t size = use.input(0).dimensions.back();
    int32_t most = size == unknownExtent
                       ? mostSamples
                       : int32_t(std::min<int64_t>(size, mostSamples));
    return options.integer("frame_step", 1, most);
  });
}

/// The extents of the samples of frames with \p extents.
static Extents joined(Extents extents, int64_t step) {
  extents.pop_back();
  if (extents.back() != unknownExtent)
    extents.back() *= step;
  return extents;
}

static Result<Types> checkOverlapAdd(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(1, 1));
  OperandType type = use.input(0).type == floatType ? floatType : int16Type;
  NNHAL_RETURN_IF_ERROR(use.checkType(0, "frames", type, 2));
  NNHAL_ASSIGN_OR_RETURN(int32_t step, overlapStep(use));
  return Types{typeOf(type, joined(use.input(0).dimensions, step))};
}

/// The extents of the samples that later frames are added to.
static Extents overlapOf(Extents extents) {
  extents.erase(extents.end() - 2);
  return extents;
}

static Result<Types> overlapAddStates(const Use &use) {
  return Types{stateOf(use.input(0).type, overlapOf(use.input(0).dimensions))};
}

static int16_t sumOf(int16_t a, int16_t b) {
  return int16_t(std::clamp(int32_t(a) + b, INT16_MIN, INT16_MAX));
}
static float sumOf(float a, float b) { return a + b; }

template <typename T>
static Status overlapAdd(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(int32_t stated, overlapStep(use));
  const Extents &extents = use.input(0).dimensions;
  NNHAL_ASSIGN_OR_RETURN(std::span<T> to,
                         allocate<T>(outputs, 0, joined(extents, stated)));
  NNHAL_ASSIGN_OR_RETURN(std::span<T> sums,
                         allocate<T>(outputs, 1, overlapOf(extents)));
  auto step = size_t(stated), size = size_t(extents.back());
  auto frames = size_t(extents[extents.size() - 2]);
  std::ranges::copy(elementsOf<T>(use, use.stateInput(0)), sums.begin());
  const T *from = elementsOf<T>(use, 0).data();
  T *place = to.data();
  for (size_t row = 0; row < sums.size() / size; ++row) {
    std::span<T> sum = sums.subspan(row * size, size);
    for (size_t frame = 0; frame < frames; ++frame) {
      for (T &sample : sum)
        sample = sumOf(sample, *from++);
      place = std::copy_n(sum.begin(), step, place);
      std::fill(
          std::copy(sum.begin() + ptrdiff_t(step), sum.end(), sum.begin()),
          sum.end(), T());
    }
  }
  return Status::ok();
}

static Status executeOverlapAdd(const Use &use, ExtensionOutputs &outputs) {
  return use.input(0).type == int16Type ? overlapAdd<int16_t>(use, outputs)
                                        : overlapAdd<float>(use, outputs);
}

const OperatorRow tflite_custom::overlapAddRow = {
    "SignalOverlapAdd", checkOverlapAdd, executeOverlapAdd, 1,
    overlapAddStates};
