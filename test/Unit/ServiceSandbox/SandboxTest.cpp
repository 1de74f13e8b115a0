//===- SandboxTest.cpp - What the sandbox forbids, tried ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each attempt is made by a process of its own, which has entered the sandbox.
//
//===----------------------------------------------------------------------===//

#include "Service/Sandbox/Sandbox.h"
#include "Service/Sandbox/SanitizerNeeds.h"

#include "../Faults/RefusedCall.h"
#include "Runtime/Caching/IntegrityStore.h"
#include "nnhal/Runtime/CpuDevice.h"
#include "nnhal/Runtime/Memory.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <linux/landlock.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using rt::Status;

namespace {

/// The errno of a system call that failed, 0 of one that did not.
int errorOf(long result) { return result < 0 ? errno : 0; }

/// Calls \p attempt in a process of its own, and returns its result.
std::string tryInProcess(const std::function<std::string()> &attempt) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  pid_t child = ::fork();
  if (child == 0) {
    std::string text = attempt();
    ssize_t written = ::write(ends[1], text.data(), text.size());
    ::_exit(written == ssize_t(text.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  char text[256];
  ssize_t size = ::read(ends[0], text, sizeof(text));
  ::close(ends[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return "the process ended with status " + std::to_string(status);
  return {text, size_t(std::max<ssize_t>(size, 0))};
}

/// Runs \p attempt in a sandbox of \p rules. Returns what it returns, or text
/// about why there is no sandbox.
std::string tryIn(const SandboxRules &rules,
                  const std::function<int()> &attempt) {
  return tryInProcess([&] {
    auto inForce = enterSandbox(rules);
    return inForce.isOk() ? std::to_string(attempt())
                          : inForce.status().message();
  });
}

std::string number(int error) { return std::to_string(error); }

class SandboxTest : public ::testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/nnhal-sandbox-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// A sandbox that may use the folder.
  SandboxRules rules() const { return {{}, {folder}}; }

  std::string folder;
};

struct Attempt {
  const char *name;
  int (*make)();
  int expected = EPERM;
};

int makeSocket(int family, int kind) {
  return errorOf(::socket(family, kind, 0));
}

int openPerformanceCounter() {
  perf_event_attr attributes = {};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  return errorOf(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

int runProgram() {
  char *const arguments[] = {const_cast<char *>("true"), nullptr};
  return errorOf(::execve("/bin/true", arguments, nullptr));
}

int runMemory() {
  int file = ::memfd_create("program", 0);
  char *const arguments[] = {const_cast<char *>("program"), nullptr};
  return errorOf(
      ::syscall(SYS_execveat, file, "", arguments, nullptr, AT_EMPTY_PATH));
}

int connectSomewhere() {
  int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, "/run/nothing");
  return errorOf(
      ::connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)));
}

int mapCode() {
  void *map = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return map == MAP_FAILED ? errno : 0;
}

int makeCode() {
  void *map = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return errorOf(::mprotect(map, 4096, PROT_READ | PROT_EXEC));
}

int askForTiles() {
#ifdef SYS_arch_prctl
  return errorOf(::syscall(SYS_arch_prctl, 0x1023, 18));
#else
  return EPERM; // Other processors have no such call.
#endif
}

int pushInput() {
  char letter = 'x';
  return errorOf(::ioctl(STDERR_FILENO, TIOCSTI, &letter));
}

int signalParent() { return errorOf(::kill(::getppid(), 0)); }

int makeProcess() { return errorOf(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }

int call(long number, long argument = 0) {
  return errorOf(::syscall(number, argument, 0, 0, 0, 0, 0));
}

constexpr Attempt attempts[] = {
    {"execve", runProgram},
    {"execveat", runMemory},
    {"fork", makeProcess},
    {"clone of a name space",
     [] { return call(SYS_clone, CLONE_NEWUSER | SIGCHLD); }},
    {"thread in a name space",
     [] {
       return call(SYS_clone,
                   CLONE_THREAD | CLONE_VM | CLONE_SIGHAND | CLONE_NEWNET);
     }},
    {"clone3", [] { return call(SYS_clone3); }, ENOSYS},
    {"unshare", [] { return errorOf(::unshare(CLONE_NEWUSER)); }},
    {"setns", [] { return call(SYS_setns); }},
    {"ptrace", [] { return call(SYS_ptrace); }},
    {"process_vm_readv", [] { return call(SYS_process_vm_readv); }},
    {"process_vm_writev", [] { return call(SYS_process_vm_writev); }},
    {"pidfd_getfd", [] { return call(SYS_pidfd_getfd); }},
    {"kill", signalParent},
    {"tgkill",
     [] {
       return errorOf(::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0));
     }},
    {"prlimit of another process",
     [] {
       return errorOf(
           ::syscall(SYS_prlimit64, ::getppid(), 0, nullptr, nullptr));
     }},
    {"mount", [] { return call(SYS_mount); }},
    {"umount2", [] { return call(SYS_umount2); }},
    {"pivot_root", [] { return call(SYS_pivot_root); }},
    {"chroot", [] { return call(SYS_chroot); }},
    {"open_by_handle_at", [] { return call(SYS_open_by_handle_at); }},
    {"keyctl", [] { return call(SYS_keyctl); }},
    {"add_key", [] { return call(SYS_add_key); }},
    {"bpf", [] { return call(SYS_bpf); }},
    {"perf_event_open", openPerformanceCounter},
    {"userfaultfd", [] { return call(SYS_userfaultfd); }},
    {"io_uring_setup", [] { return call(SYS_io_uring_setup, 1); }},
    {"init_module", [] { return call(SYS_init_module); }},
    {"kexec_load", [] { return call(SYS_kexec_load); }},
    {"setuid", [] { return call(SYS_setuid); }},
    {"capset", [] { return call(SYS_capset); }},
    {"seccomp", [] { return call(SYS_seccomp); }},
    {"socket of IPv4", [] { return makeSocket(AF_INET, SOCK_STREAM); }},
    {"socket of IPv6", [] { return makeSocket(AF_INET6, SOCK_DGRAM); }},
    {"socket of netlink", [] { return makeSocket(AF_NETLINK, SOCK_RAW); }},
    {"datagram socket", [] { return makeSocket(AF_UNIX, SOCK_DGRAM); }},
    {"connect", connectSomewhere},
    {"executable mapping", mapCode},
    {"mapping made executable", makeCode},
    {"arch_prctl", askForTiles},
    {"input of a terminal", pushInput},
    {"prctl", [] { return errorOf(::prctl(PR_SET_SECCOMP, 1)); }},
};

TEST_F(SandboxTest, CallsAreForbidden) {
  for (const Attempt &attempt : attempts)
    EXPECT_EQ(tryIn(rules(), attempt.make), number(attempt.expected))
        << attempt.name;
}

// A test of the tests above: these calls fail for no other reason.
TEST_F(SandboxTest, OutsideTheyAreNot) {
  EXPECT_EQ(mapCode(), 0);
  EXPECT_EQ(makeCode(), 0);
  EXPECT_EQ(makeSocket(AF_INET, SOCK_STREAM), 0);
  EXPECT_EQ(signalParent(), 0);
}

TEST_F(SandboxTest, FilesAreForbidden) {
  auto opening = [](const char *path, int flags) {
    return [=] { return errorOf(::open(path, flags, 0600)); };
  };
  for (const char *path : {"/etc/passwd", "/proc/1/status", "/", "/dev/null"}) {
    if (hasSanitizer && std::string_view(path).starts_with("/proc"))
      continue;
    EXPECT_EQ(tryIn(rules(), opening(path, O_RDONLY)), number(EACCES)) << path;
  }
  EXPECT_EQ(tryIn(rules(), opening("/tmp/nnhal-other", O_RDWR | O_CREAT)),
            number(EACCES));
  auto leaving = [this] {
    return errorOf(::symlink("/etc/passwd", (folder + "/link").c_str()));
  };
  EXPECT_EQ(tryIn(rules(), leaving), number(EPERM));
}

// Devices name their build by these.
TEST_F(SandboxTest, FilesOfTheProgramCanBeRead) {
  std::string program = std::filesystem::read_symlink("/proc/self/exe");
  auto open = [&] { return errorOf(::open(program.c_str(), O_RDONLY)); };
  EXPECT_EQ(tryIn(rules(), open), "0");
  std::string parent = std::filesystem::path(program).parent_path();
  auto list = [&] { return errorOf(::open(parent.c_str(), O_RDONLY)); };
  EXPECT_EQ(tryIn(rules(), list), number(EACCES));
}

// The rules under which drivers start threads: files of the system can be read,
// and nothing but the folder changed, which the sandbox narrows to the folder.
TEST_F(SandboxTest, ItCanBeginWithFilesThatAreRead) {
  std::string place = folder + "/file";
  auto opening = [](const std::string &path, int flags) {
    return number(errorOf(::open(path.c_str(), flags | O_CLOEXEC, 0600))) + " ";
  };
  std::string results = tryInProcess([&] {
    SandboxRules first = rules();
    first.readable = {"/"};
    Status begun = beginSandbox(first);
    std::string text = begun.message() + opening("/etc/passwd", O_RDONLY) +
                       opening(place, O_RDWR | O_CREAT) +
                       opening("/tmp/nnhal-other", O_RDWR | O_CREAT);
    auto inForce = enterSandbox(rules());
    return text + inForce.status().message() + opening(place, O_RDWR) +
           opening("/etc/passwd", O_RDONLY);
  });
  const std::string denied = number(EACCES) + " ";
  EXPECT_EQ(results, "0 0 " + denied + "0 " + denied);
}

TEST_F(SandboxTest, TheFolderIsUsable) {
  auto use = [this] {
    std::string path = folder + "/file";
    int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0 || ::write(fd, "x", 1) != 1 || ::ftruncate(fd, 10) != 0 ||
        ::fsync(fd) != 0)
      return errno;
    std::string other = folder + "/other";
    return errorOf(::rename(path.c_str(), other.c_str())) +
           errorOf(::unlink(other.c_str()));
  };
  EXPECT_EQ(tryIn(rules(), use), "0");
}

// E-059: the device remembers what it wrote.
TEST_F(SandboxTest, TheIntegrityStoreWorks) {
  auto use = [this] {
    rt::cache::IntegrityStore::Options options;
    options.directory = folder;
    options.name = "device";
    auto store = rt::cache::IntegrityStore::open(options);
    if (!store.isOk() || !(*store)->record({1}, {2}).isOk())
      return 1;
    auto known = (*store)->isRecorded({1}, {2});
    return known.isOk() && *known ? 0 : 2;
  };
  EXPECT_EQ(tryIn(rules(), use), "0");
}

TEST_F(SandboxTest, ThreadsAndConnectionsWork) {
  auto use = [] {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return errno;
    int received = 0;
    std::thread thread([&] {
      char letter = 0;
      received = ::read(ends[1], &letter, 1) == 1 ? letter : -errno;
    });
    ssize_t sent = ::send(ends[0], "x", 1, MSG_NOSIGNAL);
    thread.join();
    return sent == 1 && received == 'x' ? 0 : 1;
  };
  EXPECT_EQ(tryIn(rules(), use), "0");
}

TEST_F(SandboxTest, TheFilterHoldsForThreadsThatAreThere) {
  int error = -1;
  pid_t child = ::fork();
  if (child == 0) {
    std::atomic<bool> isIn = false;
    std::thread thread([&] {
      while (!isIn)
        std::this_thread::yield();
      error = makeSocket(AF_INET, SOCK_STREAM);
    });
    isIn = enterSandbox(rules()).isOk();
    thread.join();
    ::_exit(error);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), EPERM);
}

TEST_F(SandboxTest, DevicesGetWhatTheyDeclare) {
  SandboxRules code = rules();
  code.needs.executableMemory = true;
  EXPECT_EQ(tryIn(code, mapCode), "0");
  EXPECT_EQ(tryIn(code, makeCode), "0");
  EXPECT_EQ(tryIn(code, runProgram), number(EPERM));

  SandboxRules tiles = rules();
  tiles.needs.archPrctl = true;
#ifdef SYS_arch_prctl
  // A processor without tiles answers EINVAL, and a kernel ENOTSUPP.
  EXPECT_NE(tryIn(tiles, askForTiles), number(EPERM));
  auto setSegment = [] { return call(SYS_arch_prctl, 0x1002); };
  EXPECT_EQ(tryIn(tiles, setSegment), number(EPERM));
#endif

  SandboxRules node = rules();
  node.needs.deviceNodes = {"/dev/null"};
  auto open = [] { return errorOf(::open("/dev/null", O_RDWR)); };
  EXPECT_EQ(tryIn(node, open), "0");
  auto openOther = [] { return errorOf(::open("/dev/zero", O_RDWR)); };
  EXPECT_EQ(tryIn(node, openOther), number(EACCES));
}

TEST_F(SandboxTest, BuiltInDevicesDeclareTheirNeeds) {
  EXPECT_EQ(rt::createReferenceDevice()->traits().needs, rt::ProcessNeeds());
  rt::ProcessNeeds cpu = rt::createCpuDevice()->traits().needs;
  EXPECT_TRUE(cpu.executableMemory);
  EXPECT_TRUE(cpu.archPrctl);
  EXPECT_TRUE(cpu.deviceNodes.empty());
}

/// The text of enterSandbox() about its layer \p index while \p refused fails.
std::string layerWithout(const rt::test::RefusedCall &refused,
                         const SandboxRules &rules, size_t index) {
  return rt::test::textWithout(refused, [&]() -> std::string {
    auto inForce = enterSandbox(rules);
    return inForce.isOk() ? inForce->at(index) : inForce.status().message();
  });
}

TEST_F(SandboxTest, ItSaysWhatIsInForce) {
  constexpr rt::test::RefusedCall none = {-1, 0};
  EXPECT_EQ(layerWithout(none, rules(), 0), "no new privileges");
  EXPECT_EQ(layerWithout(none, rules(), 1), "no capabilities");
  long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0,
                       LANDLOCK_CREATE_RULESET_VERSION);
  ASSERT_GE(abi, 1);
  EXPECT_EQ(layerWithout(none, rules(), 2),
            "Landlock ABI " + std::to_string(abi) +
                ": 1 folders, 0 device nodes" + (abi >= 4 ? ", no TCP" : "") +
                (abi >= 6 ? ", no signals to others" : ""));
  SandboxRules code = rules();
  code.needs.executableMemory = true;
  std::string filter = layerWithout(none, code, 3);
  EXPECT_TRUE(filter.starts_with("seccomp: ")) << filter;
  EXPECT_TRUE(filter.ends_with(std::string(" rules, executable memory") +
                               (hasSanitizer ? ", calls of a sanitizer" : "")))
      << filter;
}

