//===- PreparationObserver.cpp - Tells of a preparation -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreparationObserver.h"

#include "Asking.h"

#include "Runtime/Support/SealedCopy.h"
#include "Service/Protocol/Convert.h"
#include "nnhal/Runtime/Compiler.h"

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

/// A compilation reports a few; one that has more to say is cut short, so that
/// they do not pile up for a client that does not read.
static constexpr unsigned maxDiagnostics = 256;
static constexpr size_t maxDiagnosticSize = 16 << 10;
/// How long a preparation waits for its client to keep an artifact.
static constexpr std::chrono::milliseconds artifactPatience{10'000};

PreparationObserver::PreparationObserver(std::shared_ptr<Account> account,
                                         std::shared_ptr<LoopQueue> queue,
                                         wire::PrepareObserver::Client observer)
    : account(std::move(account)), loop(std::move(queue)),
      client(LoopQueue::own(loop, kj::mv(observer))) {}

void PreparationObserver::addTo(rt::PrepareObserver &observer) {
  auto self = shared_from_this();
  observer.compile.diagnostic = [self](bool isError, std::string_view text) {
    self->diagnostic(isError, text);
  };
  observer.compileEnded = [self](const Status &status) {
    self->compileEnded(status);
  };
  observer.keepArtifact = [self](const rt::CompiledModel &compiled) {
    return self->keepArtifact(compiled);
  };
}

void PreparationObserver::diagnostic(bool isError, std::string_view text) {
  if (diagnostics.fetch_add(1) >= maxDiagnostics)
    return;
  loop->post([account = account, client = client, isError,
              text = std::string(text.substr(0, maxDiagnosticSize))] {
    auto request = client->diagnosticRequest();
    request.setIsError(isError);
    request.setText(kj::heapString(text.data(), text.size()));
    tell(account, std::move(request));
  });
}

void PreparationObserver::compileEnded(const Status &status) {
  loop->post([account = account, client = client, status] {
    auto request = client->compileEndedRequest();
    write(status, request.initStatus());
    tell(account, std::move(request));
  });
}

namespace {
/// Bytes for another process.
struct Sealed {
  rt::UniqueFd fd;
  uint64_t size = 0;
};
struct SealedArtifact {
  Sealed model;
  Sealed data;
};
} // namespace

static Result<Sealed> seal(std::span<const std::byte> bytes) {
  NNHAL_ASSIGN_OR_RETURN(rt::UniqueFd fd,
                         rt::sealedCopy(bytes, rt::SealedContent::message));
  return Sealed{std::move(fd), bytes.size()};
}

static Result<SealedArtifact> seal(const rt::CompiledModel &compiled) {
  SealedArtifact sealed;
  NNHAL_ASSIGN_OR_RETURN(sealed.model, seal(compiled.modelCache));
  NNHAL_ASSIGN_OR_RETURN(rt::Memory data, compiled.dataCache.materialize());
  NNHAL_ASSIGN_OR_RETURN(auto bytes, data.bytes());
  NNHAL_ASSIGN_OR_RETURN(sealed.data, seal(bytes));
  return sealed;
}

Status PreparationObserver::keepArtifact(const rt::CompiledModel &compiled) {
  NNHAL_ASSIGN_OR_RETURN(SealedArtifact made, seal(compiled));
  auto sealed = std::make_shared<SealedArtifact>(std::move(made));
  auto question = std::make_shared<Question<Status>>();
  postQuestion(*loop, question, [client = client, sealed] {
    auto request = client->keepArtifactRequest();
    request.setModelCache(makeDescriptor(std::move(sealed->model.fd)));
    request.setModelCacheSize(sealed->model.size);
    request.setDataCache(makeDescriptor(std::move(sealed->data.fd)));
    request.setDataCacheSize(sealed->data.size);
    return request.send().then(
        [](auto answer) { return read(answer.getStatus()); });
  });
  return question->wait(artifactPatience);
}
