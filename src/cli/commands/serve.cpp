// `headwater serve`: the page, and what programs ask, on this machine.
#include <algorithm>
#include <csignal>
#include <thread>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/threads.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/commands/command.h"
#include "cli/options.h"
#include "engine/places.h"
#include "server/http.h"
#include "server/openapi.h"
#include "server/security.h"
#include "server/service.h"

extern char** environ;  // NOLINT: POSIX's own

namespace headwater {
namespace {

struct Options {
  ModelOptions model;
  std::vector<std::string> models;
  HttpOptions http;
  AccessRules access;
  bool open = false, metrics = false, openapi = false;
  int max_body = 32, max_pixels = 16, max_tokens = 2048, time = 300, store = 512, reading = 20;
  int backlog = 16;
  std::string max_memory = "4G", key_file;
};

constexpr std::size_t bodies_at_a_time = 4;  // of the largest size

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const std::string& place : shipped_model_folders())
    for (const std::string& name : entries_of(place))
      if (file_exists(fmt::format("{}/{}/config.json", place, name)) &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
  return names;
}

// What others must not guess: so long, and not to be read in the list of processes.
constexpr std::size_t shortest_key = 16;

std::string key_in(const std::string& file) {
  std::string key = read_file(file, 4096);
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r')) key.pop_back();
  return key;
}

void take_key(Options& options) {
  std::string& key = options.access.api_key;
  if (!options.key_file.empty()) key = key_in(options.key_file);
  if ((!key.empty() || !options.key_file.empty()) && key.size() < shortest_key)
    throw InputError(
        fmt::format("API key: expected at least {} characters, found {}; openssl rand -hex 16 makes one",
                    shortest_key, key.size()));
  if (std::any_of(key.begin(), key.end(), [](unsigned char c) { return c <= ' ' || c >= 0x7f; }))
    throw InputError("API key: expected letters, digits and signs of ASCII, found another character");
}

void require_key(const Options& options) {
  if (is_loopback(options.http.host) || !options.access.api_key.empty()) return;
  throw InputError(
      fmt::format("--host: expected an API key for {}, which other machines can reach, found none; set "
                  "HEADWATER_API_KEY or --api-key-file, or use 127.0.0.1",
                  options.http.host));
}

ServiceOptions service_options(const Options& options) {
  ServiceOptions service;
  service.input = {.tokens = options.max_tokens,
                   .pixels = static_cast<std::uint64_t>(options.max_pixels) << 20U,
                   .memory = MemoryOption{options.max_memory}.bytes()};
  service.jobs = {.backlog = static_cast<std::size_t>(options.backlog),
                  .store_bytes = static_cast<std::size_t>(options.store) << 20U,
                  .time = std::chrono::seconds(options.time)};
  service.metrics = options.metrics;
  return service;
}

// Signals are taken one by one by the thread that waits for them, and by no other.
sigset_t held_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void open_browser(const std::string& address) {
  std::string program = "xdg-open", argument = address;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  if (::posix_spawnp(&child, "xdg-open", nullptr, &attributes, arguments, environ) == 0)
    std::thread([child] { ::waitpid(child, nullptr, 0); }).detach();
  else
    fmt::print(stderr, "warning: xdg-open could not be started; open {} yourself\n", address);
  posix_spawnattr_destroy(&attributes);
}

// Until a signal asks to end, or a model cannot be loaded, which it throws.
void wait_for_end(const sigset_t& signals, const Service& service) {
  timespec often{0, 200'000'000};
  while (::sigtimedwait(&signals, nullptr, &often) < 0)
    if (const std::exception_ptr failure = service.shelf().failure()) std::rethrow_exception(failure);
}

int run(const Options& given) {
  if (given.openapi) {
    fmt::print("{}", openapi_text());
    return 0;
  }
  Options options = given;
  take_key(options);
  require_key(options);
  const sigset_t signals = held_signals();
  ::mallopt(M_ARENA_MAX, 2);  // many threads wait here and none allocates much: no heap for each of them
  if (options.model.threads > 0) set_threads(options.model.threads);
  AccessRules access = options.access;
  access.host = options.http.host;
  HttpOptions http = options.http;
  http.reading = std::chrono::seconds(options.reading);
  http.max_body = access.max_body = static_cast<std::size_t>(options.max_body) << 20U;
  http.max_bodies = bodies_at_a_time * http.max_body;
  std::vector<ServedModel> models = served_models(options.models.empty() ? shipped_names() : options.models);
  if (models.empty()) throw InputError("-m: expected a model, found none, and none is shipped");
  std::string names;
  for (const ServedModel& model : models) names += (names.empty() ? "" : ", ") + model.name;
  Service service(std::move(models), options.model.load_options(), service_options(options));
  HttpServer server(
      http, {.refuse = [&](const HttpRequest& request) { return refused_by(access, request); },
             .answer = [&](HttpRequest& request) { return service.answer(request); },
             .headers = [&](const HttpRequest& request,
                            const HttpReply& reply) { return guarding_headers(access, request, reply); }});
  const std::string host = http.host.find(':') == std::string::npos ? http.host : "[" + http.host + "]";
  const std::string address = fmt::format("http://{}:{}/", host, server.port());
  fmt::print("headwater serves {} at {}\n", names, address);
  std::fflush(stdout);
  if (options.open) open_browser(address);
  wait_for_end(signals, service);
  // A second signal does not wait for what runs.
  std::thread([signals] {
    int second = 0;
    ::sigwait(&signals, &second);
    ::_exit(128 + second);
  }).detach();
  service.stop();
  server.stop();
  return 0;
}

void declare(Arguments& arguments, Options& options) {
  arguments.under("Model").add_repeated(
      "-m,--model MODEL", options.models,
      "Folder, shipped model or cached repo id; may be repeated (default: the shipped models)");
  arguments.add("--dtype float32|float64", options.model.dtype, "Working type (default float32)").choices();
  add_threads_option(arguments, options.model.threads);
  add_cache_dir_option(arguments, options.model.cache_dir);
  arguments.under("Address").add("--host ADDRESS", options.http.host,
                                 "Address to listen on (default 127.0.0.1)");
  arguments.add("--port PORT", options.http.port, "Port to listen on; 0: any free port (default 8080)")
      .range(0, 65535);
  arguments.add("--open", options.open, "Open the page in the browser");
  arguments.under("Access")
      .add(
          "--api-key KEY", options.access.api_key,
          "Key that clients must send; required for any address but this machine's own. Others see it in the "
          "list of processes, so prefer the environment or a file")
      .environment("HEADWATER_API_KEY");
  arguments.add("--api-key-file FILE", options.key_file, "File that holds the key");
  arguments.add_repeated("--allow-host NAME", options.access.hosts,
                         "Another name by which clients may address this server; may be repeated");
  arguments.add_repeated(
      "--cors-origins ORIGIN", options.access.origins,
      "A site whose pages may send requests, such as https://example.org; may be repeated");
  arguments.add("--metrics", options.metrics, "Serve /metrics in Prometheus' format");
  arguments.add("--openapi", options.openapi, "Print what /openapi.json answers, and serve nothing");
  arguments.under("Limits")
      .add("--queue JOBS", options.backlog,
           "Largest number of waiting jobs, and of waiting predictions (default 16)")
      .range(1, 10000);
  arguments.add("--time-limit SECONDS", options.time, "Time limit of a job (default 300)").range(1, 1 << 20);
  arguments.add("--read-timeout SECONDS", options.reading, "Time limit for sending a request (default 20)")
      .range(1, 3600);
  arguments
      .add("--max-tokens COUNT", options.max_tokens, "Largest number of tokens of an input (default 2048)")
      .range(1, 1 << 20);
  arguments
      .add("--max-pixels MILLIONS", options.max_pixels,
           "Largest number of pixels of a picture, in 2^20 (default 16)")
      .range(1, 64);
  arguments
      .add("--max-body MB", options.max_body,
           "Largest size of a request in MiB (default 32); all together may have four times that")
      .range(1, 1024);
  arguments.add("--max-memory SIZE", options.max_memory,
                "Largest planned memory of a job beyond the weights, such as 4G (default 4G)");
  arguments.add("--store MB", options.store, "Size of the store of finished results in MiB (default 512)")
      .range(1, 1 << 20);
}

}  // namespace

extern const Command serve{.name = "serve",
                           .summary = "Serve the interactive page and an HTTP interface on this machine",
                           .group = "Use a model",
                           .setup = set_up<declare, run>};

}  // namespace headwater
