//===- PreparationObserver.h - Tells of a preparation -----------*- C++ -*-===//
//-*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_PREPARATIONOBSERVER_H
#define NNHAL_LIB_SERVICE_HOST_PREPARATIONOBSERVER_H

#include "Account.h"
#include "LoopQueue.h"

#include "Driver.capnp.h"

#include "nnhal/Runtime/PrepareOptions.h"

#include <atomic>
#include <memory>

namespace nnhal::service {

/// Makes calls of a client's observer on threads of a device.
///
/// Ownership: shared by the functions of addTo().
/// Threads:   any, but for the constructor, which belongs to the event loop.
class PreparationObserver
    : public std::enable_shared_from_this<PreparationObserver> {
public:
  PreparationObserver(std::shared_ptr<Account> account,
                      std::shared_ptr<LoopQueue> loop,
                      wire::PrepareObserver::Client client);

  /// Fills what the client can hear in \p observer.
  void addTo(rt::PrepareObserver &observer);

private:
  void diagnostic(bool isError, std::string_view text);
  void compileEnded(const rt::Status &status);
  /// Waits for the client's answer, for a while.
  rt::Status keepArtifact(const rt::CompiledModel &compiled);

  const std::shared_ptr<Account> account;
  const std::shared_ptr<LoopQueue> loop;
  const std::shared_ptr<wire::PrepareObserver::Client> client;
  std::atomic<unsigned> diagnostics = 0;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_PREPARATIONOBSERVER_H
