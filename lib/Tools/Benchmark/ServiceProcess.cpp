//===- ServiceProcess.cpp - A service for the time of a run ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceProcess.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Service.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;
namespace fs = std::filesystem;

static Status unavailable(const std::string &reason) {
  return Status(rt::StatusCode::deviceUnavailable, reason);
}

ServiceProcess::~ServiceProcess() {
  if (process == 0)
    return;
  ::kill(process, SIGTERM);
  while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

static std::string lastLineOf(const std::string &path) {
  std::ifstream file(path);
  std::string last = "it said nothing";
  for (std::string line; std::getline(file, line);)
    last = line;
  return last;
}

rt::Result<ServiceProcess> ServiceProcess::start(const Request &request) {
  std::error_code error;
  fs::path program =
      fs::read_symlink("/proc/self/exe", error).parent_path() / "nnhal-service";
  if (::access(program.c_str(), X_OK) != 0)
    return unavailable(fmt::format("cannot start the service '{}': {}",
                                   program.string(),
                                   std::generic_category().message(errno)));
  ServiceProcess service;
  service.path = request.folder + "/socket";
  std::vector<std::string> words = {
      program.string(), "--socket=" + service.path,
      "--state-dir=" + request.folder + "/service-state"};
  for (const std::string &device : request.devices)
    words.push_back("--device=" + device);
  for (const std::string &plugin : request.plugins)
    words.push_back("--plugin=" + plugin);
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string log = request.folder + "/service.log";
  service.process = ::fork();
  if (service.process < 0) {
    service.process = 0;
    return unavailable(fmt::format("cannot start a process: {}",
                                   std::generic_category().message(errno)));
  }
  if (service.process == 0) {
    (void)::prctl(PR_SET_PDEATHSIG, SIGTERM);
    // What it says is for those who look after a service.
    if (int fd =
            ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        fd >= 0)
      (void)::dup2(fd, STDERR_FILENO);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  // A connection may be taken before the devices are known: they have to be
  // there, too.
  constexpr int attempts = 1000;
  Status last;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    int state = 0;
    if (::waitpid(service.process, &state, WNOHANG) == service.process) {
      service.process = 0;
      return unavailable(fmt::format(
          "the service ended with status {} before it had devices: {}",
          WIFEXITED(state) ? WEXITSTATUS(state) : WTERMSIG(state),
          lastLineOf(log)));
    }
    last = rt::connectDevices(service.path).status();
    if (last.isOk())
      return service;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return last;
}
