// Options that several commands share, declared once: the model, how to run it, the output.
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
  std::string required_model() const;  // throws InputError if none was named
  // Sets the threads, then loads the model; remarks about the folder go to standard error.
  Engine load(const OutputOptions& said) const;
  Engine load() const;
};
void add_model_options(Arguments& arguments, ModelOptions& options);
void add_cache_dir_option(Arguments& arguments, std::string& cache_dir);
void add_threads_option(Arguments& arguments, int& threads);

// Adds --contrast and --position after a command's own --target.
void add_target_options(Arguments& arguments, TargetSpec& target);

struct OutputOptions {
  std::string path;    // empty or "-": standard output
  std::string format;  // empty: by the path's extension, otherwise the command's first
  std::string colour = "auto";
  bool quiet = false;

  // `formats` is "a|b|c"; the first is the default. `extensions` lists formats with another extension, as
  // ".txt=text". Throws InputError for an extension without a format.
  std::string chosen_format(const std::string& formats, const std::string& extensions = "") const;
  void say(const std::string& message) const;  // on standard error, unless quiet
};
// Without `formats` there is no --format option.
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
// The plan of a run, as text, or as JSON if `format` is json or jsonl.
std::string dry_run(const Engine& engine, const Request& request, const std::string& format);

// The common options of commands that run a model.
struct RunOptions {
  ModelOptions model;
  OutputOptions output;
  MemoryOption max_memory;
  bool dry_run = false;
};
// All except the model's: --max-memory, the output's, --dry-run.
void add_run_options(Arguments& arguments, RunOptions& options, const std::string& formats);

}  // namespace headwater
