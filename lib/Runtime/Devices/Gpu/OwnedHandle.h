//===- OwnedHandle.h - Objects of drivers -----------------------*- C++ -*-===//
//-*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_OWNEDHANDLE_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_OWNEDHANDLE_H

#include <memory>
#include <utility>

namespace nnhal::rt {

/// An object of a driver that destroys itself, by Engine::destroy() with the
/// driver's function \p Destroy.
///
/// Ownership: move-only; shares the engine, until it has destroyed the object.
template <typename Engine, typename Handle, auto Destroy> class OwnedHandle {
public:
  OwnedHandle() = default;
  OwnedHandle(std::shared_ptr<Engine> engine, Handle handle)
      : engine(std::move(engine)), handle(handle) {}
  OwnedHandle(OwnedHandle &&other) noexcept
      : engine(std::move(other.engine)),
        handle(std::exchange(other.handle, Handle())) {}
  OwnedHandle &operator=(OwnedHandle &&other) noexcept {
    if (this != &other) {
      reset();
      engine = std::move(other.engine);
      handle = std::exchange(other.handle, Handle());
    }
    return *this;
  }
  ~OwnedHandle() { reset(); }

  Handle get() const { return handle; }
  void reset() {
    if (handle)
      engine->template destroy<Destroy>(handle);
    handle = Handle();
    engine.reset();
  }

private:
  std::shared_ptr<Engine> engine;
  Handle handle = Handle();
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_OWNEDHANDLE_H
