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

// Options that several methods have, with the same meaning.
inline constexpr MethodOption quantity_option{"quantity", "logit|probability", "logit",
                                              "what F is: the target's logit or its probability"};
inline constexpr MethodOption reduction_option{
    "reduction", "l2|sum|abs_sum|max", "l2",
    "one number per token: norm, signed sum, absolute value of the sum, or largest absolute value"};
inline constexpr MethodOption wrt_option{
    "wrt", "e0|embed", "e0",
    "the input of the first block (positions and embedding norm included) or the token embeddings alone"};
inline constexpr MethodOption absent_option{
    "replace", "auto|mask|unk|pad|zero|mean|black|delete", "auto",
    "what replaces an absent unit; auto: mask where there is one, otherwise mean (of the token embeddings of "
    "the unit's own sequence, or of the picture's colour)"};
inline constexpr MethodOption unit_option{"unit", "token|word", "token", "what is removed at once"};
inline constexpr MethodOption seed_option{"seed", "integer", "0",
                                          "seed of the random numbers; the same seed gives the same bits", 0};
inline constexpr MethodOption lrp_epsilon_option{"epsilon", "number", "1e-6",
                                                 "added to every output, away from zero", 0};
inline constexpr MethodOption lrp_attention_option{
    "attention", "constant|shared", "constant",
    "constant patterns (CP-LRP), or products shared half and half (AttnLRP)"};

// Options as given, checked against the record: unknown names and bad values are InputErrors that list
// what is allowed.
class MethodOptions {
 public:
  MethodOptions(std::string_view method, std::span<const MethodOption> known,
                const std::map<std::string, std::string>& given);
  double number(std::string_view name) const;
  int integer(std::string_view name) const;
  double share(std::string_view name, std::string_view letter) const;  // a number, 0 <= letter < 1
  int start_layer(const ModelInfo& info) const;                        // one of the model's
  const std::string& text(std::string_view name) const;
  std::string_view method() const { return method_; }
  std::vector<std::pair<std::string, std::string>> all() const;  // defaults included, in record order
  // Throws InputError for a value that the type allows and the method does not.
  [[noreturn]] void refuse(std::string_view name, std::string_view expected) const;

 private:
  std::string_view method_;
  std::vector<std::pair<std::string, std::string>> values_;
};

// The properties that every result of a method has; law tests check exactly these.
struct Claims {
  bool rows_sum_to_one = false;
  bool nonnegative = false;
  bool causal = false;  // no weight on tokens after the query, for causal models
};

// How a map per layer treats the residual path, so that rollout and flow know what to add.
enum class Mixing {
  None,      // no map per layer, or already combined across layers
  Partial,   // without the residual path: rows are normalised and mixed half and half with the identity
  Complete,  // with the residual path: rows are normalised and nothing is added
  Raw,       // as Complete, but rollout multiplies the scores as they are (GlobEnc's own form)
};

// The question that a method answers; lists of methods are ordered by it.
enum class Question { Answer, Mixing, Certainty, Heads };
inline constexpr Question all_questions[] = {Question::Answer, Question::Mixing, Question::Certainty,
                                             Question::Heads};
std::string_view text_of(Question question);  // "which inputs does the answer depend on?"

struct Method {
  std::string_view name, summary;
  Question question = Question::Answer;
  std::string_view formula;       // in Unicode text
  std::string_view paper;         // authors, year, title, venue
  std::string_view cost, limits;  // what it costs, and what it does not show
  std::vector<MethodOption> options{};
  Claims claims{};
  Mixing mixing = Mixing::None;
  // Values of the run that it reads by Study::at; empty: it walks the tape, and the run keeps everything.
  std::vector<Site> sites;
  bool tiles = false;                       // uses Study::scratch for larger tiles
  bool refines = false;                     // goes on until its tolerance is met, or Study::until
  bool needs_target = false;                // explains an output: refused for models without a head
  std::vector<std::string_view> aliases{};  // other names
  std::string_view instead{};  // what to use for encoder–decoders, if it is for one stack alone
  // Why it is undefined for such a model ("…: … has no …; use …"), or empty. `run` refuses it too.
  std::string (*unsupported)(const ModelInfo&) = nullptr;
  Attribution (*compute)(const Study&, const MethodOptions&) = nullptr;
  // Bytes beyond the run: its result and the least it needs to work.
  std::size_t (*planned_bytes)(const ModelInfo&, Index tokens, const MethodOptions&) = nullptr;
  // Bytes of scratch beyond which its tiles grow no more. None: it takes what it is given.
  std::size_t (*most_scratch)(const ModelInfo&, Index tokens, const MethodOptions&) = nullptr;

  // Its result, with its name and the options used.
  Attribution run(const Study& study, const MethodOptions& options) const;
  // Says whose it is. Options that the result has already were settled by the run itself.
  Attribution named(Attribution result, const MethodOptions& options) const;
};

// Method::planned_bytes for methods whose options do not change it.
template <std::size_t (*bytes)(const ModelInfo&, Index)>
std::size_t planned(const ModelInfo& info, Index tokens, const MethodOptions&) {
  return bytes(info, tokens);
}

std::span<const Method* const> all_methods();
std::vector<const Method*> methods_asked(Question question);  // by name
// Names are the same whatever their capitals, underscores, hyphens and spaces: "GradCAM", "attn-lrp".
std::string plain_name(std::string_view name);
const Method* method_named(std::string_view name);  // or by an alias; null if there is none
const Method& find_method(std::string_view name);   // throws InputError with the nearest names
// Throws Unsupported, with the reason, if the method is undefined for this model.
void require_supported(const Method& method, const ModelInfo& info);

}  // namespace headwater
