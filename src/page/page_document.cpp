// Maps of several kinds of attention become one map over all units. Equal arrays are stored once, for
// instance the maps of a method that is the same for every target.
#include "page/page_document.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "base/encoding.h"
#include "drawing/overlay.h"
#include "explain/rollout.h"
#include "files/schema.h"
#include "methods/method.h"
#include "result/rows.h"
#include "result/sentence.h"
#include "study/inputs.h"

namespace headwater {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr Index drawn_cells = 2000;       // largest detail that the page shows as a table
constexpr Index float32_cells = 1 << 18;  // 1 MB of float32; more is written as float16
constexpr Index all_cells = 12 << 20;     // beyond this many, heads are averaged in a file
constexpr Index inline_cells = 1 << 20;   // beyond this many, a server sends layer by layer

// The mean over the heads, for maps that are too large to store every head.
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

std::string bytes_of_numbers(const Tensor& scores, bool half) {
  const Tensor single = scores.to(DType::Float32);
  const auto* values = std::as_const(single).data<float>();
  const auto count = static_cast<std::size_t>(single.size());
  if (!half) return {reinterpret_cast<const char*>(values), count * sizeof(float)};
  std::vector<std::uint16_t> halves(count);
  std::transform(values, values + count, halves.begin(), half_bits);
  return {reinterpret_cast<const char*>(halves.data()), count * sizeof(std::uint16_t)};
}

OrderedJson card_of(const Method& method) {
  return {{"summary", method.summary},
          {"formula", method.formula},
          {"paper", method.paper},
          {"cost", method.cost},
          {"limits", method.limits}};
}

// Values per layer, and per layer and head, which the page draws beside the maps.
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
    all.push_back({{"name", detail.name}, {"axes", names_of(detail.axes)}, {"values", std::move(values)}});
  }
  return all;
}

// A document that is being made.
class PageParts {
 public:
  explicit PageParts(const PageForm& form) : form_(form) {}

  // Writes to `json` where the scores are, and how they were reduced.
  void place(OrderedJson& json, Tensor scores) {
    const std::size_t index = placed_++;
    if (!form_.scores_path.empty()) {
      const bool layered = json["axes"][0] == "layer" && scores.size() > inline_cells;
      if (layered) {
        json["by_layer"] = fmt::format("{}/{}", form_.scores_path, index);
        layered_.push_back({index, std::move(scores)});
      } else {
        json["scores"] = id_of(scores, false);
      }
      return;
    }
    if (scores.size() > all_cells && scores.rank() == 4) {
      scores = mean_of_heads(scores);
      json["axes"] = {"layer", "query", "key"};
      json["shape"] = scores.shape().dims();
      json["embedded"] =
          "This file holds the mean over heads to stay small; write npz or safetensors for every head.";
    }
    const bool half = scores.size() > float32_cells;
    if (half && !json.contains("embedded"))
      json["embedded"] = "Numbers in this file keep three digits; write JSON, npz or safetensors for all.";
    json["scores"] = id_of(scores, half);
  }

  PageDocument with(OrderedJson json) && { return {std::move(json), std::move(blobs_), std::move(layered_)}; }

 private:
  std::string id_of(const Tensor& scores, bool half) {
    std::string bytes = bytes_of_numbers(scores, half);
    const auto [found, fresh] = ids_.try_emplace(sha256_base64(bytes), fmt::format("scores-{}", ids_.size()));
    if (fresh) blobs_.push_back({found->second, half ? "f16" : "f32", std::move(bytes)});
    return found->second;
  }

  const PageForm& form_;
  std::size_t placed_ = 0;
  std::map<std::string, std::string> ids_;  // by hash of the numbers
  std::vector<PageBlob> blobs_;
  std::vector<LayeredScores> layered_;
};

// The position of a map among the units of all sequences: its first row and column.
std::pair<Index, Index> corner_of(const Report& report, const Map& map) {
  const auto first = [&](const Axis& axis) {
    return report.prediction.sequences[static_cast<std::size_t>(axis.sequence)].first;
  };
  return {first(map.axes[map.axes.size() - 2]), first(map.axes.back())};
}

// The kinds of attention inside a joint map.
OrderedJson kinds_of(const Report& report, const Attribution& attribution) {
  return list_of(attribution.maps, [&](const Map& map) -> OrderedJson {
    const auto [top, left] = corner_of(report, map);
    const int rank = map.values.rank();
    return {{"name", map.name},
            {"query_first", top},
            {"key_first", left},
            {"rows", map.values.dim(rank - 2)},
            {"columns", map.values.dim(rank - 1)}};
  });
}

// All maps of a result as one over all units, [L, H, T, T]. NaN marks cells where nothing reads: rows of the
// source are the encoder's, and rows of the prefix read both.
Tensor joint_map(const Report& report, const Attribution& attribution) {
  const auto has = [](const Map& map, Axis::Kind kind) {
    return std::any_of(map.axes.begin(), map.axes.end(),
                       [kind](const Axis& axis) { return axis.kind == kind; });
  };
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
    const auto [top, left] = corner_of(report, map);
    const Index cells = rows * columns, maps = map.values.size() / cells,
                heads = has(map, Axis::Head) ? H : 1;
    for (Index m = 0; m < maps; ++m)
      for (Index c = 0; c < cells; ++c)
        joint.data<float>()[((m / heads * H + m % heads) * T + top + c / columns) * T + left + c % columns] =
            static_cast<float>(map.values.at(m * cells + c));
  }
  return joint;
}

