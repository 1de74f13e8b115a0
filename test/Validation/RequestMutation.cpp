//===- RequestMutation.cpp - One mistake in a request ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequestMutation.h"

#include "Legal.h"

#include "Runtime/Support/Errors.h"

#include <fmt/format.h>

#include <algorithm>

using namespace nnhal;
using namespace nnhal::mutations;
using rt::StatusCode;
using enum rt::StatusCode;

static constexpr std::byte filler{0xA5};

rt::Result<std::shared_ptr<Arguments>>
Arguments::create(const rt::Model &model, const rt::TestExample &example) {
  std::shared_ptr<Arguments> made(new Arguments(example));
  for (const rt::TestTensor &input : example.inputs) {
    auto bytes = std::as_bytes(std::span(input.bytes));
    made->inputs.emplace_back(bytes.begin(), bytes.end());
  }
  for (size_t i = 0; i < example.outputs.size(); ++i) {
    size_t size = example.outputs[i].bytes.size();
    if (example.outputs[i].isAbsent)
      size = rt::byteSizeOf(model.main.operands[model.main.outputIndexes[i]])
                 .value_or(4096);
    made->outputs.emplace_back(size + guard);
    Pool &pool = made->pools.emplace_back();
    NNHAL_ASSIGN_OR_RETURN(
        pool.memory, rt::SharedMemory::createAshmem(guard + size + guard));
    NNHAL_ASSIGN_OR_RETURN(pool.bytes, pool.memory->mapForWriting());
  }
  made->handedOut.resize(made->outputs.size());
  return made;
}

rt::OutputMemory Arguments::outputMemory(size_t output, size_t size) {
  handedOut[output] = size;
  return rt::OutputMemory::borrow(std::span(outputs[output]).first(size));
}

rt::Request Arguments::request() {
  rt::Request request;
  for (size_t i = 0; i < inputs.size(); ++i) {
    rt::InputArgument &argument = request.inputs.emplace_back();
    if (example.inputs[i].isAbsent)
      continue;
    argument.memory = rt::Memory::borrow(inputs[i]);
    argument.dimensions = example.inputs[i].dimensions;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::ranges::fill(outputs[i], filler);
    std::ranges::fill(pools[i].bytes, filler);
    request.outputs.emplace_back().memory = outputMemory(i, outputSize(i));
  }
  return request;
}

bool Arguments::areGuardsIntact() const {
  auto isIntact = [](std::span<const std::byte> bytes) {
    return std::ranges::all_of(bytes,
                               [](std::byte value) { return value == filler; });
  };
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!isIntact(std::span(outputs[i]).subspan(handedOut[i])) ||
        !isIntact(pools[i].bytes.first(guard)) ||
        !isIntact(pools[i].bytes.subspan(guard + handedOut[i])))
      return false;
  return true;
}

void Arguments::restoreGuards() {
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::ranges::fill(std::span(outputs[i]).subspan(handedOut[i]), filler);
    std::ranges::fill(pools[i].bytes, filler);
  }
}

rt::Request Arguments::inPools(rt::Request request) const {
  for (rt::OutputArgument &output : request.outputs) {
    const auto *borrowed =
        std::get_if<rt::OutputMemory::Borrowed>(&output.memory.kind());
    if (!borrowed)
      continue;
    // Requests with a mistake may have the memory of another output.
    for (size_t i = 0; i < outputs.size(); ++i)
      if (borrowed->data == outputs[i].data()) {
        output.memory =
            rt::OutputMemory::region(pools[i].memory, guard, borrowed->size);
        break;
      }
  }
  return request;
}

namespace {

class RequestMutator {
public:
  using Visit = std::function<void(const RequestMutation &)>;

  RequestMutator(const rt::Model &model, const rt::TestExample &example,
                 Arguments &arguments, const Visit &visit)
      : main(model.main), example(example), arguments(arguments), visit(visit) {
  }

