//===- Supervision.cpp - The connection to the supervisor -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Supervision.h"

#include "Runtime/Support/Errors.h"
#include "Service/Protocol/Convert.h"
#include "Service/Protocol/Wire.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using rt::Result;
using rt::Status;
using rt::StatusCode;
using rt::UniqueFd;

static constexpr unsigned maxDevices = 64;

/// The objects of the loop's thread.
struct Supervision::Wire {
  Wire(kj::AsyncIoContext &io, UniqueFd socket)
      : connection(io, std::move(socket)),
        service(connection.bootstrap().castAs<wire::Service>()) {}

  Connection connection;
  wire::Service::Client service;
  wire::Drivers::Client drivers = nullptr;
};

static Result<UniqueFd> connectTo(const std::string &path, unsigned patience) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path))
    return rt::deviceUnavailable(
        "the path of a service has {} bytes, expected 1 to {}", path.size(),
        sizeof(address.sun_path) - 1);
  std::memcpy(address.sun_path, path.data(), path.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.isValid())
    return rt::outOfResources("cannot make a socket: {}", std::strerror(errno));
  // A listener with a full queue would hold the caller as long as it likes.
  timeval limit = {.tv_sec = patience, .tv_usec = 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  int failed = 0;
  do
    failed =
        ::connect(socket.get(), reinterpret_cast<const sockaddr *>(&address),
                  sizeof(address));
  while (failed != 0 && errno == EINTR);
  if (failed != 0)
    return rt::deviceUnavailable("cannot reach the service '{}': {}", path,
                                 std::strerror(errno));
  return socket;
}

/// Gives \p answer, or deviceUnavailable when it takes too long.
template <typename Outcome>
kj::Promise<Outcome> Supervision::inTime(kj::Promise<Outcome> answer) const {
  auto late = [this]() -> Outcome {
    return rt::deviceUnavailable("the service '{}' did not answer within {} s",
                                 path, patience);
  };
  return answer.exclusiveJoin(loop->io()
                                  .provider->getTimer()
                                  .afterDelay(patience * kj::SECONDS)
                                  .then(kj::mv(late)));
}

/// Asks the service, which is connected first where it is not, or where the
/// connection turns out to be lost.
template <typename Ask> auto Supervision::ask(Ask function) {
  using Outcome = decltype(loop->call([&] { return function(***wire); }));
  std::lock_guard lock(mutex);
  while (true) {
    const bool isNew = !wire;
    if (isNew)
      if (Status status = connect(); !status.isOk())
        return Outcome(std::move(status));
    Outcome outcome = loop->call([&] { return inTime(function(***wire)); });
    if (outcome.status().code() != StatusCode::deadObject)
      return outcome;
    wire.reset();
    if (isNew)
      return outcome;
  }
}

Status Supervision::connect() {
  NNHAL_ASSIGN_OR_RETURN(UniqueFd socket, connectTo(path, patience));
  std::unique_ptr<Wire> made;
  Status status = loop->call([&]() -> kj::Promise<Status> {
    made = std::make_unique<Wire>(loop->io(), std::move(socket));
    return inTime(greet(*made));
  });
  OnLoop<std::unique_ptr<Wire>> held(loop, std::move(made));
  NNHAL_RETURN_IF_ERROR(std::move(status));
  wire.emplace(std::move(held));
  return Status::ok();
}

kj::Promise<Status> Supervision::greet(Wire &wire) const {
  auto hello = wire.service.helloRequest();
  hello.getClient().setMajor(protocolMajor);
  hello.getClient().setMinor(protocolMinor);
  hello.setName(program_invocation_short_name);
  return hello.send().then([this, &wire](auto answer) -> Status {
    wire::Version::Reader version = answer.getService();
    // A service that refuses this client says its version all the same.
    if (version.getMajor() != protocolMajor)
      return rt::failure(
          "the service '{}' speaks version {}.{} of the protocol, this client "
          "{}.{}: the first numbers have to agree",
          path, version.getMajor(), version.getMinor(), protocolMajor,
          protocolMinor);
    NNHAL_RETURN_IF_ERROR(read(answer.getStatus()));
    wire.drivers = answer.getDrivers();
    return Status::ok();
  });
}

kj::Promise<Result<std::vector<std::string>>>
Supervision::list(Wire &wire) const {
  using Names = Result<std::vector<std::string>>;
  return wire.drivers.listRequest().send().then([](auto answer) -> Names {
    auto devices = answer.getDevices();
    if (devices.size() > maxDevices)
      return rt::failure("the service names {} devices, expected at most {}",
                         devices.size(), maxDevices);
    std::vector<std::string> names;
    for (capnp::Text::Reader name : devices)
      names.push_back(textOf(name));
    return names;
  });
}

static Result<UniqueFd> checkSocket(Result<std::vector<UniqueFd>> taken,
                                    const std::string &device) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<UniqueFd> descriptors, std::move(taken));
  struct stat found;
  if (::fstat(descriptors[0].get(), &found) != 0 || !S_ISSOCK(found.st_mode))
    return rt::failure("the channel to device '{}' is not a socket", device);
  return std::move(descriptors[0]);
}

kj::Promise<Result<UniqueFd>>
Supervision::open(Wire &wire, const std::string &device) const {
  auto connect = wire.drivers.connectRequest();
  connect.setDevice(device);
  return connect.send().then(
      [device](auto answer) -> kj::Promise<Result<UniqueFd>> {
        if (Status status = read(answer.getStatus()); !status.isOk())
          return Result<UniqueFd>(std::move(status));
        std::vector<NamedDescriptor> named;
        named.push_back({answer.getChannel(),
                         fmt::format("the channel to device '{}'", device)});
        return takeDescriptors(std::move(named))
            .then([device](Result<std::vector<UniqueFd>> taken) {
              return checkSocket(std::move(taken), device);
            });
      });
}

Result<std::vector<std::string>> Supervision::listDevices() {
  return ask([this](Wire &wire) { return list(wire); });
}

Result<UniqueFd> Supervision::openChannel(const std::string &device) {
  return ask([&](Wire &wire) { return open(wire, device); });
}
