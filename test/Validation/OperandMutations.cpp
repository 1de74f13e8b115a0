//===- OperandMutations.cpp - Operands that contradict themselves ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Legal.h"
#include "ModelMutator.h"

#include <cmath>
#include <limits>

using namespace nnhal;
using namespace nnhal::mutations;
using rt::Operand;
using rt::OperandLifeTime;
using rt::OperandType;
using rt::Subgraph;

/// Codes just outside of each range; the first is one below the lowest.
static constexpr uint32_t wrongTypes[] = {UINT32_MAX, 16, 9999, 10002};

static bool isScalarType(OperandType type) {
  switch (type) {
  case OperandType::FLOAT32:
  case OperandType::INT32:
  case OperandType::UINT32:
  case OperandType::BOOL:
  case OperandType::FLOAT16:
    return true;
  default:
    return false;
  }
}

static std::vector<float> wrongScales(OperandType type) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  switch (type) {
  case OperandType::TENSOR_INT32:
    return {-1.0f, nan};
  case OperandType::TENSOR_QUANT8_ASYMM:
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
  case OperandType::TENSOR_QUANT8_SYMM:
  case OperandType::TENSOR_QUANT16_ASYMM:
  case OperandType::TENSOR_QUANT16_SYMM:
    return {0.0f, -1.0f, nan, infinity};
  default:
    return {1.0f, -1.0f, nan};
  }
}

static std::vector<int32_t> wrongZeroPoints(OperandType type) {
  switch (type) {
  case OperandType::TENSOR_QUANT8_ASYMM:
    return {-1, 256};
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
    return {-129, 128};
  case OperandType::TENSOR_QUANT8_SYMM:
    return {-129, -1, 1, 128};
  case OperandType::TENSOR_QUANT16_ASYMM:
    return {-1, 65536};
  case OperandType::TENSOR_QUANT16_SYMM:
    return {-32769, -1, 1, 32768};
  default:
    return {1};
  }
}

static void mutateType(ModelMutator &mutator, size_t index) {
  for (uint32_t type : wrongTypes)
    mutator.refuse(Kind::operandType,
                   fmt::format("operand {}: code {}", index, type),
                   [&](Subgraph &graph) {
                     graph.operands[index].type = OperandType(type);
                   });
}

static void mutateShape(ModelMutator &mutator, size_t index) {
  const Operand &original = mutator.original().operands[index];
  auto refuseShape = [&](Kind kind, std::vector<uint32_t> dimensions) {
    mutator.refuse(
        kind,
        fmt::format("operand {}: [{}]", index, fmt::join(dimensions, ",")),
        [&](Subgraph &graph) {
          graph.operands[index].dimensions = dimensions;
        });
  };
  if (isScalarType(original.type) || original.type == OperandType::SUBGRAPH) {
    refuseShape(Kind::operandRank, {0});
    refuseShape(Kind::operandRank, {1});
    return;
  }
  // More bytes than 32 bits count, whatever else is known.
  refuseShape(Kind::operandExtents, {UINT32_MAX, UINT32_MAX});
  refuseShape(Kind::operandExtents, {65536, 65536, 0, 2});
  if (!rt::isConstant(original.lifetime))
    return;
  // A constant has the bytes of its shape, and its shape is known (B-018,
  // B-019).
  refuseShape(Kind::operandRank, {});
  std::vector<uint32_t> dimensions = original.dimensions;
  for (uint32_t &extent : dimensions) {
    if (original.location.length == 0)
      break;
    uint32_t before = extent;
    extent = before + 1;
    refuseShape(Kind::operandExtents, dimensions);
    extent = 0;
    refuseShape(Kind::operandExtents, dimensions);
    extent = before;
  }
}

static void mutateQuantization(ModelMutator &mutator, size_t index) {
  const Operand original = mutator.original().operands[index];
  for (float scale : wrongScales(original.type))
    mutator.refuse(
        Kind::operandScale, fmt::format("operand {}: scale {}", index, scale),
        [&](Subgraph &graph) { graph.operands[index].scale = scale; });
  for (int32_t zeroPoint : wrongZeroPoints(original.type))
    mutator.refuse(
        Kind::operandZeroPoint,
        fmt::format("operand {}: zero point {}", index, zeroPoint),
        [&](Subgraph &graph) { graph.operands[index].zeroPoint = zeroPoint; });
}

