// The sentence with which every answer begins (sentence_of, formats.h), and its parts.
#pragma once

#include <string>
#include <vector>

#include <headwater/report.h>

namespace headwater {

// What the output says about the target: "POSITIVE 96.4 %", "next token “was” 35.2 %"; for a contrast, which of
// the two the model prefers, whichever was asked for. Empty for a model without an output.
std::string answer_of(const Report& report);

// The sentence of one result that is shown at one layer.
std::string sentence_at(const Report& report, const Attribution& result, Index layer);
// What stands over several results, of which the first speaks that knows the class and its signs. Layer −1:
// the one a reader should see first.
std::string sentence_over(const Report& report, const std::vector<const Attribution*>& results,
                          Index layer = -1);

// The best answer of a prediction as one label and its probability, for any task.
struct Headline {
  std::string label;
  double probability = 0;
};
Headline headline(const Prediction& prediction);

// "headwater 0.1.0 · sentiment · float32 · 2 threads · weights 0123456789ab"
std::string record_line(const RunRecord& record);

}  // namespace headwater
