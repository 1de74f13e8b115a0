//===- SequenceEvaluators.cpp - How right sequences of frames are ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SequenceEvaluators.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;
using rt::Status;

namespace {

/// The first output of a sample, and what it should be, frame by frame.
struct Sequence {
  uint64_t frames = 0;
  size_t width = 0;
  std::vector<double> found;
  std::vector<double> expected;

  static rt::Result<Sequence> create(const Sample &sample,
                                     std::span<const OutputTensor> outputs);
};

/// Mean and standard deviation of one element of an output.
struct Normal {
  double mean = 0.0;
  double deviation = 1.0;
};

class MelCepLogF0 : public Evaluator {
public:
  MelCepLogF0(const EvaluatorRequest &request, std::vector<Normal> normals)
      : melCepLimit(request.melCepLimit), logF0Limit(request.logF0Limit),
        normals(std::move(normals)) {}

  rt::Result<std::vector<double>>
  judge(const Sample &sample,
        std::span<const OutputTensor> outputs) const override;
  Status add(std::string_view name, std::span<const double> judgement) override;
  void finish(RunResult &run) const override;

private:
  static constexpr size_t parts = 4;
  static constexpr size_t amplitudes = 40;
  static constexpr size_t aperiodicities = 7;
  static constexpr size_t partWidth = amplitudes + aperiodicities + 2;

  double melCepLimit;
  double logF0Limit;
  std::vector<Normal> normals;
  std::vector<std::string> errors;
  double largestMelCep = 0.0;
  double largestLogF0 = 0.0;
};

class PhoneErrorRate : public Evaluator {
public:
  explicit PhoneErrorRate(double limit) : limit(limit) {}

  rt::Result<std::vector<double>>
  judge(const Sample &sample,
        std::span<const OutputTensor> outputs) const override;
  Status add(std::string_view name, std::span<const double> judgement) override;
  void finish(RunResult &run) const override;

private:
  double limit;
  std::vector<std::string> errors;
  double largest = 0.0;
};

} // namespace

static std::vector<double> elementsOf(const ElementFormat &format,
                                      std::span<const std::byte> bytes) {
  std::vector<double> elements(bytes.size() / format.size);
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = format.load(bytes.data() + i * format.size);
  return elements;
}

rt::Result<Sequence> Sequence::create(const Sample &sample,
                                      std::span<const OutputTensor> outputs) {
  if (sample.expected.empty() || !sample.expected[0])
    return badData("'{}' has no expected output, which sequences are compared "
                   "with",
                   sample.name);
  Sequence sequence;
  sequence.frames = sample.inputs.frameCount;
  sequence.found = elementsOf(formatOf(outputs[0].type), outputs[0].bytes);
  sequence.expected =
      elementsOf(*sample.expected[0]->format, sample.expected[0]->bytes);
  if (sequence.found.size() != sequence.expected.size())
    return badData("the output for '{}' has {} elements, and {} are expected",
                   sample.name, sequence.found.size(),
                   sequence.expected.size());
  sequence.width = sequence.found.size() / sequence.frames;
  return sequence;
}

/// The judgement is the distance of the amplitudes and that of the pitches.
rt::Result<std::vector<double>>
MelCepLogF0::judge(const Sample &sample,
                   std::span<const OutputTensor> outputs) const {
  NNHAL_ASSIGN_OR_RETURN(Sequence sequence, Sequence::create(sample, outputs));
  if (sequence.width != parts * partWidth)
    return badData("the output for '{}' has {} elements in a frame, and "
                   "mel-cep-log-f0 is for {}",
                   sample.name, sequence.width, parts * partWidth);
  auto at = [&](const std::vector<double> &elements, size_t i) {
    if (normals.empty())
      return elements[i];
    const Normal &normal = normals[i % sequence.width];
    return elements[i] * normal.deviation + normal.mean;
  };
  double melCep = 0.0, logF0 = 0.0;
  uint64_t voiced = 0;
  for (size_t begin = 0; begin < sequence.found.size(); begin += partWidth) {
    for (size_t i = begin + 1; i < begin + amplitudes; ++i) {
      double difference = at(sequence.found, i) - at(sequence.expected, i);
      melCep += difference * difference;
    }
    size_t pitch = begin + amplitudes + aperiodicities;
    if (at(sequence.found, pitch + 1) <= 0.0 ||
        at(sequence.expected, pitch + 1) <= 0.0)
      continue;
    double difference =
        at(sequence.found, pitch) - at(sequence.expected, pitch);
    logF0 += difference * difference;
    ++voiced;
  }
  melCep =
      std::sqrt(melCep / double(sequence.frames * parts * (amplitudes - 1)));
  logF0 = voiced ? std::sqrt(logF0 / double(voiced)) : 0.0;
  return std::vector<double>{melCep, logF0};
}

