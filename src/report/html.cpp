// The page: a template with the report's JSON and its numbers in base64, float32 while that is small and
// float16 beyond. A content security policy allows exactly this style and this script, by hash, and no
// request at all, so that even a text that escaped its quotes could neither run nor load anything.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "explain/rollout.h"
#include "methods/method.h"
#include "report/assets.h"
#include "report/focus.h"
#include "report/overlay.h"
#include "report/page.h"
#include "report/schema.h"
#include "report/sentence.h"
#include "report/text_width.h"

namespace headwater {

namespace {

constexpr Index drawn_cells = 2000;       // of a detail: more than that is no table to read
constexpr Index float32_cells = 1 << 18;  // 1 MB of float32; more is written as float16
constexpr Index all_cells = 12 << 20;     // beyond this many, heads are averaged

// Mean over the heads, for maps too large to carry one by one.
Tensor mean_of_heads(const Tensor& scores) {
  const Index L = scores.dim(0), cells = scores.dim(2) * scores.dim(3);
  Tensor mean({L, scores.dim(2), scores.dim(3)}, DType::Float32);
  for (Index l = 0; l < L; ++l) {
    const std::vector<double> map = fuse_heads(scores.rows(l, 1), Fusion::Mean);
    std::transform(map.begin(), map.end(), mean.data<float>() + l * cells,
                   [](double v) { return static_cast<float>(v); });
  }
  return mean;
}

std::string base64_of_numbers(const Tensor& scores, bool half) {
  const Tensor single = scores.to(DType::Float32);
  const float* values = std::as_const(single).data<float>();
  const auto count = static_cast<std::size_t>(single.size());
  if (!half) return base64({reinterpret_cast<const char*>(values), count * sizeof(float)});
  std::vector<std::uint16_t> halves(count);
  std::transform(values, values + count, halves.begin(), half_bits);
  return base64({reinterpret_cast<const char*>(halves.data()), count * sizeof(std::uint16_t)});
}

OrderedJson card_of(const std::string& name) {
  const Method* method = method_named(name);
  if (method == nullptr) return OrderedJson::object();
  return {{"summary", method->summary},
          {"formula", method->formula},
          {"paper", method->paper},
          {"cost", method->cost},
          {"limits", method->limits}};
}

// Values per layer, and per layer and head: what the page draws beside the maps.
OrderedJson details_of(const Attribution& attribution) {
  OrderedJson all = OrderedJson::array();
  for (const Map& detail : attribution.details) {
    const bool drawn = !detail.axes.empty() && detail.axes.front() == Axis::Layer &&
                       detail.values.rank() <= 2 && detail.values.size() <= drawn_cells;
    if (!drawn || detail.values.empty()) continue;
    OrderedJson values = OrderedJson::array();
    for (Index l = 0; l < detail.values.dim(0); ++l) {
      const std::vector<double> row = detail.values.rows(l, 1).to_doubles();
      values.push_back(detail.values.rank() == 1 ? OrderedJson(row[0]) : OrderedJson(row));
    }
    all.push_back({{"name", detail.name}, {"axes", json_of(detail.axes)}, {"values", std::move(values)}});
  }
  return all;
}

// The attributions' numbers as script elements that no browser runs; equal ones stand there once, as the maps
// of a method that knows no class do under several targets.
class ScoreElements {
 public:
  std::string id_of(const Tensor& scores, bool half) {
    const std::string numbers = base64_of_numbers(scores, half);
    const auto [found, fresh] =
        ids_.try_emplace(sha256_base64(numbers), fmt::format("scores-{}", ids_.size()));
    if (fresh)
      html_ += fmt::format("<script type=\"text/plain\" id=\"{}\" data-format=\"{}\">{}</script>\n",
                           found->second, half ? "f16" : "f32", numbers);
    return found->second;
  }
  const std::string& html() const { return html_; }

