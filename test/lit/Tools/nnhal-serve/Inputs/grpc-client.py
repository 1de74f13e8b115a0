"""A client of nnhal-serve over gRPC as others write one: of the service
description, compiled for Python, and nothing of this project.

usage: grpc-client.py TARGET FOLDER

FOLDER has what protoc made. The server has the model cnn, whose version is 3.
"""

import struct
import sys

sys.path.insert(0, sys.argv[2])

import grpc
import open_inference_grpc_pb2 as messages
import open_inference_grpc_pb2_grpc as calls


def report(what, *values):
    print(f"{what}:", *values, flush=True)


def failure_of(call, request, **options):
    try:
        call(request, **options)
    except grpc.RpcError as error:
        return f"{error.code().name}: {error.details()}"
    return "no failure"


def image_request():
    request = messages.ModelInferRequest(model_name="cnn", id="photo 1")
    image = request.inputs.add(name="image", datatype="FP32", shape=[1, 32, 32, 3])
    return request, image


def main():
    channel = grpc.insecure_channel(sys.argv[1])
    server = calls.GRPCInferenceServiceStub(channel)
    report("live", server.ServerLive(messages.ServerLiveRequest()).live)
    report("ready", server.ServerReady(messages.ServerReadyRequest()).ready)
    report("model ready", server.ModelReady(messages.ModelReadyRequest(name="cnn", version="3")).ready)
    report("server", server.ServerMetadata(messages.ServerMetadataRequest()).name)
    model = server.ModelMetadata(messages.ModelMetadataRequest(name="cnn"))
    for tensor in [*model.inputs, *model.outputs]:
        report("tensor", tensor.name, tensor.datatype, list(tensor.shape))

    raw, _ = image_request()
    raw.raw_input_contents.append(struct.pack("<f", 0.5) * 3072)
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    answer, call = server.ModelInfer.with_call(raw, metadata=[("traceparent", parent)], timeout=60)
    probabilities = struct.unpack("<10f", answer.raw_output_contents[0])
    report("raw", answer.model_name, answer.model_version, answer.id, answer.outputs[0].name, round(sum(probabilities), 3))
    report("trace", dict(call.initial_metadata())["traceparent"])

    typed, image = image_request()
    image.contents.fp32_contents.extend([0.5] * 3072)
    typed.parameters["priority"].int64_param = 1
    typed.parameters["timeout"].int64_param = 60_000_000
    answer = server.ModelInfer(typed)
    report("typed", len(answer.raw_output_contents), tuple(answer.outputs[0].contents.fp32_contents) == probabilities)

    for entry in server.RepositoryIndex(messages.RepositoryIndexRequest()).models:
        report("index", entry.name, entry.version, entry.state)
    report("unloaded", server.RepositoryModelUnload(messages.RepositoryModelUnloadRequest(model_name="cnn")).isUnloaded)
    report("unloaded", failure_of(server.ModelInfer, raw))
    report("loaded", server.RepositoryModelLoad(messages.RepositoryModelLoadRequest(model_name="cnn")).isLoaded)

    image.contents.fp32_contents.pop()
    report("refused", failure_of(server.ModelInfer, typed))
    report("refused", failure_of(server.ModelMetadata, messages.ModelMetadataRequest(name="dog")))


main()
