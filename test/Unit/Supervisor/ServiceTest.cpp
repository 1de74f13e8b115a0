//===- ServiceTest.cpp - A service and its processes ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "Service/Sandbox/SanitizerNeeds.h"

#include "../Core/ReluModel.h"

#include <set>
#include <sys/socket.h>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;

namespace {

class ServiceTest : public ::testing::Test {
protected:
  void start(std::vector<std::string> arguments = {}) {
    service.options.arguments.insert(service.options.arguments.end(),
                                     arguments.begin(), arguments.end());
    service.start();
  }
  std::unique_ptr<Client> connect() {
    return std::make_unique<Client>(service.path(), io);
  }
  /// A client that has said hello.
  std::unique_ptr<Client> enter() {
    auto client = connect();
    rt::Status status = client->hello();
    EXPECT_TRUE(status.isOk()) << status.message();
    return client;
  }
  /// The name of the device at the other end of \p channel.
  std::string nameOf(Channel &channel) {
    auto driver = channel.peer().castAs<wire::Driver>();
    auto answer = driver.describeRequest().send().wait(io.waitScope);
    return textOf(answer.getDevice().getName());
  }
  /// Whether the other end of \p channel goes within \p limit.
  bool isGone(Channel &channel, kj::Duration limit = 5 * kj::SECONDS) {
    bool isGone = false;
    channel.onDisconnect()
        .then([&] { isGone = true; })
        .exclusiveJoin(io.provider->getTimer().afterDelay(limit))
        .wait(io.waitScope);
    return isGone;
  }
  int64_t deathsOf(const std::string &name) {
    return service.device(name)["deaths"].get<int64_t>();
  }

  Service service;
  const std::unique_ptr<kj::AsyncIoContext> loop =
      std::make_unique<kj::AsyncIoContext>(kj::setupAsyncIo());
  kj::AsyncIoContext &io = *loop;
};

bool isAlive(pid_t process) { return ::kill(process, 0) == 0; }

TEST_F(ServiceTest, ClientsFindDevices) {
  start();
  auto client = enter();
  auto list = client->drivers.listRequest().send().wait(io.waitScope);
  std::vector<std::string> names;
  for (auto name : list.getDevices())
    names.push_back(textOf(name));
  EXPECT_EQ(names, (std::vector<std::string>{"nnhal-cpu", "nnhal-reference"}));
  // Nothing runs that nobody has asked for.
  EXPECT_EQ(service.device("nnhal-reference")["state"], "idle");
  auto device = client->open("nnhal-reference");
  ASSERT_TRUE(device.isOk()) << device.status().message();
  EXPECT_EQ(nameOf(**device), "nnhal-reference");
  EXPECT_EQ(service.device("nnhal-reference")["clients"].size(), 1u);
  EXPECT_EQ(service.device("nnhal-reference")["clients"][0]["name"], "test");
  EXPECT_EQ(service.device("nnhal-cpu")["state"], "idle");
  EXPECT_EQ(client->open("nnhal-gpu").status().message(),
            "unknown device 'nnhal-gpu'; the service has nnhal-cpu, "
            "nnhal-reference");
}

// A service of another major version says why it cannot serve.
TEST_F(ServiceTest, VersionsAreNegotiated) {
  start();
  auto client = connect();
  EXPECT_EQ(client->hello(protocolMajor + 1).message(),
            "'test' speaks version 2.7 of the service's protocol, which does "
            "not work with the service's 1.0");
  // A minor version of the future is no reason.
  EXPECT_TRUE(client->hello().isOk());
}

TEST_F(ServiceTest, DevicesAreSelected) {
  start({"--device=nnhal-reference"});
  auto devices = service.report()["devices"];
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0]["name"], "nnhal-reference");
}

