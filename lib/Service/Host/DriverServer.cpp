//===- DriverServer.cpp - A device for one client -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverServer.h"

#include "Limits.h"
#include "PreparedModelServer.h"

#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

kj::Promise<void> DriverServer::describe(DescribeContext context) {
  write(session->host->description, context.getResults().initDevice());
  return kj::READY_NOW;
}

kj::Promise<void> DriverServer::status(StatusContext context) {
  auto ask = [this]() -> Result<rt::DeviceStatus> {
    NNHAL_ASSIGN_OR_RETURN(const rt::Device *device, session->device());
    return device->status();
  };
  return session->callOnThread(ask).then(
      [context](Result<rt::DeviceStatus> asked) mutable {
        auto status = asked.isOk() ? *asked : rt::DeviceStatus::unknown;
        context.getResults().setStatus(uint32_t(status));
      });
}

//===----------------------------------------------------------------------===//
// Support
//===----------------------------------------------------------------------===//

kj::Promise<void>
DriverServer::supportedOperations(SupportedOperationsContext context) {
  using Operations = Result<std::vector<Status>>;
  auto body = [this, context]() mutable -> kj::Promise<Status> {
    auto wire = context.getParams().getModel();
    NNHAL_RETURN_IF_ERROR(checkLists(wire));
    auto incoming = std::make_shared<Incoming>(session->account);
    auto ask = [this, incoming, wire]() -> Operations {
      NNHAL_ASSIGN_OR_RETURN(auto model, incoming->readModel(wire));
      NNHAL_ASSIGN_OR_RETURN(const rt::Device *device, session->device());
      return device->supportedOperations(*model);
    };
    return incoming->take(descriptorsOf(wire), {})
        .then([this, ask](Status taken) -> kj::Promise<Operations> {
          return taken.isOk() ? session->callOnThread(ask)
                              : Operations(std::move(taken));
        })
        .then([context](Operations answered) mutable -> Status {
          NNHAL_ASSIGN_OR_RETURN(auto operations, std::move(answered));
          auto list =
              context.getResults().initOperations(unsigned(operations.size()));
          for (unsigned i = 0; i < operations.size(); ++i)
            write(operations[i], list[i]);
          return Status::ok();
        });
  };
  return session->answer(context, rt::TracePhase::compilation,
                         "supportedOperations", kj::mv(body));
}

//===----------------------------------------------------------------------===//
// Preparations
//===----------------------------------------------------------------------===//

template <typename Context>
Status DriverServer::finish(Context context, Preparation &preparation,
                            Prepared prepared) {
  auto memory = preparation.end();
  NNHAL_ASSIGN_OR_RETURN(rt::PreparedModelRef model, std::move(prepared));
  NNHAL_ASSIGN_OR_RETURN(auto capability,
                         PreparedModelServer::create(session, std::move(model),
                                                     std::move(memory),
                                                     preparation.isFixed));
  context.getResults().setModel(kj::mv(capability));
  return Status::ok();
}

/// Launches \p preparation of what \p params says, on a thread for calls. When
/// this is a success \p notify is called once.
static Status launch(Session &session, Preparation &preparation,
                     wire::Driver::PrepareModelParams::Reader params,
                     const rt::PrepareCallback &notify) {
  NNHAL_ASSIGN_OR_RETURN(auto model,
                         preparation.incoming->readModel(params.getModel()));
  preparation.isFixed = hasFixedCost(model->model);
  NNHAL_ASSIGN_OR_RETURN(
      rt::PrepareOptions options,
      preparation.readOptions(params.getOptions(),
                              preparation.incoming->descriptors()));
  NNHAL_ASSIGN_OR_RETURN(const rt::Device *device, session.device());
  return device->prepareModelAsync(std::move(model), options, notify,
                                   preparation.observer());
}

kj::Promise<void> DriverServer::prepareModel(PrepareModelContext context) {
  auto body = [this, context]() mutable -> kj::Promise<Status> {
    auto params = context.getParams();
    NNHAL_RETURN_IF_ERROR(checkLists(params.getModel()));
    NNHAL_RETURN_IF_ERROR(checkLists(params.getOptions()));
    NNHAL_ASSIGN_OR_RETURN(auto preparation, Preparation::begin(*session));
    if (params.hasObserver())
      preparation->setClient(session->host->loop, params.getObserver());
    return preparation->incoming
        ->take(descriptorsOf(params.getModel()),
               descriptorsOf(params.getOptions()))
        .then([this, context, preparation](Status taken) mutable {
          return taken.isOk() ? prepare(context, preparation)
                              : kj::Promise<Status>(std::move(taken));
        })
        .then([context, preparation](Status status) mutable {
          preparation->writeCacheEvents(context.getResults());
          return status;
        });
  };
  return session->answer(context, rt::TracePhase::preparation, "prepareModel",
                         kj::mv(body));
}

kj::Promise<Status> DriverServer::prepare(PrepareModelContext context,
                                          const PreparationRef &preparation) {
  auto pair = kj::newPromiseAndCrossThreadFulfiller<Prepared>();
  auto notify = [fulfiller = std::make_shared<decltype(pair.fulfiller)>(
                     kj::mv(pair.fulfiller))](Prepared prepared) {
    (*fulfiller)->fulfill(kj::mv(prepared));
  };
  auto launched = session->callOnThread(
      [this, preparation, notify, params = context.getParams()] {
        return launch(*session, *preparation, params, notify);
      });
  return launched.then([this, context, preparation,
                        prepared = kj::mv(pair.promise)](
                           Status launched) mutable -> kj::Promise<Status> {
    if (!launched.isOk())
      return launched;
    context.getResults().setLaunched(true);
    if (context.getParams().hasLaunch())
      tell(session->account, context.getParams().getLaunch().launchedRequest());
    // From here on nothing reads the message, and a client that drops the
    // call or dies cancels the compilation.
    context.allowCancellation();
    return prepared
        .then([this, context, preparation](Prepared prepared) mutable {
          return finish(context, *preparation, std::move(prepared));
        })
        .attach(CancelOnDrop(preparation));
  });
}

