//===- Message.h - What is sent of a buffer ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_NATIVEWINDOW_MESSAGE_H
#define NNHAL_LIB_NATIVEWINDOW_MESSAGE_H

#include <android/hardware_buffer.h>

#include <array>
#include <cstdint>
#include <type_traits>

namespace nnhal::nativewindow {

constexpr std::array<char, 8> messageMagic = {'N', 'N', 'H', 'A',
                                              'L', 'A', 'H', 'B'};
constexpr uint32_t messageVersion = 1;

/// The bytes of a message, in the byte order of the machine that both processes
/// run on. One descriptor comes beside them.
struct Message {
  std::array<char, 8> magic = messageMagic;
  uint32_t version = messageVersion;
  uint32_t reserved = 0;
  uint64_t id = 0;
  AHardwareBuffer_Desc desc = {};
};
static_assert(std::is_trivially_copyable_v<Message> && sizeof(Message) == 64 &&
              std::has_unique_object_representations_v<Message>);

} // namespace nnhal::nativewindow

#endif // NNHAL_LIB_NATIVEWINDOW_MESSAGE_H
