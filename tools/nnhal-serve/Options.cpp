//===- Options.cpp - The command line of nnhal-serve ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "Runtime/Support/Errors.h"
#include "Tools/Options/Setters.h"

using namespace nnhal;
using namespace nnhal::servetool;
using rt::badData;
using rt::Result;
using rt::Status;
using tools::addText;
using tools::setCount;
using tools::setText;
using tools::setTo;
using tools::Takes;

static constexpr uint64_t maxThreads = 1024;
static constexpr uint64_t maxConnections = 10000;
static constexpr uint64_t maxRequests = 1'000'000;
static constexpr uint64_t maxBytes = uint64_t(1) << 40;
static constexpr uint64_t maxSeconds = 24 * 3600;
static constexpr uint64_t maxMilliseconds = maxSeconds * 1000;

// The rows are in the order of the help, whose lines are those of the texts.
/// "HOST:PORT"; an address of IPv6 as HOST stands in brackets.
static Result<Address> parseAddress(std::string_view text) {
  size_t colon = text.rfind(':');
  std::string_view host =
      colon == std::string_view::npos ? "" : text.substr(0, colon);
  bool isBracketed = host.starts_with('[') && host.ends_with(']');
  if (isBracketed)
    host = host.substr(1, host.size() - 2);
  if (host.empty() ||
      (!isBracketed && host.find(':') != std::string_view::npos))
    return badData("'{}' is not HOST:PORT, such as 127.0.0.1:8000 or "
                   "[::1]:8000",
                   text);
  NNHAL_ASSIGN_OR_RETURN(
      uint64_t port, tools::parseCount(text.substr(colon + 1), 0, UINT16_MAX));
  return Address{std::string(host), uint16_t(port)};
}

