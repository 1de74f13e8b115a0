//===- Seccomp.cpp - System calls -----------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Seccomp.h"

#include "SanitizerNeeds.h"

#include "Runtime/Support/Errors.h"

#include <cerrno>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <sched.h>
#include <seccomp.h>
#include <span>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <vector>

using namespace nnhal;
using namespace nnhal::service;
using rt::Status;

// Newer than the headers of some systems; the values are the kernel's.
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

/// The calls that are allowed whatever their arguments. Names that this
/// architecture does not have are passed over.
static constexpr std::string_view calls[] = {
    // Bytes of descriptors.
    "read",
    "readv",
    "pread64",
    "preadv",
    "write",
    "writev",
    "pwrite64",
    "pwritev",
    "lseek",
    "_llseek",
    "close",
    "close_range",
    "dup",
    "dup2",
    "dup3",
    "fcntl",
    "flock",
    "ftruncate",
    "fallocate",
    "fsync",
    "fdatasync",
    "fadvise64",
    "copy_file_range",
    "memfd_create",
    "pipe2",
    // Files by name, which Landlock bounds.
    "open",
    "openat",
    "access",
    "faccessat",
    "faccessat2",
    "stat",
    "lstat",
    "fstat",
    "newfstatat",
    "statx",
    "fstatfs",
    "readlink",
    "readlinkat",
    "getdents64",
    "getcwd",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "rename",
    "renameat",
    "renameat2",
    "mkdir",
    "mkdirat",
    "rmdir",
    "fchmod",
    // Memory that is not executable; see allowExecutable().
    "munmap",
    "mremap",
    "madvise",
    "brk",
    "mlock",
    "munlock",
    "msync",
    // Threads.
    "futex",
    "futex_waitv",
    "set_robust_list",
    "rseq",
    "set_tid_address",
    "gettid",
    "getpid",
    "getppid",
    "sched_yield",
    "sched_getaffinity",
    "sched_setaffinity",
    "sched_getparam",
    "sched_getscheduler",
    "membarrier",
    "exit",
    "exit_group",
    "restart_syscall",
    // Time.
    "clock_gettime",
    "clock_getres",
    "clock_nanosleep",
    "nanosleep",
    "gettimeofday",
    "time",
    // Signals of its own.
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "rt_sigpending",
    "rt_sigtimedwait",
    "sigaltstack",
    "signalfd4",
    // Waiting.
    "epoll_create1",
    "epoll_ctl",
    "epoll_wait",
    "epoll_pwait",
    "epoll_pwait2",
    "poll",
    "ppoll",
    "select",
    "pselect6",
    "eventfd2",
    "timerfd_create",
    "timerfd_settime",
    "timerfd_gettime",
    // Connections that are there.
    "sendmsg",
    "recvmsg",
    "recvfrom",
    "getsockopt",
    "setsockopt",
    "getsockname",
    "getpeername",
    "shutdown",
    // About itself.
    "uname",
    "sysinfo",
    "getrandom",
    "getrlimit",
    "getrusage",
    "getcpu",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
};

/// Requests that prctl() may be given: names of threads and of mappings.
static constexpr int processControls[] = {PR_SET_NAME, PR_GET_NAME, PR_SET_VMA};

/// The ioctl() requests on what clients send, which are buffers of other
/// drivers and their fences, and on sockets and standard error.
static constexpr unsigned long deviceRequests[] = {
    DMA_BUF_IOCTL_SYNC,
    SYNC_IOC_FILE_INFO,
    SYNC_IOC_MERGE,
    FIONREAD,
    FIONBIO,
    FIOCLEX,
    FIONCLEX,
    TCGETS,
};

namespace {
/// Rules that are being collected. The first failure stays.
class Filter {
public:
  Filter() : context(::seccomp_init(SCMP_ACT_ERRNO(EPERM))) {
    if (!context)
      error = ENOMEM;
    set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    // For threads that are there already, too.
    set(SCMP_FLTATR_CTL_TSYNC, 1);
    // A binary tree of numbers: a few steps for every call.
    set(SCMP_FLTATR_CTL_OPTIMIZE, 2);
  }
  Filter(const Filter &) = delete;
  Filter &operator=(const Filter &) = delete;
  ~Filter() { ::seccomp_release(context); }

  void allow(std::string_view name, std::vector<scmp_arg_cmp> conditions = {}) {
    add(SCMP_ACT_ALLOW, name, std::move(conditions));
    count += error == 0;
  }

