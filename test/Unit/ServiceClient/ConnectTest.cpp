//===- ConnectTest.cpp - Finding a service and its devices ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientTesting.h"

#include "Faults/Descriptors.h"
#include "Service/Client/Supervision.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Trace.h"

#include <csignal>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using namespace nnhal::service::test;
using rt::StatusCode;

using ConnectTest = ClientTest;

TEST_F(ConnectTest, DescribesTheDevice) {
  connect();
  auto local = rt::createReferenceDevice();
  EXPECT_EQ(device->name(), local->name());
  EXPECT_EQ(device->version(), local->version());
  EXPECT_EQ(device->type(), local->type());
  EXPECT_EQ(device->halVersion(), local->halVersion());
  EXPECT_EQ(device->cacheFiles(), local->cacheFiles());
  EXPECT_EQ(device->status(), rt::DeviceStatus::available);
  rt::DeviceTraits traits = local->traits();
  traits.isRemote = true;
  EXPECT_EQ(device->traits(), traits);
}

TEST_F(ConnectTest, NobodyListens) {
  auto devices = connectDevices("/nonexistent/service", {});
  EXPECT_EQ(devices.status().code(), StatusCode::deviceUnavailable);
  EXPECT_EQ(devices.status().message(),
            "cannot reach the service '/nonexistent/service': No such file or "
            "directory");
}

TEST_F(ConnectTest, PathsThatNoSocketHas) {
  EXPECT_EQ(connectDevices("", {}).status().message(),
            "the path of a service has 0 bytes, expected 1 to 107");
  EXPECT_EQ(connectDevices(std::string(108, 'x'), {}).status().message(),
            "the path of a service has 108 bytes, expected 1 to 107");
}

TEST_F(ConnectTest, NoDescriptors) {
  Supervision supervision(*EventLoop::create(), service.path());
  rt::DescriptorFailure failure;
  rt::Status status = EventLoop::create().status();
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_TRUE(status.message().starts_with("cannot start an event loop: "))
      << status.message();
  status = supervision.listDevices().status();
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(), "cannot make a socket: Too many open files");
}

TEST_F(ConnectTest, AServiceOfAnotherMajorVersion) {
  service.conduct.major = 2;
  EXPECT_EQ(refusal(), "the service '" + service.path() +
                           "' speaks version 2.7 of the protocol, this client "
                           "1.0: the first numbers have to agree");
  // It refuses the client by itself.
  service.conduct.greeting = rt::Status(StatusCode::generalFailure, "too old");
  EXPECT_TRUE(refusal().starts_with("the service '"));
  service.conduct.major = protocolMajor;
  EXPECT_EQ(refusal(), "too old");
}

TEST_F(ConnectTest, SkipsDevicesThatCannotBeDescribed) { // C-084, C-092
  service.conduct.otherDevices = {"absent"};
  std::vector<std::string> lines;
  rt::DeviceServices services;
  services.log = std::make_shared<rt::Log>(
      rt::maskOf(rt::LogTag::manager),
      [&](std::string_view line) { lines.emplace_back(line); });
  connect(services);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "manager: device 'absent' of the service '" +
                          service.path() + "' is skipped: no such device");
  service.conduct.listsNothing = true;
  EXPECT_EQ(refusal(), "no such device");
}

TEST_F(ConnectTest, KeepsTheSignalsOfTheProgram) {
  struct sigaction before;
  struct sigaction after;
  ::sigaction(SIGPIPE, nullptr, &before);
  connect();
  ::sigaction(SIGPIPE, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST_F(ConnectTest, SupportedOperations) {
  connect();
  auto answers = device->supportedOperations(rt::test::sumModel());
  ASSERT_TRUE(answers.isOk()) << answers.status().message();
  ASSERT_EQ(answers->size(), 1u);
  EXPECT_TRUE((*answers)[0].isOk());
  rt::AnnotatedModel invalid = rt::test::sumModel();
  invalid.model.main.operations[0].inputs[0] = 99;
  EXPECT_EQ(device->supportedOperations(invalid).status().code(),
            StatusCode::invalidArgument);
}

TEST_F(ConnectTest, OneTraceOfBothProcesses) { // K-006, K-012
  rt::DeviceServices services;
  services.tracer = std::make_shared<rt::Tracer>();
  service.conduct.traced = [](auto results) {
    auto list = results.initEvents(1);
    rt::TraceEvent event;
    event.name = {rt::TraceLayer::driver, rt::TracePhase::execution};
    event.begin = 5;
    event.end = 9;
    event.beginThread = event.endThread = 1;
    write(event, list[0]);
  };
  prepare(services);
  ASSERT_EQ(model->execute(pool.request(), result).message(), "");
  bool hasOwn = false;
  bool hasTheirs = false;
  for (const rt::TraceEvent &event : services.tracer->events()) {
    hasOwn |= event.text() == "[NN_LI_PE]nnhal-reference";
    hasTheirs |= event.beginThread == 1 && event.text() == "[NN_LD_PE]";
  }
  EXPECT_TRUE(hasOwn);
  EXPECT_TRUE(hasTheirs);
  EXPECT_EQ(services.tracer->threadNames().at(1), "nnhal-reference (service)");
}
