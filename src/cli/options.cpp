#include "cli/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/nearest.h"
#include "base/parallel.h"
#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/standard_streams.h"

namespace headwater {

void add_threads_option(Arguments& arguments, int& threads) {
  arguments
      .add("-t,--threads", threads,
           "Threads to use; 0: as OMP_NUM_THREADS, the usable processors and quotas say")
      .value("N")
      .environment("HEADWATER_THREADS")
      .group("Model")
      .range(0, 1024);
}

void add_cache_options(Arguments& arguments, ModelOptions& options) {
  arguments.add("--cache-dir", options.cache_dir, "Hugging Face cache to look in")
      .value("FOLDER")
      .environment("HEADWATER_CACHE_DIR")
      .group("Model");
  arguments.add("--revision", options.revision, "Branch, tag or commit of a cached model")
      .value("REV")
      .environment("HEADWATER_REVISION")
      .group("Model");
}

void add_model_options(Arguments& arguments, ModelOptions& options) {
  arguments.add("-m,--model", options.model, "Folder, shipped model, or cached repo id")
      .value("MODEL")
      .environment("HEADWATER_MODEL")
      .group("Model");
  arguments.add("--dtype", options.dtype, "Working type (default float32)")
      .choices("float32|float64")
      .environment("HEADWATER_DTYPE")
      .group("Model");
  add_threads_option(arguments, options.threads);
  add_cache_options(arguments, options);
}

LoadOptions ModelOptions::load_options() const {
  return {.dtype = dtype_from_name(dtype), .cache_dir = cache_dir, .revision = revision};
}

std::string ModelOptions::required_model() const {
  if (model.empty())
    throw InputError("no model was named; give a folder, a shipped model or a cached repo id: -m sentiment");
  return model;
}

Engine ModelOptions::load() const {
  set_thread_count(threads);
  return Engine::load(required_model(), load_options());
}

void add_colour_option(Arguments& arguments, OutputOptions& options) {
  arguments.add("--color,--colour", options.colour, "Colours (default auto)")
      .choices("auto|always|never")
      .environment("HEADWATER_COLOR")
      .group("Output");
}

void add_output_options(Arguments& arguments, OutputOptions& options, const std::string& formats) {
  arguments.add("-o,--output", options.path, "Write to this file instead of standard output")
      .value("FILE")
      .group("Output");
  if (!formats.empty())
    arguments.add("--format", options.format, "Default: by the file's ending")
        .choices(formats)
        .environment("HEADWATER_FORMAT")
        .group("Output");
  arguments.add("-q,--quiet", options.quiet, "No messages on standard error").group("Output");
}

std::string OutputOptions::chosen_format(const std::string& formats, const std::string& extensions) const {
  if (!format.empty()) return format;
  const std::vector<std::string> known = split(formats, '|');
  const std::string ending = std::filesystem::path(path).extension().string();
  if (path.empty() || path == "-" || ending.empty() || path.starts_with("/dev/")) return known.front();
  for (const std::string& name : known)
    if (ending == "." + name) return name;
  for (const std::string& pair : split(extensions, ' '))
    if (pair.starts_with(ending + "=")) return pair.substr(ending.size() + 1);
  throw InputError(fmt::format("{}: expected the ending of a format ({}), found {}; say which with --format",
                               path, fmt::join(known, ", "), ending));
}

std::size_t parse_bytes(const std::string& option, const std::string& text) {
  const char* end = text.data() + text.size();
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  std::string unit(rest, end);
  std::erase(unit, ' ');
  int shift = -1;
  for (const auto& [names, power] :
       {std::pair{"|B|", 0}, {"|K|KB|KiB|", 10}, {"|M|MB|MiB|", 20}, {"|G|GB|GiB|", 30}, {"|T|TB|TiB|", 40}})
    if (std::string_view(names).find("|" + unit + "|") != std::string_view::npos) shift = power;
  if (unit.empty()) shift = 0;
  const double bytes = std::ldexp(value, shift);
  if (error != std::errc() || shift < 0 || !(value > 0) || bytes > 0x1p62)
    throw InputError(fmt::format("{}: expected a size such as 512M or 2G, found \"{}\"", option, text));
  return static_cast<std::size_t>(bytes);
}

std::size_t MemoryOption::bytes() const {
  return text.empty() ? 0 : parse_bytes("--max-memory", text);
}

void add_memory_option(Arguments& arguments, MemoryOption& option) {
  arguments.add("--max-memory", option.text, "Bound beyond the weights, such as 512M or 2G")
      .value("SIZE")
      .environment("HEADWATER_MAX_MEMORY")
      .group("Model");
}

void add_dry_run_option(Arguments& arguments, bool& dry_run) {
  arguments.add("--dry-run", dry_run, "Shapes and memory; nothing is run").group("Output");
}

void OutputOptions::say(const std::string& message) const {
  if (!quiet) write_stderr(fmt::format("headwater: {}\n", message));
}

}  // namespace headwater
