#include "prose/prediction_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "files/csv.h"
#include "files/schema.h"
#include "result/sentence.h"

namespace headwater {
namespace {

const std::string& shown_input(const Input& input) {
  return input.image.empty() ? input.text : input.image;
}

// Tabs and line breaks would break the columns of one line per input.
std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

PredictionWriter::PredictionWriter(Sink sink, Settings settings)
    : write_(std::move(sink)), settings_(std::move(settings)) {
  if (settings_.format == "csv")
    write_(fmt::format("input,text,position,label,probability,logit{}\n", settings_.gold ? ",gold" : ""));
  if (settings_.format == "json" && settings_.many) write_("[");
}

void PredictionWriter::write(const Input& input, const std::string& gold, const Prediction& prediction,
                             const AsLine& as_line) {
  if (settings_.format == "csv") {
    write_csv(input, gold, prediction);
  } else if (settings_.format == "jsonl") {
    write_(as_line(to_json(input, prediction, {.tokens = settings_.tokens, .indent = -1})));
  } else if (settings_.format == "json") {
    if (settings_.many) write_(count_ > 0 ? ",\n" : "\n");
    std::string object = to_json(input, prediction, {.tokens = settings_.tokens, .indent = 2});
    if (!gold.empty()) object.insert(1, fmt::format("\n  \"gold\": {},", dump(OrderedJson(gold), -1)));
    write_(object);
    if (!settings_.many) write_("\n");
  } else if (settings_.many) {
    const Headline best = headline(prediction);
    write_(fmt::format("{}\t{:.4f}\t{}{}\n", on_one_line(best.label), best.probability,
                       settings_.gold ? on_one_line(gold) + "\t" : "", on_one_line(shown_input(input))));
  } else {
    write_(to_terminal(prediction, settings_.terminal));
  }
  ++count_;
}

void PredictionWriter::write_csv(const Input& input, const std::string& gold, const Prediction& prediction) {
  const std::string start = fmt::format("{},{},", count_, csv_field(shown_input(input)));
  const std::string end = settings_.gold ? "," + csv_field(gold) + "\n" : "\n";
  if (prediction.answer)
    write_(fmt::format("{}{},{},{:.9g},{}", start, prediction.answer->first_token,
                       csv_field(prediction.answer->text), prediction.answer->probability, end));
  for (const Outcome& outcome : prediction.outcomes) {
    if (outcome.top.empty() || prediction.answer) continue;
    const Score& best = outcome.top.front();
    const std::string position = outcome.position < 0 ? "" : std::to_string(outcome.position);
    write_(fmt::format("{}{},{},{:.9g},{:.9g}{}", start, position, csv_field(best.label), best.probability,
                       best.logit, end));
  }
}

void PredictionWriter::end_list() {
  if (settings_.format == "json" && settings_.many) write_(count_ > 0 ? "\n]\n" : "]\n");
}

}  // namespace headwater