TEST_F(ServiceTest, ADeathEndsOnlyTheClientsOfTheDevice) {
  start();
  auto client = enter();
  auto cpu = client->open("nnhal-cpu");
  auto reference = client->open("nnhal-reference");
  ASSERT_TRUE(cpu.isOk() && reference.isOk());
  EXPECT_EQ(nameOf(**cpu), "nnhal-cpu");
  pid_t process = service.hostOf("nnhal-cpu");
  ::kill(process, SIGSEGV);
  EXPECT_TRUE(isGone(**cpu, 100 * kj::MILLISECONDS));
  EXPECT_EQ(nameOf(**reference), "nnhal-reference");
  EXPECT_FALSE(isGone(*client->channel, 10 * kj::MILLISECONDS));

  // Another process takes its place.
  auto again = client->open("nnhal-cpu");
  ASSERT_TRUE(again.isOk()) << again.status().message();
  EXPECT_EQ(nameOf(**again), "nnhal-cpu");
  EXPECT_NE(service.hostOf("nnhal-cpu"), process);
  EXPECT_EQ(deathsOf("nnhal-cpu"), 1);
  EXPECT_EQ(deathsOf("nnhal-reference"), 0);
  std::string death = service.device("nnhal-cpu")["lastDeath"];
  // A sanitizer reports the fault and exits.
  EXPECT_EQ(death,
            hasSanitizer ? "exit status 1" : "signal 11 (Segmentation fault)");
}

TEST_F(ServiceTest, ADeviceThatDiesAtItsStartIsTriedLessAndLessOften) {
  start({"--plugin=" NNHAL_TEST_PLUGIN, "--start-at-once"});
  EXPECT_TRUE(waitFor([&] { return deathsOf("test-dying") >= 3; }));
  auto client = enter();
  auto living = client->open("test-living");
  ASSERT_TRUE(living.isOk()) << living.status().message();
  EXPECT_EQ(nameOf(**living), "test-living");
  // 100, 200, 400, 800 and 1600 ms: far from as often as it could die.
  EXPECT_LE(deathsOf("test-dying"), 8);
  EXPECT_TRUE(waitFor([&] { return deathsOf("test-dying") >= 5; }));
  rt::Status status = client->open("test-dying").status();
  EXPECT_EQ(status.code(), rt::StatusCode::deviceUnavailable);
  EXPECT_TRUE(status.message().starts_with(
      "device 'test-dying' is not there: its process has ended: "))
      << status.message();
  EXPECT_TRUE(waitFor([&] {
    std::string why = client->open("test-dying").status().message();
    return why.find("; the next one begins ") != std::string::npos &&
           why.ends_with(" ms after it");
  }));
}

TEST_F(ServiceTest, PluginsThatCannotBeUsedAreNamed) {
  service.options.arguments.emplace_back("--plugin=/nonexistent.so");
  Program program(service.options);
  EXPECT_EQ(program.wait(), 1 << 8);
  EXPECT_NE(service.log().find("cannot open the plug-in '/nonexistent.so'"),
            std::string::npos)
      << service.log();
}

TEST_F(ServiceTest, SignalsEndItInOrder) {
  for (int signal : {SIGTERM, SIGINT}) {
    start({"--start-at-once"});
    pid_t host = service.hostOf("nnhal-reference");
    service.program->signal(SIGHUP);
    service.program->signal(signal);
    EXPECT_EQ(service.program->wait(), 0);
    EXPECT_FALSE(std::filesystem::exists(service.path()));
    EXPECT_FALSE(isAlive(host));
  }
}

// Hosts ignore what a terminal sends to all of its programs.
TEST_F(ServiceTest, HostsEndWithTheSupervisor) {
  start({"--start-at-once"});
  pid_t host = service.hostOf("nnhal-reference");
  for (int signal : {SIGTERM, SIGINT, SIGHUP})
    ::kill(host, signal);
  auto client = enter();
  EXPECT_TRUE(client->open("nnhal-reference").isOk());
  EXPECT_EQ(service.hostOf("nnhal-reference"), host);
  service.program->signal(SIGKILL);
  service.program->wait();
  EXPECT_TRUE(waitFor([&] { return !isAlive(host); }));
}

