#include "cli_support/prediction_writer.h"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

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

TerminalFormat terminal_of(const Output& output, const std::string& colour) {
  // A file is no terminal: -1 is a descriptor that cannot be one.
  TerminalFormat format = terminal_format(output.is_file() ? -1 : STDOUT_FILENO);
  if (colour == "never") format.colour = TerminalFormat::Colour::None;
  if (colour == "always" && format.colour == TerminalFormat::Colour::None)
    format.colour = TerminalFormat::Colour::Ansi256;
  return format;
}

Headline headline(const Prediction& prediction) {
  if (prediction.answer) return {prediction.answer->text, prediction.answer->probability};
  if (prediction.continuation) return {*prediction.continuation, 0};
  if (prediction.outcomes.empty() || prediction.outcomes.front().top.empty()) return {};
  const Score& best = prediction.outcomes.front().top.front();
  return {best.label, best.probability};
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

PredictionWriter::PredictionWriter(Output& output, Settings settings)
    : output_(output), settings_(std::move(settings)) {
  if (settings_.format == "csv") output_.write("input,text,position,label,probability,logit\n");
  if (settings_.format == "json" && settings_.many) output_.write("[");
}

void PredictionWriter::write(const Input& input, const Prediction& prediction, const AsLine& as_line) {
  if (settings_.format == "csv") {
    write_csv(input, prediction);
  } else if (settings_.format == "jsonl") {
    output_.write(as_line(to_json(input, prediction, {.tokens = settings_.tokens, .indent = -1})));
  } else if (settings_.format == "json") {
    if (settings_.many) output_.write(count_ > 0 ? ",\n" : "\n");
    output_.write(to_json(input, prediction, {.tokens = settings_.tokens, .indent = 2}));
    if (!settings_.many) output_.write("\n");
  } else if (settings_.many) {
    const Headline best = headline(prediction);
    output_.write(fmt::format("{}\t{:.4f}\t{}\n", on_one_line(best.label), best.probability,
                              on_one_line(shown_input(input))));
  } else {
    output_.write(to_terminal(prediction, terminal_of(output_, settings_.colour)));
  }
  ++count_;
}

void PredictionWriter::write_csv(const Input& input, const Prediction& prediction) {
  const std::string start = fmt::format("{},{},", count_, csv_field(shown_input(input)));
  if (prediction.answer)
    output_.write(fmt::format("{}{},{},{:.9g},\n", start, prediction.answer->first_token,
                              csv_field(prediction.answer->text), prediction.answer->probability));
  for (const Outcome& outcome : prediction.outcomes) {
    if (outcome.top.empty() || prediction.answer) continue;
    const Score& best = outcome.top.front();
    const std::string position = outcome.position < 0 ? "" : std::to_string(outcome.position);
    output_.write(fmt::format("{}{},{},{:.9g},{:.9g}\n", start, position, csv_field(best.label),
                              best.probability, best.logit));
  }
}

void PredictionWriter::end_list() {
  if (settings_.format == "json" && settings_.many) output_.write(count_ > 0 ? "\n]\n" : "]\n");
}

}  // namespace headwater
