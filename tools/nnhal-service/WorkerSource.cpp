//===- WorkerSource.cpp - Compile workers for a host ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerSource.h"

#include "Runtime/Support/Errors.h"
#include "Service/Protocol/Convert.h"
#include "Service/Protocol/Wire.h"

#include <chrono>

using namespace nnhal;
using namespace nnhal::servicetool;
using rt::Result;
using rt::Status;
using rt::UniqueFd;

/// The system tells how a process has ended soon after its sockets are closed.
static constexpr std::chrono::seconds patience(1);

kj::Promise<Result<UniqueFd>>
WorkerSource::ask(const std::shared_ptr<End> &end) {
  auto take = [this, end](auto &&answer) -> kj::Promise<Result<UniqueFd>> {
    Status status = service::read(answer.getStatus());
    if (!status.isOk())
      return Result<UniqueFd>(std::move(status));
    tasks.add(
        answer.getWorker().endedRequest().send().then([end](auto &&ended) {
          end->set_value(service::textOf(ended.getHow()));
        }));
    std::vector<service::NamedDescriptor> named;
    named.push_back({answer.getChannel(), "the compile worker's channel"});
    return service::takeDescriptors(std::move(named))
        .then([](Result<std::vector<UniqueFd>> taken) -> Result<UniqueFd> {
          NNHAL_RETURN_IF_ERROR(taken.status());
          return std::move(taken->front());
        })
        .attach(kj::mv(answer));
  };
  return supervisor.compilerRequest().send().then(kj::mv(take));
}

Result<service::NewWorker> WorkerSource::start() {
  auto end = std::make_shared<End>();
  try {
    auto asked = loop->executeSync([&] { return ask(end); });
    NNHAL_RETURN_IF_ERROR(asked.status());
    auto how = std::make_shared<std::future<std::string>>(end->get_future());
    return service::NewWorker{*std::move(asked), [end, how]() -> std::string {
                                bool isKnown = how->wait_for(patience) ==
                                               std::future_status::ready;
                                return isKnown ? how->get() : std::string();
                              }};
  } catch (const kj::Exception &exception) {
    return rt::failure("there is no compile worker: {}",
                       exception.getDescription().cStr());
  }
}