TEST_F(ServiceTest, ChildrenInheritNothing) {
  service.options.environment = {"NNHAL_TEST_SECRET=1"};
  start({"--start-at-once"});
  pid_t host = service.hostOf("nnhal-reference");
  std::string process = "/proc/" + std::to_string(host);
  EXPECT_EQ(contentsOf(process + "/environ").find("SECRET"), std::string::npos);
  std::set<std::string> files;
  for (const auto &entry :
       std::filesystem::directory_iterator(process + "/fd")) {
    std::error_code error;
    std::string file =
        std::filesystem::read_symlink(entry.path(), error).string();
    files.insert(file.substr(0, file.find(':')));
  }
  files.erase(service.folder / "log"); // Standard error.
  EXPECT_EQ(files,
            (std::set<std::string>{"/dev/null", "anon_inode", "socket"}));
}

TEST_F(ServiceTest, ChildrenHaveTheLimitsOfCompilations) {
  start({"--start-at-once", "--compile-seconds=77"});
  std::string process =
      "/proc/" + std::to_string(service.hostOf("nnhal-reference"));
  EXPECT_NE(contentsOf(process + "/cmdline").find("--compile-seconds=77"),
            std::string::npos);
}

TEST_F(ServiceTest, ConnectionsOfAUserAreLimited) {
  start({"--quota=connections=3"});
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 3; ++i)
    clients.push_back(enter());
  auto refused = connect();
  rt::Status status = refused->hello();
  EXPECT_EQ(status.code(), rt::StatusCode::resourceExhaustedTransient);
  std::string user = "user " + std::to_string(::geteuid());
  EXPECT_EQ(status.message(),
            user + " has 3 connections to the service, no more than 3");

  std::vector<kj::Own<Channel>> devices;
  for (int i = 0; i < 3; ++i) {
    auto device = clients[0]->open("nnhal-reference");
    ASSERT_TRUE(device.isOk()) << device.status().message();
    devices.push_back(std::move(*device));
  }
  EXPECT_EQ(clients[1]->open("nnhal-reference").status().message(),
            user + " has 3 connections to device 'nnhal-reference', no more "
                   "than 3");
  // Places that are given back are there again.
  devices.pop_back();
  clients.pop_back();
  EXPECT_TRUE(
      waitFor([&] { return clients[1]->open("nnhal-reference").isOk(); }));
  EXPECT_TRUE(waitFor([&] { return connect()->hello().isOk(); }));
}

//===----------------------------------------------------------------------===//
// Work that is under way
//===----------------------------------------------------------------------===//

/// A client of nnhal-cpu, whose compiler does what the CPU of the options says
/// (Inputs/WorkerCompiler.cpp).
class PreparationTest : public ServiceTest {
protected:
  void SetUp() override {
    service.options.environment = {"NNHAL_COMPILER=" NNHAL_TEST_COMPILER};
    start();
    client = enter();
    auto device = client->open("nnhal-cpu");
    ASSERT_TRUE(device.isOk()) << device.status().message();
    opened = std::make_unique<kj::Own<Channel>>(std::move(*device));
  }

  kj::Promise<rt::Status> prepare(const std::string &what) {
    auto driver = (*opened)->peer().castAs<wire::Driver>();
    auto request = driver.prepareModelRequest();
    rt::PrepareOptions options;
    options.compile.targetCpu = what;
    EXPECT_TRUE(write(rt::test::reluModel(), request.initModel()).isOk());
    EXPECT_TRUE(write(options, request.initOptions()).isOk());
    return request.send().then(
        [](auto &&answer) { return read(answer.getStatus()); });
  }
  uint64_t workers(const char *key) {
    return service.device("nnhal-cpu")[key].get<uint64_t>();
  }
  /// Returns when a preparation is compiled.
  void awaitWorker() {
    ASSERT_TRUE(waitFor([&] {
      // The request is sent by the loop of the test.
      io.provider->getTimer()
          .afterDelay(1 * kj::MILLISECONDS)
          .wait(io.waitScope);
      return workers("compileWorkers") == 1;
    }));
  }

