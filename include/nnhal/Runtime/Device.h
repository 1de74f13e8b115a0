//===- Device.h - Something that prepares and executes models ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_DEVICE_H
#define NNHAL_RUNTIME_DEVICE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Buffer.h"
#include "nnhal/Runtime/Capabilities.h"
#include "nnhal/Runtime/PrepareOptions.h"
#include "nnhal/Runtime/PreparedModel.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// The HAL's DeviceType.
enum class DeviceType : uint32_t {
  /// The type of every device that is older than HAL 1.2 (C-085).
  unknown = 0,
  other = 1,
  cpu = 2,
  gpu = 3,
  accelerator = 4
};
NNHAL_API std::string_view toString(DeviceType type);

/// The HAL's DeviceStatus; advisory (C-009).
enum class DeviceStatus : uint32_t { available, busy, offline, unknown };
NNHAL_API std::string_view toString(DeviceStatus status);

/// The abilities that a device needs of the process that hosts it, beside
/// computing on memory that it is given. A service that hosts devices asks
/// before any client does, and then forbids its process everything else
/// (docs/Devices/Service.md).
struct ProcessNeeds {
  /// The device maps code after it was made: what it compiles or loads.
  bool executableMemory = false;
  /// The device asks the system for register state that x86 processors have
  /// switched off by default (arch_prctl(), for AMX).
  bool archPrctl = false;
  /// The files, or folders of files, that the device opens for reading, writing
  /// and ioctl() after it was made: "/dev/dri/renderD128" for example.
  std::vector<std::string> deviceNodes;
  bool operator==(const ProcessNeeds &) const = default;
};

/// The abilities of a device beyond the HAL, for programs that would otherwise
/// ask for its name. They are constant for its life.
struct DeviceTraits {
  /// The device compiles models to artifacts: it obeys CompileOptions, calls
  /// PrepareObserver::keepArtifact, and its prepareModelFromArtifact() takes
  /// the artifact that was given to that.
  bool compiles = false;
  /// The device shares the work of one execution among DeviceServices::workers.
  bool usesThreads = false;
  /// The device is in another process (Service.h): memory that is not behind a
  /// descriptor is copied on its way, and a compilation tells its observer
  /// nothing but diagnostics.
  bool isRemote = false;
  /// The default is nothing.
  ProcessNeeds needs;
  bool operator==(const DeviceTraits &) const = default;
};

using PreparedModelRef = std::shared_ptr<PreparedModel>;

/// The callback is called once, on a thread of the device or before the call
/// that it was given to returns (C-039, C-040).
using PrepareCallback = std::function<void(Result<PreparedModelRef>)>;

/// A device executes models.
///
/// Ownership: the creator of a device owns it; prepared models and buffers live
///            on without it.
/// Threads:   every member may be called from any thread at once (C-006).
class NNHAL_API Device {
public:
  virtual ~Device() = default;

  /// The name is unique among the devices of a process: "nnhal-cpu" for
  /// example.
  virtual std::string_view name() const = 0;
  virtual std::string_view version() const = 0;
  virtual DeviceType type() const = 0;
  /// The newest HAL version that the device speaks.
  virtual HalVersion halVersion() const = 0;
  virtual const std::vector<Extension> &extensions() const = 0;
  virtual CacheFiles cacheFiles() const = 0;
  virtual DeviceTraits traits() const = 0;
  virtual const Capabilities &capabilities() const = 0;
  virtual DeviceStatus status() const = 0;

  /// Returns one status per operation of the main subgraph: success when the
  /// device can execute it, otherwise why not. An operation that reads a
  /// constant from a pool which cannot be read is not supported (F-013). Fails
  /// with invalidArgument for a
  /// model that is not valid (C-028).
  virtual Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const = 0;

  /// Compiles and loads on this thread, once the device admits it.
  ///
  /// Fails with invalidArgument for a model, preference or priority that is not
  /// valid, or when an operation is not supported; with
  /// missedDeadlinePersistent when the deadline had passed before, with
  /// missedDeadlineTransient when it passed meanwhile; with
  /// resourceExhaustedTransient when too many preparations wait; otherwise like
  /// Compiler::compileModel().
  virtual Result<PreparedModelRef>
  prepareModel(const AnnotatedModel &model, const PrepareOptions &options = {},
               const PrepareObserver &observer = {}) const = 0;

  /// Prepares like prepareModel(), on a thread of the device. The status says
  /// whether the preparation was launched (C.5): invalidArgument and
  /// resourceExhaustedTransient are returned and given to \p callback; a
  /// deadline that has passed is only given to it (C-050). Without a callback
  /// or a model nothing is called. Memory that the model borrows must outlive
  /// the call of \p callback.
  virtual Status
  prepareModelAsync(std::shared_ptr<const AnnotatedModel> model,
                    const PrepareOptions &options, PrepareCallback callback,
                    const PrepareObserver &observer = {}) const = 0;

  /// Loads, without a compiler or a model, the entry that a preparation with
  /// the same token, by this device or another one of the same state directory,
  /// has left in the files behind \p handles.
  ///
  /// The device uses only entries that it knows to have written, as it read
  /// them once into private memory (E-058, E-062), whatever is in the files and
  /// whoever changes them meanwhile. Fails with invalidArgument for other
  /// numbers of handles than cacheFiles() or of descriptors than one each
  /// (E-051), with generalFailure for everything else that keeps the entry from
  /// being used, and for deadlines like prepareModel(). observer.cacheObserver
  /// receives the reason. Among the options, compile is compared with that of
  /// the entry.
  virtual Result<PreparedModelRef>
  prepareModelFromCache(const CacheHandles &handles, const CacheToken &token,
                        const PrepareOptions &options = {},
                        const PrepareObserver &observer = {}) const = 0;

  /// Loads the artifact that keepArtifact was given, without a compiler. This
  /// trusts its caller, who vouches for where the bytes come from. Takes a
  /// reference to \p dataCache and copies it where it is not aligned to
  /// constantAlignment or is behind a descriptor. Fails with invalidArgument
  /// when a part is damaged, of another version or for another machine, and for
  /// deadlines like prepareModel(). Options about compilation are not looked
  /// at.
  virtual Result<PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte> modelCache,
                           const Memory &dataCache,
                           const PrepareOptions &options = {}) const = 0;

  /// Allocates memory of the device for the given roles, which are the only
  /// ones that it can be used for (F-030).
  ///
  /// Fails with invalidArgument when the roles contradict each other, the
  /// description or the models, which are this device's (B.8), and with
  /// resourceExhausted* when there is no memory. Extents that stay unknown are
  /// those of the last write (F-037, F-038).
  virtual Result<std::shared_ptr<Buffer>>
  allocate(const BufferDesc &desc, std::span<const PreparedModelRef> models,
           std::span<const BufferRole> inputRoles,
           std::span<const BufferRole> outputRoles) const = 0;
};

/// Returns 27 for HAL 1.0 to 30 for 1.3 (C-086).
NNHAL_API int featureLevel(HalVersion version);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_DEVICE_H
