#include "files/schema.h"

#include <charconv>
#include <cmath>
#include <map>

#include <headwater/formats.h>

#include "result/focus.h"

namespace headwater {

namespace {

OrderedJson pairs_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [key, value] : pairs) json[key] = value;
  return json;
}

OrderedJson json_of(const Score& score) {
  return {{"label", score.label},
          {"index", score.index},
          {"probability", score.probability},
          {"logit", score.logit}};
}

OrderedJson json_of(const Outcome& outcome) {
  const auto as_json = [](const Score& score) { return json_of(score); };
  return {{"position", outcome.position}, {"scores", list_of(outcome.top, as_json)}};
}

OrderedJson json_of(const View& view) {
  const char* special = view.special == View::Special::Hide   ? "hide"
                        : view.special == View::Special::Drop ? "drop"
                                                              : "keep";
  return {{"unit", view.unit == View::Unit::Word ? "word" : "token"}, {"special", special}};
}

template <class R>
void append_shortest(std::string& out, R value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char buffer[40];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, end);
}

// [T, D] as nested lists.
OrderedJson rows_of(const Tensor& tensor) {
  OrderedJson rows = OrderedJson::array();
  for (Index r = 0; r < tensor.dim(0); ++r) {
    OrderedJson row = OrderedJson::array();
    for (Index c = 0; c < tensor.dim(1); ++c) row.push_back(tensor.at(r * tensor.dim(1) + c));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

void append_number(std::string& out, float value) {
  append_shortest(out, value);
}
void append_number(std::string& out, double value) {
  append_shortest(out, value);
}

OrderedJson json_of(const RunRecord& record) {
  OrderedJson json;
  json["version"] = record.version;
  json["model"] = record.model;
  json["commit"] = record.commit;
  json["model_type"] = record.model_type;
  json["architecture"] = record.architecture;
  json["weights_sha256"] = record.weights_sha256;
  json["tokenizer_sha256"] = record.tokenizer_sha256;
  json["dtype"] = record.dtype;
  json["threads"] = record.threads;
  json["kernels"] =
      std::map(record.kernels.begin(), record.kernels.end());  // in the order that a reader finds
  json["seconds"] = record.seconds;
  return json;
}

OrderedJson json_of(const Target& target) {
  OrderedJson json;
  json["label"] = target.label;
  json["index"] = target.index;
  json["position"] = target.position;
  json["logit"] = target.logit;
  json["probability"] = target.probability;
  const auto tokens_of = [](const TokenRange& span) { return OrderedJson{span.first, span.last}; };
  if (target.span) json["span"] = tokens_of(*target.span);
  if (!target.tokens.empty()) json["tokens"] = target.tokens;
  if (target.contrast) {
    json["contrast"] = target.contrast_label;
    json["contrast_index"] = *target.contrast;
    if (target.contrast_span) json["contrast_span"] = tokens_of(*target.contrast_span);
    if (!target.contrast_tokens.empty()) json["contrast_tokens"] = target.contrast_tokens;
  }
  return json;
}

namespace {

// For models with several stacks; the fields of a single stack are the model's own.
OrderedJson stacks_json(const ModelInfo& info) {
  return list_of(info.stacks, [&](const Stack& stack) {
    OrderedJson json{{"name", stack.name},
                     {"layers", stack.layers},
                     {"heads", stack.heads},
                     {"groups", stack.groups},
                     {"head_width", stack.head_width},
                     {"width", stack.width},
                     {"feed_forward", stack.feed_forward},
                     {"causal", stack.causal}};
    if (stack.reads >= 0) json["reads"] = info.stacks[static_cast<std::size_t>(stack.reads)].name;
    return json;
  });
}

}  // namespace

OrderedJson json_of(const ModelInfo& info) {
  OrderedJson json;
  json["family"] = info.family;
  json["model_type"] = info.model_type;
  json["architecture"] = info.architecture;
  json["task"] = name_of(info.task);
  if (info.stacks.size() > 1) json["stacks"] = stacks_json(info);
  json["layers"] = info.last().layers;
  json["heads"] = info.last().heads;
  json["groups"] = info.last().groups;
  json["head_width"] = info.last().head_width;
  json["width"] = info.last().width;
  json["feed_forward"] = info.last().feed_forward;
  json["vocabulary"] = info.vocabulary;
  json["positions"] = info.positions;
  json["causal"] = info.last().causal;
  json["pre_norm"] = info.pre_norm;
  json["labels"] = info.labels;
  if (info.patch_size > 0) {
    json["image_size"] = info.image_size;
    json["patch_size"] = info.patch_size;
    json["prefix_tokens"] = info.prefix_tokens;
  }
  json["dtype"] = name_of(info.dtype);
  json["parameters"] = info.parameters;
  return json;
}

int sequence_id(const Unit& token) {
  return token.sequence > 0 ? 2 : token.segment;
}

OrderedJson json_of(const Unit& token) {
  OrderedJson json{{"id", token.id},
                   {"piece", token.piece},
                   {"text", token.text},
                   {"begin", token.begin},
                   {"end", token.end},
                   {"word", token.word},
                   {"sequence", sequence_id(token)},
                   {"special", token.special}};
  if (token.target) json["target"] = true;
  return json;
}

OrderedJson tokens_of(const Prediction& prediction) {
  return patches_of(prediction) != nullptr ? OrderedJson::array() : list_of(prediction.units);
}

// An axis of the first sequence is its name alone.
OrderedJson json_of(const Axes& axes) {
  return list_of(axes, [](const Axis& axis) -> OrderedJson {
    if (axis.sequence == 0) return name_of(axis);
    return {{"axis", name_of(axis)}, {"sequence", axis.sequence}};
  });
}

OrderedJson names_of(const Axes& axes) {
  return list_of(axes, [](const Axis& axis) { return name_of(axis); });
}

OrderedJson json_of(const Prediction& prediction) {
  OrderedJson json;
  json["task"] = name_of(prediction.task);
  if (prediction.answer) {
    const Span& answer = *prediction.answer;
    json["answer"] = {{"text", answer.text},
                      {"first_token", answer.first_token},
                      {"last_token", answer.last_token},
                      {"probability", answer.probability}};
  } else if (prediction.task != Task::TokenClassification && !prediction.outcomes.empty() &&
             !prediction.outcomes.front().top.empty()) {
    const Score& best = prediction.outcomes.front().top.front();
    json["label"] = best.label;
    json["probability"] = best.probability;
  }
  // The logits of a whole vocabulary are for arrays, not for text.
  if (prediction.outcomes.size() == 1 && prediction.outcomes.front().position < 0) {
    if (!prediction.logits.empty()) json["logits"] = prediction.logits;
    json["scores"] = json_of(prediction.outcomes.front())["scores"];
  } else if (!prediction.outcomes.empty()) {
    json["outcomes"] = list_of(prediction.outcomes, [](const Outcome& outcome) { return json_of(outcome); });
  }
  if (prediction.continuation) {
    json["continuation"] = *prediction.continuation;
    json["continuation_ids"] = prediction.continuation_ids;
  }
  if (!prediction.hidden.empty()) json["hidden"] = rows_of(prediction.hidden);
  if (prediction.truncated) json["truncated"] = true;
  return json;
}

OrderedJson json_of(const std::vector<Check>& checks) {
  return list_of(checks, [](const Check& check) -> OrderedJson {
    return {{"name", check.name}, {"passed", check.passed}, {"value", check.value}, {"bound", check.bound}};
  });
}

OrderedJson json_of(const Attribution& attribution) {
  OrderedJson json;
  json["method"] = attribution.method;
  json["aggregate"] = attribution.aggregate.empty() ? OrderedJson() : OrderedJson(attribution.aggregate);
  json["options"] = pairs_of(attribution.options);
  if (attribution.maps.front().name.empty()) {
    json["axes"] = json_of(attribution.axes());
    json["shape"] = attribution.scores().shape().dims();
  }
  if (!attribution.measured.empty()) json["measured"] = attribution.measured;
  json["checks"] = json_of(attribution.checks);
  if (const std::optional<Account>& account = attribution.accounted)
    json["accounted"] = {
        {"sum", account->sum}, {"of", account->of}, {"what", account->what}, {"share", share_of(*account)}};
  json["notes"] = attribution.notes;
  json["seconds"] = attribution.seconds;
  if (attribution.unfinished) json["unfinished"] = true;
  return json;
}

OrderedJson json_of(const Report& report, const Attribution& attribution) {
  OrderedJson json = json_of(attribution);
  if (!attribution.scores().empty()) json["sentence"] = sentence_of(report, attribution);
  return json;
}

OrderedJson json_of(const Agreement& agreement) {
  return {{"methods", {agreement.first, agreement.second}}, {"units", agreement.units},
          {"kendall_tau_b", agreement.whole_kendall},       {"spearman", agreement.whole_spearman},
          {"kendall_tau_b_by_layer", agreement.kendall},    {"spearman_by_layer", agreement.spearman}};
}

OrderedJson record_of(std::span<const Report> reports) {
  OrderedJson json = json_of(reports.front().record);
  json["command"] = reproduce_command(reports);
  return json;
}

OrderedJson head_of(const Report& report) {
  OrderedJson json;
  json["schema"] = schema_name;
  json["sentence"] = sentence_of(report);
  json["input"] = OrderedJson::object();
  if (report.image.empty()) json["input"]["text"] = report.text;
  if (!report.pair.empty()) json["input"]["pair"] = report.pair;
  if (!report.image.empty()) json["input"]["image"] = report.image;
  if (!report.fitted.empty()) json["input"]["fitted"] = report.fitted;
  if (report.prediction.sequences.size() > 1) {
    json["input"]["prefix"] = report.prefix;
    json["sequences"] = list_of(report.prediction.sequences, [](const Sequence& sequence) -> OrderedJson {
      return {{"name", sequence.name}, {"first", sequence.first}, {"count", sequence.count}};
    });
  }
  json["view"] = json_of(report.asked.view);
  json["model"] = json_of(report.model);
  json["prediction"] = json_of(report.prediction);
  json["target"] = json_of(report.target);
  json["read"] = list_of(report.read, [](const Read& read) -> OrderedJson {
    return {{"sequence", read.sequence}, {"row", read.row}};
  });
  json["record"] = record_of(std::span(&report, 1));
  json["attributions"] =
      list_of(report.attributions, [&](const Attribution& one) { return json_of(report, one); });
  if (!report.agreement.empty()) json["agreement"] = list_of(report.agreement);
  return json;
}

std::string dump(const OrderedJson& json, int indent) {
  return json.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace headwater
