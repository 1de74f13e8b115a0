//===- TestDriver.h - The device of a service for tests ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_SERVICECLIENT_TESTDRIVER_H
#define NNHAL_TEST_UNIT_SERVICECLIENT_TESTDRIVER_H

#include "TestService.h"

namespace nnhal::service::test {

/// The capability of the device of \p owner. Only on its loop's thread.
wire::Driver::Client makeDriver(TestService &owner);

} // namespace nnhal::service::test

#endif // NNHAL_TEST_UNIT_SERVICECLIENT_TESTDRIVER_H
