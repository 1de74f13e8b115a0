//===- ExtensionPlugins.cpp - Fuzzes plug-ins and what extensions answer --===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A plug-in is the user's, but it may be built for something else, describe
// itself wrongly, and answer wrongly about the models of strangers. An input
// says what the table of a plug-in holds, what its extensions answer, and a
// model with types, operations and data of the first one.
//
//===----------------------------------------------------------------------===//

#include "ByteReader.h"
#include "FuzzTarget.h"

#include "nnhal/Backend/DevicePlugin.h"
#include "nnhal/Runtime/DevicePlugins.h"
#include "nnhal/Runtime/PreparedModel.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <dlfcn.h>

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::fuzz;

static std::string textOf(ByteReader &in, size_t maxLength) {
  auto bytes = in.take(in.number<uint8_t>() % maxLength);
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

static Extension extensionOf(ByteReader &in) {
  Extension extension;
  auto flags = in.number<uint8_t>();
  extension.name = flags % 4 ? "com.example.fuzz" : textOf(in, 40);
  for (int i = 0; i < flags / 4 % 5; ++i) {
    // The first ones are legal mostly.
    auto number = in.number<uint16_t>();
    bool isTensor = in.number<uint8_t>() % 2 != 0;
    extension.operandTypes.push_back(
        {uint16_t(number % 8 ? i : number), isTensor,
         number % 8 ? 1u << number % 4 : in.number<uint32_t>()});
  }
  return extension;
}

static TensorType typeOf(ByteReader &in) {
  TensorType type;
  type.type = in.number<uint8_t>() % 2
                  ? OperandType(in.number<uint8_t>() % 16)
                  : ownOperandType(in.number<uint8_t>() % 6);
  auto rank = in.number<uint8_t>();
  type.isRanked = rank < 240;
  for (int i = 0; i < rank % 6; ++i) {
    auto extent = in.number<uint8_t>();
    type.dimensions.push_back(extent < 250 ? extent % 8 - 1
                                           : in.number<int64_t>());
  }
  type.scale = in.number<float>();
  type.zeroPoint = in.number<int32_t>();
  return type;
}

namespace {
/// An extension that answers what an input says.
class SaidExtension final : public ExtensionBackend {
public:
  explicit SaidExtension(ByteReader &in) : description(extensionOf(in)) {
    auto flags = in.number<uint8_t>();
    for (int i = 0; i < flags % 3; ++i)
      customs.push_back({textOf(in, 12), in.number<uint16_t>()});
    isRefused = flags / 4 % 8 == 0;
    hasFailed = flags / 32 == 0;
    for (int i = in.number<uint8_t>() % 4; i > 0; --i)
      facts.results.push_back(typeOf(in));
    for (int i = in.number<uint8_t>() % 4; i > 0; --i)
      allocations.push_back({in.number<uint8_t>() % 4u, typeOf(in).dimensions});
  }

  const Extension &extension() const override { return description; }
  std::span<const CustomOperator> customOperators() const override {
    return customs;
  }
  Result<OperationFacts> check(const OperationView &) const override {
    if (isRefused)
      return Status(StatusCode::invalidArgument, "refused");
    return facts;
  }
  Status execute(const OperationView &view,
                 ExtensionOutputs &outputs) const override {
    for (const OperandView &input : view.inputs)
      if (input.value)
        for (std::byte byte : *input.value)
          sum += unsigned(byte);
    for (const Allocation &allocation : allocations) {
      // The caller of allocate() names one of the outputs.
      if (allocation.output >= view.outputs.size())
        continue;
      auto bytes = outputs.allocate(allocation.output, allocation.extents);
      NNHAL_RETURN_IF_ERROR(bytes.status());
      std::ranges::fill(*bytes, std::byte(sum));
    }
    return hasFailed ? Status(StatusCode::generalFailure, "failed")
                     : Status::ok();
  }

private:
  struct Allocation {
    size_t output;
    std::vector<int64_t> extents;
  };
  const Extension description;
  std::vector<CustomOperator> customs;
  bool isRefused = false;
  bool hasFailed = false;
  OperationFacts facts;
  std::vector<Allocation> allocations;
  mutable unsigned sum = 0;
};
} // namespace

/// What create() of the table does; there is one plug-in at a time.
static ByteReader *current = nullptr;

static void create(const NNHalPluginHost *host) {
  for (int count = current->number<uint8_t>() % 4; count > 0; --count)
    host->addExtension(host->context, new SaidExtension(*current));
  auto end = current->number<uint8_t>();
  if (end == 255)
    host->fail(host->context, nullptr);
  else if (end == 254)
    host->fail(host->context, "said so");
}

static NNHalDevicePlugin tableOf(ByteReader &in) {
  NNHalDevicePlugin table = {NNHAL_DEVICE_PLUGIN_VERSION,
                             sizeof(NNHalDevicePlugin), NNHAL_PLUGIN_SDK,
                             "fuzz", &create};
  switch (in.number<uint8_t>()) {
  case 1:
    table.version = in.number<uint32_t>();
    break;
  case 2:
    table.structSize = in.number<uint32_t>();
    break;
  case 3:
    table.sdk = nullptr;
    break;
  case 4:
    table.sdk = "nnhal 0.0, another";
    break;
  case 5:
    table.create = nullptr;
    break;
  default:
    break;
  }
  return table;
}

static Result<LoadedPlugin> load(const NNHalDevicePlugin *table) {
  static constexpr const char *path = NNHAL_FUZZ_PLUGIN;
  static const auto set = [] {
    void *library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    require(library, "there is no " NNHAL_FUZZ_PLUGIN);
    return reinterpret_cast<void (*)(const NNHalDevicePlugin *)>(
        ::dlsym(library, "nnhalSetTestTable"));
  }();
  set(table);
  return loadPlugin(path, {});
}

static Operand operandOf(ByteReader &in) {
  Operand operand;
  TensorType type = typeOf(in);
  operand.type = type.type;
  if (isExtension(operand.type))
    operand.type = OperandType(7u << 16 | (uint32_t(type.type) & 0xFFFF));
  for (int64_t extent : type.dimensions)
    operand.dimensions.push_back(uint32_t(std::max<int64_t>(extent, 0)));
  operand.scale = type.scale;
  operand.zeroPoint = type.zeroPoint;
  if (auto length = in.number<uint8_t>() % 32u; length % 4 != 0) {
    auto bytes = in.take(length);
    std::vector<uint8_t> data(bytes.size());
    if (!bytes.empty())
      std::memcpy(data.data(), bytes.data(), bytes.size());
    operand.extraParams = ExtensionParams{std::move(data)};
  }
  return operand;
}

/// One operation between inputs and outputs, all of which are arguments.
static AnnotatedModel modelOf(ByteReader &in) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  model.extensionNameToPrefix = {
      {in.number<uint8_t>() % 8 ? "com.example.fuzz" : textOf(in, 20), 7}};
  Operation operation;
  auto number = in.number<uint16_t>();
  operation.type =
      OperationType(number % 4 ? 7u << 16 | number / 4u : number / 4u % 102);
  auto counts = in.number<uint8_t>();
  auto add = [&](bool isOutput) {
    auto index = uint32_t(model.main.operands.size());
    Operand operand = operandOf(in);
    operand.lifetime = isOutput ? OperandLifeTime::SUBGRAPH_OUTPUT
                                : OperandLifeTime::SUBGRAPH_INPUT;
    model.main.operands.push_back(std::move(operand));
    (isOutput ? model.main.outputIndexes : model.main.inputIndexes)
        .push_back(index);
    (isOutput ? operation.outputs : operation.inputs).push_back(index);
  };
  for (int i = 0; i < counts % 4; ++i)
    add(/*isOutput=*/false);
  for (int i = 0; i < counts / 4 % 4; ++i)
    add(/*isOutput=*/true);
  model.main.operations = {operation};
  computeConsumers(model.main);
  return annotated;
}

