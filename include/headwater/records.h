// The records of methods, model families and evaluations, as plain text.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <headwater/export.h>

namespace headwater {

struct OptionRecord {
  std::string name;
  std::string type;       // "number", "integer", "text", or the allowed values: "a|b|c"
  std::string otherwise;  // the default
  std::string help;
  double least = -std::numeric_limits<double>::infinity();  // bounds of numbers and integers
  double most = std::numeric_limits<double>::infinity();
};

struct MethodRecord {
  std::string name, summary;
  std::string title;         // as it is written in a sentence: "Integrated gradients"
  std::string question;      // "which inputs does the answer depend on?"
  std::string formula;       // in Unicode text
  std::string paper;         // authors, year, title, venue
  std::string cost, limits;  // what it costs, and what it does not show
  std::vector<OptionRecord> options;
  std::vector<std::string> claims;   // properties checked on every result
  std::vector<std::string> aliases;  // other names
  bool needs_target = false;         // explains an output; refused for models without a task head
  std::string role;                  // what it is taken for where nobody names a method: "first look"
  bool aggregates = false;           // has a map per layer that rollout or flow can combine
};

struct FamilyRecord {
  std::string name, summary;
  std::vector<std::string> model_types;    // values of config.json's model_type
  std::vector<std::string> architectures;  // "BertForMaskedLM", …
};

struct EvaluationRecord {
  std::string name, summary, formula, paper;
  std::string better;      // "higher", "lower", or "neither" for a description
  std::string needs;       // what an example must have
  std::string curve_over;  // the curve's x axis; empty: no curve
  std::vector<OptionRecord> options;
};

// These are sorted by name.
HEADWATER_API std::vector<MethodRecord> method_records();
HEADWATER_API std::vector<FamilyRecord> family_records();
HEADWATER_API std::vector<EvaluationRecord> evaluation_records();

}  // namespace headwater
