//===- Shrink.cpp - Makes failing graphs small ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shrink.h"

#include "Generator.h"

#include "Tools/Tensors/Npy.h"

#include "nnhal/Runtime/Validate.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::OperandLifeTime;
using rt::OperandType;

namespace {

/// One case that becomes smaller.
class Shrinker {
public:
  Shrinker(const rt::Device &reference, rt::TestCase test,
           const Symptom &symptom, unsigned limit)
      : reference(reference), best(std::move(test)), symptom(symptom),
        left(limit) {}

  rt::TestCase run();

private:
  /// Takes \p candidate where it is still a case with the symptom.
  bool tryCase(rt::TestCase candidate);
  bool dropExamples();
  bool dropOperations();
  bool dropOutputs();
  bool stateExtents();
  bool shrinkExtents();
  bool shrinkExtent(uint32_t from, uint32_t to,
                    std::optional<uint32_t> onlyOperand);
  bool simplifyValues();

  const rt::Device &reference;
  rt::TestCase best;
  const Symptom &symptom;
  unsigned left;
};

} // namespace

bool Shrinker::tryCase(rt::TestCase candidate) {
  if (left == 0 || candidate.model.main.operations.empty() ||
      candidate.model.main.outputIndexes.empty() ||
      !rt::validateModel(candidate.model).isOk())
    return false;
  bool isExpected = expectReference(reference, candidate).isOk();
  if (isExpected == candidate.expectFailure)
    return false;
  --left;
  if (!symptom(candidate))
    return false;
  best = std::move(candidate);
  return true;
}

bool Shrinker::dropExamples() {
  for (size_t i = 0; best.examples.size() > 1 && i < best.examples.size();
       ++i) {
    rt::TestCase candidate = best;
    candidate.examples = {best.examples[i]};
    if (tryCase(std::move(candidate)))
      return true;
  }
  return false;
}

bool Shrinker::dropOperations() {
  bool isSmaller = false;
  size_t count = best.model.main.operations.size();
  for (size_t chunk = std::max<size_t>(count / 2, 1); chunk > 0; chunk /= 2)
    for (size_t first = 0; first < best.model.main.operations.size();) {
      size_t operations = best.model.main.operations.size();
      auto traces = traceReference(reference, best);
      if (!traces.isOk() || operations == 1)
        return isSmaller;
      std::vector<bool> isKept(operations, true);
      for (size_t i = first; i < std::min(first + chunk, operations); ++i)
        isKept[i] = false;
      if (tryCase(extract(best, *traces, isKept)))
        isSmaller = true;
      else
        first += chunk;
    }
  return isSmaller;
}

bool Shrinker::dropOutputs() {
  bool isSmaller = false;
  for (size_t i = best.model.main.outputIndexes.size(); i-- > 0;) {
    std::vector<bool> isKept(best.model.main.outputIndexes.size(), true);
    isKept[i] = false;
    if (isKept.size() > 1)
      isSmaller = tryCase(keepOutputs(best, isKept)) || isSmaller;
  }
  return isSmaller;
}

