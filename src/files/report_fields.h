// The fields of a report, and of everything in it, as its JSON has them.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include <headwater/error.h>
#include <headwater/formats.h>
#include <headwater/report.h>

#include "base/fields.h"
#include "files/json_values.h"
#include "files/schema.h"
#include "result/rows.h"

namespace headwater {

template <>
inline constexpr int words_in<Task> = static_cast<int>(Task::FeatureExtraction) + 1;
template <>
inline constexpr int words_in<DType> = 2;
template <>
inline constexpr int words_in<View::Unit> = 2;
template <>
inline constexpr int words_in<View::Special> = 3;

inline std::string_view name_of(View::Unit unit) {
  return unit == View::Unit::Word ? "word" : "token";
}
inline std::string_view name_of(View::Special special) {
  return special == View::Special::Hide ? "hide" : special == View::Special::Drop ? "drop" : "keep";
}

// An axis of the first sequence is its name alone.
void write_value(OrderedJson& json, const Axis& axis);
void read_value(const Json& json, const FieldPath& path, Axes& axes);

// The label with which a prediction begins; null: its outcomes come alone.
const Score* best_label(const Prediction& prediction);

void describe(auto& v, Of<Check> auto& check) {
  v("name", check.name);
  v("passed", check.passed);
  v("value", check.value);
  v("bound", check.bound);
}

template <class V>
void describe(V& v, Of<RunRecord> auto& record) {
  v("version", record.version);
  v("model", record.model);
  v("commit", record.commit);
  v("model_type", record.model_type);
  v("architecture", record.architecture);
  v("weights_sha256", record.weights_sha256);
  v("tokenizer_sha256", record.tokenizer_sha256);
  v("dtype", record.dtype);
  v("threads", record.threads);
  if constexpr (V::reads)
    v("kernels", record.kernels);
  else  // in the order that a reader finds
    v("kernels", std::map(record.kernels.begin(), record.kernels.end()));
  v("seconds", record.seconds);
}

auto listed(Of<TokenRange> auto& range) {
  return std::tie(range.first, range.last);
}

void describe(auto& v, Of<Target> auto& target) {
  v("label", target.label);
  v("index", target.index);
  v("position", target.position);
  v("logit", target.logit);
  v("probability", target.probability);
  v.maybe("span", target.span);
  v.maybe("tokens", target.tokens);
  v.where(target.contrast.has_value(), "contrast", target.contrast_label);
  v.maybe("contrast_index", target.contrast);
  v.maybe("contrast_span", target.contrast_span);
  v.maybe("contrast_tokens", target.contrast_tokens);
}

void describe_sizes(auto& v, Of<Stack> auto& stack) {
  v("layers", stack.layers);
  v("heads", stack.heads);
  v("groups", stack.groups);
  v("head_width", stack.head_width);
  v("width", stack.width);
  v("feed_forward", stack.feed_forward);
}

// A stack names the stack that it reads.
struct NamedStack {
  Stack stack;
  std::string reads;
};
std::vector<NamedStack> named_stacks(const ModelInfo& info);
std::vector<Stack> stacks_of(const std::vector<NamedStack>& named);

void describe(auto& v, Of<NamedStack> auto& named) {
  v("name", named.stack.name);
  describe_sizes(v, named.stack);
  v("causal", named.stack.causal);
  v.maybe("reads", named.reads);
}

// The sizes of the last stack are the model's own.
template <class V>
void describe(V& v, Of<ModelInfo> auto& info) {
  v("family", info.family);
  v("model_type", info.model_type);
  v("architecture", info.architecture);
  v("task", info.task);
  std::vector<NamedStack> stacks = named_stacks(info);
  const bool several = v.where(stacks.size() > 1, "stacks", stacks);
  if constexpr (V::reads)
    if (several) info.stacks = stacks_of(stacks);
  describe_sizes(v, info.last());
  v("vocabulary", info.vocabulary);
  v("positions", info.positions);
  v("causal", info.last().causal);
  v("pre_norm", info.pre_norm);
  v("labels", info.labels);
  const bool patches = info.patch_size > 0;
  v.where(patches, "image_size", info.image_size);
  v.where(patches, "patch_size", info.patch_size);
  v.where(patches, "prefix_tokens", info.prefix_tokens);
  v("dtype", info.dtype);
  v("parameters", info.parameters);
}

// "sequence" is 0 for the text (or the source), 1 for its pair, 2 for the output. The report's reader tells the pair
// from the output.
template <class V>
void describe(V& v, Of<Unit> auto& unit) {
  v("id", unit.id);
  v("piece", unit.piece);
  v("text", unit.text);
  v("begin", unit.begin);
  v("end", unit.end);
  v("word", unit.word);
  int sequence = sequence_id(unit);
  v("sequence", sequence);
  if constexpr (V::reads) unit.segment = sequence;
  v("special", unit.special);
  v.maybe("target", unit.target);
}

void describe(auto& v, Of<Sequence> auto& sequence) {
  v("name", sequence.name);
  v("first", sequence.first);
  v("count", sequence.count);
}

void describe(auto& v, Of<Score> auto& score) {
  v("label", score.label);
  v("index", score.index);
  v("probability", score.probability);
  v("logit", score.logit);
}

void describe(auto& v, Of<Outcome> auto& outcome) {
  v("position", outcome.position);
  v("scores", outcome.top);
}

void describe(auto& v, Of<Span> auto& span) {
  v("text", span.text);
  v("first_token", span.first_token);
  v("last_token", span.last_token);
  v("probability", span.probability);
}

// Without tokens. The best label of one outcome comes first; an outcome of the whole input is its scores alone, and only
// that has logits: those of a vocabulary are for arrays, not for text.
template <class V>
void describe(V& v, Of<Prediction> auto& prediction) {
  v("task", prediction.task);
  v.maybe("answer", prediction.answer);
  const Score* best = best_label(prediction);
  v.also_where(best != nullptr, "label", [&] { return best->label; });
  v.also_where(best != nullptr, "probability", [&] { return best->probability; });
  std::vector<Score> scores;
  const bool whole = prediction.outcomes.size() == 1 && prediction.outcomes.front().position < 0;
  if constexpr (!V::reads)
    if (whole) scores = prediction.outcomes.front().top;
  v.where(whole && !prediction.logits.empty(), "logits", prediction.logits);
  if (v.where(whole, "scores", scores)) {
    if constexpr (V::reads) prediction.outcomes = {{.top = std::move(scores)}};
  } else {
    v.maybe("outcomes", prediction.outcomes);
  }
  v.maybe("continuation", prediction.continuation);
  v.where(prediction.continuation.has_value(), "continuation_ids", prediction.continuation_ids);
  v.maybe("hidden", prediction.hidden);
  v.maybe("truncated", prediction.truncated);
}

void describe(auto& v, Of<View> auto& view) {
  v("unit", view.unit);
  v("special", view.special);
}

void describe(auto& v, Of<Read> auto& read) {
  v("sequence", read.sequence);
  v("row", read.row);
}

void describe(auto& v, Of<Traits> auto& traits) {
  v("of_target", traits.of_target);
  v("by_layer", traits.by_layer);
  v("attention_alone", traits.attention_alone);
  v("is_signed", traits.is_signed);
  v("rows_sum_to_one", traits.rows_sum_to_one);
}

void describe(auto& v, Of<Account> auto& account) {
  v("sum", account.sum);
  v("of", account.of);
  v("what", account.what);
  v.also("share", [&] { return share_of(account); });
}

void describe(auto& v, Of<Agreement> auto& agreement) {
  v("methods", std::tie(agreement.first, agreement.second));
  v("units", agreement.units);
  v("kendall_tau_b", agreement.whole_kendall);
  v("spearman", agreement.whole_spearman);
  v("kendall_tau_b_by_layer", agreement.kendall);
  v("spearman_by_layer", agreement.spearman);
}

void describe(auto& v, Of<Map> auto& map) {
  v("name", map.name);
  v("axes", map.axes);
  v("values", map.values);
}

// Files of version 0.1.0 have no traits: there the record of the method gives them.
Traits traits_of_old_file(const Attribution& result);

// Scores are the first map where it has no name.
template <class V>
void describe(V& v, Of<Attribution> auto& result) {
  const bool unnamed = result.maps.front().name.empty();
  std::vector<Map> named;
  std::optional<std::string> aggregate;
  if constexpr (!V::reads) {
    named.assign(result.maps.begin() + (unnamed ? 1 : 0), result.maps.end());
    if (!result.aggregate.empty()) aggregate = result.aggregate;
  }
  v("method", result.method);
  v("aggregate", aggregate);
  v("options", result.options);
  [[maybe_unused]] const bool told = v.where(true, "traits", result.traits);
  v.where(unnamed, "axes", result.axes());
  v.also_where(unnamed, "shape", [&] { return result.scores().shape().dims(); });
  v.maybe("measured", result.measured);
  v("checks", result.checks);
  v.maybe("accounted", result.accounted);
  v("notes", result.notes);
  v("seconds", result.seconds);
  v.maybe("unfinished", result.unfinished);
  v.numbers(unnamed, "scores", result.scores());
  if constexpr (!V::reads)
    v.numbers(has_axis(result, Axis::Query) && !result.answer.empty(), "answer", result.answer);
  v.numbers(!named.empty(), "maps", named);
  v.numbers(!result.details.empty(), "details", result.details);
  if constexpr (V::reads) {
    result.aggregate = aggregate.value_or("");
    if (result.scores().empty()) result.maps.clear();
    result.maps.insert(result.maps.end(), named.begin(), named.end());
    if (result.maps.empty())
      throw FormatError("attributions: expected scores, found none; a summary has no numbers");
    if (!told) result.traits = traits_of_old_file(result);
  }
}

// `command` repeats the run. A view was applied when it was written and is not read; files of version 0.1.0 do not say
// which rows were read.
template <class V>
void describe_report(V& v, Of<Report> auto& report, Of<std::string> auto& command) {
  const bool several = report.prediction.sequences.size() > 1;
  v.also("schema", [] { return schema_name; });
  v.also("sentence", [&] { return sentence_of(report); });
  v.object("input", [&](auto& input) {
    input.where(report.image.empty(), "text", report.text);
    input.maybe("pair", report.pair);
    input.maybe("image", report.image);
    input.maybe("fitted", report.fitted);
    input.where(several, "prefix", report.prefix);
  });
  v.where(several, "sequences", report.prediction.sequences);
  v.also("view", [&] { return report.asked.view; });
  v("model", report.model);
  v("prediction", report.prediction);
  v("target", report.target);
  v.where(true, "read", report.read);
  v.object("record", [&](auto& record) {
    describe(record, report.record);
    record.where(true, "command", command);
  });
  v.maybe("agreement", report.agreement);
  if constexpr (V::reads)
    v("tokens", report.prediction.units);
  else
    v.numbers(true, "tokens", patches_of(report.prediction) ? std::vector<Unit>() : report.prediction.units);
  v.numbers(true, "attributions", report.attributions);
}

}  // namespace headwater
