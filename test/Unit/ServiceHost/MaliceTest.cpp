//===- MaliceTest.cpp - An honest client beside a malicious one -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaliceTesting.h"

#include "nnhal/Runtime/Fence.h"

#include <fcntl.h>
#include <sys/mman.h>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;
using rt::Status;
using rt::StatusCode;
using rt::UniqueFd;

namespace {
UniqueFd openPath(const char *path, int flags) {
  return UniqueFd(::open(path, flags | O_CLOEXEC));
}

UniqueFd memfd(uint64_t size) {
  UniqueFd fd(::memfd_create("malice", MFD_CLOEXEC));
  EXPECT_EQ(::ftruncate(fd.get(), off_t(size)), 0);
  return fd;
}

/// A capability without a descriptor.
class Nothing final : public wire::Descriptor::Server {};

/// An observer that never answers.
class Silence final : public wire::PrepareObserver::Server {
  kj::Promise<void> keepArtifact(KeepArtifactContext) override {
    return kj::NEVER_DONE;
  }
};

/// A client that never answers what it asked to be told.
class NeverLaunched final : public wire::Launch::Server {
  kj::Promise<void> launched(LaunchedContext) override {
    return kj::NEVER_DONE;
  }
};

class NoCallback final : public wire::BurstCallback::Server {};
class OwnModel final : public wire::PreparedModel::Server {};

//===----------------------------------------------------------------------===//
// Bytes that are not messages
//===----------------------------------------------------------------------===//

void garbage(MaliceTest &test) {
  std::string bytes(4096, '\xa5');
  test.send(bytes.data(), bytes.size());
}

void manySegments(MaliceTest &test) {
  uint32_t header[2] = {0xfffffffe, 1};
  test.send(header, sizeof(header));
}

void hugeSegment(MaliceTest &test) {
  uint32_t header[2] = {0, 0x7fffffff};
  test.send(header, sizeof(header));
}

void largestAllowedMessage(MaliceTest &test) {
  uint32_t header[2] = {0, (4 << 20) - 1};
  test.send(header, sizeof(header)); // And nothing more.
}

void halfAMessage(MaliceTest &test) {
  uint32_t header[4] = {0, 8, 1, 2};
  test.send(header, sizeof(header));
  test.rawFd.reset();
  test.turn();
}

void descriptorsWithoutAMessage(MaliceTest &test) {
  std::vector<int> fds(16, 0);
  test.sendDescriptors(fds);
}

void allDescriptorsAtOnce(MaliceTest &test) {
  std::vector<int> fds(253, 0);
  for (int i = 0; i < 20; ++i)
    test.sendDescriptors(fds);
}

void cyclicPointers(MaliceTest &test) {
  // A message of one segment whose root is a far pointer to itself.
  uint32_t words[4] = {0, 1, 2, 0};
  test.send(words, sizeof(words));
}

//===----------------------------------------------------------------------===//
// Messages that make no sense
//===----------------------------------------------------------------------===//

void abortedConnection(MaliceTest &test) {
  test.sendMessage([](capnp::rpc::Message::Builder message) {
    message.initAbort().setReason("because");
  });
}

void returnOfNoCall(MaliceTest &test) {
  test.sendMessage([](capnp::rpc::Message::Builder message) {
    auto answer = message.initReturn();
    answer.setAnswerId(77);
    answer.setCanceled();
  });
}

void finishOfNoCall(MaliceTest &test) {
  test.sendMessage([](capnp::rpc::Message::Builder message) {
    message.initFinish().setQuestionId(77);
  });
}

void releaseOfNothing(MaliceTest &test) {
  test.sendMessage([](capnp::rpc::Message::Builder message) {
    auto release = message.initRelease();
    release.setId(77);
    release.setReferenceCount(0xffffffff);
  });
}

void callOfNothing(MaliceTest &test) {
  test.sendMessage([](capnp::rpc::Message::Builder message) {
    auto call = message.initCall();
    call.setQuestionId(1);
    call.initTarget().setImportedCap(1234);
    call.setInterfaceId(1);
    call.setMethodId(2);
  });
}

void resolveOfNothing(MaliceTest &test) {
  test.sendMessage([](capnp::rpc::Message::Builder message) {
    auto resolve = message.initResolve();
    resolve.setPromiseId(9);
    resolve.initCap().setSenderHosted(1);
  });
}

void reusedQuestion(MaliceTest &test) {
  for (int i = 0; i < 3; ++i)
    test.sendMessage([](capnp::rpc::Message::Builder message) {
      message.initBootstrap().setQuestionId(5);
    });
}

void thirdParty(MaliceTest &test) {
  test.sendMessage([](capnp::rpc::Message::Builder message) {
    message.initProvide().setQuestionId(3);
  });
}

void unknownInterface(MaliceTest &test) {
  auto other = test.client->driver.castAs<wire::Compiler>();
  auto pending = other.compileRequest().send();
  EXPECT_ANY_THROW(test.wait(kj::mv(pending)));
}

//===----------------------------------------------------------------------===//
// Floods
//===----------------------------------------------------------------------===//

void floodOfCalls(MaliceTest &test) {
  kj::Vector<kj::Promise<void>> pending;
  for (int i = 0; i < 5000; ++i)
    pending.add(test.client->driver.describeRequest().send().ignoreResult());
  test.wait(kj::joinPromises(pending.releaseAsArray()));
}

void unreadAnswers(MaliceTest &test) {
  test.sendMessage([](capnp::rpc::Message::Builder message) {
    message.initBootstrap().setQuestionId(0);
  });
  std::vector<std::byte> calls;
  for (uint32_t i = 1; i < 20000; ++i) {
    capnp::MallocMessageBuilder message;
    auto call = message.initRoot<capnp::rpc::Message>().initCall();
    call.setQuestionId(i);
    call.initTarget().initPromisedAnswer().setQuestionId(0);
    call.setInterfaceId(capnp::typeId<wire::Driver>());
    call.setMethodId(0); // describe
    auto words = capnp::messageToFlatArray(message);
    auto bytes = std::as_bytes(std::span(words.begin(), words.size()));
    calls.insert(calls.end(), bytes.begin(), bytes.end());
  }
  size_t sent = 0;
  for (int i = 0; i < 300 && sent < calls.size(); ++i) {
    ssize_t count = ::send(test.rawFd.get(), calls.data() + sent,
                           calls.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    sent += size_t(std::max<ssize_t>(count, 0));
    test.turn();
  }
  // The host reads no more until its answers are read.
  EXPECT_LT(sent, calls.size());
}

void floodOfPreparations(MaliceTest &test) {
  kj::Vector<kj::Promise<void>> pending;
  for (int i = 0; i < 200; ++i)
    pending.add(test.prepareRequest(*test.client, rt::test::sumModel())
                    .send()
                    .ignoreResult());
  test.wait(kj::joinPromises(pending.releaseAsArray()));
}

void floodOfDroppedPreparations(MaliceTest &test) {
  for (int i = 0; i < 200; ++i) {
    auto pending =
        test.prepareRequest(*test.client, rt::test::sumModel()).send();
    if (i % 2)
      test.turn();
  }
}

void floodOfExecutions(MaliceTest &test) {
  auto prepared = test.model();
  auto pool = test.import(*test.client, *test.sum.pool);
  kj::Vector<kj::Promise<void>> pending;
  for (int i = 0; i < 1000; ++i)
    pending.add(
        test.executeRequest(prepared, test.sum, pool.id).send().ignoreResult());
  test.wait(kj::joinPromises(pending.releaseAsArray()));
}

void floodOfImports(MaliceTest &test) {
  std::vector<wire::Memory::Client> held;
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    auto answer =
        test.wait(test.importRequest(*test.client, *test.sum.pool).send());
    held.push_back(answer.getMemory());
    refused += !read(answer.getStatus()).isOk();
  }
  EXPECT_EQ(refused, 600 - 512);
}

void floodOfPipelinedCalls(MaliceTest &test) {
  auto prepared =
      test.prepareRequest(*test.client, rt::test::sumModel()).send();
  auto model = prepared.getModel();
  kj::Vector<kj::Promise<void>> pending;
  for (int i = 0; i < 500; ++i)
    pending.add(model.executeRequest().send().ignoreResult());
  test.wait(kj::joinPromises(pending.releaseAsArray()));
}

void floodOfUnansweredLaunches(MaliceTest &test) {
  auto prepared = test.model();
  auto pool = test.import(*test.client, *test.sum.pool);
  for (int i = 0; i < 1500; ++i) {
    auto request = test.executeRequest(prepared, test.sum, pool.id);
    request.setLaunch(kj::heap<NeverLaunched>());
    EXPECT_EQ(test.ask(request).message(), "");
  }
}

void closedInTheMiddle(MaliceTest &test) {
  auto prepared = test.model();
  auto pool = test.import(*test.client, *test.sum.pool);
  std::vector<capnp::RemotePromise<wire::PreparedModel::ExecuteResults>> calls;
  for (int i = 0; i < 50; ++i)
    calls.push_back(test.executeRequest(prepared, test.sum, pool.id).send());
  ::shutdown(test.client->fd, SHUT_RDWR);
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

void emptyModel(MaliceTest &test) {
  auto request = test.client->driver.prepareModelRequest();
  EXPECT_FALSE(test.ask(request).isOk());
}

void unknownHalVersion(MaliceTest &test) {
  test.expectRefusedModel(
      [](wire::Model::Builder model) { model.setHalVersion(200); });
}

void unknownLifetime(MaliceTest &test) {
  test.expectRefusedModel([](wire::Model::Builder model) {
    model.getMain().getOperands()[0].setLifetime(99);
  });
}

void unknownOperandType(MaliceTest &test) {
  test.expectRefusedModel([](wire::Model::Builder model) {
    model.getMain().getOperands()[0].setType(0x7fffffff);
  });
}

void foreignOperand(MaliceTest &test) {
  test.expectRefusedModel([](wire::Model::Builder model) {
    model.getMain().getOperations()[0].getInputs().set(0, 1000000);
  });
}

void foreignInput(MaliceTest &test) {
  test.expectRefusedModel([](wire::Model::Builder model) {
    model.getMain().getInputIndexes().set(0, 0xffffffff);
  });
}

/// The list of operands states 16 million elements, which take no bytes.
void operandsWithoutBytes(MaliceTest &test) {
  test.sendMessage([](capnp::rpc::Message::Builder message) {
    message.initBootstrap().setQuestionId(0);
  });
  test.sendMessage([](capnp::rpc::Message::Builder message) {
    auto call = message.initCall();
    call.setQuestionId(1);
    call.initTarget().initPromisedAnswer().setQuestionId(0);
    call.setInterfaceId(capnp::typeId<wire::Driver>());
    call.setMethodId(3); // prepareModel
    auto params = call.initParams()
                      .getContent()
                      .initAs<wire::Driver::PrepareModelParams>();
    auto main = params.initModel().initMain();
    capnp::AnyStruct::Builder any(kj::mv(main));
    any.getPointerSection()[0].initAs<capnp::List<capnp::Void>>((1 << 24));
  });
}

void manyOperands(MaliceTest &test) {
  test.expectRefusedModel([](wire::Model::Builder model) {
    capnp::AnyStruct::Builder any(model.getMain());
    any.getPointerSection()[0].initAs<capnp::List<capnp::Void>>(2 << 20);
  });
}

void manyPools(MaliceTest &test) {
  test.expectRefusedModel(
      [](wire::Model::Builder model) { model.initPools(253); });
}

void manySubgraphs(MaliceTest &test) {
  test.expectRefusedModel(
      [](wire::Model::Builder model) { model.initReferenced(5000); });
}

/// Subgraph 0 calls itself.
void cyclicSubgraphs(MaliceTest &test) {
  rt::AnnotatedModel annotated;
  auto graph = [] {
    rt::Subgraph made;
    made.operands.resize(4);
    made.operands[0].type = rt::OperandType::TENSOR_BOOL8;
    made.operands[0].dimensions = {1};
    made.operands[0].lifetime = rt::OperandLifeTime::SUBGRAPH_INPUT;
    for (int i : {1, 2}) {
      made.operands[i].type = rt::OperandType::SUBGRAPH;
      made.operands[i].lifetime = rt::OperandLifeTime::SUBGRAPH;
    }
    made.operands[3].type = rt::OperandType::TENSOR_FLOAT32;
    made.operands[3].dimensions = {1};
    made.operands[3].lifetime = rt::OperandLifeTime::SUBGRAPH_OUTPUT;
    made.operations = {{rt::OperationType::IF, {0, 1, 2}, {3}}};
    made.inputIndexes = {0};
    made.outputIndexes = {3};
    rt::computeConsumers(made);
    return made;
  };
  annotated.model.main = graph();
  annotated.model.referenced = {graph()};
  Status status = test.ask(test.prepareRequest(*test.client, annotated));
  EXPECT_EQ(status.code(), StatusCode::invalidArgument) << status.message();
}

void lyingOperandValues(MaliceTest &test) {
  test.expectRefusedModel([](wire::Model::Builder model) {
    model.getOperandValues().setSize(1 << 20);
  });
}

void impossibleOperandValues(MaliceTest &test) {
  test.expectRefusedModel([](wire::Model::Builder model) {
    model.getOperandValues().setSize(~uint64_t(0));
  });
}

void missingDescriptor(MaliceTest &test) {
  test.expectRefusedModel([](wire::Model::Builder model) {
    model.getOperandValues().disownDescriptor();
  });
}

void capabilityWithoutDescriptor(MaliceTest &test) {
  test.expectRefusedModel([](wire::Model::Builder model) {
    model.getOperandValues().setDescriptor(kj::heap<Nothing>());
  });
}

void descriptorThatNeverArrives(MaliceTest &test) {
  auto request = test.prepareRequest(*test.client, rt::test::sumModel());
  auto pair = kj::newPromiseAndFulfiller<wire::Descriptor::Client>();
  request.getModel().getOperandValues().setDescriptor(kj::mv(pair.promise));
  auto pending = request.send();
  test.turn();
  test.expectHonest();
}

void unknownPoolKind(MaliceTest &test) {
  test.expectRefusedModel([](wire::Model::Builder model) {
    model.getOperandValues().setName("../../etc/passwd");
  });
}

void operandValuesInASocket(MaliceTest &test) {
  test.expectRefusedModel([&](wire::Model::Builder model) {
    model.getOperandValues().setDescriptor(
        makeDescriptor(*rt::duplicate(test.rawFd.get())));
  });
}

void wrongOptions(MaliceTest &test) {
  for (int which = 0; which < 6; ++which) {
    auto request = test.prepareRequest(*test.client, rt::test::sumModel());
    auto options = request.getOptions();
    kj::byte token[5] = {};
    if (which == 0)
      options.setPreference(9);
    if (which == 1)
      options.setPriority(77);
    if (which == 2)
      options.setToken(kj::arrayPtr(token, 5));
    if (which == 3)
      options.initModelCache(33);
    if (which == 4)
      options.getCompile().setRounding(12);
    if (which == 5)
      options.getCompile().initSpecializations(2000);
    EXPECT_EQ(test.ask(request).code(), StatusCode::invalidArgument) << which;
  }
}

void cacheInADirectory(MaliceTest &test) {
  auto request = test.client->driver.prepareModelFromCacheRequest();
  rt::PrepareOptions options;
  UniqueFd directory = openPath("/tmp", O_DIRECTORY);
  options.cache.modelCache = {{directory.get()}};
  options.cache.dataCache = {{directory.get(), directory.get()}};
  ASSERT_TRUE(write(options, request.initOptions()).isOk());
  EXPECT_FALSE(test.ask(request).isOk());
}

void lyingArtifact(MaliceTest &test) {
  auto request = test.client->driver.prepareModelFromArtifactRequest();
  request.setModelCache(makeDescriptor(memfd(100)));
  request.setModelCacheSize(1 << 20);
  request.setDataCache(makeDescriptor(memfd(100)));
  request.setDataCacheSize(uint64_t(1) << 60);
  EXPECT_FALSE(test.ask(request).isOk());
}

void silentObserver(MaliceTest &test) {
  auto request = test.prepareRequest(*test.client, rt::test::sumModel());
  request.setObserver(kj::heap<Silence>());
  EXPECT_EQ(test.ask(request).message(), "");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void memoryThatIsASocket(MaliceTest &test) {
  test.expectUselessMemory(*rt::duplicate(test.rawFd.get()));
}

void memoryThatIsAPipe(MaliceTest &test) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  UniqueFd other(ends[1]);
  test.expectUselessMemory(UniqueFd(ends[0]));
}

void memoryThatIsADirectory(MaliceTest &test) {
  test.expectUselessMemory(openPath("/tmp", O_DIRECTORY));
}

void memoryThatIsADevice(MaliceTest &test) {
  test.expectUselessMemory(openPath("/dev/zero", O_RDWR));
}

void memoryThatIsAPath(MaliceTest &test) {
  test.expectUselessMemory(openPath("/tmp", O_PATH));
}

void memoryThatIsReadOnly(MaliceTest &test) {
  test.expectUselessMemory(openPath("/proc/self/exe", O_RDONLY), 4096, 0, 3);
}

void memoryThatIsShorter(MaliceTest &test) {
  test.expectUselessMemory(memfd(100), 4096);
}

void memoryThatShrinks(MaliceTest &test) {
  UniqueFd fd = memfd(4096);
  int kept = fd.get();
  auto pool = rt::SharedMemory::adopt(rt::PoolKind::mmapFd, std::move(fd), 4096,
                                      PROT_READ | PROT_WRITE);
  auto imported = test.import(*test.client, **pool);
  auto prepared = test.model();
  for (int i = 0; i < 50; ++i) {
    auto pending = test.executeRequest(prepared, test.sum, imported.id).send();
    EXPECT_EQ(::ftruncate(kept, i % 2 ? 4096 : 0), 0);
    test.wait(pending.ignoreResult());
  }
}

void memoryWithAWrongOffset(MaliceTest &test) {
  test.expectUselessMemory(memfd(8192), 4096, ~uint64_t(0) - 100);
}

void memoryWithAWrongProtection(MaliceTest &test) {
  test.expectUselessMemory(memfd(8192), 4096, 0, 0xffffffff);
}

void impossibleMemory(MaliceTest &test) {
  test.expectUselessMemory(memfd(8192), ~uint64_t(0));
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

void foreignMemory(MaliceTest &test) {
  auto prepared = test.model();
  EXPECT_EQ(
      test.ask(test.executeRequest(prepared, test.sum, test.honestPool.id + 5))
          .code(),
      StatusCode::invalidArgument);
}

/// The honest client's memory has this number for itself alone.
void sameNumberOfMemory(MaliceTest &test) {
  auto prepared = test.model();
  EXPECT_EQ(
      test.ask(test.executeRequest(prepared, test.sum, test.honestPool.id))
          .code(),
      StatusCode::invalidArgument);
}

void foreignToken(MaliceTest &test) {
  auto allocate = test.honest->driver.allocateRequest();
  allocate.initModels(1).set(0, test.honestModel);
  allocate.initInputRoles(1)[0].setFrequency(1);
  auto allocated = test.wait(allocate.send());
  ASSERT_TRUE(read(allocated.getStatus()).isOk());
  test.expectRefusedRequest([&](wire::Request::Builder request) {
    request.getInputs()[0].getMemory().setToken(allocated.getToken());
  });
}

void regionOutsideOfItsMemory(MaliceTest &test) {
  test.expectRefusedRequest([](wire::Request::Builder request) {
    request.getInputs()[0].getMemory().getRegion().setOffset(1 << 20);
  });
}

void regionThatWrapsAround(MaliceTest &test) {
  test.expectRefusedRequest([](wire::Request::Builder request) {
    auto region = request.getOutputs()[0].getMemory().getRegion();
    region.setOffset(~uint64_t(0) - 8);
    region.setPadding(~uint64_t(0));
  });
}

void manyInputs(MaliceTest &test) {
  test.expectRefusedRequest(
      [](wire::Request::Builder request) { request.initInputs(70000); });
}

void wrongRank(MaliceTest &test) {
  test.expectRefusedRequest([](wire::Request::Builder request) {
    request.getInputs()[0].initDimensions(100000);
  });
}

void passedDeadline(MaliceTest &test) {
  test.expectRefusedRequest([](wire::Request::Builder request) {
    request.setDeadline(std::numeric_limits<int64_t>::min());
  });
}

void fencesThatNeverSignal(MaliceTest &test) {
  auto prepared = test.model();
  auto pool = test.import(*test.client, *test.sum.pool);
  std::vector<rt::FenceRef> gates;
  int refused = 0;
  for (int i = 0; i < 80; ++i) {
    gates.push_back(*rt::Fence::create());
    auto request = prepared.executeFencedRequest();
    test.writeSum(test.sum, pool.id, request.initRequest());
    request.initWaitFor(1).set(0, makeDescriptor(*gates.back()->share()));
    refused += !test.ask(request).isOk();
  }
  EXPECT_EQ(refused, 80 - 64);
}

void foreignModel(MaliceTest &test) {
  auto request = test.client->driver.allocateRequest();
  request.initModels(1).set(0, kj::heap<OwnModel>());
  request.initInputRoles(1)[0].setFrequency(1);
  EXPECT_EQ(test.ask(request).code(), StatusCode::invalidArgument);
}

void largeBuffer(MaliceTest &test) {
  auto request = test.client->driver.allocateRequest();
  request.initModels(1).set(0, test.model());
  request.initInputRoles(1)[0].setFrequency(1);
  auto dimensions = request.initDimensions(2);
  dimensions.set(0, 0xffffffff);
  dimensions.set(1, 0xffffffff);
  EXPECT_FALSE(test.ask(request).isOk());
}

void burstsOverAnything(MaliceTest &test) {
  auto prepared = test.model();
  for (int kind = 0; kind < 4; ++kind) {
    auto make = [&] {
      if (kind == 0)
        return openPath("/dev/zero", O_RDWR);
      if (kind == 1)
        return *rt::duplicate(test.rawFd.get());
      if (kind == 2)
        return memfd(1 << 20);
      return memfd(0);
    };
    auto request = prepared.configureBurstRequest();
    request.setCallback(kj::heap<NoCallback>());
    request.setRequests(makeDescriptor(make()));
    request.setResults(makeDescriptor(make()));
    EXPECT_FALSE(test.ask(request).isOk()) << kind;
  }
}

constexpr Attack attacks[] = {
#define ATTACK(name) {#name, name}
    ATTACK(garbage),
    ATTACK(manySegments),
    ATTACK(hugeSegment),
    ATTACK(largestAllowedMessage),
    ATTACK(halfAMessage),
    ATTACK(descriptorsWithoutAMessage),
    ATTACK(allDescriptorsAtOnce),
    ATTACK(cyclicPointers),
    ATTACK(abortedConnection),
    ATTACK(returnOfNoCall),
    ATTACK(finishOfNoCall),
    ATTACK(releaseOfNothing),
    ATTACK(callOfNothing),
    ATTACK(resolveOfNothing),
    ATTACK(reusedQuestion),
    ATTACK(thirdParty),
    ATTACK(unknownInterface),
    ATTACK(floodOfCalls),
    ATTACK(unreadAnswers),
    ATTACK(floodOfPreparations),
    ATTACK(floodOfDroppedPreparations),
    ATTACK(floodOfExecutions),
    ATTACK(floodOfImports),
    ATTACK(floodOfPipelinedCalls),
    ATTACK(floodOfUnansweredLaunches),
    ATTACK(closedInTheMiddle),
    ATTACK(emptyModel),
    ATTACK(unknownHalVersion),
    ATTACK(unknownLifetime),
    ATTACK(unknownOperandType),
    ATTACK(foreignOperand),
    ATTACK(foreignInput),
    ATTACK(operandsWithoutBytes),
    ATTACK(manyOperands),
    ATTACK(manyPools),
    ATTACK(manySubgraphs),
    ATTACK(cyclicSubgraphs),
    ATTACK(lyingOperandValues),
    ATTACK(impossibleOperandValues),
    ATTACK(missingDescriptor),
    ATTACK(capabilityWithoutDescriptor),
    ATTACK(descriptorThatNeverArrives),
    ATTACK(unknownPoolKind),
    ATTACK(operandValuesInASocket),
    ATTACK(wrongOptions),
    ATTACK(cacheInADirectory),
    ATTACK(lyingArtifact),
    ATTACK(silentObserver),
    ATTACK(memoryThatIsASocket),
    ATTACK(memoryThatIsAPipe),
    ATTACK(memoryThatIsADirectory),
    ATTACK(memoryThatIsADevice),
    ATTACK(memoryThatIsAPath),
    ATTACK(memoryThatIsReadOnly),
    ATTACK(memoryThatIsShorter),
    ATTACK(memoryThatShrinks),
    ATTACK(memoryWithAWrongOffset),
    ATTACK(memoryWithAWrongProtection),
    ATTACK(impossibleMemory),
    ATTACK(foreignMemory),
    ATTACK(sameNumberOfMemory),
    ATTACK(foreignToken),
    ATTACK(regionOutsideOfItsMemory),
    ATTACK(regionThatWrapsAround),
    ATTACK(manyInputs),
    ATTACK(wrongRank),
    ATTACK(passedDeadline),
    ATTACK(fencesThatNeverSignal),
    ATTACK(foreignModel),
    ATTACK(largeBuffer),
    ATTACK(burstsOverAnything),
#undef ATTACK
};
static_assert(std::size(attacks) >= 40);
} // namespace

TEST_P(MaliceTest, HarmsNobodyElse) {
  expectHonest();
  GetParam().run(*this);
  expectHonest();
  client.reset();
  rawFd.reset();
  EXPECT_TRUE(waitFor([&] { return host->clients() == 1; }));
  EXPECT_TRUE(waitFor([&] { return control->devices == 1; }));
  expectHonest();
}

INSTANTIATE_TEST_SUITE_P(Attacks, MaliceTest, ::testing::ValuesIn(attacks),
                         [](const auto &info) { return info.param.name; });
