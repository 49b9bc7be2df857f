// What there is to choose from: the records of methods, model families and evaluations, as plain text.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <headwater/export.h>

namespace headwater {

struct OptionRecord {
  std::string name;
  std::string type;       // "number", "integer", "text", or what is allowed: "a|b|c"
  std::string otherwise;  // its default
  std::string help;
  double least = -std::numeric_limits<double>::infinity();  // of numbers and integers
  double most = std::numeric_limits<double>::infinity();
};

struct MethodRecord {
  std::string name, summary;
  std::string question;      // "what does the answer rest on?"
  std::string formula;       // in Unicode text
  std::string paper;         // authors, year, title, venue
  std::string cost, limits;  // what it costs, what it does not show
  std::vector<OptionRecord> options;
  std::vector<std::string> claims;   // what every result is checked for
  std::vector<std::string> aliases;  // other names it is known by
  bool needs_target = false;         // explains an output: not for models without a head
  bool aggregates = false;           // has a map per layer that rollout or flow carries through the layers
};

struct FamilyRecord {
  std::string name, summary;
  std::vector<std::string> model_types;    // config.json's model_type values it opens
  std::vector<std::string> architectures;  // "BertForMaskedLM", …
};

struct EvaluationRecord {
  std::string name, summary, formula, paper;
  std::string better;      // "higher", "lower", or "neither": it describes
  std::string needs;       // what an example must have
  std::string curve_over;  // what the curve's x is; empty: no curve
  std::vector<OptionRecord> options;
};

// By name.
HEADWATER_API std::vector<MethodRecord> method_records();
HEADWATER_API std::vector<FamilyRecord> family_records();
HEADWATER_API std::vector<EvaluationRecord> evaluation_records();

}  // namespace headwater
