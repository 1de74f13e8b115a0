//===- ExecutionRecorder.cpp - A program's work as one file ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecutionRecorder.h"

#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Validate.h"

#include <filesystem>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;

static rt::RecordedWay wayOf(ExecutionMode mode) {
  switch (mode) {
  case ExecutionMode::sync:
    return rt::RecordedWay::sync;
  case ExecutionMode::async:
    return rt::RecordedWay::async;
  case ExecutionMode::fenced:
    return rt::RecordedWay::fenced;
  case ExecutionMode::burst:
    break;
  }
  return rt::RecordedWay::burst;
}

static std::vector<rt::TestTensor>
copyOf(const std::vector<ObservedTensor> &tensors) {
  std::vector<rt::TestTensor> copies;
  copies.reserve(tensors.size());
  for (const ObservedTensor &tensor : tensors) {
    const auto *begin = reinterpret_cast<const uint8_t *>(tensor.bytes.data());
    copies.push_back({false,
                      {tensor.dimensions.begin(), tensor.dimensions.end()},
                      {begin, begin + tensor.bytes.size()}});
  }
  return copies;
}

ExecutionRecorder::ExecutionRecorder(rt::RecordedSettings settings,
                                     uint64_t limit)
    : limit(limit) {
  test.spec = "recorded";
  test.recording.emplace().settings = std::move(settings);
}

Status ExecutionRecorder::beginPreparation(const rt::AnnotatedModel &source) {
  test.model = source.model;
  auto version = rt::lowestVersion(source.model);
  if (version.isOk())
    test.minHalVersion = *version;
  // Whatever is in files is stated in the text.
  for (size_t i = 0; i < test.model.pools.size(); ++i) {
    rt::Pool &pool = test.model.pools[i];
    auto memory = pool.memory.materialize();
    if (!memory.isOk())
      return memory.status().withContext(fmt::format("pool {}", i));
    pool.memory = *std::move(memory);
    pool.file.clear();
    pool.fileOffset = 0;
  }
  isBegun = true;
  begin = std::chrono::steady_clock::now();
  return Status::ok();
}

/// The first failure is what the case is called after.
void ExecutionRecorder::say(const Status &status) {
  if (!status.isOk() && test.spec == "recorded")
    test.spec = fmt::format("recorded: {}: {}", rt::toString(status.code()),
                            status.message());
}

void ExecutionRecorder::endPreparation(const Status &status) {
  if (!isBegun)
    return;
  auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::steady_clock::now() - begin);
  test.recording->preparation = {status.code(), uint64_t(elapsed.count())};
  say(status);
}

void ExecutionRecorder::add(const ObservedExecution &execution) {
  ++count;
  // A failure is what a recording is looked at for.
  if (kept() >= limit && execution.status.isOk())
    return;
  rt::TestExample &example = test.examples.emplace_back();
  example.inputs = copyOf(execution.inputs);
  example.outputs = copyOf(execution.outputs);
  if (!execution.status.isOk())
    example.outputs.assign(test.model.main.outputIndexes.size(),
                           {true, {}, {}});
  test.recording->calls.push_back(
      {wayOf(execution.mode),
       {execution.status.code(), execution.nanoseconds},
       execution.loopTimeout});
  say(execution.status);
}

Status ExecutionRecorder::write(const std::string &path) const {
  rt::TestCase named = test;
  named.name = std::filesystem::path(path).stem().string();
  NNHAL_ASSIGN_OR_RETURN(std::string text,
                         rt::writeTestCases(std::span(&named, 1)));
  return rt::writeFileAtomically(path, std::as_bytes(std::span(text)));
}
