// Writes predictions as text, JSON, JSON Lines or CSV, one after the other as they come.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <headwater/formats.h>
#include <headwater/request.h>

namespace headwater {

class PredictionWriter {
 public:
  struct Settings {
    std::string format;   // text | json | jsonl | csv
    bool tokens = false;  // include the tokens (JSON)
    bool many = false;    // inputs come as a stream: text takes one line each, JSON becomes a list
    bool gold = false;    // the inputs have labels: text and csv get a column for them
    TerminalFormat terminal;
  };
  using Sink = std::function<void(std::string_view)>;  // takes what is written, piece by piece
  PredictionWriter(Sink sink, Settings settings);

  // `as_line` makes a line of JSON Lines from an object.
  using AsLine = std::function<std::string(const std::string& object)>;
  void write(const Input& input, const std::string& gold, const Prediction& prediction,
             const AsLine& as_line);
  void end_list();  // ends a JSON list after the last prediction

 private:
  void write_csv(const Input& input, const std::string& gold, const Prediction& prediction);

  const Sink write_;
  const Settings settings_;
  std::size_t count_ = 0;
};

}  // namespace headwater