  void mutateCounts();
  void mutateInput(size_t index);
  void mutateOutput(size_t index);
  void mutateRest();

private:
  template <typename Change>
  void mutate(Kind kind, std::string text, std::vector<StatusCode> allowed,
              std::vector<StatusCode> allowedFenced, Change change) {
    RequestMutation mutation = {kind, fmt::format("{}: {}", nameOf(kind), text),
                                arguments.request(), std::move(allowed),
                                std::move(allowedFenced)};
    change(mutation.request);
    visit(mutation);
  }
  template <typename Change>
  void refuse(Kind kind, std::string text, Change change) {
    mutate(kind, std::move(text), {invalidArgument}, {}, std::move(change));
  }
  const rt::Operand &input(size_t index) const {
    return main.operands[main.inputIndexes[index]];
  }
  const rt::Operand &output(size_t index) const {
    return main.operands[main.outputIndexes[index]];
  }
  bool isNeeded(size_t index) const;
  void mutateInputShape(size_t index);
  void mutateInputMemory(size_t index);
  void mutateOutputShape(size_t index);

  const rt::Subgraph &main;
  const rt::TestExample &example;
  Arguments &arguments;
  const Visit &visit;
};

} // namespace

void RequestMutator::mutateCounts() {
  for (size_t i = 0; i < example.inputs.size(); ++i)
    refuse(Kind::requestInputRemoved, fmt::format("{}", i),
           [&](rt::Request &request) {
             request.inputs.erase(request.inputs.begin() + ptrdiff_t(i));
           });
  for (size_t i = 0; i < example.outputs.size(); ++i)
    refuse(Kind::requestOutputRemoved, fmt::format("{}", i),
           [&](rt::Request &request) {
             request.outputs.erase(request.outputs.begin() + ptrdiff_t(i));
           });
  static const std::byte bytes[4] = {};
  refuse(Kind::requestInputAdded, "four bytes", [&](rt::Request &request) {
    request.inputs.push_back({rt::Memory::borrow(bytes), {}});
  });
  refuse(Kind::requestInputAdded, "nothing",
         [&](rt::Request &request) { request.inputs.emplace_back(); });
  refuse(Kind::requestOutputAdded, "nothing",
         [&](rt::Request &request) { request.outputs.emplace_back(); });
}

/// Whether an operation of the main graph cannot do without the input.
bool RequestMutator::isNeeded(size_t index) const {
  bool isRead = false;
  for (const rt::Operation &operation : main.operations)
    if (std::ranges::find(operation.inputs, main.inputIndexes[index]) !=
        operation.inputs.end()) {
      isRead = true;
      if (hasOptionalInputs(operation.type))
        return false;
    }
  return isRead;
}

void RequestMutator::mutateInputShape(size_t index) {
  const rt::Operand &operand = input(index);
  // The rank of a scalar and an unknown one are none to differ from.
  if (!rt::isTensor(operand.type) || operand.dimensions.empty())
    return;
  std::vector<uint32_t> shape = example.inputs[index].dimensions;
  auto refuseShape = [&](const std::vector<uint32_t> &wrong) {
    refuse(Kind::requestInputShape,
           fmt::format("input {}: [{}]", index, fmt::join(wrong, ",")),
           [&](rt::Request &request) {
             request.inputs[index].dimensions = wrong;
           });
  };
  shape.push_back(1);
  refuseShape(shape);
  shape.pop_back();
  if (shape.size() > 1)
    refuseShape({shape.begin() + 1, shape.end()});
  for (size_t d = 0; d < shape.size(); ++d) {
    uint32_t before = shape[d];
    // One that the model leaves open makes the bytes too few.
    for (uint32_t wrong : {before + 1, UINT32_MAX})
      if (arguments.inputSize(index) > 0) {
        shape[d] = wrong;
        refuseShape(shape);
      }
    if (before != 0) {
      shape[d] = 0;
      refuseShape(shape);
    }
    shape[d] = before;
  }
}

