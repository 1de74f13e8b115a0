//===- Listener.h - The socket of the service -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_SUPERVISOR_LISTENER_H
#define NNHAL_LIB_SERVICE_SUPERVISOR_LISTENER_H

#include "nnhal/Runtime/Memory.h"

#include <string>
#include <sys/types.h>

namespace nnhal::service {

/// A Unix-domain socket that listens.
///
/// Ownership: the socket of create() is removed by the destructor, unless
///            another one has taken its name.
class Listener {
public:
  /// Makes the socket \p path with the permissions \p mode. A socket in which
  /// nobody listens is replaced. Fails with invalidArgument for a path that is
  /// empty, too long or not a socket, and with deviceUnavailable when a service
  /// listens there.
  static rt::Result<Listener> create(const std::string &path, uint32_t mode);

  /// The socket that the process was started with, by systemd's protocol
  /// (LISTEN_PID, LISTEN_FDS), whose variables are removed; one without a valid
  /// descriptor where there is none. Fails with invalidArgument for more than
  /// one, and for what is not a listening stream socket.
  static rt::Result<Listener> inherit();

  Listener(Listener &&other) noexcept = default;
  Listener &operator=(Listener &&other) = delete;
  ~Listener();

  /// False where inherit() has found none.
  bool isThere() const { return socket.isValid(); }
  int fd() const { return socket.get(); }
  /// The path that the socket is bound to.
  const std::string &path() const { return name; }

private:
  explicit Listener(rt::UniqueFd socket) : socket(std::move(socket)) {}

  rt::UniqueFd socket;
  std::string name;
  /// The file that create() made; 0 otherwise.
  dev_t device = 0;
  ino_t inode = 0;
};

/// Connects to the service at \p path. Fails with deviceUnavailable, which
/// names the path and the system's reason.
rt::Result<rt::UniqueFd> connectTo(const std::string &path);

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_SUPERVISOR_LISTENER_H
