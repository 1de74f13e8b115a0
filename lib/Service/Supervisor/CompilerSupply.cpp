//===- CompilerSupply.cpp - Compile workers for a device ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerSupply.h"

#include "Runtime/Support/Errors.h"
#include "Service/Protocol/Convert.h"
#include "Service/Protocol/Wire.h"

using namespace nnhal;
using namespace nnhal::service;

namespace {
/// Tells the host how its worker has ended.
class WorkerServer final : public wire::Worker::Server {
public:
  explicit WorkerServer(kj::Promise<std::string> end) : end(end.fork()) {}

  kj::Promise<void> ended(EndedContext context) override {
    return end.addBranch().then([context](const std::string &how) mutable {
      context.getResults().setHow(wireText(how));
    });
  }

private:
  kj::ForkedPromise<std::string> end;
};
} // namespace

CompilerSupply::~CompilerSupply() { counts.running = 0; }

kj::Promise<void> CompilerSupply::compiler(CompilerContext context) {
  auto results = context.getResults();
  if (counts.running >= maxWorkers) {
    write(rt::outOfResources("the device has {} compile workers, no more than "
                             "{}",
                             counts.running, maxWorkers),
          results.initStatus());
    return kj::READY_NOW;
  }
  auto started = Child::start(program, port);
  write(started.status(), results.initStatus());
  if (!started.isOk())
    return kj::READY_NOW;
  std::unique_ptr<Child> child = *std::move(started);
  ++counts.running;
  ++counts.starts;
  results.setChannel(makeDescriptor(child->takeChannel()));
  results.setWorker(kj::heap<WorkerServer>(child->whenEnded()));
  kj::Promise<std::string> end = child->whenEnded();
  tasks.add(end.then([this](const std::string &how) {
                 --counts.running;
                 counts.deaths += how != "exit status 0";
               })
                .attach(std::move(child)));
  return kj::READY_NOW;
}
