//===- DriverTest.cpp - What a client asks of a device --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTesting.h"

#include "nnhal/Runtime/Trace.h"

#include <capnp/any.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <set>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;
using rt::Status;
using rt::StatusCode;

using DriverTest = HostTest;

TEST_F(DriverTest, DescribesTheDevice) {
  auto client = connect();
  auto answer = wait(client->driver.describeRequest().send());
  auto device = read(answer.getDevice());
  ASSERT_TRUE(device.isOk()) << device.status().message();
  EXPECT_EQ(device->name, "nnhal-reference");
  EXPECT_EQ(device->version, rt::createReferenceDevice()->version());
  EXPECT_TRUE(device->traits.isRemote);
  EXPECT_FALSE(device->traits.compiles);
}

TEST_F(DriverTest, TellsTheStatus) {
  auto client = connect();
  auto answer = wait(client->driver.statusRequest().send());
  EXPECT_EQ(answer.getStatus(), uint32_t(rt::DeviceStatus::available));
}

TEST_F(DriverTest, MakesADeviceForEachClientThatNeedsOne) {
  EXPECT_EQ(control->devices, 0); // The one that was described is gone.
  auto first = connect();
  auto second = connect();
  prepareSum(*first);
  EXPECT_EQ(control->devices, 1);
  prepareSum(*second);
  EXPECT_EQ(control->devices, 2);
  first.reset();
  EXPECT_TRUE(waitFor([&] { return control->devices == 1; }));
  EXPECT_EQ(host->clients(), 1u);
}

TEST_F(DriverTest, AHostNeedsADevice) {
  options.makeDevice =
      [](rt::DeviceServices) -> rt::Result<std::unique_ptr<rt::Device>> {
    return Status(StatusCode::deviceUnavailable, "no such device");
  };
  auto made = DeviceHost::create(options, *io.lowLevelProvider);
  EXPECT_EQ(made.status().message(), "no such device");
}

TEST_F(DriverTest, AChannelIsAStreamSocket) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  rt::UniqueFd other(ends[1]);
  EXPECT_EQ(host->addClient(rt::UniqueFd(ends[0]), {}).message(),
            "the channel of a client is not a stream socket of the Unix "
            "domain");
}

TEST_F(DriverTest, SaysWhichOperationsAreSupported) {
  auto client = connect();
  auto request = client->driver.supportedOperationsRequest();
  ASSERT_TRUE(write(rt::test::sumModel(), request.initModel()).isOk());
  auto answer = wait(request.send());
  EXPECT_EQ(read(answer.getStatus()).message(), "");
  ASSERT_EQ(answer.getOperations().size(), 1u);
  EXPECT_TRUE(read(answer.getOperations()[0]).isOk());
}

TEST_F(DriverTest, RefusesAnInvalidModel) {
  auto client = connect();
  rt::AnnotatedModel model = rt::test::sumModel();
  model.model.main.operations[0].inputs[0] = 77;
  Status inProcess = rt::createReferenceDevice()->prepareModel(model).status();
  auto support = client->driver.supportedOperationsRequest();
  ASSERT_TRUE(write(model, support.initModel()).isOk());
  EXPECT_EQ(ask(support).message(), inProcess.message());
  auto answer = wait(prepareRequest(*client, model).send());
  EXPECT_EQ(read(answer.getStatus()).message(), inProcess.message());
  EXPECT_EQ(read(answer.getStatus()).code(), StatusCode::invalidArgument);
  EXPECT_FALSE(answer.getLaunched());
  EXPECT_FALSE(answer.hasModel());
}

TEST_F(DriverTest, RefusesMemoryThatMakesNoSense) {
  auto client = connect();
  auto pool = makePool(4096);
  auto request = importRequest(*client, *pool);
  request.getPool().setProtection(7);
  EXPECT_EQ(ask(request).message(),
            "protection 7 of a pool is not one of 0 to 3");
  request = importRequest(*client, *pool);
  request.getPool().setName("paper");
  EXPECT_EQ(ask(request).message(), "'paper' is not a kind of pool");
  request = importRequest(*client, *pool);
  request.getPool().disownDescriptor();
  EXPECT_EQ(ask(request).message(), "a memory came without a descriptor");
}

