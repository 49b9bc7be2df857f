// Options that several commands share, declared once: which model, how to run it, where results go.
#pragma once

#include <string>

#include <headwater/engine.h>

namespace headwater {

class Arguments;
struct OutputOptions;

struct ModelOptions {
  std::string model, cache_dir, revision;
  std::string dtype = "float32";
  int threads = 0;

  LoadOptions load_options() const;
  std::string required_model() const;  // throws InputError when none was named
  // Sets the threads, then loads; what must be known of how the folder was read goes to standard error.
  Engine load(const OutputOptions& said) const;
  Engine load() const;
};
void add_model_options(Arguments& arguments, ModelOptions& options);
void add_cache_dir_option(Arguments& arguments, std::string& cache_dir);
void add_threads_option(Arguments& arguments, int& threads);

// --contrast and --position, behind a command's own --target.
void add_target_options(Arguments& arguments, TargetSpec& target);

struct OutputOptions {
  std::string path;    // empty or "-": standard output
  std::string format;  // empty: by the path's extension, else the command's first
  std::string colour = "auto";
  bool quiet = false;

  // `formats` is "a|b|c", the first being the default. `extensions` names those known by another ending,
  // as ".txt=text". Throws InputError for an ending that is no format.
  std::string chosen_format(const std::string& formats, const std::string& extensions = "") const;
  void say(const std::string& message) const;  // on standard error, unless quiet
};
// Without `formats` there is no --format.
void add_output_options(Arguments& arguments, OutputOptions& options, const std::string& formats);
void add_colour_option(Arguments& arguments, OutputOptions& options);

// --max-memory: the bound beyond the weights; 0: none.
struct MemoryOption {
  std::string text;
  std::size_t bytes() const;  // of "512M", "2G", "1.5 GiB", "65536"; throws InputError
};
void add_memory_option(Arguments& arguments, MemoryOption& option);
// --budget: seconds that methods may take to refine their results; 0: none given.
struct BudgetOption {
  std::string text;
  double seconds() const;  // of "5s", "500ms", "2m", "30"; throws InputError
};
void add_budget_option(Arguments& arguments, BudgetOption& option);
void add_dry_run_option(Arguments& arguments, bool& dry_run);
// What a run would need, as text, or as JSON when `format` is json or jsonl.
std::string dry_run(const Engine& engine, const Request& request, const std::string& format);

// What commands that run a model have in common.
struct RunOptions {
  ModelOptions model;
  OutputOptions output;
  MemoryOption max_memory;
  bool dry_run = false;
};
// All but the model's: --max-memory, the output's, --dry-run.
void add_run_options(Arguments& arguments, RunOptions& options, const std::string& formats);

}  // namespace headwater