void RequestMutator::mutateInputMemory(size_t index) {
  auto refuseInput = [&](Kind kind, std::string text, rt::Memory memory) {
    refuse(
        kind, fmt::format("input {}: {}", index, text),
        [&](rt::Request &request) { request.inputs[index].memory = memory; });
  };
  size_t size = arguments.inputSize(index);
  // One byte more is at hand: a copy of the input has it.
  std::vector<std::byte> longer(size + 1);
  refuseInput(Kind::requestInputLength, "a byte more",
              rt::Memory::borrow(longer));
  if (size > 0) {
    refuseInput(Kind::requestInputLength, "a byte less",
                rt::Memory::borrow(std::span(longer).first(size - 1)));
    refuseInput(Kind::requestInputLength, "no bytes",
                rt::Memory::borrow(std::span(longer).first(0)));
  }
  refuseInput(Kind::requestInputRegion, "a token of nobody",
              rt::Memory::device(0xDEAD));
  refuseInput(Kind::requestInputRegion, "token 0", rt::Memory::device(0));
  auto pool = rt::SharedMemory::createAshmem(size + 16);
  if (!pool.isOk() || size == 0)
    return;
  refuseInput(Kind::requestInputRegion, "beyond the end",
              rt::Memory::region(*pool, 32, size));
  refuseInput(Kind::requestInputRegion, "offset 2^32",
              rt::Memory::region(*pool, uint64_t(1) << 32, size));
  refuseInput(Kind::requestInputRegion, "an offset that overflows",
              rt::Memory::region(*pool, UINT64_MAX - size + 1, size));
  refuseInput(Kind::requestInputRegion, "the longest of all",
              rt::Memory::region(*pool, 0, UINT64_MAX));
}

void RequestMutator::mutateInput(size_t index) {
  if (example.inputs[index].isAbsent)
    return;
  mutateInputShape(index);
  mutateInputMemory(index);
  std::vector<StatusCode> allowed;
  if (isNeeded(index))
    allowed = {invalidArgument};
  mutate(Kind::requestInputOmitted, fmt::format("input {}", index), allowed, {},
         [&](rt::Request &request) {
           request.inputs[index] = rt::InputArgument();
         });
  // An omitted argument has no shape (B-080).
  if (!example.inputs[index].dimensions.empty())
    refuse(Kind::requestInputOmitted,
           fmt::format("input {}, with its shape", index),
           [&](rt::Request &request) {
             request.inputs[index].memory = rt::Memory();
           });
}

void RequestMutator::mutateOutputShape(size_t index) {
  const rt::Operand &operand = output(index);
  if (!rt::isTensor(operand.type) || operand.dimensions.empty())
    return;
  auto refuseShape = [&](const std::vector<uint32_t> &wrong) {
    refuse(Kind::requestOutputShape,
           fmt::format("output {}: [{}]", index, fmt::join(wrong, ",")),
           [&](rt::Request &request) {
             request.outputs[index].dimensions = wrong;
           });
  };
  std::vector<uint32_t> shape = operand.dimensions;
  shape.push_back(1);
  refuseShape(shape);
  shape.pop_back();
  if (shape.size() > 1)
    refuseShape({shape.begin() + 1, shape.end()});
  for (uint32_t &extent : shape) {
    uint32_t before = extent;
    if (before == 0)
      continue;
    for (uint32_t wrong : {before + 1, UINT32_MAX}) {
      extent = wrong;
      refuseShape(shape);
    }
    extent = before;
  }
}

