#include "cli/options.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/standard_streams.h"
#include "engine/defaults.h"
#include "prose/plan_text.h"

namespace headwater {

void add_threads_option(Arguments& arguments, int& threads) {
  arguments.under("Model")
      .add("-t,--threads N", threads, "Number of threads (default: all)")
      .environment("HEADWATER_THREADS")
      .range(0, 1024);
}

void add_cache_dir_option(Arguments& arguments, std::string& cache_dir) {
  arguments.under("Model")
      .add("--cache-dir FOLDER", cache_dir, "Hugging Face cache")
      .environment("HEADWATER_CACHE_DIR");
}

void add_model_options(Arguments& arguments, ModelOptions& options) {
  arguments.under("Model")
      .add("-m,--model MODEL", options.model, "Folder, shipped model, or cached repo id")
      .environment("HEADWATER_MODEL");
  arguments.add("--dtype float32|float64", options.dtype, "Working type (default float32)")
      .choices()
      .environment("HEADWATER_DTYPE");
  add_threads_option(arguments, options.threads);
  add_cache_dir_option(arguments, options.cache_dir);
  arguments.add("--revision REV", options.revision, "Branch, tag or commit")
      .environment("HEADWATER_REVISION");
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

Engine ModelOptions::load(const OutputOptions& said) const {
  Engine engine = load();
  for (const std::string& remark : engine.info().remarks) said.say(remark);
  return engine;
}

void add_target_options(Arguments& arguments, TargetSpec& target) {
  arguments.under("Target").add("--contrast LABEL", target.contrast, "Explain the difference to this label");
  arguments.add("--position N", target.position, "Token position, for token-wise heads");
}

void add_colour_option(Arguments& arguments, OutputOptions& options) {
  arguments.under("Output")
      .add("--color,--colour auto|always|never", options.colour, "Colours (default auto)")
      .choices()
      .environment("HEADWATER_COLOR");
}

void add_output_options(Arguments& arguments, OutputOptions& options, const std::string& formats) {
  arguments.under("Output").add("-o,--output FILE", options.path,
                                "Write to this file instead of standard output");
  if (!formats.empty())
    arguments.add("--format " + formats, options.format, "Format (default: by the file's extension)")
        .choices()
        .environment("HEADWATER_FORMAT");
  arguments.add("-q,--quiet", options.quiet, "Print no messages on stderr");
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
  throw InputError(
      fmt::format("{}: expected the extension of a format ({}), found {}; choose one with --format", path,
                  fmt::join(known, ", "), ending));
}

std::size_t MemoryOption::bytes() const {
  if (text.empty()) return 0;
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
    throw InputError(fmt::format("--max-memory: expected a size such as 512M or 2G, found \"{}\"", text));
  return static_cast<std::size_t>(bytes);
}

void add_memory_option(Arguments& arguments, MemoryOption& option) {
  arguments.under("Model")
      .add("--max-memory SIZE", option.text, "Bound, such as 2G")
      .environment("HEADWATER_MAX_MEMORY");
}

double BudgetOption::seconds() const {
  if (text.empty()) return 0;
  const char* end = text.data() + text.size();
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string unit(rest, end);
  double seconds = 0;
  for (const auto& [name, length] :
       {std::pair{"", 1.0}, {"s", 1.0}, {"ms", 1e-3}, {"m", 60.0}, {"h", 3600.0}})
    if (unit == name) seconds = value * length;
  if (error != std::errc() || !(seconds > 0) || seconds > 1e6)
    throw InputError(fmt::format("--budget: expected a time such as 5s or 2m, found \"{}\"", text));
  return seconds;
}

void add_budget_option(Arguments& arguments, BudgetOption& option) {
  arguments.under("Methods").add("--budget TIME", option.text,
                                 "Time limit such as 5s (integrated_gradients)");
}

void add_dry_run_option(Arguments& arguments, bool& dry_run) {
  arguments.under("Output").add("--dry-run", dry_run, "Show shapes and memory without running");
}

void add_run_options(Arguments& arguments, RunOptions& options, const std::string& formats) {
  add_memory_option(arguments, options.max_memory);
  add_output_options(arguments, options.output, formats);
  add_dry_run_option(arguments, options.dry_run);
}

std::string dry_run(const Engine& engine, const Request& request, const std::string& format) {
  const ModelInfo& info = engine.info();
  RunPlan plan{.tokens = request.input.image.empty() ? engine.tokenize(request.input).size()
                                                     : static_cast<std::size_t>(info.positions),
               .bytes = engine.planned_bytes(request),
               .methods = {}};
  for (const MethodSpec& method : methods_for(request, info, static_cast<Index>(plan.tokens)))
    plan.methods.push_back(method.name);
  return run_plan_text(plan, info, format);
}

void OutputOptions::say(const std::string& message) const {
  if (!quiet) write_stderr(fmt::format("headwater: {}\n", message));
}

}  // namespace headwater