TEST_F(DriverTest, BoundsTheListsOfAModel) {
  auto client = connect();
  auto expect = [&](auto change, std::string_view message) {
    auto request = prepareRequest(*client, rt::test::sumModel());
    change(request.getModel());
    EXPECT_EQ(ask(request).message(), message);
  };
  using Model = wire::Model::Builder;
  expect([](Model model) { model.initReferenced(4097); },
         "a message has 4097 subgraphs where 4096 are allowed");
  expect([](Model model) { model.initPools(253); },
         "a message has 253 pools where 252 are allowed");
  expect([](Model model) { model.initExtensions(65537); },
         "a message has 65537 extensions where 65536 are allowed");
  expect([](Model model) { model.initStatePairs(65537); },
         "a message has 65537 state pairs where 65536 are allowed");
  auto widen = [](wire::Subgraph::Builder graph, unsigned list) {
    capnp::AnyStruct::Builder any(kj::mv(graph));
    any.getPointerSection()[list].initAs<capnp::List<capnp::Void>>(1048577);
  };
  expect([&](Model model) { widen(model.getMain(), 0); },
         "a message has 1048577 operands where 1048576 are allowed");
  expect([&](Model model) { widen(model.getMain(), 1); },
         "a message has 1048577 operations where 1048576 are allowed");
}

TEST_F(DriverTest, BoundsTheListsOfOptions) {
  auto client = connect();
  auto expect = [&](auto change, std::string_view message) {
    auto request = prepareRequest(*client, rt::test::sumModel());
    change(request.getOptions());
    EXPECT_EQ(ask(request).message(), message);
  };
  using Options = wire::PrepareOptions::Builder;
  expect([](Options options) { options.initModelCache(33); },
         "a message has 33 cache files where 32 are allowed");
  expect([](Options options) { options.initModelCache(1).init(0, 65); },
         "a message has 65 cache descriptors where 64 are allowed");
  expect(
      [](Options options) { options.getCompile().initSpecializations(1025); },
      "a message has 1025 specializations where 1024 are allowed");
}

TEST_F(DriverTest, TellsThatAPreparationBegan) {
  auto client = connect();
  int told = 0;
  auto request = prepareRequest(*client, rt::test::sumModel());
  request.setLaunch(kj::heap<Told>(told));
  auto answer = wait(request.send());
  EXPECT_TRUE(read(answer.getStatus()).isOk());
  EXPECT_TRUE(answer.getLaunched());
  EXPECT_EQ(told, 1);
}

TEST_F(DriverTest, APassedDeadlineIsOfALaunchedPreparation) {
  auto client = connect();
  rt::PrepareOptions late;
  late.deadline = 1;
  auto answer =
      wait(prepareRequest(*client, rt::test::sumModel(), late).send());
  Status status = read(answer.getStatus());
  EXPECT_EQ(status.code(), StatusCode::missedDeadlinePersistent);
  EXPECT_EQ(status.message(),
            "the deadline had passed before the preparation began");
  EXPECT_TRUE(answer.getLaunched());
}

namespace {
/// Hears of a preparation.
class Observer final : public wire::PrepareObserver::Server {
public:
  struct Heard {
    std::string diagnostic;
    int ended = 0;
    uint64_t modelSize = 0;
    uint64_t dataSize = 0;
    Status answer;
    bool isSilent = false;
  };
  explicit Observer(Heard &heard) : heard(heard) {}

