//===- BurstPackets.cpp - Fuzzes queues and packets of bursts -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// L-084. The first byte of an input chooses what the rest is: a packet of
// requests or of results, what a peer writes to the queue of a server, or the
// memory of a queue.
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"
#include "Unit/Burst/SampleModel.h"

#include "Runtime/Burst/BurstServer.h"
#include "Runtime/Fifo/Fifo.h"
#include "nnhal/Runtime/PreparedModel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::fuzz;
using test::SumPool;

template <typename Datum>
static std::vector<Datum> elementsOf(std::span<const std::byte> bytes) {
  std::vector<Datum> elements(bytes.size() / sizeof(Datum));
  if (!elements.empty())
    std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(Datum));
  return elements;
}

/// A packet that is read is what is written of it.
template <typename Content, typename Datum>
static void readOne(std::span<const std::byte> bytes) {
  std::vector<Datum> packet = elementsOf<Datum>(bytes);
  Content content;
  Status status = readPacket(packet, content);
  requireReason(status);
  if (!status.isOk())
    return;
  std::vector<Datum> written;
  writePacket(content, written);
  Content again;
  require(readPacket(std::span<const Datum>(written), again).isOk(),
          "a packet that was written cannot be read");
  require(again == content, "a round trip changes a packet");
}

static void split(std::span<const std::byte> bytes) {
  std::vector<RequestDatum> elements = elementsOf<RequestDatum>(bytes);
  std::vector<std::span<const RequestDatum>> packets;
  Status status = splitPackets(elements, packets);
  requireReason(status);
  size_t count = 0;
  for (const auto &packet : packets)
    count += packet.size();
  require(!status.isOk() || count == elements.size(),
          "packets do not account for all elements");
}

namespace {
/// Gives one memory for the slots 0 and 1, and another one, whose descriptor is
/// too short, for slot 2.
class FewMemories final : public BurstCallback {
public:
  FewMemories() : small(*SharedMemory::createAshmem(8)) {}
  Result<std::vector<std::shared_ptr<SharedMemory>>>
  getMemories(std::span<const int32_t> slots) override {
    std::vector<std::shared_ptr<SharedMemory>> found;
    for (int32_t slot : slots) {
      if (slot < 0 || slot > 2)
        return Status(StatusCode::invalidArgument, "no such slot");
      found.push_back(slot == 2 ? small : sum.pool);
    }
    return found;
  }

private:
  SumPool sum;
  std::shared_ptr<SharedMemory> small;
};
} // namespace

/// A server gets the elements as one peer or another writes them, and must end.
static void serve(std::span<const std::byte> bytes) {
  static const PreparedModelRef model = test::prepareSum();
  static const auto memories = std::make_shared<FewMemories>();
  auto requests = FifoMemory::create(64, sizeof(RequestDatum));
  auto results = FifoMemory::create(32, sizeof(ResultDatum));
  require(requests.isOk() && results.isOk(), "no memory for queues");
  auto context = serveBurst(
      createBurstExecutor(model, BurstCache::memories), memories,
      {*duplicate(requests->fd()), *duplicate(results->fd())},
      {.pollingWindow = std::chrono::microseconds(0), .log = nullptr});
  require(context.isOk(), context.status().message());
  std::vector<RequestDatum> elements = elementsOf<RequestDatum>(bytes);
  FifoWriter<RequestDatum> writer(*std::move(requests));
  FifoReader<ResultDatum> reader(*std::move(results));
  std::vector<std::span<const RequestDatum>> packets;
  bool isWhole = splitPackets(elements, packets).isOk();
  if (!isWhole)
    packets.assign(1, elements);
  std::vector<ResultDatum> answer;
  for (std::span<const RequestDatum> packet : packets) {
    if (packet.empty() || !writer.tryWrite(packet).isOk())
      break;
    // Everything that is read is answered (G-052, G-062).
    Status read = reader.readBlocking(answer, std::chrono::microseconds(200));
    require(read.isOk(), "a server writes no result");
    BurstResult result;
    require(readPacket(std::span<const ResultDatum>(answer), result).isOk(),
            "a server writes a result that cannot be read");
  }
  (*context)->freeMemory(packets.empty() ? 0 : int32_t(packets.size()));
}

/// The memory of a queue as another process made it.
static void openMemory(std::span<const std::byte> bytes) {
  int fd = ::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  UniqueFd owned(fd);
  std::vector<std::byte> contents(bytes.begin(), bytes.end());
  // The fields that every queue has are mostly right.
  if (contents.size() >= sizeof(FifoHeader)) {
    auto *header = reinterpret_cast<FifoHeader *>(contents.data());
    bool isRight = contents[200] < std::byte(224);
    if (isRight) {
      header->magic = fifoMagic;
      header->version = fifoVersion;
      header->elementSize = sizeof(RequestDatum);
      header->capacity = uint32_t((contents.size() - sizeof(FifoHeader)) /
                                  sizeof(RequestDatum));
      contents.resize(sizeof(FifoHeader) +
                      header->capacity * sizeof(RequestDatum));
    }
  }
  if (::ftruncate(fd, off_t(contents.size())) != 0 ||
      ::pwrite(fd, contents.data(), contents.size(), 0) !=
          ssize_t(contents.size()))
    return;
  (void)::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  auto memory = FifoMemory::open(std::move(owned), sizeof(RequestDatum));
  requireReason(memory.status());
  if (!memory.isOk())
    return;
  FifoReader<RequestDatum> reader(*std::move(memory));
  std::vector<RequestDatum> elements;
  requireReason(reader.tryRead(elements));
  require(elements.size() <= reader.capacity(),
          "a reader takes out more than there is room for");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  std::span<const std::byte> rest = bytesOf(data, size).subspan(1);
  switch (data[0] % 5) {
  case 0:
    readOne<BurstRequest, RequestDatum>(rest);
    break;
  case 1:
    readOne<BurstResult, ResultDatum>(rest);
    break;
  case 2:
    split(rest);
    break;
  case 3:
    openMemory(rest);
    break;
  default:
    serve(rest);
    break;
  }
  return 0;
}

/// Changes a word of an element, or puts in, takes out or repeats one, so that
/// the others keep their places.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  Random random(seed);
  constexpr size_t width = sizeof(RequestDatum);
  if (size < 1 + width || random.oneOf(4))
    return LLVMFuzzerMutate(data, size, maxSize);
  size_t count = (size - 1) / width;
  uint8_t *element = data + 1 + random.below(count) * width;
  switch (random.below(6)) {
  case 0:
    element[0] = uint8_t(random.below(9));
    return size;
  case 1:
    if (size + width <= maxSize) {
      std::memmove(element + width, element, size_t(data + size - element));
      return size + width;
    }
    return size;
  case 2:
    std::memmove(element, element + width,
                 size_t(data + size - element) - width);
    return size - width;
  case 3: {
    // The size that the packet states, made right.
    auto words = uint32_t(count);
    std::memcpy(data + 1 + 4, &words, sizeof(words));
    return size;
  }
  default: {
    auto number = uint32_t(unusualNumber(random));
    std::memcpy(element + 4 + 4 * random.below(5), &number, sizeof(number));
    return size;
  }
  }
}