  std::unique_ptr<Client> client;
  /// Tests may not throw from their destructors, which kj's could.
  std::unique_ptr<kj::Own<Channel>> opened;
};

TEST_F(PreparationTest, ACompileWorkerThatDiesIsReplaced) {
  rt::Status status = prepare("exit").wait(io.waitScope);
  EXPECT_EQ(status.code(), rt::StatusCode::generalFailure);
  EXPECT_EQ(status.message(),
            "the compile worker has ended while it compiled: exit status 3");
  EXPECT_EQ(prepare("fail").wait(io.waitScope).message(), "operation 0 is odd");
  EXPECT_EQ(prepare("fail").wait(io.waitScope).message(), "operation 0 is odd");
  EXPECT_EQ(workers("compileWorkerStarts"), 2u);
  EXPECT_EQ(workers("compileWorkerDeaths"), 1u);
  EXPECT_EQ(workers("compileWorkers"), 1u);
  EXPECT_EQ(deathsOf("nnhal-cpu"), 0);
}

TEST_F(PreparationTest, AHostThatDiesTakesItsWorkers) {
  auto prepared = prepare("hang").catch_([](kj::Exception &&) {
    return rt::Status(rt::StatusCode::deadObject, "the host has died");
  });
  awaitWorker();
  ::kill(service.hostOf("nnhal-cpu"), SIGKILL);
  EXPECT_EQ(prepared.wait(io.waitScope).message(), "the host has died");
  EXPECT_TRUE(waitFor([&] { return workers("compileWorkers") == 0; }));
  auto again = client->open("nnhal-cpu");
  EXPECT_TRUE(again.isOk()) << again.status().message();
  EXPECT_EQ(deathsOf("nnhal-cpu"), 1);
}

TEST_F(PreparationTest, WorkIsFinishedBeforeTheEnd) {
  auto prepared = prepare("slow");
  awaitWorker();
  service.program->signal(SIGTERM);
  EXPECT_EQ(prepared.wait(io.waitScope).message(), "operation 0 is odd");
  EXPECT_EQ(service.program->wait(), 0);
}

TEST_F(PreparationTest, WorkIsWaitedForUntilTheDeadline) {
  auto prepared = prepare("hang").catch_([](kj::Exception &&) {
    return rt::Status(rt::StatusCode::deadObject, "the service has ended");
  });
  awaitWorker();
  auto began = std::chrono::steady_clock::now();
  service.program->signal(SIGTERM);
  EXPECT_EQ(service.program->wait(), 0);
  auto lasted = std::chrono::steady_clock::now() - began;
  EXPECT_GE(lasted, std::chrono::milliseconds(1900)); // --drain=2
  EXPECT_LE(lasted, std::chrono::seconds(5));
  EXPECT_EQ(prepared.wait(io.waitScope).message(), "the service has ended");
}

TEST_F(PreparationTest, ASecondSignalIsObeyed) {
  auto prepared =
      prepare("hang").ignoreResult().eagerlyEvaluate([](kj::Exception &&) {});
  awaitWorker();
  auto began = std::chrono::steady_clock::now();
  service.program->signal(SIGTERM);
  ASSERT_TRUE(waitFor(
      [&] { return service.log().find("stops when") != std::string::npos; }));
  service.program->signal(SIGTERM);
  EXPECT_EQ(service.program->wait(), 0);
  EXPECT_LE(std::chrono::steady_clock::now() - began,
            std::chrono::milliseconds(1800));
}

TEST_F(ServiceTest, ASocketOfSystemdIsUsed) {
  auto listener = Listener::create(service.path(), 0600);
  ASSERT_TRUE(listener.isOk());
  service.options.arguments.erase(service.options.arguments.begin());
  service.options.descriptor = listener->fd();
  service.options.isActivated = true;
  service.start();
  EXPECT_EQ(service.report()["service"]["socket"], service.path());
  EXPECT_TRUE(enter()->open("nnhal-reference").isOk());
  service.program->signal(SIGTERM);
  EXPECT_EQ(service.program->wait(), 0);
  // It is systemd's.
  EXPECT_TRUE(std::filesystem::exists(service.path()));
}

