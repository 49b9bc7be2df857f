// The fields of results over many inputs, of trees and of tests, as their JSON has them.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include <headwater/check.h>
#include <headwater/evaluate.h>
#include <headwater/heads.h>
#include <headwater/identify.h>

#include "files/report_fields.h"
#include "result/grown_tree.h"
#include "result/many_inputs.h"

namespace headwater {

inline constexpr const char* heads_schema = "headwater.heads/1";
inline constexpr const char* pruning_schema = "headwater.pruning/1";
inline constexpr const char* triggers_schema = "headwater.triggers/1";
inline constexpr const char* tree_schema = "headwater.tree/1";

template <>
inline constexpr int words_in<EvaluationMetric::Better> = 3;
template <>
inline constexpr int words_in<TokenMap> = 3;
template <>
inline constexpr int words_in<TokenDistance> = 2;
template <>
inline constexpr int words_in<TokenTarget> = 3;
template <>
inline constexpr int words_in<TokenPool> = 2;

inline std::string_view name_of(EvaluationMetric::Better better) {
  using Better = EvaluationMetric::Better;
  return better == Better::Higher ? "higher" : better == Better::Lower ? "lower" : "neither";
}

// The scores with a row per layer, and back.
std::vector<std::vector<double>> rows_of_heads(const HeadImportance& ranking);
void place_rows(const std::vector<std::vector<double>>& rows, HeadImportance& ranking);

template <class V>
void describe(V& v, Of<HeadImportance> auto& heads) {
  std::vector<std::vector<double>> rows;
  if constexpr (!V::reads) rows = rows_of_heads(heads);
  v("ranking", heads.ranking);
  v("inputs", heads.inputs);
  v("unresolved", heads.unresolved);
  v("scores", rows);
  v("checks", heads.checks);
  if constexpr (V::reads) place_rows(rows, heads);
}

// The rankings of one run.
struct HeadRankings {
  std::vector<HeadImportance> rankings;
  RunRecord record;
};

void describe(auto& v, Of<HeadRankings> auto& heads) {
  v.also("schema", [] { return heads_schema; });
  v("rankings", heads.rankings);
}

void describe(auto& v, Of<PruningCurve> auto& curve) {
  v("ranking", curve.ranking);
  v("scope", curve.scope);
  v("first", curve.order);
  v("rates", curve.rates);
  v("accuracy", curve.accuracy);
  v.maybe("lowest", curve.lowest);
  v.maybe("highest", curve.highest);
}

void describe(auto& v, Of<PruningReport> auto& report) {
  v.also("schema", [] { return pruning_schema; });
  v("inputs", report.inputs);
  v("curves", report.curves);
  v("checks", report.checks);
}

void describe(auto& v, Of<TriggerToken> auto& token) {
  v("id", token.id);
  v("text", token.text);
  v("sequence", token.sequence);
  v("place", token.place);
}

void describe(auto& v, Of<Trigger> auto& trigger) {
  v("label", trigger.label);
  v("source", trigger.source);
  v("strength", trigger.strength);
  v("tokens", trigger.tokens);
  v("accuracy", trigger.accuracy);
}

void describe(auto& v, Of<TriggerReport> auto& report) {
  v.also("schema", [] { return triggers_schema; });
  v("labels", report.labels);
  v("inputs", report.inputs);
  v("accuracy", report.accuracy);
  v("unresolved", report.unresolved);
  v("cut", report.cut);
  v("triggers", report.triggers);
  v("checks", report.checks);
}

void describe(auto& v, Of<EvaluationMetric> auto& metric) {
  v("name", metric.name);
  v("better", metric.better);
  v("options", metric.options);
  v("curve_over", metric.curve_over);
}

void describe(auto& v, Of<EvaluationCell> auto& cell) {
  v("metric", cell.metric);
  v("method", cell.method);
  v("value", cell.value);
  v("low", cell.low);
  v("high", cell.high);
  v("examples", cell.examples);
  v.object_where(!cell.x.empty(), "curve", [&](auto& curve) {
    curve("x", cell.x);
    curve("value", cell.curve);
    curve("low", cell.lows);
    curve("high", cell.highs);
  });
}

void describe(auto& v, Of<EvaluationPair> auto& pair) {
  v("metric", pair.metric);
  v("first", pair.first);
  v("second", pair.second);
  v("difference", pair.difference);
  v("p", pair.p);
  v("adjusted_p", pair.adjusted);
  v("examples", pair.examples);
}

void describe(auto& v, Of<EvaluateReport> auto& report) {
  v("examples", report.examples);
  v("left_out", report.left_out);
  v("level", report.level);
  v("resamples", report.resamples);
  v("seed", report.seed);
  v("methods", report.methods);
  v("metrics", report.metrics);
  v("cells", report.cells);
  v("pairs", report.pairs);
  v("notes", report.notes);
}

void describe(auto& v, Of<MlpOptions> auto& mlp) {
  v("hidden", mlp.hidden);
  v("learning_rate", mlp.learning_rate);
  v("batch", mlp.batch);
  v("patience", mlp.patience);
  v("epochs", mlp.epochs);
}

void describe(auto& v, Of<TokenRate> auto& rate) {
  v("rate", rate.rate);
  v("low", rate.low);
  v("high", rate.high);
}

template <class T>
void describe(auto& v, const TokenRules<T>& rules) {
  v("id", rules.id);
  v("position", rules.position);
  v("content_id", rules.content_id);
  v("content_position", rules.content_position);
}

void describe(auto& v, const IdentifyCell& cell) {
  v("model", cell.control ? "untrained" : "trained");
  v("map", cell.map);
  v("distance", cell.distance);
  v("trained_on", cell.trained_on);
  v("state", cell.state);
  v("after", after(cell.state));
  describe(v, cell.rates);
  v.maybe("epochs", cell.epochs);
}

void describe(auto& v, const Anisotropy& one) {
  v("model", one.control ? "untrained" : "trained");
  v("state", one.state);
  v("mean_cosine", one.mean_cosine);
}

void describe(auto& v, const IdentifyReport& report) {
  v("target", report.target);
  v("pool", report.pool);
  v("folds", report.folds);
  v("seed", report.seed);
  v("ridge", report.ridge);
  v("mlp", report.mlp);
  v("texts", report.texts);
  v("distinct_texts", report.distinct_texts);
  v("tokens", report.tokens);
  v("split", std::tie(report.train_texts, report.validation_texts, report.test_texts));
  v("tested_texts", report.tested_texts);
  v("tested_tokens", report.tested_tokens);
  v("tested_content", report.tested_content);
  v("chance", report.chance);
  v("cells", report.cells);
  v("anisotropy", report.anisotropy);
  v("checks", report.checks);
  v("notes", report.notes);
}

void describe(auto& v, const TestedProperty& property) {
  v("name", property.name);
  v("promise", property.promise);
  v("applies", property.applies);
  v("passed", property.passed);
  v("measured", property.measured);
  v("value", property.value);
  v("bound", property.bound);
  v("worst", property.worst);
  v.where(!property.applies, "reason", property.reason);
}

void describe(auto& v, const ModelTest& test) {
  v("architecture", test.model.architecture);
  v("passed", holds(test));
  v("inputs", test.inputs);
  v("longest", test.longest);
  v("properties", test.properties);
}

void describe(auto& v, Of<TreeEdge> auto& edge) {
  v("layer", edge.layer);
  v("parent", edge.parent);
  v("child", edge.child);
  v("score", edge.score);
}

void describe(auto& v, Of<GrownTree> auto& grown) {
  v.also("schema", [] { return tree_schema; });
  v("text", grown.report.text);
  v("target", grown.report.target.label);
  v("tokens", grown.tokens);
  v("root", grown.tree.root);
  v("kept", grown.tree.kept);
  v("checks", grown.checks);
  v("edges", grown.tree.edges);
}

}  // namespace headwater