  kj::Promise<void> compileEnded(CompileEndedContext context) override {
    EXPECT_TRUE(read(context.getParams().getStatus()).isOk());
    ++heard.ended;
    return kj::READY_NOW;
  }
  kj::Promise<void> keepArtifact(KeepArtifactContext context) override {
    heard.modelSize = context.getParams().getModelCacheSize();
    heard.dataSize = context.getParams().getDataCacheSize();
    if (heard.isSilent)
      return kj::NEVER_DONE;
    write(heard.answer, context.getResults().initStatus());
    std::vector<NamedDescriptor> named;
    named.push_back({context.getParams().getDataCache(), "data"});
    return takeDescriptors(std::move(named))
        .then([size = heard.dataSize](auto taken) {
          ASSERT_TRUE(taken.isOk());
          auto bytes = readBytes(std::move(taken->front()), size);
          ASSERT_TRUE(bytes.isOk());
          EXPECT_EQ((*bytes->bytes())[4], std::byte(9));
        });
  }
  kj::Promise<void> diagnostic(DiagnosticContext context) override {
    heard.diagnostic = context.getParams().getText().cStr();
    return kj::READY_NOW;
  }

private:
  Heard &heard;
};
} // namespace

TEST_F(DriverTest, TellsAnObserverOfAPreparation) {
  control->keepsArtifact = true;
  auto client = connect();
  Observer::Heard heard;
  auto request = prepareRequest(*client, rt::test::sumModel());
  request.setObserver(kj::heap<Observer>(heard));
  EXPECT_EQ(ask(request).message(), "");
  EXPECT_TRUE(waitFor([&] { return heard.ended == 1; }));
  EXPECT_EQ(heard.diagnostic, "a remark");
  EXPECT_EQ(heard.modelSize, 3u);
  EXPECT_EQ(heard.dataSize, 5u);
}

TEST_F(DriverTest, AnArtifactThatIsNotKeptFailsThePreparation) {
  control->keepsArtifact = true;
  auto client = connect();
  Observer::Heard heard;
  heard.answer = Status(StatusCode::generalFailure, "the disk is full");
  auto request = prepareRequest(*client, rt::test::sumModel());
  request.setObserver(kj::heap<Observer>(heard));
  EXPECT_EQ(ask(request).message(), "the disk is full");
}

TEST_F(DriverTest, ADroppedPreparationIsCancelled) {
  control->hold();
  auto client = connect();
  {
    auto pending = prepareRequest(*client, rt::test::sumModel()).send();
    ASSERT_TRUE(waitFor([&] { return control->preparing == 1; }));
  }
  EXPECT_TRUE(waitFor([&] { return control->cancelled == 1; }));
  EXPECT_EQ(control->preparing, 0);
}

TEST_F(DriverTest, ADeadClientsPreparationIsCancelled) {
  control->hold();
  auto client = connect();
  auto pending = prepareRequest(*client, rt::test::sumModel()).send();
  ASSERT_TRUE(waitFor([&] { return control->preparing == 1; }));
  ::shutdown(client->fd, SHUT_RDWR);
  EXPECT_TRUE(waitFor([&] { return control->cancelled == 1; }));
  EXPECT_TRUE(waitFor([&] { return control->devices == 0; }));
  EXPECT_EQ(host->clients(), 0u);
}

TEST_F(DriverTest, ADeviceWithoutACacheSaysSo) {
  auto client = connect();
  auto request = client->driver.prepareModelFromCacheRequest();
  rt::PrepareOptions options;
  rt::UniqueFd file(::memfd_create("cache", MFD_CLOEXEC));
  options.cache.modelCache = {{file.get()}};
  options.cache.dataCache = {{file.get()}};
  ASSERT_TRUE(write(options, request.initOptions()).isOk());
  auto answer = wait(request.send());
  auto inProcess = rt::createReferenceDevice()->prepareModelFromCache(
      options.cache, options.token, {});
  EXPECT_EQ(read(answer.getStatus()).message(), inProcess.status().message());
  EXPECT_EQ(read(answer.getStatus()).code(), inProcess.status().code());
}

