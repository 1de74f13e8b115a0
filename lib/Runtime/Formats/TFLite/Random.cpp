//===- Random.cpp - Import of random operators ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators with seeds go on with their generator from one execution to the
// next. Their operation gets the seeds as a constant, and a state that counts
// what has been drawn.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "ExtensionTypes.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

Result<std::vector<Shape>> multinomialShape(Operator &op) {
  if (op.shape(0).size() != 2)
    return badData("input 0 has shape {}, expected rank 2",
                   toString(op.shape(0)));
  if (!op.isConstant(1))
    return partialShapes(op);
  NNHAL_ASSIGN_OR_RETURN(int32_t samples, op.integer(1));
  NNHAL_ASSIGN_OR_RETURN(
      Shape shape, makeShape(std::vector<int64_t>{op.shape(0)[0], samples}));
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> randomBitsShape(Operator &op) {
  const std::vector<int32_t> &declared = op.output(1).declared;
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(std::vector<int64_t>(
                                          declared.begin(), declared.end())));
  return std::vector<Shape>{op.shape(0), shape};
}

Status addRandomBitsOptions(Operator &op, OperationBuilder &builder) {
  NNHAL_ASSIGN_OR_RETURN(
      const auto *options,
      op.options2<schema::StablehloRngBitGeneratorOptions>());
  auto algorithm = int32_t(options->algorithm());
  if (algorithm < int32_t(schema::RngAlgorithm::DEFAULT) ||
      algorithm > int32_t(schema::RngAlgorithm::THREEFRY))
    return badData("algorithm is {}, which is not in 0..2", algorithm);
  builder.int32(algorithm);
  return Status();
}

Status importRandom(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::RandomOptions>());
  std::vector<int64_t> seeds = {options->seed(), options->seed2()};
  // TensorFlow Lite draws other seeds in each process. Those of a model are
  // fixed, and another pair for each of its operators.
  if (seeds[0] == 0 && seeds[1] == 0)
    seeds[1] = ++op.graph.file().seededOperators;
  Operand drawn;
  drawn.type = tensorUint64;
  drawn.dimensions = {2};
  NNHAL_ASSIGN_OR_RETURN(
      StateOperands state,
      op.graph.addState(op.output(0).name + "/state0", std::move(drawn)));
  OperationBuilder builder(op, op.row.type);
  for (size_t i = 0; i < op.inputCount(); ++i)
    builder.operand(op.graph.useAsStated(op.input(i)));
  return builder.operand(addConstant(op.graph, tensorInt64, seeds))
      .operand(state.input)
      .followedBy({state.output})
      .finish();
}

} // namespace nnhal::rt::tflite
