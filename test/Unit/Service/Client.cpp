//===- Client.cpp - A client that works until it is killed ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Burst/SampleModel.h"

#include "nnhal/Runtime/Service.h"

using namespace nnhal::rt;
using namespace nnhal::rt::test;

static Status workOnce(const std::string &socket) {
  NNHAL_ASSIGN_OR_RETURN(auto devices, connectDevices(socket));
  NNHAL_ASSIGN_OR_RETURN(PreparedModelRef model,
                         devices.front()->prepareModel(sumModel()));
  SumPool pool;
  ExecutionResult result;
  for (int i = 0; i < 20; ++i)
    NNHAL_RETURN_IF_ERROR(model->execute(pool.request(), result));
  NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<Burst> burst, Burst::create(model));
  for (int i = 0; i < 500; ++i)
    NNHAL_RETURN_IF_ERROR(burst->execute(pool.request(), result));
  return Status::ok();
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  while (workOnce(argv[1]).isOk()) {
  }
  return 1;
}