TEST_F(ServiceTest, AServiceThatLivesIsNotReplaced) {
  start();
  Program second(service.options);
  EXPECT_EQ(second.wait(), 1 << 8);
  EXPECT_NE(service.log().find("error: a service listens at '" +
                               service.path() + "' already"),
            std::string::npos);
  EXPECT_TRUE(enter()->open("nnhal-reference").isOk());
}

TEST_F(ServiceTest, ADeadServiceIsReported) {
  EXPECT_EQ(fetchReport(service.path()).status().code(),
            rt::StatusCode::deviceUnavailable);
}

TEST_F(ServiceTest, AServiceThatDoesNotAnswerIsReported) {
  auto listener = Listener::create(service.path(), 0600);
  ASSERT_TRUE(listener.isOk());
  std::thread hangsUp(
      [&] { ::close(::accept(listener->fd(), nullptr, nullptr)); });
  rt::Status status = std::async(std::launch::async, [&] {
                        return fetchReport(service.path()).status();
                      }).get();
  hangsUp.join();
  EXPECT_EQ(status.code(), rt::StatusCode::deadObject);
  EXPECT_TRUE(status.message().starts_with("the service at '" + service.path() +
                                           "' does not answer: "))
      << status.message();
}

/// The memory of \p process that is its own, in pages.
uint64_t descriptorsOf(pid_t process) {
  uint64_t count = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(
           "/proc/" + std::to_string(process) + "/fd"))
    ++count;
  return count;
}

TEST_F(ServiceTest, ConnectionsLeaveNothingBehind) {
  start();
  auto cycle = [&] {
    auto client = enter();
    auto device = client->open("nnhal-reference");
    ASSERT_TRUE(device.isOk()) << device.status().message();
    nameOf(**device);
  };
  cycle();
  pid_t host = service.hostOf("nnhal-reference");
  auto clients = [&] {
    return service.device("nnhal-reference")["clients"].size();
  };
  EXPECT_TRUE(waitFor([&] { return clients() == 0; }));
  uint64_t supervisorBefore = descriptorsOf(service.program->process());
  uint64_t hostBefore = descriptorsOf(host);
  for (int i = 0; i < 200; ++i)
    cycle();
  EXPECT_TRUE(waitFor([&] { return clients() == 0; }));
  EXPECT_TRUE(waitFor([&] {
    return descriptorsOf(service.program->process()) <= supervisorBefore;
  }));
  EXPECT_TRUE(waitFor([&] { return descriptorsOf(host) <= hostBefore; }));
  EXPECT_EQ(service.hostOf("nnhal-reference"), host);
}

// Answers that are not let go of cannot fill the memory of the supervisor.
TEST_F(ServiceTest, CallsOfAConnectionAreLimited) {
  start();
  auto client = enter();
  auto other = enter();
  kj::Vector<kj::Promise<void>> answers;
  for (int i = 0; i < 2100; ++i)
    answers.add(client->drivers.listRequest().send().then(
        [](auto &&) {}, [](kj::Exception &&) {}));
  kj::joinPromises(answers.releaseAsArray()).wait(io.waitScope);
  EXPECT_TRUE(isGone(*client->channel));
  EXPECT_TRUE(other->open("nnhal-reference").isOk());
}

// A client that does not speak the protocol ends its own connection alone.
TEST_F(ServiceTest, GarbageIsSurvived) {
  start();
  auto client = enter();
  for (size_t size : {1, 8, 64, 4096, 100000}) {
    auto fd = connectTo(service.path());
    ASSERT_TRUE(fd.isOk());
    std::string garbage(size, '\xff');
    (void)!::send(fd->get(), garbage.data(), garbage.size(), MSG_NOSIGNAL);
    ::shutdown(fd->get(), SHUT_WR);
    char answer[256];
    while (::read(fd->get(), answer, sizeof(answer)) > 0) {
    }
  }
  EXPECT_TRUE(client->open("nnhal-reference").isOk());
}

} // namespace
