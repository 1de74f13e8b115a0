//===- Flatten.cpp - A blob cache as bytes --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/BlobCache.h"

#include <cerrno>
#include <cstring>

using namespace nnhal::rt;

namespace {
// The layout is that of the structures of Android's blob cache, in the
// byte order and with the words of the machine: such a file never travels
// (E-085).
struct Header {
  uint32_t magic;
  uint32_t version;
  uint32_t deviceVersion;
  uint32_t reserved;
  size_t entryCount;
  uint32_t buildIdLength;
  // The build id begins here; the entries where the size of this structure and
  // the length of the id end, aligned.
  uint32_t beginOfBuildId;
};
struct EntryHeader {
  size_t keySize;
  size_t valueSize;
};
} // namespace

static constexpr uint32_t magic = '_' << 24 | 'B' << 16 | 'b' << 8 | '$';
static constexpr uint32_t blobCacheVersion = 3;
static constexpr uint32_t blobCacheDeviceVersion = 1;
static constexpr size_t buildIdOffset = offsetof(Header, beginOfBuildId);

static constexpr size_t alignUp(size_t size) {
  return (size + alignof(size_t) - 1) / alignof(size_t) * alignof(size_t);
}

size_t BlobCache::getFlattenedSize() const {
  size_t size = alignUp(sizeof(Header) + maxBuildId);
  for (const Entry &entry : entries)
    size += alignUp(sizeof(EntryHeader) + entry.size());
  return size;
}

int BlobCache::flatten(std::span<std::byte> buffer) const {
  size_t offset = alignUp(sizeof(Header) + buildId.size());
  // A buffer that is too small, also for the header, is an error (E-086).
  if (buffer.size() < offset)
    return -EINVAL;
  Header header = {magic, blobCacheVersion, blobCacheDeviceVersion,
                   0,     entries.size(),   uint32_t(buildId.size()),
                   0};
  std::memset(buffer.data(), 0, offset);
  std::memcpy(buffer.data(), &header, sizeof(header));
  std::memcpy(buffer.data() + buildIdOffset, buildId.data(), buildId.size());
  for (const Entry &entry : entries) {
    size_t size = alignUp(sizeof(EntryHeader) + entry.size());
    if (size > buffer.size() - offset)
      return -EINVAL;
    std::byte *at = buffer.data() + offset;
    EntryHeader sizes = {entry.key.size(), entry.value.size()};
    // The padding with the rest: it goes to the file and into its checksum.
    std::memset(at, 0, size);
    std::memcpy(at, &sizes, sizeof(sizes));
    std::memcpy(at + sizeof(sizes), entry.key.data(), entry.key.size());
    std::memcpy(at + sizeof(sizes) + entry.key.size(), entry.value.data(),
                entry.value.size());
    offset += size;
  }
  return 0;
}

int BlobCache::readEntries(std::span<const std::byte> rest, uint64_t count) {
  for (; count > 0; --count) {
    EntryHeader sizes;
    if (rest.size() < sizeof(sizes))
      return -EINVAL;
    std::memcpy(&sizes, rest.data(), sizeof(sizes));
    rest = rest.subspan(sizeof(sizes));
    // No sum of these may overflow (E-090).
    if (sizes.keySize > rest.size() ||
        sizes.valueSize > rest.size() - sizes.keySize)
      return -EINVAL;
    size_t size = sizes.keySize + sizes.valueSize;
    size_t padded = alignUp(size); // The header's size is aligned already.
    if (padded > rest.size())
      return -EINVAL;
    set(rest.first(sizes.keySize),
        rest.subspan(sizes.keySize, sizes.valueSize));
    rest = rest.subspan(padded);
  }
  return 0;
}

int BlobCache::unflatten(std::span<const std::byte> buffer) {
  // Entries and their total start from nothing (E-087).
  clear();
  Header header;
  if (buffer.size() < sizeof(header))
    return -EINVAL;
  std::memcpy(&header, buffer.data(), sizeof(header));
  if (header.magic != magic)
    return -EINVAL;
  if (header.version != blobCacheVersion ||
      header.deviceVersion != blobCacheDeviceVersion ||
      header.buildIdLength != buildId.size())
    return 0;
  size_t offset = alignUp(sizeof(Header) + buildId.size());
  if (buffer.size() < offset)
    return -EINVAL;
  if (std::memcmp(buffer.data() + buildIdOffset, buildId.data(),
                  buildId.size()) != 0)
    return 0;
  int status = readEntries(buffer.subspan(offset), header.entryCount);
  if (status != 0)
    clear();
  return status;
}
