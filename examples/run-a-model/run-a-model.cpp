// Compiles a TensorFlow Lite model for this machine and executes it once with
// zeros. usage: run-a-model MODEL.tflite

#include <nnhal/Runtime/Runtime.h>

#include <cstdio>

using namespace nnhal::rt;

static Status run(const char *path) {
  NNHAL_ASSIGN_OR_RETURN(Memory file, Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(AnnotatedModel model, importTFLite(file));
  std::unique_ptr<Device> device = createCpuDevice();
  NNHAL_ASSIGN_OR_RETURN(PreparedModelRef prepared,
                         device->prepareModel(model));

  Request request;
  std::vector<std::vector<std::byte>> tensors;
  for (const InterfaceTensor &input : prepared->interface().inputs) {
    tensors.emplace_back(byteSizeOf(input).value_or(0));
    request.inputs.push_back({Memory::borrow(tensors.back()), {}});
  }
  for (const InterfaceTensor &output : prepared->interface().outputs) {
    tensors.emplace_back(byteSizeOf(output).value_or(0));
    request.outputs.push_back({OutputMemory::borrow(tensors.back()), {}});
  }
  ExecutionResult result;
  NNHAL_RETURN_IF_ERROR(prepared->execute(request, result));

  for (size_t i = 0; i < request.outputs.size(); ++i)
    std::printf("output %zu: %zu bytes\n", i,
                tensors[request.inputs.size() + i].size());
  return Status::ok();
}

int main(int argc, char **argv) {
  Status status = argc == 2 ? run(argv[1])
                            : Status(StatusCode::invalidArgument,
                                     "usage: run-a-model MODEL.tflite");
  if (!status.isOk())
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status.isOk() ? 0 : 1;
}
