#include "cli/input_reader.h"

#include <fmt/format.h>
#include <headwater/error.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/describe.h"
#include "corpus/run_record.h"

namespace headwater {
namespace {

constexpr int usual_overlap = 64;

void require_one_source(const InputOptions& options) {
  const int sources =
      int{options.text.has_value()} + int{!options.corpus.file.empty()} + int{!options.images.empty()};
  if (sources > 1)
    throw InputError("expected one of a text, --file and --image, found several; give only one of them");
  if (options.pair && !options.images.empty())
    throw InputError("--pair: expected a text with it, found --image; leave out either");
  if (options.pair && !options.corpus.pair_column.empty())
    throw InputError(
        "--pair: expected one pair for all lines or one per line, found --pair-column too; leave out either");
  const CorpusOptions& corpus = options.corpus;
  const bool columns = !corpus.format.empty() || !corpus.header.empty() || !corpus.text_column.empty() ||
                       !corpus.pair_column.empty() || !corpus.label_column.empty();
  if (columns && (options.text || !options.images.empty()))
    throw InputError(
        "expected --file or standard input for --input-format, --header and columns, found an input as "
        "argument; leave "
        "out either");
  if (corpus.shard && (options.text || !options.images.empty()))
    throw InputError(
        "--shard: expected inputs from --file or standard input, found one as argument; leave out either");
}

}  // namespace

Argument add_corpus_options(Arguments& arguments, CorpusOptions& options, const std::string& file_help) {
  const Argument file = arguments.under("Input").add("-f,--file FILE", options.file, file_help);
  arguments.under(file_options_heading)
      .add("--input-format txt|tsv|csv|jsonl", options.format, "Default: by the extension, otherwise txt")
      .choices();
  arguments
      .add("--header yes|no", options.header,
           "Whether a table's first row names its columns (default: detect it)")
      .choices();
  arguments.add("--text-column NAME|N", options.text_column,
                "Column or key of the text (default text, sentence, …)");
  arguments.add("--pair-column NAME|N", options.pair_column,
                "Column or key of the second text (default pair, sentence2, …)");
  arguments.add("--label-column NAME|N", options.label_column,
                "Column or key of the gold label (default label)");
  return file;
}

void add_gold_label_option(Arguments& arguments, std::map<std::string, std::string>& names) {
  arguments.under(file_options_heading)
      .add_repeated(
          "--gold-label NAME=LABEL",
          [&names](const std::string& text) {
            const std::size_t equals = text.find('=');
            if (equals == std::string::npos)
              throw InputError(fmt::format("--gold-label: expected FILE'S=MODEL'S, found \"{}\"", text));
            names[text.substr(0, equals)] = text.substr(equals + 1);
          },
          "Map a label of the file to the model's, as NEG=LABEL_0; may be repeated");
}

void add_truncate_option(Arguments& arguments, bool& truncate) {
  arguments.under("Input").add("--truncate", truncate, "Cut a text that is too long");
}

void add_window_options(Arguments& arguments, WindowOptions& options) {
  arguments.under("Input").add("--windows", options.windows, "Read a text that is too long in windows");
  arguments.add("--overlap N", options.overlap,
                fmt::format("Smallest overlap of windows (default {} tokens)", usual_overlap));
}

std::optional<int> WindowOptions::chosen(bool truncate) const {
  if (windows && truncate)
    throw InputError("--windows: expected no --truncate, found both; a text is either read whole or cut");
  if (overlap && !windows) throw InputError("--overlap: expected --windows, found none; add it");
  return windows ? std::optional<int>(overlap.value_or(usual_overlap)) : std::nullopt;
}

void add_shard_option(Arguments& arguments, std::optional<Shard>& shard) {
  arguments.under(file_options_heading)
      .add(
          "--shard I/N", [&shard](const std::string& text) { shard = parse_shard(text, "--shard"); },
          "Use the I-th of N equal parts of the inputs; headwater merge joins the results");
}

void add_text_file_options(Arguments& arguments, InputOptions& options) {
  add_corpus_options(arguments, options.corpus, "Texts: txt, tsv, csv or jsonl; - is stdin");
  add_truncate_option(arguments, options.truncate);
}

void add_input_options(Arguments& arguments, InputOptions& options) {
  // One string, not a list: CLI11 would take a list apart at brackets and commas, and [MASK] has them. By
  // hand, because it takes an empty text for none.
  arguments.add(
      "text  ", [&options](const std::string& text) { options.text = text; },
      "The text (default: --file, or lines of stdin)");
  arguments.under("Input").add(
      "--pair TEXT", [&options](const std::string& pair) { options.pair = pair; },
      "Second text: hypothesis, or a question's context");
  add_text_file_options(arguments, options);
  arguments.add("--spaced", options.spaced, "Words are separated by spaces");
  arguments.add_repeated("--image FILE", options.images, "PNG or JPEG, for image models; may be repeated");
}

void require_text(const Input& input) {
  const std::string all = input.text + input.pair.value_or("");
  if (input.image.empty() && all.find_first_not_of(" \t\r\n") == std::string::npos)
    throw InputError("expected a text to explain, found an empty one");
}

InputReader::InputReader(const InputOptions& options) : options_(options) {
  require_one_source(options);
  if (options.text || !options.images.empty()) return;
  if (options.corpus.file.empty() && ::isatty(STDIN_FILENO) == 1)
    throw InputError(
        "no text was given; write it in quotes, name a file with -f, or send it to standard input");
  corpus_ = std::make_unique<CorpusReader>(options.corpus);
}

std::optional<Example> InputReader::next() {
  std::optional<Example> example;
  if (corpus_ != nullptr) {
    example = corpus_->next();
    if (!example) return example;
  } else if (!options_.images.empty()) {
    if (count_ == options_.images.size()) return std::nullopt;
    example.emplace();
    example->input.image = options_.images[count_++];
  } else {
    if (count_++ > 0) return std::nullopt;
    example.emplace();
    example->input.text = *options_.text;
  }
  example->input.truncate = options_.truncate;
  example->input.spaced = options_.spaced;
  if (options_.pair && !example->input.pair) example->input.pair = options_.pair;
  return example;
}

std::vector<Input> InputReader::rest() {
  std::vector<Input> inputs;
  while (std::optional<Example> example = next()) inputs.push_back(std::move(example->input));
  return inputs;
}

void InputReader::expect_last(const std::string& what) {
  if (!next()) return;
  throw InputError(
      fmt::format("{}: expected one input for {}", from_arguments() ? "--image" : where(), what));
}

std::string InputReader::where() const {
  return corpus_ == nullptr ? std::string() : corpus_->where();
}

std::string InputReader::understood() const {
  const CorpusOptions& corpus = options_.corpus;
  const bool piped = corpus.file.empty() || corpus.file == "-";
  // What goes without saying is not said.
  const bool plain = corpus.format.empty() ? piped || corpus.file.ends_with(".txt") : corpus.format == "txt";
  if (corpus_ == nullptr || plain) return {};
  return fmt::format("reading {} as {}", piped ? "standard input" : corpus.file, corpus_->understood());
}

std::string InputReader::left_out() const {
  if (corpus_ == nullptr || corpus_->blank() == 0) return {};
  return fmt::format("{} blank line{} left out", corpus_->blank(), corpus_->blank() == 1 ? " was" : "s were");
}

}  // namespace headwater
