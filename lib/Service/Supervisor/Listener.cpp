//===- Listener.cpp - The socket of the service ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Listener.h"

#include "Runtime/Support/Errors.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using rt::badData;
using rt::Result;
using rt::Status;
using rt::UniqueFd;

static std::string errorText(int error) {
  return std::generic_category().message(error);
}

static Result<sockaddr_un> addressOf(const std::string &path) {
  sockaddr_un address = {};
  if (path.empty() || path.size() >= sizeof(address.sun_path))
    return badData("the path of a socket has 1 to {} bytes, '{}' has {}",
                   sizeof(address.sun_path) - 1, path, path.size());
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

static Result<UniqueFd> makeSocket() {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.isValid())
    return rt::outOfResources("cannot make a socket: {}", errorText(errno));
  return fd;
}

static int tryConnect(const UniqueFd &fd, const sockaddr_un &address) {
  const auto *generic = reinterpret_cast<const sockaddr *>(&address);
  int result = 0;
  do {
    result = ::connect(fd.get(), generic, sizeof(address));
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

Result<UniqueFd> service::connectTo(const std::string &path) {
  NNHAL_ASSIGN_OR_RETURN(sockaddr_un address, addressOf(path));
  NNHAL_ASSIGN_OR_RETURN(UniqueFd fd, makeSocket());
  if (int error = tryConnect(fd, address))
    return rt::deviceUnavailable("cannot connect to the service at '{}': {}",
                                 path, errorText(error));
  return fd;
}

/// Removes the socket of a service that has died.
static Status removeStale(const std::string &path, const sockaddr_un &address) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0)
    return Status::ok();
  if (!S_ISSOCK(info.st_mode))
    return badData("'{}' is there and is not a socket", path);
  NNHAL_ASSIGN_OR_RETURN(UniqueFd probe, makeSocket());
  if (tryConnect(probe, address) != ECONNREFUSED)
    return rt::deviceUnavailable("a service listens at '{}' already", path);
  ::unlink(path.c_str());
  return Status::ok();
}

/// Holds the folder of \p path: of services that start together one makes the
/// socket.
static Result<UniqueFd> lockFolder(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "."
                       : slash == 0               ? "/"
                                                  : path.substr(0, slash);
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.isValid())
    return badData("cannot open the folder '{}': {}", folder, errorText(errno));
  ::flock(fd.get(), LOCK_EX);
  return fd;
}

Result<Listener> Listener::create(const std::string &path, uint32_t mode) {
  NNHAL_ASSIGN_OR_RETURN(sockaddr_un address, addressOf(path));
  NNHAL_ASSIGN_OR_RETURN(UniqueFd lock, lockFolder(path));
  NNHAL_RETURN_IF_ERROR(removeStale(path, address));
  NNHAL_ASSIGN_OR_RETURN(UniqueFd fd, makeSocket());
  // Nobody else can connect before the permissions are those that are wanted.
  mode_t before = ::umask(0177);
  int bound = ::bind(fd.get(), reinterpret_cast<const sockaddr *>(&address),
                     sizeof(address));
  int error = errno;
  ::umask(before);
  if (bound != 0)
    return badData("cannot make the socket '{}': {}", path, errorText(error));
  Listener listener(std::move(fd));
  listener.name = path;
  struct stat info;
  if (::lstat(path.c_str(), &info) == 0) {
    listener.device = info.st_dev;
    listener.inode = info.st_ino;
  }
  if (::chmod(path.c_str(), mode_t(mode)) != 0 ||
      ::listen(listener.fd(), SOMAXCONN) != 0)
    return badData("cannot listen at '{}': {}", path, errorText(errno));
  return listener;
}

/// The number that the environment has under \p name, which is removed.
static std::optional<long> takeNumber(const char *name) {
  const char *text = std::getenv(name);
  if (!text)
    return std::nullopt;
  char *end = nullptr;
  long number = std::strtol(text, &end, 10);
  bool isNumber = end != text && *end == '\0';
  ::unsetenv(name); // NOLINT(*-mt-unsafe): no other thread is there yet.
  return isNumber ? std::optional(number) : std::nullopt;
}

/// The path that \p fd is bound to; empty for a socket without one.
static std::string boundPath(int fd) {
  sockaddr_un address = {};
  socklen_t size = sizeof(address);
  if (::getsockname(fd, reinterpret_cast<sockaddr *>(&address), &size) != 0)
    return {};
  size_t length =
      size - std::min<size_t>(size, offsetof(sockaddr_un, sun_path));
  return {address.sun_path, ::strnlen(address.sun_path, length)};
}

Result<Listener> Listener::inherit() {
  constexpr int first = 3; // SD_LISTEN_FDS_START
  std::optional<long> process = takeNumber("LISTEN_PID");
  std::optional<long> count = takeNumber("LISTEN_FDS");
  takeNumber("LISTEN_FDNAMES");
  if (process != ::getpid() || !count || *count == 0)
    return Listener(UniqueFd());
  if (*count != 1)
    return badData("the service was given {} sockets, it takes 1", *count);
  int isListening = 0;
  int family = 0;
  socklen_t size = sizeof(int);
  if (::getsockopt(first, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) !=
          0 ||
      ::getsockopt(first, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0 ||
      !isListening || family != AF_UNIX)
    return badData("descriptor {} that the service was given is not a "
                   "listening socket of the Unix domain",
                   first);
  ::fcntl(first, F_SETFD, FD_CLOEXEC);
  Listener listener{UniqueFd(first)};
  listener.name = boundPath(first);
  return listener;
}

Listener::~Listener() {
  struct stat info;
  if (socket.isValid() && inode != 0 && ::lstat(name.c_str(), &info) == 0 &&
      info.st_dev == device && info.st_ino == inode)
    ::unlink(name.c_str());
}
