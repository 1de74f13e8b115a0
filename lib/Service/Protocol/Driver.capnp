@0xafeb6a5bb5d8afc6;
# The messages between an application and the process that hosts a device, and
# between that process and its supervisor (docs/Devices/Service.md).
#
# A method that can fail returns a Status beside its results; results count only
# where that is a success. Exceptions of Cap'n Proto mean that the connection is
# lost. Bytes beyond 4 KiB, constants and code travel behind descriptors. Times
# are nanoseconds of CLOCK_MONOTONIC, which both ends share.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("nnhal::service::wire");

struct Status {
  code @0 :UInt32;      # StatusCode
  message @1 :Text;
}

interface Descriptor {}
# A capability that carries one file descriptor, and has no methods.

# ---- Supervisor: the bootstrap capability of the service's socket -----------

struct Version {
  # Ends with different majors do not work together. A minor version adds
  # fields and methods, which the other end may lack.
  major @0 :UInt32;
  minor @1 :UInt32;
}

interface Service {
  hello @0 (client :Version, name :Text)
      -> (status :Status, service :Version, build :Text, drivers :Drivers);
  # The first call of a client. name says who it is in logs.
}

interface Drivers {
  list @0 () -> (devices :List(Text));
  # The names, in the order of the registry.
  connect @1 (device :Text) -> (status :Status, channel :Descriptor);
  # A socket whose bootstrap capability is the device's Driver.
  report @2 () -> (status :Status, json :Text);
  # docs/Devices/Service.md, "Status".
}

# ---- Process of one device ---------------------------------------------------

interface Host {
  # For the supervisor; the bootstrap capability of the channel between them.
  describe @0 () -> (device :DeviceDescription, sandbox :List(Text));
  addClient @1 (channel :Descriptor, user :UInt32, process :Int32,
                name :Text) -> (status :Status);
  report @2 () -> (report :HostReport);
  drain @3 (deadline :Int64) -> ();
  # Returns when no execution or preparation is under way, or at the deadline.
}

interface Supervisor {
  # For the host; the other end's bootstrap capability.
  compiler @0 () -> (status :Status, channel :Descriptor, worker :Worker);
  # A socket to a new compile worker, whose bootstrap capability is Compiler.
}

interface Worker {
  ended @0 () -> (how :Text);
  # Returns when the worker's process has ended: "signal 11 (Segmentation fault)"
  # for example.
}

struct HostReport {
  clients @0 :List(Client);
  struct Client {
    id @0 :UInt64;
    user @1 :UInt32;
    process @2 :Int32;
    name @3 :Text;
    models @4 :UInt64;
    buffers @5 :UInt64;
    bursts @6 :UInt64;
    memory @7 :UInt64;          # Bytes, of memories, buffers and arenas.
    descriptors @8 :UInt64;
    queued @9 :UInt64;          # Executions that have not ended.
    executions @10 :UInt64;
    preparations @11 :UInt64;
    failures @12 :UInt64;
    refusals @13 :UInt64;       # Calls that a quota refused.
  }
}

# ---- A device, as one client sees it ------------------------------------------

struct DeviceDescription {
  name @0 :Text;
  version @1 :Text;
  type @2 :UInt32;
  halVersion @3 :UInt8;
  extensions @4 :List(Extension);
  modelCacheFiles @5 :UInt32;
  dataCacheFiles @6 :UInt32;
  compiles @7 :Bool;
  usesThreads @8 :Bool;
  capabilities @9 :Capabilities;
  build @10 :Text;
}

struct Extension {
  name @0 :Text;
  operandTypes @1 :List(OperandTypeInfo);
}
struct OperandTypeInfo {
  type @0 :UInt16;
  isTensor @1 :Bool;
  byteSize @2 :UInt32;
  kind @3 :UInt32;                  # rt::ElementKind
}

struct Performance { execTime @0 :Float32; powerUsage @1 :Float32; }
struct Capabilities {
  relaxedScalar @0 :Performance;
  relaxedTensor @1 :Performance;
  operands @2 :List(OperandPerformance);
  if @3 :Performance;
  while @4 :Performance;
  struct OperandPerformance { type @0 :UInt32; info @1 :Performance; }
}

