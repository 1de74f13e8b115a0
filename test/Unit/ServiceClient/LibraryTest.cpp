//===- LibraryTest.cpp - Opening the client of services -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientTesting.h"

#include "Faults/Allocations.h"
#include "Runtime/Caching/BinaryIdentity.h"
#include "Runtime/ServiceClient/OpenServiceClient.h"
#include "nnhal/Backend/DevicePlugin.h"
#include "nnhal/Runtime/Service.h"

using namespace nnhal;
using namespace nnhal::service::test;
using rt::StatusCode;

using LibraryTest = ClientTest;

/// The message about a table that is refused.
static std::string refusalOf(const NNHalServiceClientApi *api) {
  return rt::checkServiceClient("x.so", api).message();
}

TEST(LibraryTableTest, RefusesWhatItCannotUse) {
  auto connect = [](const char *, const void *, void *) {};
  const NNHalServiceClientApi right = {NNHAL_SERVICE_CLIENT_VERSION,
                                       sizeof(NNHalServiceClientApi),
                                       NNHAL_PLUGIN_SDK, connect};
  EXPECT_EQ(refusalOf(&right), "");
  EXPECT_EQ(refusalOf(nullptr), "'x.so' returns no table");
  NNHalServiceClientApi other = right;
  other.version = 2;
  EXPECT_EQ(refusalOf(&other),
            "'x.so' has interface version 2, this runtime needs 1");
  other = right;
  other.structSize = 8;
  EXPECT_EQ(refusalOf(&other), "'x.so' has a table of 8 bytes, less than 24");
  other = right;
  other.sdk = "nnhal 99.1";
  EXPECT_EQ(refusalOf(&other),
            "'x.so' was built for 'nnhal 99.1', this runtime "
            "is '" NNHAL_PLUGIN_SDK "'");
  other = right;
  other.connectDevices = nullptr;
  EXPECT_EQ(refusalOf(&other), "'x.so' leaves a function of its table empty");
}

TEST(LibraryTableTest, RefusesSilence) {
  const NNHalServiceClientApi silent = {
      NNHAL_SERVICE_CLIENT_VERSION, sizeof(NNHalServiceClientApi),
      NNHAL_PLUGIN_SDK, [](const char *, const void *, void *) {}};
  EXPECT_EQ(rt::connectDevices(silent, "path", {}).status().message(),
            "the client of services says nothing");
}

TEST(LibraryTableTest, RefusesWhatIsNotAClient) {
  auto missing = rt::openServiceClient("/nonexistent.so");
  EXPECT_EQ(missing.status().code(), StatusCode::deviceUnavailable);
  EXPECT_EQ(missing.status().message(),
            "cannot open the client of services '/nonexistent.so': "
            "/nonexistent.so: cannot open shared object file: No such file or "
            "directory");
  EXPECT_EQ(rt::openServiceClient("libc.so.6").status().message(),
            "'libc.so.6' is not a client of services: it does not export "
            "nnhalGetServiceClientApi");
}

// The library is found beside the program, and has a runtime of its own.
TEST_F(LibraryTest, ConnectsThroughTheLibrary) {
  auto devices = rt::connectDevices(service.path());
  ASSERT_TRUE(devices.isOk()) << devices.status().message();
  ASSERT_EQ(devices->size(), 1u);
  auto prepared = (*devices)[0]->prepareModel(rt::test::sumModel());
  ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
  EXPECT_EQ((*prepared)->execute(pool.request(), result).message(), "");
  EXPECT_TRUE(pool.hasSum());
  EXPECT_EQ(rt::connectDevices("/nonexistent").status().code(),
            StatusCode::deviceUnavailable);
}

// Nothing is thrown through the table of the library.
TEST_F(LibraryTest, NoMemory) {
  if (!rt::AllocationFailure::isPossible())
    GTEST_SKIP() << "another library brings operator new";
  auto api =
      rt::openServiceClient(rt::libraryBeside("libNNHalServiceClient.so"));
  ASSERT_TRUE(api.isOk()) << api.status().message();
  rt::Result<std::vector<std::unique_ptr<rt::Device>>> devices =
      rt::Status(StatusCode::generalFailure, "nothing has been told");
  const rt::DeviceServices services;
  {
    rt::AllocationFailure failure(0);
    (*api)->connectDevices(service.path().c_str(), &services, &devices);
  }
  EXPECT_EQ(devices.status().code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(devices.status().message(), "no memory to connect to a service");
}