Status MelCepLogF0::add(std::string_view name,
                        std::span<const double> judgement) {
  NNHAL_RETURN_IF_ERROR(checkJudgement(name, judgement, 2));
  double melCep = judgement[0], logF0 = judgement[1];
  if (!(melCep <= melCepLimit))
    errors.push_back(fmt::format("mel-cep distortion of '{}' is {}, more than "
                                 "{}",
                                 name, melCep, melCepLimit));
  if (!(logF0 <= logF0Limit))
    errors.push_back(fmt::format("log F0 error of '{}' is {}, more than {}",
                                 name, logF0, logF0Limit));
  largestMelCep = std::max(largestMelCep, melCep);
  largestLogF0 = std::max(largestLogF0, logF0);
  return Status::ok();
}

void MelCepLogF0::finish(RunResult &run) const {
  run.evaluators.push_back({"max_mel_cep_distortion", largestMelCep});
  run.evaluators.push_back({"max_log_f0_error", largestLogF0});
  run.validationErrors.insert(run.validationErrors.end(), errors.begin(),
                              errors.end());
}

/// The judgement is the rate in percent.
rt::Result<std::vector<double>>
PhoneErrorRate::judge(const Sample &sample,
                      std::span<const OutputTensor> outputs) const {
  NNHAL_ASSIGN_OR_RETURN(Sequence sequence, Sequence::create(sample, outputs));
  auto phonesOf = [&](const std::vector<double> &elements) {
    std::vector<uint32_t> phones;
    for (uint64_t frame = 0; frame < sequence.frames && sequence.width;
         ++frame) {
      auto begin = elements.begin() + ptrdiff_t(frame * sequence.width);
      phones.push_back(uint32_t(
          std::max_element(begin, begin + ptrdiff_t(sequence.width)) - begin));
    }
    return phones;
  };
  double rate = 100.0 *
                double(editDistance(phonesOf(sequence.expected),
                                    phonesOf(sequence.found))) /
                double(sequence.frames);
  return std::vector<double>{rate};
}

Status PhoneErrorRate::add(std::string_view name,
                           std::span<const double> judgement) {
  NNHAL_RETURN_IF_ERROR(checkJudgement(name, judgement, 1));
  double rate = judgement[0];
  if (rate > limit)
    errors.push_back(fmt::format("phone error rate of '{}' is {} %, more than "
                                 "{}",
                                 name, rate, limit));
  largest = std::max(largest, rate);
  return Status::ok();
}

void PhoneErrorRate::finish(RunResult &run) const {
  run.evaluators.push_back({"max_phone_error_rate", largest});
  run.validationErrors.insert(run.validationErrors.end(), errors.begin(),
                              errors.end());
}

uint64_t tools::editDistance(std::span<const uint32_t> expected,
                             std::span<const uint32_t> found) {
  // The distances of the expected elements so far to each beginning of the
  // found ones.
  std::vector<uint64_t> distances(found.size() + 1);
  std::iota(distances.begin(), distances.end(), 0);
  for (size_t i = 0; i < expected.size(); ++i) {
    uint64_t diagonal = std::exchange(distances[0], i + 1);
    for (size_t j = 0; j < found.size(); ++j) {
      uint64_t replaced = diagonal + (expected[i] == found[j] ? 0 : 1);
      diagonal = distances[j + 1];
      distances[j + 1] = std::min({replaced, diagonal + 1, distances[j] + 1});
    }
  }
  return distances.back();
}

static rt::Result<std::vector<Normal>> readNormals(const std::string &path) {
  std::vector<Normal> normals;
  if (path.empty())
    return normals;
  NNHAL_ASSIGN_OR_RETURN(rt::Memory file, rt::Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  // The width of the frames that mel-cep-log-f0 is for, twice.
  constexpr size_t size = size_t(4 * 49) * 2 * sizeof(float);
  if (bytes.size() != size)
    return badData("'{}' has {} bytes, and {} hold mean and standard deviation "
                   "of each element",
                   path, bytes.size(), size);
  for (size_t at = 0; at < size; at += 2 * sizeof(float)) {
    float pair[2];
    std::memcpy(pair, bytes.data() + at, sizeof(pair));
    normals.push_back({pair[0], pair[1]});
  }
  return normals;
}

rt::Result<std::unique_ptr<Evaluator>>
tools::makeMelCepLogF0(const EvaluatorRequest &request) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<Normal> normals,
                         readNormals(request.meanAndDeviation));
  return std::unique_ptr<Evaluator>(
      std::make_unique<MelCepLogF0>(request, std::move(normals)));
}

std::unique_ptr<Evaluator>
tools::makePhoneErrorRate(const EvaluatorRequest &request) {
  return std::make_unique<PhoneErrorRate>(request.phoneErrorLimit);
}
