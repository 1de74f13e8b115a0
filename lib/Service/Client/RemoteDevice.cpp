//===- RemoteDevice.cpp - A device of a service ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteDevice.h"

#include "Preparation.h"
#include "RemoteBuffer.h"
#include "RemoteModel.h"

#include "Runtime/Support/Errors.h"
#include "Service/Protocol/Wire.h"
#include "nnhal/Runtime/Trace.h"

#include <new>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using rt::PreparedModelRef;
using rt::Result;
using rt::Status;
using rt::StatusCode;
using rt::TraceLayer;
using rt::TracePhase;

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

static Result<DeviceDescription>
askWho(const std::shared_ptr<Session> &session) {
  using Described = Result<DeviceDescription>;
  return session->call([](Session::Wire &wire) {
    return wire.driver.describeRequest().send().then(
        [](auto answer) -> Described { return read(answer.getDevice()); });
  });
}

Result<RemoteDevice::SessionRef>
RemoteDevice::openSession(const std::string &device) const {
  NNHAL_ASSIGN_OR_RETURN(rt::UniqueFd channel,
                         supervision->openChannel(device));
  NNHAL_ASSIGN_OR_RETURN(
      SessionRef opened,
      Session::open(loop, std::move(channel), device, services));
  // The first request turns tracing on.
  opened->fetchTrace();
  return opened;
}

Result<std::unique_ptr<rt::Device>> RemoteDevice::create(
    std::shared_ptr<EventLoop> loop, std::shared_ptr<Supervision> supervision,
    const std::string &name, const rt::DeviceServices &services) {
  std::unique_ptr<RemoteDevice> device(
      new RemoteDevice(std::move(loop), std::move(supervision), services));
  NNHAL_ASSIGN_OR_RETURN(device->session, device->openSession(name));
  NNHAL_ASSIGN_OR_RETURN(device->described, askWho(device->session));
  if (device->described.name != name)
    return rt::failure("the process of device '{}' offers device '{}'", name,
                       device->described.name);
  return Result<std::unique_ptr<rt::Device>>(std::move(device));
}

/// Whether a device that came back, \p found, is the one that was there
/// (C-080).
static Status checkSame(const DeviceDescription &known,
                        const DeviceDescription &found) {
  if (known.name == found.name && known.version == found.version &&
      known.halVersion == found.halVersion)
    return Status::ok();
  return rt::failure("the service came back with device '{}' of version '{}' "
                     "and HAL {}, expected '{}', '{}' and {}",
                     found.name, found.version, toString(found.halVersion),
                     known.name, known.version, toString(known.halVersion));
}

Result<RemoteDevice::SessionRef> RemoteDevice::currentSession() const {
  std::lock_guard lock(mutex);
  if (!session->isDead())
    return session;
  auto again = [&]() -> Status {
    NNHAL_ASSIGN_OR_RETURN(SessionRef opened, openSession(described.name));
    NNHAL_ASSIGN_OR_RETURN(DeviceDescription found, askWho(opened));
    NNHAL_RETURN_IF_ERROR(checkSame(described, found));
    session = std::move(opened);
    return Status::ok();
  }();
  if (!again.isOk())
    return Status(
        StatusCode::deadObject,
        fmt::format("{}: {}", session->death().message(), again.message()));
  return session;
}

static bool isDead(const Status &status) {
  return status.code() == StatusCode::deadObject;
}
template <typename T> static bool isDead(const Result<T> &result) {
  return isDead(result.status());
}

/// Calls \p function with a session: once more with another one when that is
/// found dead and nothing has begun.
template <typename Ask>
auto RemoteDevice::ask(Ask function, const bool &hasBegun) const {
  using Outcome = decltype(function(session));
  try {
    for (bool isFirst = true;; isFirst = false) {
      Result<SessionRef> current = currentSession();
      if (!current.isOk())
        return Outcome(current.status());
      Outcome outcome = function(*current);
      const bool foundDead =
          isDead(outcome) && (*current)->isDead() && !hasBegun;
      if (!foundDead || !isFirst) {
        (*current)->fetchTrace();
        return outcome;
      }
    }
  } catch (const std::bad_alloc &) {
    return Outcome(rt::outOfResources("no memory for a call of a service"));
  }
}

