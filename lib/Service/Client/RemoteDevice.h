//===- RemoteDevice.h - A device of a service -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_CLIENT_REMOTEDEVICE_H
#define NNHAL_LIB_SERVICE_CLIENT_REMOTEDEVICE_H

#include "Session.h"
#include "Supervision.h"

#include "Service/Protocol/Convert.h"
#include "nnhal/Runtime/Device.h"

#include <map>
#include <mutex>

namespace nnhal::service::client {

/// A device of a service.
///
/// When its process has ended, the next call looks for a new one: a call that
/// finds the old one dead is made once more (C-079), unless it is a preparation
/// that had begun, which may be what ended the process. The new process has to
/// offer a device of the same name, version and HAL version, whose other
/// properties are not read again (C-080).
class RemoteDevice final : public rt::Device {
public:
  /// Connects to device \p name. Fails like Supervision::openChannel(), and
  /// with what is wrong with the device's description.
  static rt::Result<std::unique_ptr<rt::Device>>
  create(std::shared_ptr<EventLoop> loop,
         std::shared_ptr<Supervision> supervision, const std::string &name,
         const rt::DeviceServices &services);

  std::string_view name() const override { return described.name; }
  std::string_view version() const override { return described.version; }
  rt::DeviceType type() const override { return described.type; }
  rt::HalVersion halVersion() const override { return described.halVersion; }
  const std::vector<rt::Extension> &extensions() const override {
    return described.extensions;
  }
  rt::CacheFiles cacheFiles() const override { return described.cacheFiles; }
  rt::DeviceTraits traits() const override { return described.traits; }
  const rt::Capabilities &capabilities() const override {
    return described.capabilities;
  }
  rt::DeviceStatus status() const override;

  rt::Result<std::vector<rt::Status>>
  supportedOperations(const rt::AnnotatedModel &model) const override;
  rt::Result<rt::PreparedModelRef>
  prepareModel(const rt::AnnotatedModel &model,
               const rt::PrepareOptions &options,
               const rt::PrepareObserver &observer) const override;
  rt::Status
  prepareModelAsync(std::shared_ptr<const rt::AnnotatedModel> model,
                    const rt::PrepareOptions &options,
                    rt::PrepareCallback callback,
                    const rt::PrepareObserver &observer) const override;
  rt::Result<rt::PreparedModelRef>
  prepareModelFromCache(const rt::CacheHandles &handles,
                        const rt::CacheToken &token,
                        const rt::PrepareOptions &options,
                        const rt::PrepareObserver &observer) const override;
  rt::Result<rt::PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte> modelCache,
                           const rt::Memory &dataCache,
                           const rt::PrepareOptions &options) const override;
  rt::Result<std::shared_ptr<rt::Buffer>>
  allocate(const rt::BufferDesc &desc,
           std::span<const rt::PreparedModelRef> models,
           std::span<const rt::BufferRole> inputRoles,
           std::span<const rt::BufferRole> outputRoles) const override;

private:
  using SessionRef = std::shared_ptr<Session>;

  RemoteDevice(std::shared_ptr<EventLoop> loop,
               std::shared_ptr<Supervision> supervision,
               rt::DeviceServices services)
      : loop(std::move(loop)), supervision(std::move(supervision)),
        services(std::move(services)) {}

  rt::Result<SessionRef> openSession(const std::string &device) const;
  rt::Result<SessionRef> currentSession() const;
  template <typename Ask>
  auto ask(Ask function, const bool &hasBegun = neverBegins) const;

  using BufferRef = std::shared_ptr<rt::Buffer>;
  bool takeToken(const BufferRef &buffer) const;

  static constexpr bool neverBegins = false;

  const std::shared_ptr<EventLoop> loop;
  const std::shared_ptr<Supervision> supervision;
  const rt::DeviceServices services;
  DeviceDescription described;
  mutable std::mutex mutex; // Held while a new process is looked for.
  mutable SessionRef session;
  /// The buffers by their tokens, of processes that have ended, too.
  mutable std::mutex tokenMutex;
  mutable std::map<uint32_t, std::weak_ptr<rt::Buffer>> tokens;
};

} // namespace nnhal::service::client

#endif // NNHAL_LIB_SERVICE_CLIENT_REMOTEDEVICE_H