bool Shrinker::stateExtents() {
  auto traces = traceReference(reference, best);
  rt::TestCase candidate = best;
  return traces.isOk() && makeStatic(candidate, *traces) &&
         tryCase(std::move(candidate));
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// The leading elements of \p tensor.
static TestTensor crop(OperandType type, const TestTensor &tensor,
                       const Shape &shape) {
  TestTensor result;
  result.dimensions = shape;
  size_t size = tools::formatOf(type).size;
  uint64_t count = elementCount(shape);
  result.bytes.resize(count * size);
  for (uint64_t flat = 0; flat < count; ++flat) {
    uint64_t rest = flat, source = 0, stride = 1;
    for (size_t d = shape.size(); d-- > 0;) {
      source += rest % shape[d] * stride;
      stride *= tensor.dimensions[d];
      rest /= shape[d];
    }
    std::memcpy(result.bytes.data() + flat * size,
                tensor.bytes.data() + source * size, size);
  }
  return result;
}

static Shape replaced(const Shape &shape, uint32_t from, uint32_t to) {
  Shape result = shape;
  std::ranges::replace(result, from, to);
  return result;
}

/// Crops an operand that is a constant or an input.
static void cropOperand(rt::TestCase &test, uint32_t index, uint32_t from,
                        uint32_t to) {
  rt::Subgraph &main = test.model.main;
  rt::Operand &operand = main.operands[index];
  if (auto *scales =
          std::get_if<rt::SymmPerChannelQuantParams>(&operand.extraParams))
    if (operand.dimensions[scales->channelDim] == from)
      scales->scales.resize(to);
  if (rt::isConstant(operand.lifetime)) {
    TestTensor value = constantValue(test.model, operand);
    TestTensor smaller =
        crop(operand.type, value, replaced(value.dimensions, from, to));
    operand.dimensions = smaller.dimensions;
    setConstant(test.model, operand, smaller.bytes);
    return;
  }
  operand.dimensions = replaced(operand.dimensions, from, to);
  auto at = std::ranges::find(main.inputIndexes, index);
  auto position = size_t(at - main.inputIndexes.begin());
  for (rt::TestExample &example : test.examples) {
    TestTensor &value = example.inputs[position];
    if (!value.isAbsent)
      value = crop(operand.type, value, replaced(value.dimensions, from, to));
  }
}

/// Replaces extents \p from by \p to, everywhere or in one operand, and states
/// what follows from that.
bool Shrinker::shrinkExtent(uint32_t from, uint32_t to,
                            std::optional<uint32_t> onlyOperand) {
  rt::TestCase candidate = best;
  rt::Subgraph &main = candidate.model.main;
  std::vector<Shape> stated;
  for (uint32_t i = 0; i < main.operands.size(); ++i) {
    rt::Operand &operand = main.operands[i];
    stated.push_back(operand.dimensions);
    bool isGiven = operand.lifetime == OperandLifeTime::SUBGRAPH_INPUT ||
                   rt::isConstant(operand.lifetime);
    if (isGiven && (!onlyOperand || *onlyOperand == i))
      cropOperand(candidate, i, from, to);
    else if (!isGiven)
      std::ranges::fill(operand.dimensions, 0u);
  }
  auto traces = traceReference(reference, candidate);
  if (!traces.isOk())
    return false;
  for (uint32_t i = 0; i < main.operands.size(); ++i) {
    const TestTensor &value = (*traces)[0][i];
    bool isWritten = writerOf(main, i).has_value();
    if (!isWritten || value.isAbsent ||
        value.dimensions.size() != stated[i].size())
      continue;
    for (size_t d = 0; d < stated[i].size(); ++d)
      main.operands[i].dimensions[d] =
          stated[i][d] == 0 ? 0 : value.dimensions[d];
  }
  compact(candidate, /*removesInputs=*/false);
  return tryCase(std::move(candidate));
}

bool Shrinker::shrinkExtents() {
  if (best.expectFailure)
    return false;
  std::set<uint32_t> extents;
  for (const rt::Operand &operand : best.model.main.operands)
    extents.insert(operand.dimensions.begin(), operand.dimensions.end());
  for (const TestTensor &input : best.examples[0].inputs)
    extents.insert(input.dimensions.begin(), input.dimensions.end());
  bool isSmaller = false;
  for (uint32_t extent : extents)
    for (uint32_t smaller : {uint32_t(1), extent / 2, extent - 1}) {
      if (extent < 2 || smaller == 0 || smaller >= extent)
        continue;
      bool isDone = shrinkExtent(extent, smaller, std::nullopt);
      for (uint32_t i = 0; !isDone && i < best.model.main.operands.size();
           ++i) {
        const Shape &shape = best.model.main.operands[i].dimensions;
        if (std::ranges::count(shape, extent) != 0 &&
            !writerOf(best.model.main, i))
          isDone = shrinkExtent(extent, smaller, i);
      }
      isSmaller = isSmaller || isDone;
      if (isDone)
        break;
    }
  return isSmaller;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool Shrinker::simplifyValues() {
  bool isSimpler = false;
  for (size_t i = 0; i < best.model.main.inputIndexes.size(); ++i) {
    OperandType type =
        best.model.main.operands[best.model.main.inputIndexes[i]].type;
    if (!isFloat(type))
      continue;
    for (double value : {0.0, 1.0}) {
      rt::TestCase candidate = best;
      bool isChanged = false;
      for (rt::TestExample &example : candidate.examples) {
        TestTensor &tensor = example.inputs[i];
        std::vector<uint8_t> old = tensor.bytes;
        uint64_t count = tensor.bytes.size() / tools::formatOf(type).size;
        for (uint64_t k = 0; k < count; ++k)
          storeElement(type, tensor.bytes, k, value);
        isChanged = isChanged || tensor.bytes != old;
      }
      // Simple already.
      if (!isChanged)
        break;
      if (tryCase(std::move(candidate))) {
        isSimpler = true;
        break;
      }
    }
  }
  return isSimpler;
}

rt::TestCase Shrinker::run() {
  dropExamples();
  bool isSmaller = true;
  while (isSmaller && left > 0) {
    isSmaller = dropOperations();
    isSmaller = dropOutputs() || isSmaller;
    isSmaller = stateExtents() || isSmaller;
    isSmaller = shrinkExtents() || isSmaller;
  }
  simplifyValues();
  compact(best, /*removesInputs=*/true);
  return best;
}

rt::TestCase randomgraph::shrink(const rt::Device &reference, rt::TestCase test,
                                 const Symptom &symptom, unsigned limit) {
  return Shrinker(reference, std::move(test), symptom, limit).run();
}