static void mutateChannelScales(ModelMutator &mutator, size_t index) {
  auto refuse = [&](std::string text, auto change) {
    mutator.refuse(Kind::channelScales,
                   fmt::format("operand {}: {}", index, text),
                   [&](Subgraph &graph) { change(graph.operands[index]); });
  };
  const Operand original = mutator.original().operands[index];
  const auto *params =
      std::get_if<rt::SymmPerChannelQuantParams>(&original.extraParams);
  if (!params) {
    refuse("scales of channels", [](Operand &operand) {
      operand.extraParams = rt::SymmPerChannelQuantParams{{1.0f}, 0};
    });
    refuse("data of an extension", [](Operand &operand) {
      operand.extraParams = rt::ExtensionParams{{1}};
    });
    return;
  }
  refuse("no scales of channels",
         [](Operand &operand) { operand.extraParams = std::monostate(); });
  refuse("data of an extension", [](Operand &operand) {
    operand.extraParams = rt::ExtensionParams{{1}};
  });
  auto refuseParams = [&](std::string text, auto change) {
    refuse(std::move(text), [&](Operand &operand) {
      change(std::get<rt::SymmPerChannelQuantParams>(operand.extraParams));
    });
  };
  using Params = rt::SymmPerChannelQuantParams;
  refuseParams("one scale too few",
               [](Params &changed) { changed.scales.pop_back(); });
  refuseParams("one scale too many",
               [](Params &changed) { changed.scales.push_back(1.0f); });
  refuseParams("no scale", [](Params &changed) { changed.scales.clear(); });
  for (float scale : {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN(),
                      std::numeric_limits<float>::infinity()})
    refuseParams(fmt::format("a scale of {}", scale),
                 [&](Params &changed) { changed.scales.back() = scale; });
  for (uint32_t dim : {uint32_t(original.dimensions.size()), UINT32_MAX})
    refuseParams(fmt::format("channel dimension {}", dim),
                 [&](Params &changed) { changed.channelDim = dim; });
}

static void mutateLocation(ModelMutator &mutator, size_t index) {
  const Operand original = mutator.original().operands[index];
  bool isConstant = rt::isConstant(original.lifetime);
  auto refuse = [&](std::string text, auto change) {
    mutator.refuse(
        isConstant ? Kind::constantRegion : Kind::operandLocation,
        fmt::format("operand {}: {}", index, text),
        [&](Subgraph &graph) { change(graph.operands[index].location); });
  };
  using Location = rt::DataLocation;
  if (!isConstant) {
    // A graph is named by its offset.
    if (original.lifetime != OperandLifeTime::SUBGRAPH)
      refuse("offset 4", [](Location &location) { location.offset = 4; });
    refuse("length 4", [](Location &location) { location.length = 4; });
    refuse("pool 1", [](Location &location) { location.poolIndex = 1; });
    return;
  }
  refuse("one byte more", [](Location &location) { location.length += 1; });
  if (original.location.length > 0)
    refuse("one byte less", [](Location &location) { location.length -= 1; });
  if (original.location.length > 0)
    refuse("no bytes", [](Location &location) { location.length = 0; });
  refuse("offset of 4 GiB less 1",
         [](Location &location) { location.offset = UINT32_MAX; });
  refuse("offset and length that overflow", [](Location &location) {
    location.offset = UINT32_MAX - 3;
    location.length = UINT32_MAX;
  });
  bool isCopy = original.lifetime == OperandLifeTime::CONSTANT_COPY;
  uint32_t wrongPool = isCopy ? 1 : uint32_t(mutator.model().pools.size());
  refuse(fmt::format("pool {}", wrongPool),
         [&](Location &location) { location.poolIndex = wrongPool; });
  if (original.location.length > 0) {
    uint64_t available =
        isCopy
            ? mutator.model().operandValues.size()
            : mutator.model().pools[original.location.poolIndex].memory.size();
    refuse("one byte beyond the end", [&](Location &location) {
      location.offset = uint32_t(available - location.length + 1);
    });
  }
}

void mutations::mutateOperands(ModelMutator &mutator) {
  for (size_t i = 0; i < mutator.original().operands.size(); ++i) {
    mutateType(mutator, i);
    mutateShape(mutator, i);
    mutateQuantization(mutator, i);
    mutateChannelScales(mutator, i);
    mutateLocation(mutator, i);
  }
}
