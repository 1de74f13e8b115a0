//===- ServiceProcess.h - A service for a benchmark -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BENCHMARKS_SERVICEPROCESS_H
#define NNHAL_BENCHMARKS_SERVICEPROCESS_H

#include "OneOperationModel.h"

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/Service.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace nnhal::rt {

/// nnhal-service beside this program, with a folder of its own.
class ServiceProcess {
public:
  explicit ServiceProcess(const std::string &device) {
    std::string name =
        std::filesystem::temp_directory_path() / "nnhal-benchmark-XXXXXX";
    require(::mkdtemp(name.data()) != nullptr, "mkdtemp");
    folder = name;
    const std::filesystem::path program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() /
        "nnhal-service";
    std::vector<std::string> words = {
        program, "--socket=" + socket(), "--device=" + device,
        "--state-dir=" + (folder / "state").string()};
    std::vector<char *> argv;
    for (std::string &word : words)
      argv.push_back(word.data());
    argv.push_back(nullptr);
    require(::posix_spawn(&process, program.c_str(), nullptr, nullptr,
                          argv.data(), environ) == 0,
            "nnhal-service");
  }
  ~ServiceProcess() {
    ::kill(process, SIGTERM);
    ::waitpid(process, nullptr, 0);
    std::filesystem::remove_all(folder);
  }
  ServiceProcess(const ServiceProcess &) = delete;
  ServiceProcess &operator=(const ServiceProcess &) = delete;

  /// The first device, once the service answers.
  std::unique_ptr<Device> connect() const {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      auto devices = connectDevices(socket());
      if (devices.isOk())
        return std::move(devices->front());
      // It has said why.
      if (::waitpid(process, nullptr, WNOHANG) == process) {
        std::filesystem::remove_all(folder);
        std::exit(1);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return std::move(unwrap(connectDevices(socket())).front());
  }

  std::string socket() const { return folder / "socket"; }

private:
  static void require(bool isRight, const char *what) {
    if (isRight)
      return;
    fmt::print(stderr, "error: {} failed\n", what);
    std::exit(1);
  }

  std::filesystem::path folder;
  pid_t process = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_BENCHMARKS_SERVICEPROCESS_H
