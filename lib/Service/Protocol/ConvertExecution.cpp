//===- ConvertExecution.cpp - Requests and results ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"

#include "Wire.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/SharedMemory.h"

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

namespace {
/// Writes the memory of one input or output.
struct MemoryWriter {
  const FindPlace &find;
  bool isOutput;
  size_t index;
  wire::Argument::Memory::Builder builder;

  void operator()(rt::Memory::None) { builder.setNone(); }
  void operator()(rt::OutputMemory::None) { builder.setNone(); }
  void operator()(rt::Memory::DeviceToken memory) {
    builder.setToken(memory.token);
  }
  void operator()(rt::OutputMemory::DeviceToken memory) {
    builder.setToken(memory.token);
  }
  void operator()(const rt::Memory::Descriptor &memory) { region(memory); }
  void operator()(const rt::OutputMemory::Region &memory) { region(memory); }
  void operator()(const rt::Memory::Copied &memory) {
    staged(memory.bytes.size());
  }
  void operator()(const rt::Memory::Borrowed &memory) { staged(memory.size); }
  void operator()(const rt::Memory::Shared &memory) { staged(memory.size); }
  void operator()(const rt::OutputMemory::Borrowed &memory) {
    staged(memory.size);
  }

  template <typename Region> void region(const Region &memory) {
    wire::Region::Builder region = builder.initRegion();
    region.setMemory(find(isOutput, index, memory.pool.get()).memory);
    region.setOffset(memory.offset);
    region.setSize(memory.size);
    region.setPadding(memory.padding);
  }

  void staged(uint64_t size) {
    Place place = find(isOutput, index, nullptr);
    wire::Region::Builder region = builder.initRegion();
    region.setMemory(place.memory);
    region.setOffset(place.offset);
    region.setSize(size);
  }
};
} // namespace

template <typename Argument>
static void write(const Argument &argument, const FindPlace &find,
                  bool isOutput, size_t index,
                  wire::Argument::Builder builder) {
  std::visit(MemoryWriter{find, isOutput, index, builder.getMemory()},
             argument.memory.kind());
  fillNumbers(argument.dimensions,
              builder.initDimensions(unsigned(argument.dimensions.size())));
}

void service::write(const rt::Request &request, const FindPlace &place,
                    wire::Request::Builder builder) {
  auto inputs = builder.initInputs(unsigned(request.inputs.size()));
  for (unsigned i = 0; i < request.inputs.size(); ++i)
    ::write(request.inputs[i], place, /*isOutput=*/false, i, inputs[i]);
  auto outputs = builder.initOutputs(unsigned(request.outputs.size()));
  for (unsigned i = 0; i < request.outputs.size(); ++i)
    ::write(request.outputs[i], place, /*isOutput=*/true, i, outputs[i]);
  builder.setMeasureTiming(request.measureTiming);
  builder.setMeasureOperations(request.measureOperations);
  builder.setDeadline(request.deadline);
  builder.setLoopTimeout(request.loopTimeout);
}

/// The memory of an argument, as the type that inputs or outputs have.
template <typename Memory>
static Result<Memory> readMemory(wire::Argument::Memory::Reader reader,
                                 const FindMemory &find) {
  if (reader.isToken())
    return Memory::device(reader.getToken());
  if (!reader.isRegion())
    return Memory();
  wire::Region::Reader region = reader.getRegion();
  std::shared_ptr<rt::SharedMemory> pool = find(region.getMemory());
  if (!pool)
    return rt::badData("memory {} is not one that was imported",
                       region.getMemory());
  return Memory::region(std::move(pool), region.getOffset(), region.getSize(),
                        region.getPadding());
}

Result<rt::Request> service::read(wire::Request::Reader reader,
                                  const FindMemory &find) {
  rt::Request request;
  request.inputs.reserve(reader.getInputs().size());
  for (auto input : reader.getInputs()) {
    rt::InputArgument &added = request.inputs.emplace_back();
    NNHAL_ASSIGN_OR_RETURN(added.memory,
                           readMemory<rt::Memory>(input.getMemory(), find));
    added.dimensions = numbersOf<uint32_t>(input.getDimensions());
  }
  request.outputs.reserve(reader.getOutputs().size());
  for (auto output : reader.getOutputs()) {
    rt::OutputArgument &added = request.outputs.emplace_back();
    NNHAL_ASSIGN_OR_RETURN(
        added.memory, readMemory<rt::OutputMemory>(output.getMemory(), find));
    added.dimensions = numbersOf<uint32_t>(output.getDimensions());
  }
  request.measureTiming = reader.getMeasureTiming();
  request.measureOperations = reader.getMeasureOperations();
  request.deadline = reader.getDeadline();
  request.loopTimeout = reader.getLoopTimeout();
  return request;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void service::write(const rt::Timing &timing, wire::Timing::Builder builder) {
  builder.setOnDevice(timing.timeOnDevice);
  builder.setInDriver(timing.timeInDriver);
}

rt::Timing service::read(wire::Timing::Reader reader) {
  return {.timeOnDevice = reader.getOnDevice(),
          .timeInDriver = reader.getInDriver()};
}

void service::write(const rt::ExecutionResult &result,
                    wire::ExecutionResult::Builder builder) {
  auto shapes = builder.initOutputShapes(unsigned(result.outputShapes.size()));
  for (unsigned i = 0; i < result.outputShapes.size(); ++i) {
    const rt::OutputShape &shape = result.outputShapes[i];
    fillNumbers(shape.dimensions,
                shapes[i].initDimensions(unsigned(shape.dimensions.size())));
    shapes[i].setIsSufficient(shape.isSufficient);
  }
  write(result.timing, builder.initTiming());
  builder.setCopiedBytes(result.copiedBytes);
  fillNumbers(result.operationTimes, builder.initOperationTimes(unsigned(
                                         result.operationTimes.size())));
}

rt::ExecutionResult service::read(wire::ExecutionResult::Reader reader) {
  rt::ExecutionResult result;
  for (auto shape : reader.getOutputShapes())
    result.outputShapes.push_back(
        {numbersOf<uint32_t>(shape.getDimensions()), shape.getIsSufficient()});
  result.timing = read(reader.getTiming());
  result.copiedBytes = reader.getCopiedBytes();
  result.operationTimes = numbersOf<uint64_t>(reader.getOperationTimes());
  return result;
}
