//===- Session.cpp - What a device keeps for one client -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "nnhal/Runtime/SharedMemory.h"

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

/// Blocking calls of one client that run at a time: one that blocks its own
/// calls must not take the threads of the others.
static constexpr unsigned callsAtOnce = 4;

Session::Session(std::shared_ptr<HostState> state, ClientIdentity client,
                 uint64_t number)
    : host(std::move(state)), identity(std::move(client)), number(number),
      account(std::make_shared<Account>(host->options.quotas)),
      gate(callsAtOnce) {}

Result<std::unique_ptr<rt::Device>> Session::makeDevice() const {
  rt::DeviceServices services = host->options.services;
  services.memory = account->memory;
  services.tracer = tracer;
  return host->options.makeDevice(std::move(services));
}

Result<const rt::Device *> Session::device() {
  std::lock_guard lock(deviceMutex);
  if (!madeDevice)
    madeDevice = makeDevice();
  NNHAL_RETURN_IF_ERROR(madeDevice->status());
  return (**madeDevice).get();
}

void Session::discard(std::shared_ptr<const void> object) {
  // Without a thread the object is destroyed here.
  (void)submit([object = std::move(object)](const Status &) {});
}

Status Session::submit(std::function<void(Status)> job) const {
  if (!host->calls)
    return Status(rt::StatusCode::deadObject, "the service has ended");
  return host->calls->submit({.client = number}, std::move(job));
}

uint32_t Session::addMemory(std::shared_ptr<rt::SharedMemory> memory) {
  do {
    ++lastMemory;
  } while (lastMemory == 0 || memories.contains(lastMemory));
  memories.emplace(lastMemory, std::move(memory));
  return lastMemory;
}

std::shared_ptr<rt::SharedMemory> Session::findMemory(uint32_t id) const {
  auto found = memories.find(id);
  return found == memories.end() ? nullptr : found->second;
}

template <typename Token, typename Arguments>
static Status checkTokens(const std::set<uint32_t> &tokens,
                          const Arguments &arguments, const char *what) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (const auto *named = std::get_if<Token>(&arguments[i].memory.kind());
        named && !tokens.contains(named->token))
      return rt::badData("{} {}: no buffer has the token {}", what, i,
                         named->token);
  return Status::ok();
}

Status Session::checkTokens(const rt::Request &request) const {
  NNHAL_RETURN_IF_ERROR(
      ::checkTokens<rt::Memory::DeviceToken>(tokens, request.inputs, "input"));
  return ::checkTokens<rt::OutputMemory::DeviceToken>(tokens, request.outputs,
                                                      "output");
}

Status Session::checkAccepting() const {
  if (host->isDraining)
    return Status(rt::StatusCode::deviceUnavailable, "the service is ending");
  return Status::ok();
}

void Session::report(wire::HostReport::Client::Builder builder) const {
  builder.setId(number);
  builder.setUser(identity.user);
  builder.setProcess(identity.process);
  builder.setName(kj::heapString(identity.name.data(), identity.name.size()));
  builder.setModels(account->models.inUse());
  builder.setBuffers(account->buffers.inUse());
  builder.setBursts(account->bursts.inUse());
  builder.setMemory(account->memory->inUse());
  builder.setDescriptors(account->descriptors.inUse());
  builder.setQueued(account->executions.inUse());
  builder.setExecutions(account->executed);
  builder.setPreparations(account->prepared);
  builder.setFailures(account->failures);
  builder.setRefusals(account->refusals);
}
