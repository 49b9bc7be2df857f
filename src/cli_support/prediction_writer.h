// Predictions as text, JSON, JSON Lines or CSV, one after the other as they come.
#pragma once

#include <functional>
#include <string>

#include <headwater/formats.h>
#include <headwater/request.h>

#include "cli_support/output.h"

namespace headwater {

// What --color and the stream ask for together.
TerminalFormat terminal_of(const Output& output, const std::string& colour);

class PredictionWriter {
 public:
  struct Settings {
    std::string format;   // text | json | jsonl | csv
    bool tokens = false;  // with the tokens (JSON)
    bool many = false;    // inputs come as a stream: text takes one line each, JSON becomes a list
    std::string colour = "auto";
  };
  PredictionWriter(Output& output, Settings settings);

  // `as_line` makes a line of JSON Lines of an object.
  using AsLine = std::function<std::string(const std::string& object)>;
  void write(const Input& input, const Prediction& prediction, const AsLine& as_line);
  void flush() { output_.flush(); }
  void end_list();  // of JSON, after the last one

 private:
  void write_csv(const Input& input, const Prediction& prediction);

  Output& output_;
  const Settings settings_;
  std::size_t count_ = 0;
};

// The best answer of a prediction in one word and number, whatever the task.
struct Headline {
  std::string label;
  double probability = 0;
};
Headline headline(const Prediction& prediction);

// A field of RFC 4180: quoted when it holds a comma, a quote or a line break.
std::string csv_field(const std::string& text);

}  // namespace headwater