interface Driver {
  describe @0 () -> (device :DeviceDescription);
  status @1 () -> (status :UInt32);     # DeviceStatus
  supportedOperations @2 (model :Model) -> (status :Status, operations :List(Status));
  prepareModel @3 (model :Model, options :PrepareOptions, observer :PrepareObserver,
                   launch :Launch)
      -> (status :Status, launched :Bool, model :PreparedModel, cache :List(CacheEvent));
  # launched: whether the preparation began (C.5), for prepareModelAsync().
  prepareModelFromCache @4 (options :PrepareOptions)
      -> (status :Status, model :PreparedModel, cache :List(CacheEvent));
  prepareModelFromArtifact @5 (modelCache :Descriptor, modelCacheSize :UInt64,
                               dataCache :Descriptor, dataCacheSize :UInt64,
                               options :PrepareOptions)
      -> (status :Status, model :PreparedModel);
  allocate @6 (dimensions :List(UInt32), models :List(PreparedModel),
               inputRoles :List(BufferRole), outputRoles :List(BufferRole))
      -> (status :Status, buffer :Buffer, token :UInt32);
  importMemory @7 (pool :Pool) -> (status :Status, id :UInt32, memory :Memory);
  # The id names the memory in requests of this client until the capability is
  # dropped. The service maps it once.
  trace @8 () -> (events :List(TraceEvent), clock :Int64);
  # Takes the sections of this client since the last call; the first call turns
  # tracing on.
}

interface Memory {}

struct Pool {
  name @0 :Text;          # "ashmem", "mmap_fd", ...
  descriptor @1 :Descriptor;
  offset @2 :UInt64;
  size @3 :UInt64;
  protection @4 :UInt32;  # 1: read, 2: write
}

# ---- Models ---------------------------------------------------------------------

struct Model {
  halVersion @0 :UInt8;
  main @1 :Subgraph;
  referenced @2 :List(Subgraph);
  operandValues @3 :Pool;     # Size 0: none, without a descriptor.
  pools @4 :List(Pool);       # Size 0: an empty pool without a descriptor.
  relaxed @5 :Bool;
  extensions @6 :List(ExtensionName);
  inputNames @7 :List(Text);
  outputNames @8 :List(Text);
  statePairs @9 :List(StatePair);
  struct ExtensionName { name @0 :Text; prefix @1 :UInt16; }
}
struct StatePair { output @0 :UInt32; input @1 :UInt32; }

struct Subgraph {
  operands @0 :List(Operand);
  operations @1 :List(Operation);
  inputIndexes @2 :List(UInt32);
  outputIndexes @3 :List(UInt32);
}

struct Operand {
  type @0 :UInt32;
  dimensions @1 :List(UInt32);
  numberOfConsumers @2 :UInt32;
  scale @3 :Float32;
  zeroPoint @4 :Int32;
  lifetime @5 :UInt32;
  poolIndex @6 :UInt32;
  offset @7 :UInt32;
  length @8 :UInt32;
  extra :union {
    none @9 :Void;
    channelQuant @10 :ChannelQuant;
    extension @11 :Data;
  }
}
struct ChannelQuant { scales @0 :List(Float32); channelDim @1 :UInt32; }

struct Operation {
  type @0 :UInt32;
  inputs @1 :List(UInt32);
  outputs @2 :List(UInt32);
}

interface Launch {
  # A null capability: nobody asks.
  launched @0 () -> ();
  # The execution or preparation that it was given to has begun, before that
  # ends; what does not begin returns without a call. Callers of asynchronous
  # members wait for one of the two (C.5, D.2).
}

# ---- Preparation ------------------------------------------------------------------

struct PrepareOptions {
  compile @0 :CompileOptions;
  compileAfter :union {
    never @1 :Void;
    executions @2 :UInt64;
  }
  preference @3 :UInt32;
  priority @4 :UInt32;
  deadline @5 :Int64 = 0x7fffffffffffffff;
  modelCache @6 :List(List(Descriptor));
  dataCache @7 :List(List(Descriptor));
  token @8 :Data;
  contentKey @9 :Data;        # Empty: none.
}

struct CompileOptions {
  targetTriple @0 :Text;
  targetCpu @1 :Text;
  targetFeatures @2 :Text;
  rounding @3 :UInt32;
  specializations @4 :List(List(List(UInt32)));
  threads @5 :UInt32;
  extensions @6 :List(CompiledExtension);
  target @7 :Text;

  struct CompiledExtension { description @0 :Extension; buildIdentity @1 :Text; }
}

struct CacheEvent { outcome @0 :UInt32; detail @1 :Text; }

