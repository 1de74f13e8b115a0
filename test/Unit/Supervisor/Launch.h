//===- Launch.h - The program nnhal-service, for tests ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_SUPERVISOR_LAUNCH_H
#define NNHAL_TEST_UNIT_SUPERVISOR_LAUNCH_H

#include "Service/Protocol/Channel.h"
#include "Service/Protocol/Convert.h"
#include "Service/Protocol/Wire.h"
#include "Service/Supervisor/Listener.h"
#include "Service/Supervisor/Report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace nnhal::service::test {

/// Waits for \p condition, some seconds at most.
template <typename Condition> bool waitFor(Condition condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition())
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

inline std::string contentsOf(const std::string &path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A folder that goes with its owner.
class Folder {
public:
  Folder() {
    char name[] = "/tmp/nnhal-test-XXXXXX";
    EXPECT_NE(::mkdtemp(name), nullptr);
    folder = name;
  }
  ~Folder() { std::filesystem::remove_all(folder); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  std::string operator/(const std::string &name) const {
    return folder + "/" + name;
  }
  const std::string &path() const { return folder; }

private:
  std::string folder;
};

struct LaunchOptions {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  /// Becomes descriptor 3.
  int descriptor = -1;
  /// The user that the program runs as; 0 for the test's own.
  uid_t user = 0;
  /// The file that gets standard error; the test's own without one.
  std::string errors;
  /// Set LISTEN_PID and LISTEN_FDS as systemd does.
  bool isActivated = false;
};

/// nnhal-service, running.
class Program {
public:
  explicit Program(const LaunchOptions &options) : id(::fork()) {
    if (id == 0)
      become(options);
  }
  ~Program() {
    if (id > 0) {
      ::kill(id, SIGKILL);
      wait();
    }
  }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  pid_t process() const { return id; }
  void signal(int number) const { ::kill(id, number); }
  /// The status of wait().
  int wait() {
    int status = -1;
    EXPECT_EQ(::waitpid(id, &status, 0), id);
    id = 0;
    return status;
  }

private:
  [[noreturn]] static void become(const LaunchOptions &options) {
    ::setenv("ASAN_OPTIONS", "allocator_may_return_null=1", 0);
    for (const std::string &variable : options.environment)
      ::putenv(const_cast<char *>(variable.c_str()));
    if (options.isActivated) {
      ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
      ::setenv("LISTEN_FDS", "1", 1);
    }
    if (!options.errors.empty()) {
      int fd =
          ::open(options.errors.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      ::dup2(fd, STDERR_FILENO);
    }
    if (options.descriptor >= 0 && options.descriptor != 3)
      ::dup2(options.descriptor, 3);
    else if (options.descriptor == 3)
      ::fcntl(3, F_SETFD, 0);
    if (options.user != 0 &&
        (::setgid(options.user) != 0 || ::setuid(options.user) != 0))
      ::_exit(126);
    std::vector<char *> arguments = {const_cast<char *>("nnhal-service")};
    for (const std::string &argument : options.arguments)
      arguments.push_back(const_cast<char *>(argument.c_str()));
    arguments.push_back(nullptr);
    ::execv(NNHAL_SERVICE_PROGRAM, arguments.data());
    ::_exit(127);
  }

  pid_t id;
};

/// A service in a folder of its own.
class Service {
public:
  explicit Service(std::vector<std::string> arguments = {}) {
    options.arguments = {"--socket=" + path(),
                         "--state-dir=" + (folder / "state"), "--drain=2"};
    options.arguments.insert(options.arguments.end(), arguments.begin(),
                             arguments.end());
    options.errors = folder / "log";
  }

  /// Returns when it listens.
  void start() {
    program = std::make_unique<Program>(options);
    EXPECT_TRUE(waitFor([this] { return connectTo(path()).isOk(); })) << log();
  }

  std::string path() const { return folder / "socket"; }
  std::string log() const { return contentsOf(folder / "log"); }
  nlohmann::json report() const {
    // On a thread without the event loop of the test.
    auto text = std::async(std::launch::async, [this] {
                  return fetchReport(path());
                }).get();
    EXPECT_TRUE(text.isOk()) << text.status().message();
    return text.isOk() ? nlohmann::json::parse(*text) : nlohmann::json();
  }
  nlohmann::json device(const std::string &name) const {
    nlohmann::json whole = report();
    for (const nlohmann::json &device : whole["devices"])
      if (device["name"] == name)
        return device;
    return {};
  }
  /// The process that hosts \p name, once it runs.
  pid_t hostOf(const std::string &name) const {
    EXPECT_TRUE(waitFor([&] { return device(name)["state"] == "running"; }))
        << log();
    return device(name)["process"].get<pid_t>();
  }

  Folder folder;
  LaunchOptions options;
  std::unique_ptr<Program> program;
};

/// A client of a service, on the thread of the test.
class Client {
public:
  explicit Client(const std::string &path, kj::AsyncIoContext &io) : io(io) {
    auto fd = connectTo(path);
    EXPECT_TRUE(fd.isOk()) << fd.status().message();
    channel = connect(std::move(*fd));
  }

  kj::Own<Channel> connect(rt::UniqueFd fd) {
    ChannelLimits limits;
    limits.descriptors = maxDescriptorsPerMessage;
    return kj::heap<Channel>(wrapSocket(*io.lowLevelProvider, std::move(fd)),
                             Channel::End::opener, nullptr, limits);
  }

  /// Returns the status of the call; the drivers are there after a success.
  rt::Status hello(uint32_t major = protocolMajor) {
    auto request = channel->peer().castAs<wire::Service>().helloRequest();
    request.getClient().setMajor(major);
    request.getClient().setMinor(7);
    request.setName("test");
    auto answer = request.send().wait(io.waitScope);
    rt::Status status = read(answer.getStatus());
    if (status.isOk())
      drivers = answer.getDrivers();
    return status;
  }

  /// The connection to \p device, whose bootstrap capability is its driver.
  rt::Result<kj::Own<Channel>> open(const std::string &device) {
    auto request = drivers.connectRequest();
    request.setDevice(wireText(device));
    auto answer = request.send().wait(io.waitScope);
    NNHAL_RETURN_IF_ERROR(read(answer.getStatus()));
    std::vector<NamedDescriptor> named;
    named.push_back({answer.getChannel(), "the channel"});
    auto taken = takeDescriptors(std::move(named)).wait(io.waitScope);
    NNHAL_RETURN_IF_ERROR(taken.status());
    return connect(std::move(taken->front()));
  }

  kj::AsyncIoContext &io;
  kj::Own<Channel> channel;
  wire::Drivers::Client drivers = nullptr;
};

} // namespace nnhal::service::test

#endif // NNHAL_TEST_UNIT_SUPERVISOR_LAUNCH_H