void RequestMutator::mutateOutput(size_t index) {
  mutateOutputShape(index);
  size_t size = arguments.outputSize(index);
  auto change = [&](Kind kind, std::string text,
                    std::vector<StatusCode> allowed,
                    std::vector<StatusCode> fenced, rt::OutputMemory memory) {
    mutate(kind, fmt::format("output {}: {}", index, text), std::move(allowed),
           std::move(fenced), [&](rt::Request &request) {
             request.outputs[index].memory = memory;
           });
  };
  auto resize = [&](std::string text, size_t wanted,
                    std::vector<StatusCode> allowed,
                    std::vector<StatusCode> fenced) {
    mutate(Kind::requestOutputLength, fmt::format("output {}: {}", index, text),
           std::move(allowed), std::move(fenced), [&](rt::Request &request) {
             request.outputs[index].memory =
                 arguments.outputMemory(index, wanted);
           });
  };
  // Only the first bytes of a larger buffer are written (D-031).
  resize("more bytes", size + 16, {none}, {none, invalidArgument});
  if (size > 0 && !example.outputs[index].isAbsent) {
    resize("a byte less", size - 1, {outputInsufficientSize},
           {invalidArgument});
    resize("no bytes", 0, {outputInsufficientSize, invalidArgument},
           {invalidArgument});
  }
  // Every result is written by an operation, none of which may go without it.
  // A device may find that it has a wrong argument (B-080) or no bytes (D-030);
  // one without elements fits into nothing (D-036).
  std::vector<StatusCode> omitted = {invalidArgument, generalFailure,
                                     outputInsufficientSize};
  std::vector<StatusCode> omittedFenced = {invalidArgument, generalFailure};
  if (size == 0 || example.outputs[index].isAbsent) {
    omitted.push_back(none);
    omittedFenced.push_back(none);
  }
  change(Kind::requestOutputOmitted, "no memory", omitted, omittedFenced,
         rt::OutputMemory());
  change(Kind::requestOutputRegion, "a token of nobody", {invalidArgument}, {},
         rt::OutputMemory::device(0xDEAD));
  auto pool = rt::SharedMemory::createAshmem(size + 16);
  if (!pool.isOk() || size == 0)
    return;
  change(Kind::requestOutputRegion, "beyond the end", {invalidArgument}, {},
         rt::OutputMemory::region(*pool, 32, size));
  change(Kind::requestOutputRegion, "an offset that overflows",
         {invalidArgument}, {},
         rt::OutputMemory::region(*pool, UINT64_MAX - size + 1, size));
  change(Kind::requestOutputRegion, "the longest of all", {invalidArgument}, {},
         rt::OutputMemory::region(*pool, 0, UINT64_MAX));
}

void RequestMutator::mutateRest() {
  // Memory that overlaps has undefined results, so that every status is
  // allowed. Shapes, durations and the bytes next to outputs are judged,
  // though.
  auto share = [&](std::string text, auto change) {
    mutate(Kind::requestOverlap, std::move(text), {}, {},
           [&](rt::Request &request) {
             change(request);
             // Loops over what they read may not end.
             request.loopTimeout = 20'000'000;
           });
  };
  if (example.outputs.size() > 1)
    share("two outputs", [&](rt::Request &request) {
      size_t smaller =
          std::min(arguments.outputSize(0), arguments.outputSize(1));
      for (size_t i : {0u, 1u})
        if (arguments.outputSize(i) == smaller)
          request.outputs[1 - i].memory = request.outputs[i].memory;
    });
  if (!example.inputs.empty() && !example.inputs[0].isAbsent)
    share("an input that is an output", [&](rt::Request &request) {
      const auto &borrowed = std::get<rt::OutputMemory::Borrowed>(
          request.outputs[0].memory.kind());
      request.inputs[0].memory =
          rt::Memory::borrow({borrowed.data, borrowed.size});
    });
  mutate(Kind::requestDeadline, "one that has passed",
         {missedDeadlinePersistent},
         {missedDeadlinePersistent, invalidArgument},
         [](rt::Request &request) { request.deadline = 1; });
}

void mutations::forEachRequestMutation(
    const rt::Model &model, const rt::TestExample &example,
    Arguments &arguments,
    const std::function<void(const RequestMutation &)> &visit) {
  RequestMutator mutator(model, example, arguments, visit);
  mutator.mutateCounts();
  for (size_t i = 0; i < example.inputs.size(); ++i)
    mutator.mutateInput(i);
  for (size_t i = 0; i < example.outputs.size(); ++i)
    mutator.mutateOutput(i);
  mutator.mutateRest();
}