interface PrepareObserver {
  # A null capability: nobody listens.
  compileEnded @0 (status :Status) -> ();
  keepArtifact @1 (modelCache :Descriptor, modelCacheSize :UInt64,
                   dataCache :Descriptor, dataCacheSize :UInt64) -> (status :Status);
  diagnostic @2 (isError :Bool, text :Text) -> ();
}

# ---- Prepared models ----------------------------------------------------------------

interface PreparedModel {
  describe @0 () -> (interface :Interface, memoryUse :MemoryUse);
  execute @1 (request :Request, launch :Launch)
      -> (status :Status, launched :Bool, result :ExecutionResult);
  executeFenced @2 (request :Request, waitFor :List(Descriptor), durationAfterFence :UInt64,
                    hasDuration :Bool)
      -> (status :Status, execution :FencedExecution, fence :Descriptor);
  # fence: null when the execution has ended already.
  configureBurst @3 (callback :BurstCallback, requests :Descriptor, results :Descriptor)
      -> (status :Status, context :BurstContext);
  memoryUse @4 () -> (memoryUse :MemoryUse);
}

struct MemoryUse { arena @0 :UInt64; arenaLowerBound @1 :UInt64; artifact @2 :UInt64; }

struct Interface {
  inputs @0 :List(InterfaceTensor);
  outputs @1 :List(InterfaceTensor);
  statePairs @2 :List(StatePair);
}
struct InterfaceTensor {
  name @0 :Text;
  type @1 :UInt32;
  dimensions @2 :List(UInt32);
  scale @3 :Float32;
  zeroPoint @4 :Int32;
  channelQuant @5 :ChannelQuant;
  extension @6 :OperandTypeInfo;    # Null: not of an extension.
}

struct Request {
  inputs @0 :List(Argument);
  outputs @1 :List(Argument);
  measureTiming @2 :Bool;
  measureOperations @3 :Bool;
  deadline @4 :Int64 = 0x7fffffffffffffff;
  loopTimeout @5 :UInt64;
}
struct Argument {
  memory :union {
    none @0 :Void;
    region @1 :Region;
    token @2 :UInt32;
  }
  dimensions @3 :List(UInt32);
}
struct Region {
  memory @0 :UInt32;       # Driver.importMemory
  offset @1 :UInt64;
  size @2 :UInt64;
  padding @3 :UInt64;
}

struct Timing {
  onDevice @0 :UInt64 = 0xffffffffffffffff;
  inDriver @1 :UInt64 = 0xffffffffffffffff;
}
struct ExecutionResult {
  outputShapes @0 :List(OutputShape);
  timing @1 :Timing;
  copiedBytes @2 :UInt64;
  operationTimes @3 :List(UInt64);
}
struct OutputShape { dimensions @0 :List(UInt32); isSufficient @1 :Bool; }

interface FencedExecution {
  info @0 () -> (status :Status, launched :Timing, fenced :Timing);
}

# ---- Buffers and bursts -----------------------------------------------------------------

struct BufferRole { modelIndex @0 :UInt32; ioIndex @1 :UInt32; frequency @2 :Float32; }

interface Buffer {
  copyTo @0 (memory :UInt32) -> (status :Status);
  copyFrom @1 (memory :UInt32, dimensions :List(UInt32)) -> (status :Status);
}

interface BurstCallback {
  getMemories @0 (slots :List(Int32)) -> (status :Status, memories :List(Pool));
}
interface BurstContext {
  freeMemory @0 (slot :Int32) -> ();
}

# ---- Compile worker -------------------------------------------------------------------------

interface Compiler {
  compile @0 (model :Model, options :CompileOptions, observer :CompileObserver,
              wantsRemarks :Bool)
      -> (status :Status, modelCache :Descriptor, modelCacheSize :UInt64,
          dataCache :Descriptor, dataCacheSize :UInt64);
  # A caller that drops the call cancels the compilation.
}
interface CompileObserver {
  diagnostic @0 (isError :Bool, text :Text) -> ();
  progress @1 (phase :Text, done :UInt32, total :UInt32) -> ();
  remark @2 (operation :UInt32, text :Text) -> ();
}

struct TraceEvent {
  kind @0 :UInt8;
  layer @1 :UInt8;
  phase @2 :UInt8;
  relation @3 :UInt8;
  detail @4 :Text;
  begin @5 :Int64;
  end @6 :Int64;
  beginThread @7 :UInt32;
  endThread @8 :UInt32;
  value @9 :Int64;
}
