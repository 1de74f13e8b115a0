//===- ConvertTest.cpp - Values to messages and back ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Message.h"

#include "Faults/SystemCalls.h"

#include "nnhal/Runtime/BuiltInDevices.h"
#include "nnhal/Runtime/SharedMemory.h"
#include "nnhal/Runtime/TFLiteModel.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;
using rt::Status;
using rt::StatusCode;

namespace {

std::vector<std::byte> bytesOf(std::string_view text) {
  auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

rt::Pool poolOf(std::string name, rt::Memory memory) {
  rt::Pool pool;
  pool.name = std::move(name);
  pool.memory = std::move(memory);
  return pool;
}

/// A model with every kind of field that a message has.
rt::AnnotatedModel fullModel() {
  rt::AnnotatedModel annotated;
  rt::Model &model = annotated.model;
  model.halVersion = rt::HalVersion::V1_2;
  rt::Operand weights;
  weights.type = rt::OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
  weights.dimensions = {2, 3};
  weights.numberOfConsumers = 4;
  weights.scale = 0.5f;
  weights.zeroPoint = -7;
  weights.lifetime = rt::OperandLifeTime::CONSTANT_REFERENCE;
  weights.location = {.poolIndex = 1, .offset = 2, .length = 6};
  weights.extraParams =
      rt::SymmPerChannelQuantParams{.scales = {0.25f, 2.0f}, .channelDim = 1};
  rt::Operand custom;
  custom.type = rt::OperandType(0x10003);
  custom.extraParams = rt::ExtensionParams{{1, 0, 255}};
  model.main.operands = {weights, custom};
  model.main.operations = {
      {rt::OperationType::ADD, {0, 1}, {1}},
      {rt::OperationType(0x10001), {}, {0}},
  };
  model.main.inputIndexes = {0, 1};
  model.main.outputIndexes = {1};
  model.referenced = {model.main, {}};
  model.operandValues = {9, 8, 7};
  model.relaxComputationFloat32toFloat16 = true;
  model.extensionNameToPrefix = {{"com.example", 1}};
  annotated.inputNames = {"in", ""};
  annotated.outputNames = {"out"};
  annotated.statePairs = {{.outputIndex = 0, .inputIndex = 1}};
  return annotated;
}

/// \p model as another process gets it.
rt::Result<rt::AnnotatedModel> sent(const rt::AnnotatedModel &model) {
  EventLoop loop;
  Message<wire::Model> message;
  NNHAL_RETURN_IF_ERROR(write(model, message.builder()));
  NNHAL_ASSIGN_OR_RETURN(auto descriptors,
                         loop.take(descriptorsOf(message.reader())));
  return read(message.reader(), descriptors);
}

std::vector<std::byte> bytesOf(const rt::Memory &memory) {
  auto readable = memory.materialize();
  EXPECT_TRUE(readable.isOk()) << readable.status().message();
  if (!readable.isOk())
    return {};
  auto bytes = *readable->bytes();
  return {bytes.begin(), bytes.end()};
}

void expectEqual(const rt::AnnotatedModel &found,
                 const rt::AnnotatedModel &expected) {
  EXPECT_EQ(found.model.halVersion, expected.model.halVersion);
  EXPECT_EQ(found.model.main, expected.model.main);
  EXPECT_EQ(found.model.referenced, expected.model.referenced);
  EXPECT_EQ(found.model.operandValues, expected.model.operandValues);
  EXPECT_EQ(found.model.relaxComputationFloat32toFloat16,
            expected.model.relaxComputationFloat32toFloat16);
  EXPECT_EQ(found.model.extensionNameToPrefix,
            expected.model.extensionNameToPrefix);
  EXPECT_EQ(found.inputNames, expected.inputNames);
  EXPECT_EQ(found.outputNames, expected.outputNames);
  EXPECT_EQ(found.statePairs, expected.statePairs);
  ASSERT_EQ(found.model.pools.size(), expected.model.pools.size());
  for (size_t i = 0; i < found.model.pools.size(); ++i) {
    EXPECT_EQ(found.model.pools[i].name, expected.model.pools[i].name);
    EXPECT_EQ(bytesOf(found.model.pools[i].memory),
              bytesOf(expected.model.pools[i].memory));
  }
}

TEST(ConvertModel, KeepsEveryField) {
  rt::AnnotatedModel model = fullModel();
  auto found = sent(model);
  ASSERT_TRUE(found.isOk()) << found.status().message();
  expectEqual(*found, model);
}

TEST(ConvertModel, SendsPoolsBehindDescriptorsAsTheyAre) {
  rt::AnnotatedModel model;
  auto pool = rt::SharedMemory::createAshmem(64);
  ASSERT_TRUE(pool.isOk());
  ASSERT_TRUE((*pool)->write(0, bytesOf("0123456789")).isOk());
  model.model.pools = {poolOf("ashmem", rt::Memory::region(*pool, 2, 5))};
  auto found = sent(model);
  ASSERT_TRUE(found.isOk()) << found.status().message();
  expectEqual(*found, model);
  // No copy: a change afterwards is seen.
  ASSERT_TRUE((*pool)->write(2, bytesOf("ab")).isOk());
  EXPECT_EQ(bytesOf(found->model.pools[0].memory), bytesOf("ab456"));
}

TEST(ConvertModel, CopiesOtherBytesToSealedMemory) {
  rt::AnnotatedModel model;
  std::vector<std::byte> borrowed = bytesOf("borrowed");
  model.model.pools = {poolOf("ashmem", rt::Memory::borrow(borrowed)),
                       poolOf("mmap_fd", rt::Memory::copy(bytesOf("copied"))),
                       poolOf("ashmem", rt::Memory::copy({}))};
  auto found = sent(model);
  ASSERT_TRUE(found.isOk()) << found.status().message();
  expectEqual(*found, model);
  const auto *region =
      std::get_if<rt::Memory::Descriptor>(&found->model.pools[0].memory.kind());
  ASSERT_NE(region, nullptr);
  EXPECT_TRUE(region->pool->isImmutable());

  // Bytes that can be read are no opaque buffer.
  model.model.pools = {
      poolOf("hardware_buffer", rt::Memory::copy(bytesOf("readable")))};
  found = sent(model);
  ASSERT_TRUE(found.isOk());
  EXPECT_EQ(found->model.pools[0].name, "hardware_buffer_blob");
  EXPECT_EQ(bytesOf(found->model.pools[0].memory), bytesOf("readable"));
}

TEST(ConvertModel, RefusesToSendWhatIsOutOfReach) {
  rt::AnnotatedModel model;
  model.model.pools = {poolOf("ashmem", rt::Memory::device(3))};
  EXPECT_EQ(sent(model).status().code(), StatusCode::invalidArgument);
  EXPECT_TRUE(sent(model).status().message().starts_with("pool 0: "));

  auto pool = rt::SharedMemory::createAshmem(64);
  model.model.pools = {poolOf("ashmem", rt::Memory::region(*pool, 60, 5))};
  EXPECT_EQ(sent(model).status().code(), StatusCode::invalidArgument);
}

/// The message with which fullModel() is refused after \p change of its
/// message.
template <typename Change> std::string refusalOf(Change change) {
  EventLoop loop;
  Message<wire::Model> message;
  EXPECT_TRUE(write(fullModel(), message.builder()).isOk());
  change(message.builder());
  auto descriptors = loop.take(descriptorsOf(message.reader()));
  EXPECT_TRUE(descriptors.isOk()) << descriptors.status().message();
  return read(message.reader(), *descriptors).status().message();
}

TEST(ConvertModel, RefusesNumbersThatAreNotOfTheEnumeration) {
  EXPECT_EQ(
      refusalOf([](wire::Model::Builder model) { model.setHalVersion(4); }),
      "HAL version 4 of a model is not one of 0 to 3");
  EXPECT_EQ(refusalOf([](wire::Model::Builder model) {
              model.getMain().getOperands()[0].setLifetime(7);
            }),
            "lifetime 7 of an operand is not one of 0 to 6");
  EXPECT_EQ(refusalOf([](wire::Model::Builder model) {
              model.getOperandValues().setName("shm");
            }),
            "'shm' is not a kind of pool");
}

TEST(ConvertModel, AllocatesNothingForSizesThatAreNotThere) {
  std::string text = refusalOf([](wire::Model::Builder model) {
    model.getOperandValues().setSize(uint64_t(1) << 60);
  });
  EXPECT_NE(text.find("1152921504606846976"), std::string::npos) << text;
}

TEST(ConvertBytes, RefusesMoreThanTheLimit) {
  auto bytes = readBytes(rt::UniqueFd(), /*size=*/9, /*limit=*/8);
  EXPECT_EQ(bytes.status().message(),
            "a message names 9 bytes where 8 are allowed");
}

TEST(ConvertBytes, CannotBeChangedByTheirSender) {
  EventLoop loop;
  auto sent = makeBytes(bytesOf("an artifact"));
  ASSERT_TRUE(sent.isOk());
  std::vector<NamedDescriptor> named;
  named.push_back({*sent, "model cache"});
  auto taken = loop.take(std::move(named));
  ASSERT_TRUE(taken.isOk());
  rt::UniqueFd &fd = taken->front();
  EXPECT_EQ(::fcntl(fd.get(), F_GET_SEALS),
            F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  auto bytes = readBytes(std::move(fd), 11);
  ASSERT_TRUE(bytes.isOk()) << bytes.status().message();
  EXPECT_EQ(bytesOf(*bytes), bytesOf("an artifact"));
  EXPECT_EQ(readBytes(rt::UniqueFd(), 0)->size(), 0u);
}

TEST(ConvertBytes, NeedMemoryThatCanBeSealed) {
  using enum rt::SystemCall;
  struct Case {
    rt::SystemCall call;
    int error;
    rt::StatusCode code;
    std::string message;
  };
  const Case cases[] = {
      {memfdCreate, EMFILE, rt::StatusCode::resourceExhaustedTransient,
       "cannot create a memory file for a message: Too many open files"},
      {write, ENOSPC, rt::StatusCode::resourceExhaustedTransient,
       "cannot copy 5 bytes of a message: No space left on device"},
      {addSeals, EPERM, rt::StatusCode::generalFailure,
       "cannot seal a message in memory: Operation not permitted"}};
  for (const Case &one : cases) {
    rt::SystemCallFailure failure(one.call, one.error);
    rt::Status status = makeBytes(bytesOf("bytes")).status();
    EXPECT_EQ(status.code(), one.code);
    EXPECT_EQ(status.message(), one.message);
  }
}

TEST(ConvertStatus, KeepsCodesAndMessages) {
  for (uint32_t code : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 10000u}) {
    Message<wire::Status> message;
    Status status = code == 0 ? Status() : Status(StatusCode(code), "why");
    write(status, message.builder());
    Status found = read(message.reader());
    EXPECT_EQ(found.code(), status.code());
    EXPECT_EQ(found.message(), status.message());
  }
  Message<wire::Status> message;
  message.builder().setCode(77);
  message.builder().setMessage("strange");
  EXPECT_EQ(read(message.reader()).message(),
            "status 77 is not known: strange");
  EXPECT_EQ(read(message.reader()).code(), StatusCode::generalFailure);
}

TEST(ConvertDevice, KeepsWhatADeviceSaysOfItself) {
  auto devices = rt::createBuiltInDevices();
  for (const auto &device : devices) {
    Message<wire::DeviceDescription> message;
    write(describe(*device), message.builder());
    auto found = read(message.reader());
    ASSERT_TRUE(found.isOk());
    EXPECT_EQ(found->name, device->name());
    EXPECT_EQ(found->version, device->version());
    EXPECT_EQ(found->type, device->type());
    EXPECT_EQ(found->halVersion, device->halVersion());
    EXPECT_EQ(found->cacheFiles, device->cacheFiles());
    EXPECT_EQ(found->capabilities, device->capabilities());
    EXPECT_EQ(found->traits.compiles, device->traits().compiles);
    EXPECT_EQ(found->traits.usesThreads, device->traits().usesThreads);
    EXPECT_TRUE(found->traits.isRemote);
  }
  Message<wire::DeviceDescription> message;
  message.builder().setHalVersion(9);
  EXPECT_EQ(read(message.reader()).status().message(),
            "HAL version 9 of a device is not one of 0 to 3");
}

TEST(ConvertDevice, KeepsExtensions) {
  DeviceDescription device;
  device.extensions = {
      {.name = "com.example",
       .operandTypes = {{.type = 3, .isTensor = true, .byteSize = 4},
                        {.type = 4,
                         .isTensor = false,
                         .byteSize = 1,
                         .kind = rt::ElementKind::int8}}}};
  Message<wire::DeviceDescription> message;
  write(device, message.builder());
  auto found = read(message.reader());
  ASSERT_TRUE(found.isOk());
  ASSERT_EQ(found->extensions.size(), 1u);
  EXPECT_EQ(found->extensions[0].name, "com.example");
  EXPECT_EQ(found->extensions[0].operandTypes,
            device.extensions[0].operandTypes);
}

rt::PrepareOptions fullOptions() {
  rt::PrepareOptions options;
  options.compile = {.target = "vulkan",
                     .targetTriple = "x86_64",
                     .targetCpu = "haswell",
                     .targetFeatures = "+avx2",
                     .rounding = rt::Rounding::floatRounding,
                     .specializations = {{{1, 2}, {}}, {{3}}},
                     .threads = 5,
                     .crashReproducer = {},
                     .extensions = {{{"com.example.a", {{3, true, 2}}}, "b"},
                                    {{"com.example.c", {}}, {}}}};
  options.compileAfter = 0;
  options.preference = rt::ExecutionPreference::sustainedSpeed;
  options.priority = rt::Priority::high;
  options.deadline = 123;
  options.token = {1, 2, 3};
  options.contentKey = rt::ContentKey{4, 5};
  return options;
}

TEST(ConvertPreparation, KeepsEveryOption) {
  for (const rt::PrepareOptions &options :
       {fullOptions(), rt::PrepareOptions()}) {
    Message<wire::PrepareOptions> message;
    ASSERT_TRUE(write(options, message.builder()).isOk());
    auto found = read(message.reader(), {});
    ASSERT_TRUE(found.isOk()) << found.status().message();
    EXPECT_EQ(*found, options);
  }
}

TEST(ConvertPreparation, PassesCacheFiles) {
  EventLoop loop;
  rt::UniqueFd file(::memfd_create("cache", MFD_CLOEXEC));
  rt::PrepareOptions options;
  options.cache = {.modelCache = {{file.get()}},
                   .dataCache = {{file.get(), file.get()}, {}},
                   .arePrivate = true};
  Message<wire::PrepareOptions> message;
  ASSERT_TRUE(write(options, message.builder()).isOk());
  auto descriptors = loop.take(descriptorsOf(message.reader()));
  ASSERT_TRUE(descriptors.isOk());
  ASSERT_EQ(descriptors->size(), 3u);
  auto found = read(message.reader(), *descriptors);
  ASSERT_TRUE(found.isOk());
  rt::CacheHandles expected = {
      .modelCache = {{(*descriptors)[0].get()}},
      .dataCache = {{(*descriptors)[1].get(), (*descriptors)[2].get()}, {}}};
  EXPECT_EQ(found->cache, expected) << "files of others are not private";

  options.cache.modelCache = {{-1}};
  Message<wire::PrepareOptions> bad;
  EXPECT_FALSE(write(options, bad.builder()).isOk());
}

TEST(ConvertPreparation, RefusesWhatIsNotAnOption) {
  Message<wire::PrepareOptions> message;
  message.builder().getCompile().setRounding(3);
  EXPECT_EQ(read(message.reader(), {}).status().message(),
            "rounding 3 is not one of 0 to 2");
  message.builder().getCompile().setRounding(0);
  message.builder().initToken(31);
  EXPECT_EQ(read(message.reader(), {}).status().message(),
            "a cache token has 31 bytes where it has 32");
  message.builder().initToken(32);
  message.builder().initContentKey(33);
  EXPECT_EQ(read(message.reader(), {}).status().message(),
            "a content key has 33 bytes where it has 32");
}

TEST(ConvertInterface, KeepsEveryField) {
  rt::Interface interface;
  interface.inputs = {{.name = "in",
                       .type = rt::OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL,
                       .dimensions = {1, 0},
                       .scale = 0.5f,
                       .zeroPoint = 3,
                       .channelQuant = {.scales = {1.0f}, .channelDim = 1}},
                      {}};
  interface.outputs.emplace_back();
  interface.outputs[0].extension =
      rt::Extension::OperandTypeInfo{.type = 7,
                                     .isTensor = true,
                                     .byteSize = 2,
                                     .kind = rt::ElementKind::float16};
  interface.statePairs = {{.outputIndex = 0, .inputIndex = 1}};
  Message<wire::Interface> message;
  write(interface, message.builder());
  auto found = read(message.reader());
  ASSERT_TRUE(found.isOk());
  EXPECT_EQ(found->inputs, interface.inputs);
  EXPECT_EQ(found->outputs, interface.outputs);
  EXPECT_EQ(found->statePairs, interface.statePairs);

  message.builder().getStatePairs()[0].setInput(2);
  EXPECT_EQ(read(message.reader()).status().message(),
            "a state pair names output 0 of 1 and input 2 of 2");
}

// K-045: a time is one of CLOCK_MONOTONIC, which all processes share, and goes
// over as it is.
TEST(ConvertTest, DeadlinesAreOfTheMonotonicClock) {
  auto monotonic = [] {
    timespec time = {};
    EXPECT_EQ(clock_gettime(CLOCK_MONOTONIC, &time), 0);
    return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  };
  int64_t before = monotonic();
  rt::Deadline now = rt::steadyNow();
  int64_t after = monotonic();
  EXPECT_LE(before, now);
  EXPECT_LE(now, after);
  rt::Request request;
  request.deadline = now + 5;
  Message<wire::Request> message;
  write(
      request, [](bool, size_t, const rt::SharedMemory *) { return Place(); },
      message.builder());
  auto found = read(message.reader(), [](uint32_t) {
    return std::shared_ptr<rt::SharedMemory>();
  });
  ASSERT_TRUE(found.isOk()) << found.status().message();
  EXPECT_EQ(found->deadline, now + 5);
}

TEST(ConvertRequest, NamesMemoryByItsNumber) {
  auto pool = rt::SharedMemory::createAshmem(64);
  ASSERT_TRUE(pool.isOk());
  std::byte local[8] = {};
  rt::Request request;
  request.inputs = {
      {rt::Memory::region(*pool, 4, 8, 2), {2}},
      {rt::Memory::borrow(local), {}},
      {rt::Memory::device(9), {1, 8}},
      {},
  };
  request.outputs = {{rt::OutputMemory::region(*pool, 16, 4), {}},
                     {rt::OutputMemory::borrow(local), {0, 3}},
                     {rt::OutputMemory::device(11), {}}};
  request.measureTiming = request.measureOperations = true;
  request.deadline = 77;
  request.loopTimeout = 88;
  Message<wire::Request> message;
  auto place = [&](bool isOutput, size_t index, const rt::SharedMemory *of) {
    return of ? Place{.memory = 5}
              : Place{.memory = 6, .offset = isOutput ? 32 + index : index};
  };
  write(request, place, message.builder());

  std::shared_ptr<rt::SharedMemory> staging =
      *rt::SharedMemory::createAshmem(64);
  auto find = [&](uint32_t memory) {
    return memory == 5 ? *pool : memory == 6 ? staging : nullptr;
  };
  auto found = read(message.reader(), find);
  ASSERT_TRUE(found.isOk()) << found.status().message();
  ASSERT_EQ(found->inputs.size(), 4u);
  const auto &region =
      std::get<rt::Memory::Descriptor>(found->inputs[0].memory.kind());
  EXPECT_EQ(region.pool, *pool);
  EXPECT_EQ(region.offset, 4u);
  EXPECT_EQ(region.size, 8u);
  EXPECT_EQ(region.padding, 2u);
  EXPECT_EQ(found->inputs[0].dimensions, std::vector<uint32_t>{2});
  const auto &borrowed =
      std::get<rt::Memory::Descriptor>(found->inputs[1].memory.kind());
  EXPECT_EQ(borrowed.pool, staging);
  EXPECT_EQ(borrowed.offset, 1u);
  EXPECT_EQ(borrowed.size, 8u);
  EXPECT_EQ(
      std::get<rt::Memory::DeviceToken>(found->inputs[2].memory.kind()).token,
      9u);
  EXPECT_TRUE(found->inputs[3].memory.isNone());
  ASSERT_EQ(found->outputs.size(), 3u);
  EXPECT_EQ(
      std::get<rt::OutputMemory::Region>(found->outputs[0].memory.kind()).pool,
      *pool);
  EXPECT_EQ(std::get<rt::OutputMemory::Region>(found->outputs[1].memory.kind())
                .offset,
            33u);
  EXPECT_EQ(found->outputs[1].dimensions, (std::vector<uint32_t>{0, 3}));
  EXPECT_TRUE(found->measureTiming && found->measureOperations);
  EXPECT_EQ(found->deadline, 77);
  EXPECT_EQ(found->loopTimeout, 88u);

  auto nothing = [](uint32_t) { return std::shared_ptr<rt::SharedMemory>(); };
  EXPECT_EQ(read(message.reader(), nothing).status().message(),
            "memory 5 is not one that was imported");
}

TEST(ConvertResult, KeepsEveryField) {
  rt::ExecutionResult result;
  result.outputShapes = {{.dimensions = {2, 3}, .isSufficient = false}, {}};
  result.timing = {.timeOnDevice = 5, .timeInDriver = rt::noTiming};
  result.copiedBytes = 6;
  result.operationTimes = {7, 8};
  Message<wire::ExecutionResult> message;
  write(result, message.builder());
  rt::ExecutionResult found = read(message.reader());
  EXPECT_EQ(found.outputShapes, result.outputShapes);
  EXPECT_EQ(found.timing, result.timing);
  EXPECT_EQ(found.copiedBytes, result.copiedBytes);
  EXPECT_EQ(found.operationTimes, result.operationTimes);
}

TEST(ConvertMemoryUse, KeepsEveryField) {
  rt::MemoryUse use = {.arena = 1, .arenaLowerBound = 2, .artifact = 3};
  Message<wire::MemoryUse> message;
  write(use, message.builder());
  EXPECT_EQ(read(message.reader()), use);
}

TEST(ConvertTrace, KeepsEventsAndBoundsWhatIsNotKnown) {
  rt::TraceEvent event;
  event.kind = rt::TraceEvent::Kind::span;
  event.name = {rt::TraceLayer::driver, rt::TracePhase::execution,
                rt::TraceRelation::switched};
  event.detail = "execute";
  event.begin = 1;
  event.end = 2;
  event.beginThread = 3;
  event.endThread = 4;
  event.value = 5;
  Message<wire::TraceEvent> message;
  write(event, message.builder());
  rt::TraceEvent found = read(message.reader());
  EXPECT_EQ(found.text(), event.text());
  EXPECT_EQ(found.kind, event.kind);
  EXPECT_EQ(found.begin, 1);
  EXPECT_EQ(found.end, 2);
  EXPECT_EQ(found.beginThread, 3u);
  EXPECT_EQ(found.endThread, 4u);
  EXPECT_EQ(found.value, 5);

  message.builder().setLayer(99);
  message.builder().setPhase(99);
  EXPECT_EQ(read(message.reader()).name.layer, rt::TraceLayer::utility);
  EXPECT_EQ(read(message.reader()).name.phase, rt::TracePhase::results);
}

} // namespace
