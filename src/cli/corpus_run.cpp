#include "cli/corpus_run.h"

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "cli/describe.h"
#include "cli/run_identity.h"
#include "files/schema.h"

namespace headwater {
namespace {

const char* type_of(const Error& error) {
  if (dynamic_cast<const FormatError*>(&error) != nullptr) return "FormatError";
  return dynamic_cast<const Unsupported*>(&error) != nullptr ? "Unsupported" : "InputError";
}

[[noreturn]] void rethrow_as(const std::string& type, const std::string& message) {
  if (type == "FormatError") throw FormatError(message);
  if (type == "Unsupported") throw Unsupported(message);
  throw InputError(message);
}

}  // namespace

void add_corpus_run_options(Arguments& arguments, CorpusRunOptions& options) {
  arguments.under(file_options_heading)
      .add("--resume", options.resume, "Continue the JSON Lines of an earlier run's -o");
  arguments.add("--keep-going", options.keep_going,
                "Record an input that fails and continue; the exit code is then 1");
  options.given = [arguments] { return arguments.given(); };
}

CorpusRun::CorpusRun(const InputOptions& input, const OutputOptions& output, const CorpusRunOptions& options,
                     std::string format)
    : input_(input),
      named_(output),
      options_(options),
      format_(std::move(format)),
      reader_(input),
      progress_(output.quiet) {
  if (options.resume && !keeps())
    throw InputError(
        "--resume: expected inputs from --file and JSON Lines to a file (-f FILE -o FILE.jsonl), found " +
        std::string(reader_.from_arguments() || input.corpus.file.empty() || input.corpus.file == "-"
                        ? "no file of inputs"
                        : "no such output"));
  if (Output::names_file(output.path)) Output::require_place(output.path);
  if (const std::string text = reader_.understood(); !text.empty()) output.say(text);
}

bool CorpusRun::keeps() const {
  const std::string& file = input_.corpus.file;
  return format_ == "jsonl" && !reader_.from_arguments() && !file.empty() && Output::names_file(file) &&
         Output::names_file(named_.path);
}

void CorpusRun::open(const Engine& engine, const std::string& command) {
  if (!keeps()) {
    output_ = std::make_unique<Output>(named_.path);
  } else {
    const std::string inputs = sha256_hex(MappedFile::open(input_.corpus.file)->bytes());
    const OrderedJson run = run_identity(engine, command, inputs, options_.given(), {"--keep-going"});
    output_ = std::make_unique<Output>(
        named_.path, run, options_.resume ? KeptResults::Start::Resume : KeptResults::Start::Anew);
    const KeptResults& kept = *output_->kept();
    done_ = kept.kept();
    failed_ = kept.failed();
    if (done_ > 0) named_.say(fmt::format("resuming: {} done already", done_));
    parting_.emplace(
        OnInterrupt::Do::Say,
        fmt::format("\nheadwater: stopped; finished results are kept, and --resume continues: {}\n",
                    kept.part()));
  }
  if (const CorpusReader* corpus = reader_.corpus(); corpus != nullptr && progress_.on())
    progress_.expect(corpus->count(), done_);
}

std::optional<CorpusRun::Item> CorpusRun::next() {
  std::optional<Item> item = read();
  if (item && item->error && !options_.keep_going) fail(*item, item->error);
  return item;
}

std::vector<CorpusRun::Item> CorpusRun::next_some(std::size_t most) {
  if (reader_.from_arguments() || !Output::names_file(input_.corpus.file)) most = 1;
  std::vector<Item> items;
  while (items.size() < most) {
    std::optional<Item> item = read();
    if (!item) break;
    items.push_back(std::move(*item));
    if (items.back().error) break;  // the reader says once where it is
  }
  return items;
}

std::optional<CorpusRun::Item> CorpusRun::read() {
  const KeptResults* kept = output_->kept();
  if (kept != nullptr && kept->complete()) return std::nullopt;
  for (;;) {
    Item item;
    try {
      std::optional<Example> example = reader_.next();
      if (!example) return std::nullopt;
      item.example = std::move(*example);
    } catch (const Error&) {
      item.error = std::current_exception();
      item.example.line = reader_.corpus() == nullptr ? 0 : reader_.corpus()->line();
    }
    item.where = reader_.where();
    if (kept != nullptr && item.example.line < kept->next_line()) continue;
    return item;
  }
}

std::string CorpusRun::json_line(const Item& item, const std::string& object) const {
  if (item.example.line == 0) return object + "\n";
  const std::string gold =
      item.example.gold.empty() ? "" : fmt::format("\"gold\":{},", dump(OrderedJson(item.example.gold), -1));
  return numbered(item.example.line, fmt::format("{{{}{}", gold, object.substr(1))) + "\n";
}

void CorpusRun::record_failure(const Item& item, const std::string& type, const std::string& message) {
  ++failed_;
  progress_.clear();
  named_.say(fmt::format("failed: {}", message));
  if (format_ == "jsonl" && item.example.line > 0)
    output_->write(failure_line(item.example.line, type, message) + "\n");
  done();
}

void CorpusRun::fail(const Item& item, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InternalError&) {
    throw;
  } catch (const Error& caught) {
    std::string message = caught.what();
    if (!item.where.empty() && !message.starts_with(item.where))
      message = fmt::format("{}: {}", item.where, message);
    const std::string type = type_of(caught);
    if (options_.keep_going && !item.where.empty()) return record_failure(item, type, message);
    if (output_ != nullptr && output_->kept() != nullptr && done_ > 0)
      message += fmt::format(
          "; the {} results before it are kept, and --resume --keep-going continues after it", done_);
    rethrow_as(type, message);
  }
}

bool CorpusRun::nothing_done() const {
  const bool complete = output_->kept() != nullptr && output_->kept()->complete();
  const bool all_passed_over = reader_.corpus() != nullptr && !reader_.corpus()->none_read();
  return done_ == 0 && !complete && !all_passed_over;
}

void CorpusRun::done() {
  progress_.show_done(++done_);
}

int CorpusRun::finish() {
  progress_.clear();
  if (output_->kept() != nullptr && output_->kept()->complete())
    named_.say(fmt::format("{}: complete already", named_.path));
  parting_.reset();
  output_->finish();
  if (const std::string text = reader_.left_out(); !text.empty()) named_.say(text);
  if (output_->is_file()) named_.say(fmt::format("written: {}", named_.path));
  if (failed_ == 0) return 0;
  named_.say(fmt::format("{} of {} inputs failed", failed_, done_));
  return some_failed;
}

}  // namespace headwater
