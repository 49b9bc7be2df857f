// Evaluation: one way to measure an explanation, as a record. Help, docs and tables read the record; the
// folder is the registry.
//
// A metric measures one example and one method at a time. It may first request changed inputs; the model's
// replies come in the order of the requests. Figures over examples are means, unless the record says how they
// are combined.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "evaluation/trial/model_trial.h"
#include "evaluation/trial/trial.h"
#include "methods/method.h"

namespace headwater {

struct Evaluation {
  using Better = EvaluationMetric::Better;
  enum class Needs { Target, Evidence, Cues, Mask, Image, Texts, Labels };

  std::string_view name, summary;
  std::string_view formula;  // in Unicode text
  std::string_view paper;    // authors, year, title, venue
  Better better = Better::Higher;
  std::string_view turned_by{};  // "order=least": with this option the other way is better
  Needs needs = Needs::Target;
  std::vector<MethodOption> options{};
  std::string_view curve_over{};  // what the curve's x is: "share of units removed"; empty: no curve
  // The method it compares with, by its options; null: none.
  MethodSpec (*reference)(const MethodOptions&) = nullptr;
  bool probes = false;  // reads Sample::probe_right
  bool maps = false;    // reads Trial::maps
  // Other explanations of the same example that it needs (Trial::varied); null: none.
  std::vector<Variation> (*variations)(const ModelInfo&, const MethodOptions&) = nullptr;
  // Changed inputs that it needs; null: none.
  std::vector<Perturbation> (*asks)(const Trial&, const MethodOptions&) = nullptr;
  // NaN: it is undefined for this example. Null for a metric of the model itself.
  EvaluationValue (*measure)(const Trial&, const MethodOptions&, std::span<const Reply>) = nullptr;
  // The x values of the curve. Null: no curve.
  std::vector<double> (*points)(const ModelInfo&, const MethodOptions&) = nullptr;
  // Computes the figure from the sums of all examples' parts; null: the mean of their values.
  double (*combine)(std::span<const double> sums) = nullptr;
  // For a metric of the model itself: the rows that take the place of methods, without "random"; and the
  // values of all examples, [example][row, then random].
  std::vector<std::string> (*rows)(const MethodOptions&) = nullptr;
  // Bytes beyond the weights that it needs; throws InputError if the trial's bound is too small.
  std::size_t (*model_bytes)(const ModelTrial&, const MethodOptions&) = nullptr;
  std::vector<std::vector<EvaluationValue>> (*measure_model)(const ModelTrial&,
                                                             const MethodOptions&) = nullptr;
};

std::span<const Evaluation* const> all_evaluations();
const Evaluation& find_evaluation(std::string_view name);  // throws InputError with the nearest names
Evaluation::Better better_of(const Evaluation& evaluation, const MethodOptions& options);
std::string_view text_of(Evaluation::Needs needs);  // "words that annotators marked as the reason"

// The records as text: a list, and the page of all for the docs.
std::string evaluations_text();
std::string evaluations_markdown();

// The missing value.
EvaluationValue no_value();
// The x values of a curve over the layers: 0, 1, ….
std::vector<double> layer_points(const ModelInfo& info, const MethodOptions&);

// Options that several metrics share.
inline constexpr MethodOption replace_option{
    "replace", "auto|mask|unk|pad|zero|mean|black|delete", "auto",
    "what replaces a removed unit; auto: mask where there is one, otherwise mean (of the token embeddings of "
    "the unit's own sequence, or of the picture's colour); black for images; delete shortens the text"};
inline constexpr MethodOption measured_quantity{"quantity", "probability|logit", "probability",
                                                "what F is: the target's probability or its logit"};
inline constexpr MethodOption with_option{
    "with", "text", "occlusion",
    "the method it is compared with: occlusion (blank-out, the fall of the probability), saliency (input "
    "gradients) or any other"};
// The method that `with` names; occlusion measures the probability, as published.
MethodSpec reference_of(const MethodOptions& options);
inline double quantity_in(const Reply& reply, const MethodOptions& options) {
  return options.text("quantity") == "logit" ? reply.logit : reply.probability;
}

}  // namespace headwater