TEST_F(DriverTest, AnArtifactIsLoadedForTheUserOfTheService) {
  auto client = connect();
  std::byte bytes[64] = {};
  auto fill = [&](TestClient &of) {
    auto request = of.driver.prepareModelFromArtifactRequest();
    request.setModelCache(*makeBytes(bytes));
    request.setModelCacheSize(sizeof(bytes));
    request.setDataCache(*makeBytes(bytes));
    request.setDataCacheSize(sizeof(bytes));
    request.initOptions().initCompile();
    return request;
  };
  EXPECT_EQ(ask(fill(*client)).message(),
            "nnhal-reference keeps no compiled models");
  TestClient other(connectRaw({::geteuid() + 1, 1, "other"}), io);
  EXPECT_EQ(ask(fill(other)).message(),
            fmt::format("code of user {} is not run by a service of user {}",
                        ::geteuid() + 1, ::geteuid()));
}

TEST_F(DriverTest, TracesOneClient) {
  auto client = connect();
  auto other = connect();
  auto first = wait(client->driver.traceRequest().send());
  EXPECT_EQ(first.getEvents().size(), 0u);
  EXPECT_LE(first.getClock(), rt::steadyNow());
  prepareSum(*client);
  auto events = wait(client->driver.traceRequest().send());
  ASSERT_GT(events.getEvents().size(), 0u);
  std::set<rt::TraceLayer> layers;
  for (auto event : events.getEvents()) {
    if (read(event).name.phase == rt::TracePhase::preparation)
      layers.insert(read(event).name.layer);
    EXPECT_NE(event.getEnd(), rt::TraceEvent::notEnded);
  }
  EXPECT_EQ(layers, (std::set{rt::TraceLayer::runtime, rt::TraceLayer::ipc}));
  // They are told once, and not to others.
  EXPECT_EQ(wait(client->driver.traceRequest().send()).getEvents().size(), 0u);
  EXPECT_EQ(wait(other->driver.traceRequest().send()).getEvents().size(), 0u);
}

TEST_F(DriverTest, ReportsToTheSupervisor) {
  auto supervisor = host->supervisor();
  auto described = wait(supervisor.describeRequest().send());
  EXPECT_EQ(read(described.getDevice())->name, "nnhal-reference");
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  auto request = supervisor.addClientRequest();
  request.setChannel(makeDescriptor(rt::UniqueFd(ends[1])));
  request.setUser(7);
  request.setProcess(8);
  request.setName("nine");
  ASSERT_TRUE(ask(request).isOk());
  TestClient client{rt::UniqueFd(ends[0]), io};
  auto model = prepareSum(client);
  auto answer = wait(supervisor.reportRequest().send());
  auto clients = answer.getReport().getClients();
  ASSERT_EQ(clients.size(), 1u);
  EXPECT_EQ(clients[0].getUser(), 7u);
  EXPECT_EQ(clients[0].getProcess(), 8);
  EXPECT_STREQ(clients[0].getName().cStr(), "nine");
  EXPECT_EQ(clients[0].getModels(), 1u);
  EXPECT_EQ(clients[0].getPreparations(), 1u);
  EXPECT_EQ(clients[0].getFailures(), 0u);
}

TEST_F(DriverTest, DrainsWhatIsUnderWay) {
  control->hold();
  auto client = connect();
  auto pending = prepareRequest(*client, rt::test::sumModel()).send();
  ASSERT_TRUE(waitFor([&] { return control->preparing == 1; }));
  wait(host->drain(rt::steadyNow() + 20'000'000)); // At the deadline.
  EXPECT_EQ(control->preparing, 1);
  EXPECT_EQ(ask(prepareRequest(*client, rt::test::sumModel())).message(),
            "the service is ending");
  auto drained = host->drain(rt::noDeadline);
  control->release();
  wait(kj::mv(drained));
  EXPECT_EQ(control->preparing, 0);
  EXPECT_TRUE(read(wait(kj::mv(pending)).getStatus()).isOk());
}