static constexpr Option options[] = {
    {
        .name = "models",
        .takes = Takes::value,
        .valueName = "DIR",
        .help =
            "serve the models of the folder DIR: MODEL/VERSION/model.tflite,\n"
            ".json or .nncache with settings in MODEL/config.json, and\n"
            "MODEL.tflite, .json or .nncache, which is version 1",
        .apply = setText<&Options::models>,
    },
    {
        .name = "http",
        .takes = Takes::value,
        .valueName = "HOST:PORT",
        .help = "listen at PORT, or at any that is free for 0, of the address\n"
                "HOST (default: 127.0.0.1:8000)",
        .apply = [](Options &options, std::string_view value) -> Status {
          NNHAL_ASSIGN_OR_RETURN(options.http, parseAddress(value));
          return Status::ok();
        },
    },
    {
        .name = "grpc",
        .takes = Takes::value,
        .valueName = "HOST:PORT",
        .help = "speak gRPC there, too, or at the local socket of unix:PATH",
        .apply = [](Options &options, std::string_view value) -> Status {
          if (value.starts_with("unix:")) {
            options.grpc = Address{std::string(value), 0};
            return Status::ok();
          }
          NNHAL_ASSIGN_OR_RETURN(options.grpc, parseAddress(value));
          return Status::ok();
        },
    },
    {
        .name = "grpc-threads",
        .takes = Takes::value,
        .valueName = "N",
        .help =
            "take N requests over gRPC at a time, those that wait included\n"
            "(default: 128)",
        .apply = setCount<1, maxThreads, &Options::grpcThreads>,
    },
    {
        .name = "tls-certificate",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "use TLS with the chain of certificates in FILE (PEM), with "
                "--tls-key",
        .apply = setText<&Options::certificate>,
    },
    {
        .name = "tls-key",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "the key of the certificate (PEM)",
        .apply = setText<&Options::key>,
    },
    {
        .name = "device",
        .takes = Takes::value,
        .valueName = "NAME",
        .help = "execute on the device NAME unless a model's settings name "
                "another\n"
                "one (default: nnhal-cpu)",
        .apply =
            [](Options &options, std::string_view value) {
              options.engine.devices = {std::string(value)};
              return Status::ok();
            },
    },
    {
        .name = "threads",
        .takes = Takes::value,
        .valueName = "N",
        .help =
            "use N threads for one execution, 0 for all that the machine has\n"
            "(default: 1)",
        .apply = setCount<0, maxThreads, &Options::engine,
                          &tools::EngineOptions::threads>,
    },
    {
        .name = "executions",
        .takes = Takes::value,
        .valueName = "N",
        .help =
            "execute N requests or batches at a time, of all models together\n"
            "(default: one per thread of the machine)",
        .apply = setCount<1, maxThreads, &Options::executions>,
    },
    {
        .name = "service",
        .takes = Takes::value,
        .valueName = "SOCKET",
        .help = "execute on the devices of the service at SOCKET",
        .apply = setText<&Options::engine, &tools::EngineOptions::service>,
    },
    {
        .name = "plugin",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "take the devices of a plug-in library, too, repeatable",
        .apply = addText<&Options::engine, &tools::EngineOptions::plugins>,
    },
    {
        .name = "cache-dir",
        .takes = Takes::value,
        .valueName = "DIR",
        .help = "keep compiled models in DIR",
        .apply =
            setText<&Options::engine, &tools::EngineOptions::cacheDirectory>,
    },
    {
        .name = "state-dir",
        .takes = Takes::value,
        .valueName = "DIR",
        .help = "let devices remember in DIR what they have cached",
        .apply =
            setText<&Options::engine, &tools::EngineOptions::stateDirectory>,
    },
    {
        .name = "poll",
        .takes = Takes::value,
        .valueName = "MS",
        .help =
            "look for changed models every MS milliseconds, for 0 only when a\n"
            "client asks (default: 2000)",
        .apply = setCount<0, maxMilliseconds, &Options::pollMilliseconds>,
    },
    {
        .name = "quota-requests",
        .takes = Takes::value,
        .valueName = "N",
        .help = "let a client send N requests of inference per second "
                "(default: any\n"
                "number)",
        .apply = setCount<1, maxRequests, &Options::requestsPerSecond>,
    },
    {
        .name = "quota-concurrent",
        .takes = Takes::value,
        .valueName = "N",
        .help = "let a client have N requests of inference under way (default: "
                "any\n"
                "number)",
        .apply = setCount<1, maxRequests, &Options::concurrentRequests>,
    },
    {
        .name = "client-header",
        .takes = Takes::value,
        .valueName = "NAME",
        .help = "tell clients apart by the header NAME, which a proxy sets "
                "(default: by\n"
                "their addresses)",
        .apply = setText<&Options::clientHeader>,
    },
    {
        .name = "connections",
        .takes = Takes::value,
        .valueName = "N",
        .help = "serve N connections at a time (default: 256)",
        .apply = setCount<1, maxConnections, &Options::connections>,
    },
    {
        .name = "max-request-bytes",
        .takes = Takes::value,
        .valueName = "N",
        .help = "refuse bodies of more than N bytes (default: 67108864)",
        .apply = setCount<1, maxBytes, &Options::maxRequestBytes>,
    },
    {
        .name = "transfer-seconds",
        .takes = Takes::value,
        .valueName = "N",
        .help = "give a request N seconds to arrive, and as many to take the "
                "answer\n"
                "(default: 30)",
        .apply = setCount<1, maxSeconds, &Options::transferSeconds>,
    },
    {
        .name = "idle-seconds",
        .takes = Takes::value,
        .valueName = "N",
        .help = "close connections that are idle for N seconds (default: 60)",
        .apply = setCount<1, maxSeconds, &Options::idleSeconds>,
    },
    {
        .name = "drain",
        .takes = Takes::value,
        .valueName = "N",
        .help =
            "when told to end, give requests N seconds to end (default: 10)",
        .apply = setCount<0, maxSeconds, &Options::drainSeconds>,
    },
    {
        .name = "trace",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "write a trace of what was executed to FILE at the end",
        .apply = setText<&Options::trace>,
    },
    {
        .name = "help",
        .help = "print this text",
        .apply = setTo<Mode::help, &Options::mode>,
    },
    {
        .name = "version",
        .help = "print the version",
        .apply = setTo<Mode::version, &Options::mode>,
    },
};

std::span<const Option> servetool::allOptions() { return options; }

Result<Options>
servetool::parseOptions(std::span<const std::string_view> arguments) {
  Options parsed;
  for (std::string_view argument : arguments) {
    if (!argument.starts_with("--"))
      return badData("unexpected argument '{}'; try --help", argument);
    NNHAL_ASSIGN_OR_RETURN(const Option *option,
                           tools::applyOption(allOptions(), parsed, argument));
    // No other option matters then.
    if (option->name == "help" || option->name == "version")
      return parsed;
  }
  if (parsed.models.empty())
    return badData("no folder of models; try --help");
  if (parsed.certificate.empty() != parsed.key.empty())
    return badData("options '--tls-certificate' and '--tls-key' need each "
                   "other");
  return parsed;
}

std::string servetool::helpText() {
  return "usage: nnhal-serve --models=DIR [options]\n"
         "\n"
         "Serves models over the network by the Open Inference Protocol (V2): "
         "requests of\ninference as JSON or with binary tensors, the model "
         "repository, and metrics; and\nover gRPC.\n"
         "\n"
         "example: nnhal-serve --models=models --cache-dir=cache "
         "--http=127.0.0.1:8000\n"
         "\n"
         "options:\n" +
         tools::optionHelp(tools::textsOf(allOptions()), 24) +
         "\n"
         "It prints a line that begins with 'ready' when the models are "
         "loaded, "
         "and ends,\nwhen the requests under way have ended, by SIGTERM or "
         "SIGINT.\n"
         "\n"
         "exit status: 0 success, 1 failure, 2 wrong use\n";
}