// An attribution as the page needs it: where its numbers are and how they were stored, its card, and the
// layer to show first.
OrderedJson drawn_of(const Report& report, const Attribution& attribution, PageParts& parts) {
  OrderedJson json = json_of(report, attribution);
  if (json.contains("axes")) json["axes"] = names_of(attribution.axes());
  const Method* method = method_named(attribution.method);
  json["card"] = method != nullptr ? card_of(*method) : OrderedJson::object();
  json["details"] = details_of(attribution);
  json["title"] = method != nullptr ? title_of(*method) : attribution.method;
  if (method != nullptr && !method->corrects.empty()) json["corrects"] = method->corrects;
  json["shown_layer"] = shown_layer(report, attribution);
  Tensor scores = attribution.scores();
  if (attribution.maps.size() > 1 && has_axis(attribution, Axis::Query)) {
    json["maps"] = kinds_of(report, attribution);
    scores = joint_map(report, attribution);
    json["axes"] = {"layer", "head", "query", "key"};
    json["shape"] = scores.shape().dims();
  }
  parts.place(json, std::move(scores));
  return json;
}

// The part of a report that differs from others of the same input.
OrderedJson aimed_part(const Report& report, PageParts& parts) {
  OrderedJson json{{"target", json_of(report.target)},
                   {"focus", row_to_show(report)},
                   {"read", rows_read(report)},
                   {"answer", answer_of(report)},
                   {"sentence", sentence_of(report)},
                   {"attributions", OrderedJson::array()},
                   {"agreement", list_of(report.agreement)}};
  for (const Attribution& attribution : report.attributions)
    if (!attribution.scores().empty()) json["attributions"].push_back(drawn_of(report, attribution, parts));
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

std::string last_name(const std::string& path) {
  const std::filesystem::path clean = std::filesystem::path(path).lexically_normal();
  return (clean.has_filename() ? clean : clean.parent_path()).filename().string();
}

// Removes the folders of this machine from a report, because a page is shared. A model of the hub keeps its
// name.
Report without_folders(Report report) {
  if (report.record.commit.empty()) report.record.model = last_name(report.record.model);
  report.record.cache_dir.clear();
  report.image = last_name(report.image);
  report.asked.input.image = last_name(report.asked.input.image);
  return report;
}

// The padding after a part of the bytes.
std::string up_to_eight(std::size_t bytes) {
  std::string zeros;
  zeros.resize((8 - bytes % 8) % 8);
  return zeros;
}

}  // namespace

PageDocument page_document(std::span<const Report> measured, const PageForm& form) {
  require_one_input(measured);
  std::vector<Report> reports;
  for (const Report& report : measured)
    reports.push_back(form.scores_path.empty() ? without_folders(viewed(report)) : viewed(report));
  const Report& report = reports.front();
  if (reports.size() > 1 && !report.picture.empty()) require_one_picture(reports);
  OrderedJson json = head_of(report);
  json["sequences"] = list_of(report.prediction.sequences, [](const Sequence& sequence) -> OrderedJson {
    return {{"name", sequence.name},
            {"first", sequence.first},
            {"count", sequence.count},
            {"rows", sequence.rows},
            {"columns", sequence.columns}};
  });
  json["tokens"] = tokens_of(report.prediction);
  const std::vector<int> words = word_numbers(report.prediction.units);
  for (std::size_t t = 0; t < json["tokens"].size(); ++t) json["tokens"][t]["in_word"] = words[t];
  json["prediction"].erase("hidden");
  json["record"] = record_of(reports);
  json["record"]["model"] = without_folders(report).record.model;
  json["record"]["python"] = reproduce_python(reports);
  PageParts parts(form);
  json.update(aimed_part(report, parts));
  json["others"] =
      list_of(std::span(reports).subspan(1), [&](const Report& other) { return aimed_part(other, parts); });
  if (!report.picture.empty()) json["picture"] = "data:image/png;base64," + base64(report.picture);
  return std::move(parts).with(std::move(json));
}

std::string layer_bytes(const PageDocument& document, std::size_t index, Index layer) {
  for (const LayeredScores& one : document.layered) {
    if (one.index != index) continue;
    if (layer < 0 || layer >= one.scores.dim(0))
      throw InputError(fmt::format("layer: expected 0 to {}, found {}", one.scores.dim(0) - 1, layer));
    return bytes_of_numbers(one.scores.rows(layer, 1), false);
  }
  throw InputError(fmt::format("scores: expected one of the document's by_layer paths, found {}", index));
}

std::string framed(const PageDocument& document) {
  OrderedJson json = document.json;
  json["blobs"] = OrderedJson::object();
  std::size_t offset = 0;
  for (const PageBlob& blob : document.blobs) {
    json["blobs"][blob.id] = {{"format", blob.format}, {"offset", offset}, {"bytes", blob.bytes.size()}};
    offset += blob.bytes.size() + up_to_eight(blob.bytes.size()).size();
  }
  const std::string text = dump(json, -1);
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string out = "HWP1";
  out.append(reinterpret_cast<const char*>(&length), sizeof length);
  out += text;
  out += up_to_eight(out.size());
  out.reserve(out.size() + offset);
  for (const PageBlob& blob : document.blobs) out += blob.bytes + up_to_eight(blob.bytes.size());
  return out;
}

}  // namespace headwater