// Kernels without Landlock have the other layers.
TEST_F(SandboxTest, LayersThatCannotBeMadeAreNamed) {
  EXPECT_EQ(layerWithout({SYS_landlock_create_ruleset, ENOSYS}, rules(), 2),
            "no Landlock: Function not implemented");
  EXPECT_EQ(layerWithout({SYS_capset, EPERM}, rules(), 0),
            "cannot drop capabilities: Operation not permitted");
  EXPECT_EQ(layerWithout({SYS_landlock_add_rule, ENOMEM}, rules(), 0),
            "cannot allow '" + folder +
                "' in the sandbox: Cannot allocate memory");
  std::string abi =
      std::to_string(::syscall(SYS_landlock_create_ruleset, nullptr, 0,
                               LANDLOCK_CREATE_RULESET_VERSION));
  EXPECT_EQ(
      layerWithout({SYS_landlock_create_ruleset, ENOMEM, true}, rules(), 0),
      "cannot make Landlock's rules (ABI " + abi + "): Cannot allocate memory");
  EXPECT_EQ(layerWithout({SYS_landlock_restrict_self, E2BIG}, rules(), 0),
            "cannot enter Landlock's rules (ABI " + abi +
                "): Argument list too long");
  std::string filter = layerWithout({SYS_seccomp, EPERM}, rules(), 0);
  EXPECT_TRUE(filter.starts_with("cannot filter system calls: ")) << filter;
}

TEST_F(SandboxTest, FailuresNameThePlace) {
  EXPECT_EQ(tryIn({{}, {"/nonexistent"}}, [] { return 0; }),
            "cannot open '/nonexistent' for the sandbox: No such file or "
            "directory");
  auto again = [this] {
    auto second = enterSandbox(rules());
    return second.status().message() ==
                   "cannot give up new privileges: Operation not permitted"
               ? 0
               : 1;
  };
  EXPECT_EQ(tryIn(rules(), again), "0");
}

} // namespace
