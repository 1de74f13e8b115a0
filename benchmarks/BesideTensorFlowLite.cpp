//===- BesideTensorFlowLite.cpp - A model beside TensorFlow Lite ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints, as one JSON object, how fast nnhal-cpu executes a .tflite file, how
// fast TensorFlow Lite with XNNPACK does, and how far their first outputs lie
// apart. Both are in this process, have the same inputs, and take turns every
// few milliseconds, so that a neighbour of the machine meets both.
//
//===----------------------------------------------------------------------===//

#include "TensorFlowLite.h"
#include "Words.h"

#include "Runtime/Support/Errors.h"
#include "Tools/Benchmark/Statistics.h"
#include "Tools/Execution/Engine.h"
#include "Tools/Options/Values.h"
#include "Tools/Tensors/Compare.h"
#include "Tools/Tensors/Inputs.h"
#include "nnhal/Runtime/AlignedBuffer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>

using namespace nnhal;
using namespace nnhal::benchmarks;
using rt::Result;
using rt::Status;
using Clock = std::chrono::steady_clock;

namespace {

/// Microseconds of one turn, at least one execution.
constexpr double turn = 10'000;
/// Turns before the measured ones: clocks rise, threads wake, pages come.
constexpr int warmupTurns = 5;

struct Options {
  std::string library;
  std::string model;
  double seconds = 2;
  uint64_t threads = 1;
  std::string rounding = "double";
};

/// One of the two that are compared.
struct Contender {
  std::function<Status()> execute;
  double prepareMilliseconds = 0;
  std::vector<double> microseconds = {};

  Result<double> time() const {
    Clock::time_point begin = Clock::now();
    NNHAL_RETURN_IF_ERROR(execute());
    return std::chrono::duration<double, std::micro>(Clock::now() - begin)
        .count();
  }

  Status takeTurn() {
    for (double spent = 0; spent < turn;) {
      NNHAL_ASSIGN_OR_RETURN(double taken, time());
      microseconds.push_back(taken);
      spent += taken;
    }
    return Status::ok();
  }

  double best() const {
    return *std::min_element(microseconds.begin(), microseconds.end());
  }

  nlohmann::json toJson() const {
    return {{"best_us", best()},
            {"median_us", tools::medianOf(microseconds)},
            {"executions", microseconds.size()},
            {"prepare_ms", prepareMilliseconds}};
  }
};

double millisecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin)
      .count();
}

/// A model on nnhal-cpu with the memory of one request.
struct OwnModel {
  Status open(const Options &options);
  /// Fills the inputs of both. States, which nnhal-cpu takes and returns as
  /// arguments, come behind the others and begin as TensorFlow Lite's do.
  Status fill(std::span<const std::span<std::byte>> others);

  std::shared_ptr<tools::Engine> engine;
  std::shared_ptr<rt::PreparedModel> prepared;
  tools::Inputs inputs;
  std::vector<rt::AlignedBuffer> outputs;
  rt::Request request;
  rt::ExecutionResult result;
};

Status OwnModel::open(const Options &options) {
  tools::EngineOptions settings;
  settings.devices = {"nnhal-cpu"};
  settings.threads = options.threads;
  settings.rounding = options.rounding;
  rt::DeviceServices services;
  services.log = std::make_shared<rt::Log>();
  NNHAL_ASSIGN_OR_RETURN(engine,
                         tools::Engine::create(settings, std::move(services)));
  NNHAL_ASSIGN_OR_RETURN(tools::ModelFile file,
                         tools::openModel(options.model));
  NNHAL_ASSIGN_OR_RETURN(tools::LoadOutcome loaded,
                         engine->load(engine->request(), file, {}));
  prepared = loaded.prepared;
  return Status::ok();
}

Status OwnModel::fill(std::span<const std::span<std::byte>> others) {
  const rt::Interface &interface = prepared->interface();
  tools::InputRequest wanted;
  wanted.randomSeed = 1;
  NNHAL_ASSIGN_OR_RETURN(inputs, tools::buildInputs(wanted, interface));
  if (inputs.tensors.size() < others.size())
    return rt::failure("nnhal-cpu has {} inputs, TensorFlow Lite {}",
                       inputs.tensors.size(), others.size());
  for (size_t i = 0; i < inputs.tensors.size(); ++i) {
    std::span<std::byte> bytes = inputs.tensors[i].bytes.bytes();
    if (i < others.size()) {
      if (bytes.size() != others[i].size())
        return rt::failure(
            "input {} has {} bytes on nnhal-cpu, {} in TensorFlow Lite", i,
            bytes.size(), others[i].size());
      std::memcpy(others[i].data(), bytes.data(), bytes.size());
    }
    request.inputs.push_back({rt::Memory::borrow(bytes), {}});
  }
  for (const rt::InterfaceTensor &tensor : interface.outputs) {
    NNHAL_ASSIGN_OR_RETURN(uint64_t size,
                           tools::byteSizeOf(tensor, tensor.dimensions));
    NNHAL_ASSIGN_OR_RETURN(rt::AlignedBuffer buffer,
                           rt::AlignedBuffer::allocate(size));
    outputs.push_back(std::move(buffer));
    request.outputs.push_back(
        {rt::OutputMemory::borrow(outputs.back().bytes()), {}});
  }
  return Status::ok();
}

