//===- Child.cpp - Processes of the service -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Child.h"

#include "Runtime/Support/Errors.h"
#include "Service/Protocol/Channel.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using rt::UniqueFd;

std::string service::describeEnd(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

std::vector<std::string> service::inheritedEnvironment() {
  std::vector<std::string> variables;
  for (const char *name :
       {"LD_LIBRARY_PATH", "NNHAL_COMPILER", "NNHAL_VLOG", "VK_DRIVER_FILES",
        "VK_ICD_FILENAMES", "CUDA_VISIBLE_DEVICES", "ASAN_OPTIONS",
        "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"})
    if (const char *value = std::getenv(name))
      variables.push_back(fmt::format("{}={}", name, value));
  return variables;
}

static std::vector<char *> pointersTo(const std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string &text : texts)
    pointers.push_back(const_cast<char *>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

namespace {
/// All that the new process needs before it is another program. Between fork()
/// and exec() nothing may be allocated.
struct Launch {
  char *const *arguments;
  char *const *environment;
  int channel;
  int null;
  pid_t parent;
};
} // namespace

static void setSignals() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ})
    (void)::signal(signal, SIG_IGN);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

static bool setDescriptors(const Launch &launch) {
  if (::dup2(launch.null, STDIN_FILENO) < 0 ||
      ::dup2(launch.null, STDOUT_FILENO) < 0)
    return false;
  // dup2() to the same number would leave it to be closed.
  bool isMoved = launch.channel == childChannel
                     ? ::fcntl(childChannel, F_SETFD, 0) == 0
                     : ::dup2(launch.channel, childChannel) == childChannel;
  return isMoved && ::close_range(childChannel + 1, ~0u, 0) == 0;
}

[[noreturn]] static void becomeProgram(const Launch &launch) {
  setSignals();
  // The supervisor may have died before the first call.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == launch.parent &&
      setDescriptors(launch))
    ::execve("/proc/self/exe", launch.arguments, launch.environment);
  constexpr std::string_view text =
      "error: cannot start a process of the service\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(127);
}

rt::Result<LaunchedProcess> service::launch(const ChildProgram &program) {
  NNHAL_ASSIGN_OR_RETURN(SocketPair sockets, makeSocketPair());
  UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.isValid())
    return rt::outOfResources("cannot open '/dev/null': {}",
                              std::generic_category().message(errno));
  std::vector<std::string> texts = program.arguments;
  texts.insert(texts.begin(), "nnhal-service");
  std::vector<char *> arguments = pointersTo(texts);
  std::vector<char *> environment = pointersTo(program.environment);
  Launch details = {arguments.data(), environment.data(), sockets.ends[1].get(),
                    null.get(), ::getpid()};
  pid_t process = ::fork();
  if (process < 0)
    return rt::outOfResources("cannot make a process: {}",
                              std::generic_category().message(errno));
  if (process == 0)
    becomeProgram(details);
  return LaunchedProcess{process, std::move(sockets.ends[0])};
}

rt::Result<std::unique_ptr<Child>> Child::start(const ChildProgram &program,
                                                kj::UnixEventPort &port) {
  NNHAL_ASSIGN_OR_RETURN(LaunchedProcess launched, launch(program));
  return std::unique_ptr<Child>(new Child(std::move(launched), port));
}

static kj::Promise<std::string>
watch(kj::UnixEventPort &port, std::shared_ptr<kj::Maybe<pid_t>> process) {
  kj::Promise<int> exit = port.onChildExit(*process);
  return exit.attach(std::move(process)).then([](int status) {
    return describeEnd(status);
  });
}

Child::Child(LaunchedProcess launched, kj::UnixEventPort &port)
    : id(std::make_shared<kj::Maybe<pid_t>>(launched.process)),
      channel(std::move(launched.channel)), ended(watch(port, id).fork()) {}

Child::~Child() noexcept { kill(); }

pid_t Child::process() const {
  KJ_IF_MAYBE (process, *id)
    return *process;
  return 0;
}

void Child::kill() {
  if (pid_t running = process())
    ::kill(running, SIGKILL);
}
