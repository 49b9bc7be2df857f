// Method: one way to explain, as a record. Help, docs and law tests read the record; the folder is the
// registry.
#pragma once

#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <headwater/report.h>

#include "study/study.h"

namespace headwater {

// One option of a method: its name, allowed values or type, and default, all as text.
struct MethodOption {
  std::string_view name, type, otherwise, help;             // type: "number", "integer", "text", "a|b|c"
  double least = -std::numeric_limits<double>::infinity();  // of numbers and integers
  double most = std::numeric_limits<double>::infinity();
};

// Options as given, checked against the record: unknown names and bad values are InputErrors that list
// what is allowed.
class MethodOptions {
 public:
  MethodOptions(std::string_view method, std::span<const MethodOption> known,
                const std::map<std::string, std::string>& given);
  double number(std::string_view name) const;
  int integer(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  std::vector<std::pair<std::string, std::string>> all() const;  // defaults included, in record order

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

// What a method promises of every result; law tests check exactly these.
struct Claims {
  bool rows_sum_to_one = false;
  bool nonnegative = false;
  bool causal = false;  // no weight on tokens after the query, for causal models
};

// What a map per layer says about the residual path, so that rollout and flow know what to add.
enum class Mixing {
  None,      // no map per layer, or already taken through the layers
  Partial,   // attention alone: rows are normalised and mixed half and half with the identity
  Complete,  // the residual path is in it: rows are normalised and nothing is added
  Raw,       // as Complete, but rollout multiplies the scores as they are (GlobEnc's own form)
};

// What a method is asked; lists of methods go by it, in this order.
enum class Question { Answer, Mixing, Certainty, Heads };
inline constexpr Question all_questions[] = {Question::Answer, Question::Mixing, Question::Certainty,
                                             Question::Heads};
std::string_view text_of(Question question);  // "what does the answer rest on?"

struct Method {
  std::string_view name, summary;
  Question question = Question::Answer;
  std::string_view formula;       // in Unicode text
  std::string_view paper;         // authors, year, title, venue
  std::string_view cost, limits;  // what it costs, what it does not show
  std::vector<MethodOption> options;
  Claims claims;
  Mixing mixing = Mixing::None;
  // Values of the run it reads by Study::at; empty: it walks the tape, and the run keeps everything.
  std::vector<Site> sites;
  bool tiles = false;                       // takes Study::scratch for larger tiles
  bool needs_target = false;                // explains an output: refused for models without a head
  std::vector<std::string_view> aliases{};  // other names it is known by
  std::string_view instead{};  // what to use for encoder–decoders, if it is for one stack alone
  // Why it means nothing for such a model ("…: … has no …; use …"), or empty. `run` refuses it too.
  std::string (*unsupported)(const ModelInfo&) = nullptr;
  Attribution (*run)(const Study&, const MethodOptions&) = nullptr;
  // Bytes beyond the run: its result and the least it needs to work.
  std::size_t (*planned_bytes)(const ModelInfo&, Index tokens, const MethodOptions&) = nullptr;
};

std::span<const Method* const> all_methods();
std::vector<const Method*> methods_asked(Question question);  // by name
const Method& find_method(std::string_view name);             // throws InputError with the nearest names
// Throws Unsupported, with the reason, if the method means nothing for this model.
void require_supported(const Method& method, const ModelInfo& info);

}  // namespace headwater