kj::Promise<void>
DriverServer::prepareModelFromCache(PrepareModelFromCacheContext context) {
  auto body = [this, context]() mutable -> kj::Promise<Status> {
    auto options = context.getParams().getOptions();
    NNHAL_RETURN_IF_ERROR(checkLists(options));
    NNHAL_ASSIGN_OR_RETURN(auto preparation, Preparation::begin(*session));
    return preparation->incoming->take({}, descriptorsOf(options))
        .then([this, context, preparation](Status taken) mutable {
          return taken.isOk() ? load(context, preparation)
                              : kj::Promise<Status>(std::move(taken));
        })
        .then([context, preparation](Status status) mutable {
          preparation->writeCacheEvents(context.getResults());
          return status;
        });
  };
  return session->answer(context, rt::TracePhase::preparation,
                         "prepareModelFromCache", kj::mv(body));
}

kj::Promise<Status> DriverServer::load(PrepareModelFromCacheContext context,
                                       const PreparationRef &preparation) {
  auto load = [this, preparation,
               wire = context.getParams().getOptions()]() -> Prepared {
    NNHAL_ASSIGN_OR_RETURN(
        rt::PrepareOptions options,
        preparation->readOptions(wire, preparation->incoming->descriptors()));
    rt::CacheHandles files = std::exchange(options.cache, {});
    NNHAL_ASSIGN_OR_RETURN(const rt::Device *device, session->device());
    return device->prepareModelFromCache(files, options.token, options,
                                         preparation->observer());
  };
  return session->callOnThread(std::move(load))
      .then([this, context, preparation](Prepared prepared) mutable {
        return finish(context, *preparation, std::move(prepared));
      });
}

/// An artifact is code, which could read what this process has of others.
Status DriverServer::checkArtifacts() const {
  if (session->identity.user != ::geteuid())
    return rt::failure("code of user {} is not run by a service of user {}",
                       session->identity.user, ::geteuid());
  return Status::ok();
}

kj::Promise<void> DriverServer::prepareModelFromArtifact(
    PrepareModelFromArtifactContext context) {
  auto body = [this, context]() mutable -> kj::Promise<Status> {
    auto params = context.getParams();
    NNHAL_RETURN_IF_ERROR(checkArtifacts());
    NNHAL_RETURN_IF_ERROR(checkLists(params.getOptions()));
    NNHAL_ASSIGN_OR_RETURN(auto preparation, Preparation::begin(*session));
    std::vector<NamedDescriptor> named = descriptorsOf(params.getOptions());
    named.push_back({params.getModelCache(), "the model cache"});
    if (params.getDataCacheSize() != 0)
      named.push_back({params.getDataCache(), "the data cache"});
    return preparation->incoming->take({}, std::move(named))
        .then([this, context, preparation](Status taken) mutable {
          return taken.isOk() ? load(context, preparation)
                              : kj::Promise<Status>(std::move(taken));
        });
  };
  return session->answer(context, rt::TracePhase::preparation,
                         "prepareModelFromArtifact", kj::mv(body));
}

kj::Promise<Status> DriverServer::load(PrepareModelFromArtifactContext context,
                                       const PreparationRef &preparation) {
  auto load = [this, preparation,
               params = context.getParams()]() mutable -> Prepared {
    const bool hasData = params.getDataCacheSize() != 0;
    Descriptors found = preparation->incoming->descriptors();
    const size_t files = found.size() - (hasData ? 2 : 1);
    NNHAL_ASSIGN_OR_RETURN(
        rt::PrepareOptions options,
        preparation->readOptions(params.getOptions(), found.first(files)));
    NNHAL_RETURN_IF_ERROR(
        preparation->incoming->reserve(params.getModelCacheSize()));
    NNHAL_ASSIGN_OR_RETURN(
        rt::Memory model,
        readBytes(std::move(found[files]), params.getModelCacheSize()));
    rt::Memory data;
    if (hasData) {
      NNHAL_RETURN_IF_ERROR(
          preparation->incoming->reserve(params.getDataCacheSize()));
      NNHAL_ASSIGN_OR_RETURN(data, readBytes(std::move(found[files + 1]),
                                             params.getDataCacheSize()));
    }
    NNHAL_ASSIGN_OR_RETURN(auto bytes, model.bytes());
    NNHAL_ASSIGN_OR_RETURN(const rt::Device *device, session->device());
    return device->prepareModelFromArtifact(bytes, data, options);
  };
  return session->callOnThread(std::move(load))
      .then([this, context, preparation](Prepared prepared) mutable {
        return finish(context, *preparation, std::move(prepared));
      });
}

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

/// Events of one answer; the client asks again for more.
static constexpr size_t maxEventsAtOnce = 4096;
/// Events that wait for the client.
static constexpr size_t maxEvents = size_t(1) << 14;

kj::Promise<void> DriverServer::trace(TraceContext context) {
  if (!session->tracer) {
    rt::Tracer::Options options;
    options.maxEvents = maxEvents;
    options.clock = session->host->options.services.clock;
    session->tracer = std::make_shared<rt::Tracer>(std::move(options));
  }
  std::vector<rt::TraceEvent> events = session->tracer->take(maxEventsAtOnce);
  auto results = context.getResults();
  auto list = results.initEvents(unsigned(events.size()));
  for (unsigned i = 0; i < events.size(); ++i)
    write(events[i], list[i]);
  results.setClock(session->tracer->now());
  return kj::READY_NOW;
}
