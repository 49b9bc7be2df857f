#include "cli/labelled_reader.h"

#include <fmt/format.h>
#include <headwater/error.h>

#include "cli/arguments.h"
#include "cli/input_reader.h"
#include "cli/options.h"

namespace headwater {

std::vector<LabelledInput> LabelledOptions::read(const OutputOptions& output) const {
  CorpusReader reader(corpus);
  output.say(fmt::format("reading {} as {}", corpus.file, reader.understood()));
  std::vector<LabelledInput> inputs;
  while (limit == 0 || inputs.size() < limit) {
    std::optional<Example> example = reader.next();
    if (!example) break;
    if (example->gold.empty())
      throw InputError(
          fmt::format("{}: expected a label for the text, found none; name its column with --label-column",
                      reader.where()));
    example->input.truncate = truncate;
    inputs.push_back({.input = std::move(example->input), .label = std::move(example->gold)});
  }
  if (inputs.empty()) throw InputError(fmt::format("{}: expected labelled inputs, found none", corpus.file));
  return inputs;
}

void add_labelled_options(Arguments& arguments, LabelledOptions& options, const std::string& limit_help) {
  options.corpus.labelled = true;
  add_corpus_options(arguments, options.corpus, "Labelled inputs: tsv, csv or jsonl; - is standard input")
      .required();
  add_truncate_option(arguments, options.truncate);
  arguments.add("--limit N", options.limit,
                fmt::format("{}; 0: all (default {})", limit_help, options.limit));
}

void add_rankings_option(Arguments& arguments, std::string& rankings) {
  arguments.under("Methods").add("--by RANKINGS", rankings,
                                 fmt::format("Rankings: {}", fmt::join(head_rankings(), ", ")));
}

}  // namespace headwater
