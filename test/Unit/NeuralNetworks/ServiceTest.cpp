//===- ServiceTest.cpp - C clients whose devices are in another process ---===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientProgram.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace client;

namespace {

/// A service with the device nnhal-reference, in a process group of its own.
class Service {
public:
  Service()
      : folder(std::filesystem::path(testing::TempDir()) /
               ("nn-" + std::to_string(::getpid()))),
        socketPath(folder / "s") {
    std::filesystem::create_directories(folder);
    std::string listen = "--socket=" + socketPath.string();
    std::string state = "--state-dir=" + (folder / "state").string();
    process = ::fork();
    if (process == 0) {
      ::setpgid(0, 0);
      int nowhere = ::open("/dev/null", O_WRONLY);
      ::dup2(nowhere, 2);
      ::execl(NNHAL_TEST_SERVICE, "nnhal-service", listen.c_str(),
              state.c_str(), "--device=nnhal-reference", nullptr);
      ::_exit(127);
    }
    ::setpgid(process, process);
  }
  ~Service() {
    ::kill(-process, SIGKILL);
    ::waitpid(process, nullptr, 0);
    std::filesystem::remove_all(folder);
  }

  /// Whether somebody answers, which takes a moment.
  bool isListening() const {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    socketPath.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
    while (::waitpid(process, nullptr, WNOHANG) == 0) {
      int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      bool isThere = ::connect(fd, reinterpret_cast<sockaddr *>(&address),
                               sizeof(address)) == 0;
      ::close(fd);
      if (isThere)
        return true;
      ::usleep(1000);
    }
    return false;
  }

  std::string settings() const {
    return "NNHAL_SERVICE='" + socketPath.string() +
           "' NNHAL_TEST_GROUP=" + std::to_string(process);
  }

private:
  std::filesystem::path folder, socketPath;
  pid_t process = -1;
};

// J-007, J-095, C-081, C-092: devices of a service come first and compute; when
// their process has died, what it had prepared is DEAD_OBJECT, 14, and waiting
// for the device fails, 5.
TEST(NeuralNetworksService, DiesAndIsTold) {
  Service service;
  ASSERT_TRUE(service.isListening());
  std::string devices = runClient("devices", service.settings());
  EXPECT_TRUE(devices.starts_with("device nnhal-reference\n")) << devices;
  EXPECT_TRUE(devices.ends_with("device nnapi-reference\n")) << devices;
  EXPECT_EQ(runClient("death", service.settings()), "sum 11 22 33 44\n"
                                                    "wait 0\n"
                                                    "compute after death 14\n"
                                                    "wait after death 5\n");
}

} // namespace
