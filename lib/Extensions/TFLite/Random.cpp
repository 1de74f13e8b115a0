//===- Random.cpp - Random numbers ----------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generators that encrypt a counter: Philox with 4 words and 10 rounds, and
// Threefry with 2 words and 20 rounds (Salmon, Moraes, Dror and Shaw: Parallel
// Random Numbers: As Easy as 1, 2, 3; SC 2011). Operators with seeds have a
// state that counts what has been drawn, as an input and an output.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "nnhal/Backend/Philox.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet int64Only = elementSet(Element::int64);
constexpr ElementSet uint64Only = elementSet(Element::uint64);

//===----------------------------------------------------------------------===//
// Generators
//===----------------------------------------------------------------------===//

constexpr uint32_t lowOf(uint64_t value) { return uint32_t(value); }
constexpr uint32_t highOf(uint64_t value) { return uint32_t(value >> 32); }
constexpr uint64_t joined(uint32_t low, uint32_t high) {
  return uint64_t(high) << 32 | low;
}

/// A number of 128 bits.
struct Wide {
  uint64_t low = 0, high = 0;

  Wide operator+(const Wide &other) const {
    uint64_t sum = low + other.low;
    return {sum, high + other.high + (sum < low ? 1 : 0)};
  }
};

using Words = std::array<uint32_t, 4>;

Words philox(uint64_t key, const Wide &counter) {
  return rt::philox4x32({lowOf(counter.low), highOf(counter.low),
                         lowOf(counter.high), highOf(counter.high)},
                        {lowOf(key), highOf(key)});
}

std::array<uint32_t, 2> threefry(uint64_t key, uint64_t counter) {
  constexpr int turns[] = {13, 15, 26, 6, 17, 29, 16, 24};
  constexpr uint32_t parity = 0x1BD11BDA;
  constexpr uint32_t rounds = 20;
  const std::array<uint32_t, 3> keys = {lowOf(key), highOf(key),
                                        lowOf(key) ^ highOf(key) ^ parity};
  uint32_t a = lowOf(counter) + keys[0], b = highOf(counter) + keys[1];
  for (uint32_t round = 0; round < rounds; ++round) {
    a += b;
    b = std::rotl(b, turns[round % 8]) ^ a;
    // Each fourth round is followed by the next pair of keys.
    if (uint32_t count = (round + 1) / 4; (round + 1) % 4 == 0) {
      a += keys[count % 3];
      b += keys[(count + 1) % 3] + count;
    }
  }
  return {a, b};
}

/// The stream of an operator with seeds.
struct Stream {
  uint64_t key;
  Wide counter;

  Words next() {
    Words words = philox(key, counter);
    counter = counter + Wide{1, 0};
    return words;
  }
};

//===----------------------------------------------------------------------===//
// Operators with seeds
//===----------------------------------------------------------------------===//

/// Checks the seeds, tensor \p seeds, and the state behind them, whose next
/// value is result 1.
Status checkSeeds(const Use &use, size_t seeds) {
  NNHAL_RETURN_IF_ERROR(use.checkElement(seeds, int64Only));
  NNHAL_RETURN_IF_ERROR(use.checkElement(seeds + 1, uint64Only));
  for (size_t tensor : {seeds, seeds + 1}) {
    NNHAL_RETURN_IF_ERROR(use.checkRank(tensor, 1, 1));
    NNHAL_RETURN_IF_ERROR(use.checkExtent(tensor, 0, 2));
  }
  return use.checkResultElement(1, uint64Only);
}

/// Returns how many groups of four words have been drawn before this execution.
Wide drawnBefore(const Use &use, size_t seeds) {
  const auto *state = use.data<uint64_t>(seeds + 1);
  return {state[0], state[1]};
}

Stream streamOf(const Use &use, size_t seeds) {
  const auto *values = use.data<int64_t>(seeds);
  return {uint64_t(values[0]),
          Wide{0, uint64_t(values[1])} + drawnBefore(use, seeds)};
}

/// Writes the state after \p groups more groups.
Status advance(Run &run, size_t seeds, uint64_t groups) {
  NNHAL_ASSIGN_OR_RETURN(uint64_t *state, run.allocate<uint64_t>(1));
  Wide drawn = drawnBefore(run.use, seeds) + Wide{groups, 0};
  state[0] = drawn.low;
  state[1] = drawn.high;
  return Status::ok();
}

