//===- CacheConstantsTest.cpp - Damaged constants address nothing ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// No digest covers the data cache when it is loaded, so that a constant may be
// anything when code runs. Here every byte of the constants of models whose
// operations read elements at computed places is damaged, and what remains is
// loaded and executed: the outputs may be wrong, and nothing else may happen.
//
//===----------------------------------------------------------------------===//

#include "CacheFiles.h"
#include "ModelBuilder.h"

#include "Runtime/Caching/CacheEntry.h"

#include <fmt/format.h>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

/// An operation on the one input of a model, which then adds a constant to the
/// result, so that there is something in the data cache in any case.
struct Addressing {
  std::string name;
  OperandType type;
  Dimensions input, output;
  std::function<std::vector<uint32_t>(SubgraphBuilder &, uint32_t)> inputs;
  OperationType operation;
};

size_t elementsOf(const Dimensions &dimensions) {
  size_t count = 1;
  for (uint32_t extent : dimensions)
    count *= extent;
  return count;
}

void setScale(SubgraphBuilder &builder, uint32_t index) {
  if (builder.operand(index).type == OperandType::TENSOR_QUANT8_ASYMM)
    builder.operand(index).scale = 0.5f;
}

AnnotatedModel modelOf(const Addressing &what) {
  AnnotatedModel annotated;
  SubgraphBuilder builder(annotated.model);
  uint32_t input = builder.input(what.type, what.input);
  uint32_t result = builder.temporary(what.type, what.output);
  uint32_t output = builder.output(what.type, what.output);
  size_t count = elementsOf(what.output);
  uint32_t summand = what.type == OperandType::TENSOR_FLOAT32
                         ? builder.constant(what.type, what.output,
                                            std::vector<float>(count, 1.5f))
                         : builder.constant(what.type, what.output,
                                            std::vector<uint8_t>(count, 3));
  for (uint32_t index : {input, result, output, summand})
    setScale(builder, index);
  builder.operation(what.operation, what.inputs(builder, input), {result});
  builder.operation(OperationType::ADD, {result, summand, builder.scalar(0)},
                    {output});
  annotated.model.main = builder.finish();
  return annotated;
}

/// Both kinds, both flags, fewer and more columns than the input has.
std::vector<Addressing> resizings() {
  std::vector<Addressing> list;
  for (OperationType operation :
       {OperationType::RESIZE_BILINEAR, OperationType::RESIZE_NEAREST_NEIGHBOR})
    for (OperandType type :
         {OperandType::TENSOR_FLOAT32, OperandType::TENSOR_QUANT8_ASYMM})
      for (int flags : {0, 1, 2})
        for (uint32_t width : {3u, 9u}) {
          auto inputs = [=](SubgraphBuilder &builder, uint32_t input) {
            auto truth = [&](bool value) {
              return builder.constant<uint8_t>(OperandType::BOOL, {}, {value});
            };
            return std::vector<uint32_t>{input,
                                         builder.scalar(int32_t(width)),
                                         builder.scalar(7),
                                         truth(false),
                                         truth(flags == 1),
                                         truth(flags == 2)};
          };
          list.push_back(
              {fmt::format("{} of type {} to 7x{}, flags {}",
                           operation == OperationType::RESIZE_BILINEAR
                               ? "RESIZE_BILINEAR"
                               : "RESIZE_NEAREST_NEIGHBOR",
                           int(type), width, flags),
               type,
               {1, 4, 5, 2},
               {1, 7, width, 2},
               inputs,
               operation});
        }
  return list;
}

class CacheConstantsTest : public CacheTest {
protected:
  void check(const Addressing &what);
  std::vector<std::byte> execute(const PreparedModel &model,
                                 const Addressing &what);

  int executions = 0;
};

std::vector<std::byte> CacheConstantsTest::execute(const PreparedModel &model,
                                                   const Addressing &what) {
  size_t size = what.type == OperandType::TENSOR_FLOAT32 ? sizeof(float) : 1;
  std::vector<std::byte> input(elementsOf(what.input) * size, std::byte(2));
  std::vector<std::byte> output(elementsOf(what.output) * size);
  Request request;
  request.inputs = {{Memory::borrow(input), {}}};
  request.outputs = {{OutputMemory::borrow(output), {}}};
  ExecutionResult result;
  EXPECT_EQ(model.execute(request, result).message(), "");
  ++executions;
  return output;
}

void CacheConstantsTest::check(const Addressing &what) {
  SCOPED_TRACE(what.name);
  AnnotatedModel model = modelOf(what);
  PreparedModelRef prepared = prepare(model, files.open(), token);
  ASSERT_NE(prepared, nullptr);
  std::vector<std::byte> expected = execute(*prepared, what);
  const std::vector<std::byte> data = readAll(files.dataPath);
  ASSERT_GT(data.size(), cacheDataHeaderSize);
  auto run = [&](const std::vector<std::byte> &file) {
    writeAll(files.dataPath, file);
    Loaded loaded = load(files.open(), token);
    ASSERT_NE(loaded.model, nullptr) << loaded.detail;
    execute(*loaded.model, what);
  };
  // The sign and the size of what the byte is part of.
  for (size_t at = cacheDataHeaderSize; at < data.size(); ++at) {
    std::vector<std::byte> file = data;
    file[at] = ~file[at];
    run(file);
    if (HasFatalFailure())
      return;
  }
  // Everything at once.
  for (uint8_t value : {0x00, 0x7f, 0x80, 0xff}) {
    std::vector<std::byte> file = data;
    std::fill(file.begin() + cacheDataHeaderSize, file.end(), std::byte(value));
    run(file);
  }
  writeAll(files.dataPath, data);
  Loaded loaded = load(files.open(), token);
  ASSERT_NE(loaded.model, nullptr);
  EXPECT_EQ(execute(*loaded.model, what), expected);
}

// E-044, E-049.
TEST_F(CacheConstantsTest, OfResizing) {
  for (const Addressing &what : resizings()) {
    if (auto reason = reasonToSkip(modelOf(what)))
      GTEST_SKIP() << *reason;
    check(what);
    if (HasFatalFailure())
      return;
  }
  RecordProperty("executions", executions);
}

} // namespace
