//===- ServiceProcess.cpp - A service of a test's own ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceProcess.h"

#include "nnhal/Runtime/Service.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::test;
namespace fs = std::filesystem;

static size_t countEntries(const fs::path &folder) {
  std::error_code error;
  size_t count = 0;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    ++count;
  return count;
}

static size_t countLines(const fs::path &file) {
  std::ifstream lines(file);
  size_t count = 0;
  for (std::string line; std::getline(lines, line);)
    ++count;
  return count;
}

Holdings test::holdingsOf(pid_t process) {
  fs::path folder = fmt::format("/proc/{}", process);
  std::ifstream statm(folder / "statm");
  size_t size = 0, resident = 0;
  statm >> size >> resident;
  return {.threads = countEntries(folder / "task"),
          .descriptors = countEntries(folder / "fd"),
          .mappings = countLines(folder / "maps"),
          .residentKilobytes = resident * size_t(::getpagesize()) / 1024};
}

int test::lengthOfTest(int normal, int all) {
  return std::getenv("NNHAL_TEST_ALL") ? all : normal;
}

ServiceProcess::ServiceProcess(std::vector<std::string> arguments)
    : arguments(std::move(arguments)) {
  std::string name = fs::temp_directory_path() / "nnhal-service-XXXXXX";
  EXPECT_NE(::mkdtemp(name.data()), nullptr);
  folder = name;
  start();
}

ServiceProcess::~ServiceProcess() {
  if (child != 0)
    stop(SIGTERM);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

void ServiceProcess::start() {
  std::vector<std::string> words = {
      NNHAL_SERVICE_PROGRAM, "--socket=" + socket(),
      "--state-dir=" + (folder / "state").string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  ASSERT_EQ(::posix_spawn(&child, NNHAL_SERVICE_PROGRAM, nullptr, nullptr,
                          argv.data(), environ),
            0);
  std::string message;
  EXPECT_TRUE(eventually([&] {
    auto devices = connectDevices(socket());
    message = devices.status().message();
    return devices.isOk();
  })) << message;
}

int ServiceProcess::stop(int signal) {
  int status = 0;
  ::kill(child, signal);
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  child = 0;
  return status;
}

/// The parent of \p process, or 0.
static pid_t parentOf(const fs::path &process) {
  std::ifstream file(process / "stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  // The name, in parentheses, may contain anything.
  size_t end = text.rfind(')');
  if (end == std::string::npos)
    return 0;
  char state = 0;
  int parent = 0;
  return std::sscanf(text.c_str() + end + 1, " %c %d", &state, &parent) == 2 &&
                 state != 'Z'
             ? parent
             : 0;
}

pid_t ServiceProcess::hostOf(std::string_view device) const {
  const std::string argument = fmt::format("--host={}", device);
  std::error_code error;
  for (const fs::directory_entry &entry :
       fs::directory_iterator("/proc", error)) {
    pid_t process = std::atoi(entry.path().filename().c_str());
    if (process == 0 || parentOf(entry.path()) != child)
      continue;
    std::ifstream file(entry.path() / "cmdline");
    for (std::string word; std::getline(file, word, '\0');)
      if (word == argument)
        return process;
  }
  return 0;
}

std::vector<std::unique_ptr<Device>> ServiceProcess::connect() const {
  auto devices = connectDevices(socket());
  EXPECT_TRUE(devices.isOk()) << devices.status().message();
  return devices.isOk() ? *std::move(devices)
                        : std::vector<std::unique_ptr<Device>>();
}

std::unique_ptr<Device> ServiceProcess::connect(std::string_view device) const {
  for (std::unique_ptr<Device> &found : connect())
    if (found->name() == device)
      return std::move(found);
  ADD_FAILURE() << "the service has no device " << device;
  return nullptr;
}