/// How far the outputs of one execution each lie apart: the elements that are
/// not equal, and the largest difference with the largest element beside it.
nlohmann::json differences(const OwnModel &own,
                           std::span<const std::span<const std::byte>> others) {
  nlohmann::json result = nlohmann::json::array();
  for (size_t i = 0; i < others.size(); ++i) {
    const rt::InterfaceTensor &tensor = own.prepared->interface().outputs[i];
    std::span<const std::byte> bytes = own.outputs[i].bytes();
    // Elements of 64 bits may have become elements of 32.
    if (bytes.size() != others[i].size()) {
      result.push_back({{"elements", 0},
                        {"unequal", 0},
                        {"bytes", {bytes.size(), others[i].size()}}});
      continue;
    }
    const tools::ElementFormat &format = tools::formatOf(tensor);
    uint64_t count = bytes.size() / format.size;
    tools::Differences found = tools::compareElements(
        format, bytes.data(), format, others[i].data(), count, {});
    double largest = 0;
    for (uint64_t element = 0; element < count; ++element)
      largest = std::max(
          largest, std::abs(format.load(&others[i][element * format.size])));
    result.push_back({{"elements", count},
                      {"unequal", found.count},
                      {"worst", found.worst},
                      {"largest", largest}});
  }
  return result;
}

Result<nlohmann::json> measure(const Options &options) {
  Clock::time_point begin = Clock::now();
  NNHAL_ASSIGN_OR_RETURN(TensorFlowLiteModel other,
                         TensorFlowLiteModel::open(options.library,
                                                   options.model,
                                                   int32_t(options.threads)));
  Contender theirs{.execute = [&] { return other.execute(); },
                   .prepareMilliseconds = millisecondsSince(begin)};
  begin = Clock::now();
  OwnModel own;
  NNHAL_RETURN_IF_ERROR(own.open(options));
  Contender ours{
      .execute = [&] { return own.prepared->execute(own.request, own.result); },
      .prepareMilliseconds = millisecondsSince(begin)};
  NNHAL_RETURN_IF_ERROR(own.fill(other.inputs()));
  NNHAL_RETURN_IF_ERROR(theirs.execute());
  NNHAL_RETURN_IF_ERROR(ours.execute());
  nlohmann::json outputs = differences(own, other.outputs());
  for (int i = 0; i < warmupTurns; ++i) {
    NNHAL_RETURN_IF_ERROR(theirs.takeTurn());
    NNHAL_RETURN_IF_ERROR(ours.takeTurn());
  }
  theirs.microseconds.clear();
  ours.microseconds.clear();
  begin = Clock::now();
  while (millisecondsSince(begin) < options.seconds * 1e3) {
    NNHAL_RETURN_IF_ERROR(theirs.takeTurn());
    NNHAL_RETURN_IF_ERROR(ours.takeTurn());
  }
  tools::Interval ratio =
      tools::bootstrapMedianRatio(theirs.microseconds, ours.microseconds);
  return nlohmann::json{
      {"version", other.version()},
      {"delegated", other.isDelegated()},
      {"tensorflow_lite", theirs.toJson()},
      {"nnhal", ours.toJson()},
      {"ratio_best", ours.best() / theirs.best()},
      {"ratio_median", tools::medianOf(ours.microseconds) /
                           tools::medianOf(theirs.microseconds)},
      {"ratio_median_95", {ratio.low, ratio.high}},
      {"outputs", std::move(outputs)}};
}

/// The value of the word \p name; ends the program where it has none.
template <typename Value>
Value valueOf(std::string_view name, const Result<Value> &parsed) {
  if (!parsed.isOk())
    misuse(fmt::format("{}: {}", name, parsed.status().message()));
  return *parsed;
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> words = readWords(
      {.program = "nnhal-benchmark-tensorflowlite",
       .words = "LIBRARY MODEL.tflite [SECONDS [THREADS [ROUNDING]]]",
       .purpose = "Measures a model on nnhal-cpu and in TensorFlow Lite with "
                  "XNNPACK, whose C library\nLIBRARY is, in turn for SECONDS "
                  "(2) with THREADS (1).",
       .least = 2,
       .most = 5},
      argc, argv);
  Options options{.library = words[0], .model = words[1]};
  if (words.size() > 2)
    options.seconds =
        valueOf("SECONDS", tools::parseReal(words[2], 0.01, 3600));
  if (words.size() > 3)
    options.threads = valueOf("THREADS", tools::parseCount(words[3], 1, 64));
  if (words.size() > 4)
    options.rounding = words[4];
  Result<nlohmann::json> result = measure(options);
  if (!result.isOk()) {
    fmt::print(stderr, "error: {}\n", result.status().message());
    return 1;
  }
  printText(result->dump(1) + "\n");
}
