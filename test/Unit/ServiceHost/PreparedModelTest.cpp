//===- PreparedModelTest.cpp - Executions of a client's models ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTesting.h"

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;

using PreparedModelTest = HostTest;

TEST_F(PreparedModelTest, ExecutesOverImportedMemory) {
  auto client = connect();
  auto model = prepareSum(*client);
  rt::test::SumPool sum;
  Imported pool = import(*client, *sum.pool);
  auto request = model.executeRequest();
  write(
      sum.request(),
      [&](bool, size_t, const rt::SharedMemory *) {
        return Place{.memory = pool.id};
      },
      request.initRequest());
  auto answer = wait(request.send());
  rt::Status status = read(answer.getStatus());
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_TRUE(answer.getLaunched());
  EXPECT_TRUE(sum.hasSum());
}