/// Returns the extents that tensor 0 tells; unknown ones while its elements are
/// not known.
Result<Extents> shapeOf(const Use &use) {
  constexpr int64_t mostDimensions = 8;
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 1, 1));
  int64_t rank = use.extent(0, 0);
  if (rank > mostDimensions)
    return refuse(use.nameOf(0), " has ", rank,
                  " elements, but a result has at most ", mostDimensions,
                  " dimensions");
  std::optional<Extents> extents = use.integers(0);
  if (!extents) {
    if (rank == unknownExtent && !use.output(0).isRanked)
      return refuse("the output has unknown rank, and no input tells its "
                    "shape");
    return Extents(size_t(rank == unknownExtent ? use.output(0).rank() : rank),
                   unknownExtent);
  }
  NNHAL_RETURN_IF_ERROR(checkNewShape(*extents));
  return *std::move(extents);
}

constexpr size_t shapeSeeds = 1;

Result<Types> checkRandom(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkSeeds(use, shapeSeeds));
  NNHAL_RETURN_IF_ERROR(
      use.checkResultElement(0, elementSet(Element::float32)));
  NNHAL_ASSIGN_OR_RETURN(Extents extents, shapeOf(use));
  return Types{resultType(use, 0, std::move(extents)), resultType(use, 1, {2})};
}

/// Returns the number in [0, 1) whose fraction is the last 23 bits of \p word.
float fractionOf(uint32_t word) {
  return std::bit_cast<float>(uint32_t(127) << 23 | (word & 0x7FFFFF)) - 1.0f;
}

/// Returns the number in [0, 1) whose fraction are 52 bits of two words.
double fractionOf(uint32_t high, uint32_t low) {
  uint64_t bits = joined(low, high & 0xFFFFF);
  return std::bit_cast<double>(uint64_t(1023) << 52 | bits) - 1.0;
}

using Reals = std::array<float, 4>;

Reals uniforms(const Words &words) {
  return {fractionOf(words[0]), fractionOf(words[1]), fractionOf(words[2]),
          fractionOf(words[3])};
}

/// Returns normal numbers, two from each two uniform ones (Box and Muller).
Reals normals(const Words &words) {
  constexpr float leastFraction = 1e-7f;
  Reals result;
  for (size_t pair = 0; pair < result.size(); pair += 2) {
    float fraction = std::max(fractionOf(words[pair]), leastFraction);
    auto angle =
        float(2.0 * std::numbers::pi * double(fractionOf(words[pair + 1])));
    float radius = std::sqrt(-2.0f * std::log(fraction));
    result[pair] = std::sin(angle) * radius;
    result[pair + 1] = std::cos(angle) * radius;
  }
  return result;
}

template <Reals function(const Words &)> Status runRandom(Run &run) {
  NNHAL_ASSIGN_OR_RETURN(float *to, run.allocate<float>(0));
  auto count = size_t(elementCount(run.types[0]));
  Stream stream = streamOf(run.use, shapeSeeds);
  for (size_t first = 0; first < count; first += 4) {
    Reals reals = function(stream.next());
    std::copy_n(reals.data(), std::min<size_t>(4, count - first), to + first);
  }
  // The rest of a group is not used later.
  return advance(run, shapeSeeds, (count + 3) / 4);
}

//===----------------------------------------------------------------------===//
// MULTINOMIAL
//===----------------------------------------------------------------------===//

constexpr size_t multinomialSeeds = 2;

Result<Types> checkMultinomial(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkSeeds(use, multinomialSeeds));
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, indexElements));
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 2, 2));
  if (use.extent(0, 1) == 0)
    return refuse(use.nameOf(0), " has 0 classes, but must have at least 1");
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, indexElements));
  NNHAL_RETURN_IF_ERROR(use.checkOneElement(1));
  int64_t samples = unknownExtent;
  if (std::optional<Extents> values = use.integers(1))
    samples = values->front();
  if (samples != unknownExtent && (samples < 0 || samples > UINT32_MAX))
    return refuse("the number of samples is ", samples, ", but must be 0 to ",
                  UINT32_MAX);
  return Types{resultType(use, 0, {use.extent(0, 0), samples}),
               resultType(use, 1, {2})};
}

/// Returns the sums of the weights of the classes up to each one.
std::vector<double> cumulated(const float *logits, int64_t classes) {
  // Weights are relative to the largest one, so that none is too large.
  float largest = std::numeric_limits<float>::lowest();
  for (int64_t index = 0; index < classes; ++index)
    if (std::isfinite(logits[index]))
      largest = std::max(largest, logits[index]);
  std::vector<double> sums(size_t(classes), 0.0);
  double sum = 0;
  for (int64_t index = 0; index < classes; ++index) {
    if (std::isfinite(logits[index]))
      sum += std::exp(double(logits[index]) - double(largest));
    sums[size_t(index)] = sum;
  }
  return sums;
}