static void execute(const PreparedModel &prepared) {
  constexpr size_t size = 256;
  std::vector<std::vector<uint64_t>> memory;
  Request request;
  for (const InterfaceTensor &input : prepared.interface().inputs) {
    memory.emplace_back(size / 8);
    std::vector<uint32_t> extents = input.dimensions;
    std::ranges::replace(extents, 0u, 1u);
    InterfaceTensor stated = input;
    stated.dimensions = extents;
    uint64_t bytes = byteSizeOf(stated).value_or(0);
    request.inputs.push_back(
        {Memory::borrow(std::as_bytes(std::span(memory.back()))
                            .first(std::min<uint64_t>(bytes, size))),
         std::move(extents)});
  }
  for (size_t i = 0; i < prepared.interface().outputs.size(); ++i) {
    memory.emplace_back(size / 8);
    request.outputs.push_back(
        {OutputMemory::borrow(std::as_writable_bytes(std::span(memory.back()))),
         {}});
  }
  ExecutionResult result;
  requireReason(prepared.execute(request, result));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ByteReader in(bytesOf(data, size));
  NNHalDevicePlugin table = tableOf(in);
  current = &in;
  Result<LoadedPlugin> loaded = load(&table);
  requireReason(loaded.status());
  if (!loaded.isOk())
    return 0;
  ReferenceDeviceOptions options;
  options.services.extensions = loaded->extensions;
  options.tensorLimit = 1 << 14;
  auto device = createReferenceDevice(std::move(options));
  AnnotatedModel model = modelOf(in);
  auto prepared = device->prepareModel(model);
  requireReason(prepared.status());
  if (prepared.isOk())
    execute(**prepared);
  return 0;
}
