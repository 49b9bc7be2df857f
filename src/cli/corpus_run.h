// A command over many inputs with one result each. It knows which inputs remain, what happens to one that
// fails, the progress and the exit code.
//
//   CorpusRun run(…);                    // contradictory options are reported before a model is loaded
//   run.open(engine, "explain");
//   while (auto item = run.next())
//     … run.write(*item, result) … or run.fail(*item, std::current_exception()) …
//   return run.finish();
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <headwater/engine.h>

#include "cli/arguments.h"
#include "cli/input_reader.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"

namespace headwater {

struct CorpusRunOptions {
  bool resume = false, keep_going = false;
  std::function<std::vector<GivenOption>()> given;  // the options that the command was given
};
void add_corpus_run_options(Arguments& arguments, CorpusRunOptions& options);

class CorpusRun {
 public:
  struct Item {
    Example example;
    std::string where;         // for messages: "dev.tsv:17", or nothing
    std::exception_ptr error;  // why it could not be read (with --keep-going; otherwise next() throws)
  };
  // The exit code of a run in which some inputs failed and the others did not.
  static constexpr int some_failed = 1;

  CorpusRun(const InputOptions& input, const OutputOptions& output, const CorpusRunOptions& options,
            std::string format);

  // Opens the place of the results, and finds out which of them are already there.
  void open(const Engine& engine, const std::string& command);
  std::optional<Item> next();
  // The next inputs, at most this many, to be processed side by side; none: there are no more. An input that
  // could not be read is among them. From a stream they come one at a time, because the next may take long.
  std::vector<Item> next_some(std::size_t most);
  // Writes a line of results without its line break. In files and streams of many inputs, the number of the
  // input's line and its gold label are put in front.
  std::string json_line(const Item& item, const std::string& object) const;
  // Rethrows the error with the input's place in front, or records it and continues.
  void fail(const Item& item, const std::exception_ptr& error);
  void done();                // one more input
  bool nothing_done() const;  // there was no input; a shard may have none of several
  int finish();

  InputReader& reader() { return reader_; }
  Output& output() { return *output_; }
  ProgressLine& progress() { return progress_; }

 private:
  bool keeps() const;
  std::optional<Item> read();
  void record_failure(const Item& item, const std::string& type, const std::string& message);

  const InputOptions input_;
  const OutputOptions named_;
  const CorpusRunOptions options_;
  const std::string format_;
  InputReader reader_;
  ProgressLine progress_;
  std::unique_ptr<Output> output_;
  std::optional<OnInterrupt> parting_;
  std::size_t done_ = 0, failed_ = 0;
};

}  // namespace headwater