template <typename T>
void drawClasses(const Use &use, T *to, int64_t batches, int64_t samples) {
  int64_t classes = use.extent(0, 1);
  const auto *logits = use.data<float>(0);
  Stream stream = streamOf(use, multinomialSeeds);
  Words words = {};
  size_t used = words.size();
  for (int64_t batch = 0; batch < batches; ++batch) {
    std::vector<double> sums = cumulated(logits + batch * classes, classes);
    for (int64_t sample = 0; sample < samples; ++sample, used += 2) {
      if (used == words.size()) {
        words = stream.next();
        used = 0;
      }
      double place = fractionOf(words[used], words[used + 1]) * sums.back();
      *to++ =
          T(std::upper_bound(sums.begin(), sums.end(), place) - sums.begin());
    }
  }
}

Status runMultinomial(Run &run) {
  int64_t batches = run.types[0].dimensions[0];
  int64_t samples = run.types[0].dimensions[1];
  if (run.use.resultElement(0) == Element::int64) {
    NNHAL_ASSIGN_OR_RETURN(int64_t *to, run.allocate<int64_t>(0));
    drawClasses(run.use, to, batches, samples);
  } else {
    NNHAL_ASSIGN_OR_RETURN(int32_t *to, run.allocate<int32_t>(0));
    drawClasses(run.use, to, batches, samples);
  }
  // TensorFlow Lite leaves room for more numbers than it draws.
  uint64_t rounded = (uint64_t(samples) + 3) / 4 * 4;
  return advance(run, multinomialSeeds, uint64_t(batches) * rounded * 2 * 256);
}

//===----------------------------------------------------------------------===//
// STABLEHLO_RNG_BIT_GENERATOR
//===----------------------------------------------------------------------===//

enum Algorithm : int32_t {
  defaultAlgorithm,
  philoxAlgorithm,
  threefryAlgorithm
};

Result<Types> checkBits(const Use &use) {
  constexpr ElementSet words = elementSet(Element::int32, Element::int64,
                                          Element::uint32, Element::uint64);
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 1, 1));
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, uint64Only));
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(1, words));
  int64_t extent = use.extent(0, 0);
  int64_t most = use.integer("algorithm") == threefryAlgorithm ? 2 : 3;
  if (extent != unknownExtent && (extent < 2 || extent > most))
    return refuse(use.nameOf(0), " has ", extent, " elements, but must have 2",
                  most == 3 ? " or 3" : "");
  if (!use.output(1).isRanked)
    return refuse("output 1 has unknown rank, and no input tells its shape");
  return Types{resultType(use, 0, {extent}),
               resultType(use, 1, use.output(1).dimensions)};
}

/// Fills \p to with what \p words(counter) yields for counters from \p counter
/// on. Returns the counter after the last one.
template <typename Words>
uint64_t fill(std::span<std::byte> to, uint64_t counter, Words &&words) {
  while (!to.empty()) {
    auto group = words(counter++);
    size_t size = std::min(to.size(), sizeof(group));
    std::memcpy(to.data(), group.data(), size);
    to = to.subspan(size);
  }
  return counter;
}

Status runBits(Run &run) {
  const auto *old = run.use.data<uint64_t>(0);
  NNHAL_ASSIGN_OR_RETURN(uint64_t *state, run.allocate<uint64_t>(0));
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(1));
  int64_t count = run.use.extent(0, 0);
  std::copy_n(old, count, state);
  uint64_t key = old[0];
  if (run.use.integer("algorithm") == threefryAlgorithm) {
    state[1] = fill(to, old[1],
                    [key](uint64_t counter) { return threefry(key, counter); });
    return Status::ok();
  }
  // A state of two elements has the key as the upper half of the counter, too.
  uint64_t upper = count == 3 ? old[2] : key;
  state[1] = fill(to, old[1], [key, upper](uint64_t counter) {
    return philox(key, {counter, upper});
  });
  return Status::ok();
}

constexpr OptionRow bitsOptions[] = {
    {"algorithm", OptionKind::integer, defaultAlgorithm, threefryAlgorithm}};

constexpr OperatorRow rows[] = {
    {146,
     "RANDOM_STANDARD_NORMAL",
     "shape seeds state ",
     0,
     indexElements,
     {},
     2,
     checkRandom,
     runRandom<normals>},
    {148,
     "RANDOM_UNIFORM",
     "shape seeds state ",
     0,
     indexElements,
     {},
     2,
     checkRandom,
     runRandom<uniforms>},
    {149,
     "MULTINOMIAL",
     "logits num_samples seeds state ",
     0,
     elementSet(Element::float32),
     {},
     2,
     checkMultinomial,
     runMultinomial},
    {204, "STABLEHLO_RNG_BIT_GENERATOR", "initial_state ", 0, uint64Only,
     bitsOptions, 2, checkBits, runBits},
};

} // namespace

Rows tflite::randomRows() { return rows; }
