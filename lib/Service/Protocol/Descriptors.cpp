//===- Descriptors.cpp - Descriptors as capabilities ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptors.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <kj/vector.h>

#include <utility>

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::UniqueFd;

namespace {
class DescriptorServer final : public wire::Descriptor::Server {
public:
  explicit DescriptorServer(UniqueFd fd) : fd(std::move(fd)) {}
  kj::Maybe<int> getFd() override { return fd.get(); }

private:
  UniqueFd fd;
};
} // namespace

wire::Descriptor::Client service::makeDescriptor(UniqueFd fd) {
  return kj::heap<DescriptorServer>(std::move(fd));
}

/// A descriptor of the caller's own; the one of the capability lives as long as
/// that.
static kj::Promise<Result<UniqueFd>> take(NamedDescriptor named) {
  kj::Promise<kj::Maybe<int>> arrived = named.capability.getFd();
  auto missing = [name = named.name] {
    return rt::badData("{} came without a descriptor", name);
  };
  auto duplicated = [missing, capability = kj::mv(named.capability)](
                        kj::Maybe<int> found) -> Result<UniqueFd> {
    KJ_IF_MAYBE (fd, found)
      return rt::duplicate(*fd);
    return missing();
  };
  return arrived.then(
      kj::mv(duplicated),
      [missing](kj::Exception &&) -> Result<UniqueFd> { return missing(); });
}

kj::Promise<Result<std::vector<UniqueFd>>>
service::takeDescriptors(std::vector<NamedDescriptor> named, uint32_t limit) {
  using Taken = Result<std::vector<UniqueFd>>;
  if (named.size() > limit)
    return Taken(
        rt::badData("a message carries {} descriptors where {} are allowed",
                    named.size(), limit));
  kj::Vector<kj::Promise<Result<UniqueFd>>> promises(named.size());
  for (NamedDescriptor &one : named)
    promises.add(take(std::move(one)));
  return kj::joinPromises(promises.releaseAsArray())
      .then([](kj::Array<Result<UniqueFd>> found) -> Taken {
        std::vector<UniqueFd> taken;
        taken.reserve(found.size());
        for (Result<UniqueFd> &one : found) {
          NNHAL_ASSIGN_OR_RETURN(taken.emplace_back(), std::move(one));
        }
        return taken;
      });
}