rt::DeviceStatus RemoteDevice::status() const {
  using Answer = Result<rt::DeviceStatus>;
  Answer answer = ask([](const SessionRef &session) {
    return session->call([](Session::Wire &wire) {
      return wire.driver.statusRequest().send().then([](auto answer) -> Answer {
        uint32_t status = answer.getStatus();
        return status > uint32_t(rt::DeviceStatus::unknown)
                   ? rt::DeviceStatus::unknown
                   : rt::DeviceStatus(status);
      });
    });
  });
  return answer.isOk() ? *answer : rt::DeviceStatus::offline;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

Result<std::vector<Status>>
RemoteDevice::supportedOperations(const rt::AnnotatedModel &model) const {
  using Answer = Result<std::vector<Status>>;
  rt::TraceSection section(services.tracer.get(), TraceLayer::ipc,
                           TracePhase::compilation, described.name);
  const size_t expected = model.model.main.operations.size();
  return ask([&](const SessionRef &session) {
    return session->call([&](Session::Wire &wire) -> kj::Promise<Answer> {
      auto call = wire.driver.supportedOperationsRequest();
      Status written = write(model, call.initModel());
      if (!written.isOk())
        return Answer(std::move(written));
      return call.send().then([expected](auto answer) -> Answer {
        NNHAL_RETURN_IF_ERROR(read(answer.getStatus()));
        if (answer.getOperations().size() != expected)
          return rt::failure("the service answered for {} operations, "
                             "expected {}",
                             answer.getOperations().size(), expected);
        std::vector<Status> statuses;
        for (wire::Status::Reader status : answer.getOperations())
          statuses.push_back(read(status));
        return statuses;
      });
    });
  });
}

Result<PreparedModelRef>
RemoteDevice::prepareModel(const rt::AnnotatedModel &model,
                           const rt::PrepareOptions &options,
                           const rt::PrepareObserver &observer) const {
  rt::TraceSection section(services.tracer.get(), TraceLayer::ipc,
                           TracePhase::preparation, described.name);
  bool hasBegun = false;
  return ask(
      [&](const SessionRef &session) {
        return prepare(session, model, options, observer, hasBegun);
      },
      hasBegun);
}

Status
RemoteDevice::prepareModelAsync(std::shared_ptr<const rt::AnnotatedModel> model,
                                const rt::PrepareOptions &options,
                                rt::PrepareCallback callback,
                                const rt::PrepareObserver &observer) const {
  if (!callback)
    return rt::badData("a preparation needs a callback");
  if (!model)
    return rt::badData("a preparation needs a model");
  bool hasBegun = false;
  Status status = ask(
      [&](const SessionRef &session) {
        return beginPreparation(session, *model, options, observer, callback,
                                hasBegun);
      },
      hasBegun);
  if (!hasBegun)
    callback(status);
  return status;
}

Result<PreparedModelRef>
RemoteDevice::prepareModelFromCache(const rt::CacheHandles &handles,
                                    const rt::CacheToken &token,
                                    const rt::PrepareOptions &options,
                                    const rt::PrepareObserver &observer) const {
  rt::TraceSection section(services.tracer.get(), TraceLayer::ipc,
                           TracePhase::preparation, described.name);
  rt::PrepareOptions complete = options;
  complete.cache = handles;
  complete.token = token;
  return ask([&](const SessionRef &session) {
    return loadFromCache(session, complete, observer);
  });
}

Result<PreparedModelRef> RemoteDevice::prepareModelFromArtifact(
    std::span<const std::byte> modelCache, const rt::Memory &dataCache,
    const rt::PrepareOptions &options) const {
  rt::TraceSection section(services.tracer.get(), TraceLayer::ipc,
                           TracePhase::preparation, described.name);
  NNHAL_ASSIGN_OR_RETURN(rt::Memory constants, dataCache.materialize());
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, constants.bytes());
  return ask([&](const SessionRef &session) {
    return loadFromArtifact(session, modelCache, bytes, options);
  });
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static void writeRoles(std::span<const rt::BufferRole> roles,
                       capnp::List<wire::BufferRole>::Builder list) {
  for (unsigned i = 0; i < roles.size(); ++i) {
    list[i].setModelIndex(roles[i].modelIndex);
    list[i].setIoIndex(roles[i].ioIndex);
    list[i].setFrequency(roles[i].frequency);
  }
}

/// The models of \p models, which are those of \p session.
static Result<std::vector<const RemoteModel *>>
ownModels(const Session &session, std::span<const PreparedModelRef> models) {
  std::vector<const RemoteModel *> own;
  for (size_t i = 0; i < models.size(); ++i) {
    auto *model = dynamic_cast<const RemoteModel *>(models[i].get());
    const bool isOwn = model && model->owner().get() == &session;
    if (model && !isOwn && model->owner()->isDead())
      return model->owner()->death();
    if (!isOwn)
      return rt::badData("model {} was not prepared by this device", i);
    own.push_back(model);
  }
  return own;
}

static Result<std::shared_ptr<rt::Buffer>>
allocateOn(const std::shared_ptr<Session> &session, const rt::BufferDesc &desc,
           std::span<const PreparedModelRef> models,
           std::span<const rt::BufferRole> inputRoles,
           std::span<const rt::BufferRole> outputRoles) {
  using Answer = Result<std::shared_ptr<rt::Buffer>>;
  NNHAL_ASSIGN_OR_RETURN(std::vector<const RemoteModel *> own,
                         ownModels(*session, models));
  return session->call([&](Session::Wire &wire) {
    auto call = wire.driver.allocateRequest();
    fillNumbers(desc.dimensions,
                call.initDimensions(unsigned(desc.dimensions.size())));
    auto list = call.initModels(unsigned(own.size()));
    for (unsigned i = 0; i < own.size(); ++i)
      list.set(i, own[i]->client());
    writeRoles(inputRoles, call.initInputRoles(unsigned(inputRoles.size())));
    writeRoles(outputRoles, call.initOutputRoles(unsigned(outputRoles.size())));
    return call.send().then([session](auto answer) -> Answer {
      NNHAL_RETURN_IF_ERROR(read(answer.getStatus()));
      if (answer.getToken() == 0)
        return rt::failure("the service allocated a buffer with token 0");
      return Answer(std::make_shared<RemoteBuffer>(
          session,
          OnLoop<wire::Buffer::Client>(session->eventLoop(),
                                       answer.getBuffer()),
          answer.getToken()));
    });
  });
}

/// Whether the token of \p buffer is not that of another living one (C-071).
bool RemoteDevice::takeToken(const BufferRef &buffer) const {
  std::lock_guard lock(tokenMutex);
  std::erase_if(tokens,
                [](const auto &known) { return known.second.expired(); });
  return tokens.try_emplace(buffer->token(), buffer).second;
}

Result<std::shared_ptr<rt::Buffer>>
RemoteDevice::allocate(const rt::BufferDesc &desc,
                       std::span<const PreparedModelRef> models,
                       std::span<const rt::BufferRole> inputRoles,
                       std::span<const rt::BufferRole> outputRoles) const {
  rt::TraceSection section(services.tracer.get(), TraceLayer::ipc,
                           TracePhase::unspecified, described.name);
  // A process that was started again begins anew with its tokens, while buffers
  // of the one before may still be held.
  constexpr size_t maxAttempts = 256;
  std::vector<BufferRef> unfit;
  while (true) {
    NNHAL_ASSIGN_OR_RETURN(
        BufferRef buffer, ask([&](const SessionRef &session) {
          return allocateOn(session, desc, models, inputRoles, outputRoles);
        }));
    if (takeToken(buffer))
      return buffer;
    if (unfit.size() == maxAttempts)
      return rt::failure("the service gave the token {} to two buffers",
                         buffer->token());
    unfit.push_back(std::move(buffer));
  }
}