  void answer(std::string_view name, int number) {
    add(SCMP_ACT_ERRNO(uint32_t(number)), name, {});
  }

  Status load() {
    if (error == 0)
      note(::seccomp_load(context));
    if (error != 0)
      return rt::failure("cannot filter system calls: {}",
                         std::generic_category().message(error));
    return Status::ok();
  }

  size_t size() const { return count; }

private:
  void note(int result) {
    if (result < 0 && error == 0)
      error = -result;
  }

  void set(scmp_filter_attr attribute, uint32_t value) {
    if (error == 0)
      note(::seccomp_attr_set(context, attribute, value));
  }

  void add(uint32_t action, std::string_view name,
           std::vector<scmp_arg_cmp> conditions) {
    // Negative numbers stand for calls that this architecture does not have.
    int number = ::seccomp_syscall_resolve_name(std::string(name).c_str());
    if (number >= 0 && error == 0)
      note(::seccomp_rule_add_array(context, action, number,
                                    unsigned(conditions.size()),
                                    conditions.data()));
  }

  scmp_filter_ctx context;
  int error = 0;
  size_t count = 0;
};
} // namespace

static scmp_arg_cmp isEqual(unsigned argument, uint64_t value) {
  return {argument, SCMP_CMP_EQ, value, 0};
}

/// Whether the bits \p mask of an argument are those of \p value.
static scmp_arg_cmp hasBits(unsigned argument, uint64_t mask, uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

/// Bytes that are written now cannot be executed later, unless a device loads
/// code.
static void allowMappings(Filter &filter, bool executable) {
  constexpr unsigned protection = 2;
  for (std::string_view name : {"mmap", "mmap2", "mprotect"}) {
    if (executable)
      filter.allow(name);
    else
      filter.allow(name, {hasBits(protection, PROT_EXEC, 0)});
  }
}

/// Threads, and neither processes nor namespaces. The flags of clone3() are in
/// memory, where no filter sees them: it does not exist, and the C library then
/// calls clone().
static void allowThreads(Filter &filter) {
  constexpr uint64_t isThread = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND;
  constexpr uint64_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                  CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                                  CLONE_NEWNET;
  filter.allow("clone", {hasBits(0, isThread | namespaces, isThread)});
  filter.answer("clone3", ENOSYS);
  filter.allow("tgkill", {isEqual(0, uint64_t(::getpid()))});
  filter.allow("prlimit64", {isEqual(0, 0), isEqual(2, 0)});
  for (int control : processControls)
    filter.allow("prctl", {isEqual(0, uint64_t(control))});
}

/// Stream sockets of this machine. A datagram socket could send to any name
/// that it likes; these cannot, as connect() is not allowed.
static void allowSockets(Filter &filter) {
  constexpr uint64_t kind = 0xf; // The rest are flags.
  for (std::string_view name : {"socket", "socketpair"})
    filter.allow(name, {isEqual(0, AF_UNIX), hasBits(1, kind, SOCK_STREAM)});
  constexpr unsigned address = 4;
  filter.allow("sendto", {isEqual(address, 0)});
}

static void allowDevices(Filter &filter, const rt::ProcessNeeds &needs) {
  if (!needs.deviceNodes.empty())
    filter.allow("ioctl");
  else
    for (unsigned long request : deviceRequests)
      filter.allow("ioctl", {isEqual(1, request)});
  // The requests for register state, which are consecutive: what there is, what
  // is permitted, and to permit one.
  if (needs.archPrctl)
    for (uint64_t request : {0x1021, 0x1022, 0x1023})
      filter.allow("arch_prctl", {isEqual(0, request)});
}

rt::Result<std::string> service::restrictCalls(const rt::ProcessNeeds &needs) {
  Filter filter;
  for (std::string_view name : calls)
    filter.allow(name);
  for (std::string_view name : sanitizerCalls)
    filter.allow(name);
  allowMappings(filter, needs.executableMemory);
  allowThreads(filter);
  allowSockets(filter);
  allowDevices(filter, needs);
  NNHAL_RETURN_IF_ERROR(filter.load());
  return fmt::format("seccomp: {} rules{}{}{}", filter.size(),
                     needs.executableMemory ? ", executable memory" : "",
                     needs.archPrctl ? ", arch_prctl" : "",
                     hasSanitizer ? ", calls of a sanitizer" : "");
}
