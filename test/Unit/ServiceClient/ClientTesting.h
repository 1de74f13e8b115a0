//===- ClientTesting.h - A client beside a service --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_SERVICECLIENT_CLIENTTESTING_H
#define NNHAL_TEST_UNIT_SERVICECLIENT_CLIENTTESTING_H

#include "../Burst/SampleModel.h"
#include "TestService.h"

#include "Service/Client/Client.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace nnhal::service::test {

/// A service of nnhal-reference, and its device in the client.
class ClientTest : public testing::Test {
protected:
  void connect(const rt::DeviceServices &services = {}) {
    auto devices = client::connectDevices(service.path(), services);
    ASSERT_TRUE(devices.isOk()) << devices.status().message();
    ASSERT_EQ(devices->size(), 1u);
    device = std::move((*devices)[0]);
  }
  void prepare(const rt::DeviceServices &services = {}) {
    connect(services);
    auto prepared = device->prepareModel(rt::test::sumModel());
    ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
    model = *prepared;
  }
  /// The message of a failure to connect.
  std::string refusal() {
    auto devices = client::connectDevices(service.path(), {});
    return devices.isOk() ? "" : devices.status().message();
  }

  /// Waits until \p condition holds, ten seconds at most.
  template <typename Condition> static bool holds(Condition condition) {
    using namespace std::chrono_literals;
    for (int i = 0; i < 10'000 && !condition(); ++i)
      std::this_thread::sleep_for(1ms);
    return condition();
  }

  TestService service{rt::createReferenceDevice()};
  std::unique_ptr<rt::Device> device;
  rt::PreparedModelRef model;
  rt::test::SumPool pool;
  rt::ExecutionResult result;
};

/// Arguments of sumModel() in the memory of the process.
struct BorrowedSum {
  float a[6] = {1, 2, 3, 4, 5, 6};
  float b[6] = {10, 20, 30, 40, 50, 60};
  float sum[6] = {};

  rt::Request request() {
    rt::Request request;
    request.inputs.resize(2);
    request.outputs.resize(1);
    request.inputs[0].memory = rt::Memory::borrow(std::as_bytes(std::span(a)));
    request.inputs[1].memory = rt::Memory::borrow(std::as_bytes(std::span(b)));
    request.outputs[0].memory =
        rt::OutputMemory::borrow(std::as_writable_bytes(std::span(sum)));
    return request;
  }
  bool isRight() const {
    for (int i = 0; i < 6; ++i)
      if (sum[i] != a[i] + b[i])
        return false;
    return true;
  }
};

} // namespace nnhal::service::test

#endif // NNHAL_TEST_UNIT_SERVICECLIENT_CLIENTTESTING_H