 private:
  std::map<std::string, std::string> ids_;  // by hash of the numbers
  std::string html_;
};

// All maps of a result in one over all units, [L, H, T, T]; NaN where nothing reads: rows of the source are
// the encoder's, rows of the prefix read both.
Tensor joint_map(const Report& report, const Attribution& attribution) {
  const auto has = [](const Map& map, Axis::Kind kind) {
    return std::any_of(map.axes.begin(), map.axes.end(),
                       [kind](const Axis& axis) { return axis.kind == kind; });
  };
  const auto& sequences = report.prediction.sequences;
  const Index T = unit_count(report);
  Index L = 1, H = 1;
  for (const Map& map : attribution.maps) {
    if (has(map, Axis::Layer)) L = std::max(L, map.values.dim(0));
    if (has(map, Axis::Head)) H = std::max(H, map.values.dim(1));
  }
  Tensor joint = Tensor::full({L, H, T, T}, DType::Float32, std::nan(""));
  for (const Map& map : attribution.maps) {
    const int rank = map.values.rank();
    const Index rows = map.values.dim(rank - 2), columns = map.values.dim(rank - 1);
    const Index top = sequences[static_cast<std::size_t>(map.axes[map.axes.size() - 2].sequence)].first,
                left = sequences[static_cast<std::size_t>(map.axes.back().sequence)].first;
    const Index cells = rows * columns, maps = map.values.size() / cells,
                heads = has(map, Axis::Head) ? H : 1;
    for (Index m = 0; m < maps; ++m)
      for (Index c = 0; c < cells; ++c)
        joint.data<float>()[((m / heads * H + m % heads) * T + top + c / columns) * T + left + c % columns] =
            static_cast<float>(map.values.at(m * cells + c));
  }
  return joint;
}

// An attribution with what the page draws: where its numbers are and how they were stored, its card, the
// layer to show first.
OrderedJson drawn_of(const Report& report, const Attribution& attribution, ScoreElements& elements) {
  OrderedJson json = json_of(attribution);
  json["card"] = card_of(attribution.method);
  json["details"] = details_of(attribution);
  json["knows_class"] = knows_class(attribution);
  json["shown_layer"] = shown_layer(report, attribution);
  Tensor scores = attribution.scores();
  if (attribution.maps.size() > 1 && has_axis(attribution, Axis::Query)) {
    scores = joint_map(report, attribution);
    json["axes"] = {"layer", "head", "query", "key"};
    json["shape"] = {scores.dim(0), scores.dim(1), scores.dim(2), scores.dim(3)};
  }
  if (scores.size() > all_cells && scores.rank() == 4) {
    scores = mean_of_heads(scores);
    json["axes"] = {"layer", "query", "key"};
    json["shape"] = {scores.dim(0), scores.dim(1), scores.dim(2)};
    json["embedded"] =
        "This file holds the mean over heads to stay small; write npz or safetensors for every head.";
  }
  const bool half = scores.size() > float32_cells;
  if (half && !json.contains("embedded"))
    json["embedded"] = "Numbers in this file keep three digits; write JSON, npz or safetensors for all.";
  json["scores"] = elements.id_of(scores, half);
  return json;
}

// What a report has of its own beside others of the same input.
OrderedJson aimed_part(const Report& report, ScoreElements& elements) {
  OrderedJson json{{"target", json_of(report.target)},
                   {"focus", focus_row(report)},
                   {"sentence", sentence_of(report)},
                   {"attributions", OrderedJson::array()},
                   {"agreement", list_of(report.agreement)}};
  for (const Attribution& attribution : report.attributions)
    if (!attribution.scores().empty())
      json["attributions"].push_back(drawn_of(report, attribution, elements));
  return json;
}

void require_one_input(std::span<const Report> reports) {
  if (reports.empty()) throw InputError("page: expected a report, found none");
  const Report& first = reports.front();
  for (const Report& report : reports)
    if (report.text != first.text || report.pair != first.pair || report.picture != first.picture ||
        report.record.weights_sha256 != first.record.weights_sha256)
      throw InputError("page: expected explanations of one input by one model, found different ones");
}

}  // namespace

std::string to_html(const Report& report) {
  return to_html(std::span(&report, 1));
}

std::string to_html(std::span<const Report> measured) {
  require_one_input(measured);
  std::vector<Report> reports;
  for (const Report& report : measured) reports.push_back(viewed(report));
  const Report& report = reports.front();
  if (reports.size() > 1 && !report.picture.empty()) require_one_picture(reports);
  OrderedJson data = head_of(report);
  data["tokens"] = tokens_of(report.prediction);
  data["prediction"].erase("hidden");
  data["record"] = record_of(reports);
  ScoreElements elements;
  data.update(aimed_part(report, elements));
  data["others"] = list_of(std::span(reports).subspan(1),
                           [&](const Report& other) { return aimed_part(other, elements); });
  if (!report.picture.empty()) data["picture"] = "data:image/png;base64," + base64(report.picture);
  const std::string style(report_asset("style.css"));
  std::string script = "(() => {\n\"use strict\";\n";
  for (const char* file : {"data.js", "draw.js", "text.js", "maps.js", "panels.js", "details.js", "main.js"})
    script += report_asset(file);
  script += "})();\n";
  const std::string policy =
      fmt::format("default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'",
                  sha256_base64(style), sha256_base64(script));
  const std::string answer = answer_of(report);
  const std::string title = answer.empty() ? terminal_safe(report.record.architecture) : answer;
  return filled(report_asset("page.html"), {{"policy", policy},
                                            {"title", html_escaped(title) + " – headwater"},
                                            {"sentence", html_escaped(sentence_of(report))},
                                            {"style", style},
                                            {"overlay", overlay_figures(reports)},
                                            {"data", script_safe(dump(data, -1))},
                                            {"scores", elements.html()},
                                            {"script", script}});
}

}  // namespace headwater
