//===- ExecutionCostTest.cpp - What an execution asks of the machine ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes step by step: the processor traps after each instruction, and the
// handler of the trap looks at the next one.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Device.h"

#include "AdditionModel.h"
#include "FakeEngine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <thread>
#include <ucontext.h>
#include <vector>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

/// Instructions by what they cost beyond the processor's own time.
struct Count {
  unsigned steps = 0;
  /// Reads and writes of memory that exclude those of other processors.
  unsigned atomics = 0;
  unsigned systemCalls = 0;
  unsigned clocks = 0;
};
Count count;

bool isPrefix(uint8_t byte) {
  return byte == 0x66 || byte == 0x67 || byte == 0xF2 || byte == 0xF3 ||
         byte == 0x2E || byte == 0x36 || byte == 0x3E || byte == 0x26 ||
         byte == 0x64 || byte == 0x65;
}

void look(const uint8_t *code) {
  ++count.steps;
  bool isLocked = false;
  for (; isPrefix(*code) || *code == 0xF0; ++code)
    isLocked |= *code == 0xF0;
  if ((*code & 0xF0) == 0x40)
    ++code;
  // An exchange with memory is locked without the prefix.
  bool isExchange = (*code == 0x86 || *code == 0x87) && code[1] < 0xC0;
  count.atomics += isLocked || isExchange ? 1 : 0;
  if (*code != 0x0F)
    return;
  count.systemCalls += code[1] == 0x05 ? 1 : 0;
  count.clocks +=
      code[1] == 0x31 || (code[1] == 0x01 && code[2] == 0xF9) ? 1 : 0;
}

void stepped(int, siginfo_t *, void *context) {
  auto *state = static_cast<ucontext_t *>(context);
  look(reinterpret_cast<const uint8_t *>(state->uc_mcontext.gregs[REG_RIP]));
}

/// Counts the instructions that \p work executes.
template <typename Work> Count countOf(Work &&work) {
  struct sigaction action = {}, before = {};
  action.sa_sigaction = stepped;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, &before);
  // A trap that is blocked ends the process.
  sigset_t traps, mask;
  sigemptyset(&traps);
  sigaddset(&traps, SIGTRAP);
  pthread_sigmask(SIG_UNBLOCK, &traps, &mask);
  count = {};
  // Bit 8 of the flags is the one that traps. The red zone below the stack is
  // the compiler's, so that the flags go beyond it.
  asm volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\t"
               "popfq\n\tlea 128(%%rsp), %%rsp" ::
                   : "memory", "cc");
  work();
  asm volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tandq $~0x100, (%%rsp)\n\t"
               "popfq\n\tlea 128(%%rsp), %%rsp" ::
                   : "memory", "cc");
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  sigaction(SIGTRAP, &before, nullptr);
  return count;
}

TEST(ExecutionCostTest, countsWhatItIsToFind) {
  std::atomic<unsigned> number = 0;
  Count found = countOf([&] {
    number.fetch_add(1);
    (void)number.exchange(2);
    number.store(3, std::memory_order_release);
    asm volatile("rdtsc" ::: "rax", "rdx");
    asm volatile("syscall" ::"a"(39) : "rcx", "r11", "memory"); // getpid
  });
  EXPECT_EQ(found.atomics, 2u);
  EXPECT_EQ(found.clocks, 1u);
  EXPECT_EQ(found.systemCalls, 1u);
}

// One to take the slot and one to give it back.
TEST(ExecutionCostTest, takesTwoAtomicOperationsAndNothingElse) {
  auto device =
      createDevice(std::make_unique<OneModelBackend<AdditionModel>>(), {});
  auto model = device->prepareModel(reluModel(1, 1));
  ASSERT_TRUE(model.isOk()) << model.status().message();
  float input = 4, output = 0;
  Request request;
  request.inputs = {{Memory::borrow(std::as_bytes(std::span(&input, 1))), {}}};
  request.outputs = {
      {OutputMemory::borrow(std::as_writable_bytes(std::span(&output, 1))),
       {}}};
  ExecutionResult result;
  // The C++ library leaves atomic operations out while there is one thread.
  std::thread([] {}).join();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ((*model)->execute(request, result).message(), "");
  output = 0;
  bool isOk = false;
  Count found =
      countOf([&] { isOk = (*model)->execute(request, result).isOk(); });
  EXPECT_TRUE(isOk);
  EXPECT_EQ(output, 5);
  EXPECT_GT(found.steps, 100u);
  EXPECT_EQ(found.atomics, 2u);
  EXPECT_EQ(found.systemCalls, 0u);
  EXPECT_EQ(found.clocks, 0u);
}

} // namespace
