// Every kind of figure, of every method over every family, and of what aggregates make of its maps: a result
// that has what a figure shows can be drawn, and the drawing names it; any other is refused as an input
// error. What a figure shows is said here by axes and traits, not by the figure. Read back from its JSON, a
// result has the same figures.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "base/json.h"
#include "drawing/figure.h"
#include "engine/jobs.h"
#include "files/report_reader.h"
#include "image/image.h"
#include "result/rows.h"
#include "support/tiny_models.h"

namespace headwater::testing {
namespace {

// A text of one letter per unit, as a report has it, or a grey picture.
void name_units(Report& report) {
  for (std::size_t t = 0; t < report.prediction.units.size(); ++t) {
    Unit& unit = report.prediction.units[t];
    const Sequence& sequence = report.prediction.sequences[static_cast<std::size_t>(unit.sequence)];
    if (sequence.rows > 0) continue;
    const Index at = static_cast<Index>(t) - sequence.first;
    unit.id = static_cast<int>(t);
    unit.text = unit.piece = std::string(1, static_cast<char>('a' + t % 26));
    unit.word = static_cast<int>(at);
    unit.begin = 2 * at;
    unit.end = unit.begin + 1;
    std::string& text = unit.sequence > 0 ? report.prefix : report.text;
    text += (at > 0 ? " " : "") + unit.text;
  }
  if (patches_of(report.prediction) == nullptr) return;
  const int side = report.model.image_size;
  report.picture =
      encode_png({side, side, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * side * side), 128)});
}

Report drawable_report(const Study& study, Attribution result) {
  Report report{.model = study.info()};
  report.prediction.task = study.info().task;
  report.prediction.sequences = study.sequences();
  report.prediction.units = study.units();
  report.prediction.outcomes = {{.position = study.target().position, .top = {{"some", 0, 0.75, 1}}}};
  report.target = study.target();
  report.target.label = "some";
  for (const Index row : study.rows_read()) report.read.push_back({study.written(), row});
  name_units(report);
  report.answer_token = read_names(report);
  report.attributions.push_back(std::move(result));
  report.attributions[0].answer = answer_rows(report, report.attributions[0]);
  return report;
}

bool shows(std::string_view kind, const Report& report) {
  const Attribution& result = report.attributions.front();
  const bool picture = patches_of(report.prediction) != nullptr,
             map = result.maps.back().axes.back().kind == Axis::Key;
  if (kind == "strip") return !picture;
  if (kind == "overlay") return picture;
  if (kind == "heads") return has_axis(result, Axis::Query) && has_axis(result, Axis::Head);
  if (kind == "flow") return result.traits.by_layer && has_axis(result, Axis::Layer);
  return map;  // grid, matrix
}

void expect_drawn(const std::string& svg, const Attribution& result) {
  EXPECT_TRUE(svg.starts_with("<svg ") || svg.starts_with("<?xml")) << svg.substr(0, 40);
  EXPECT_TRUE(svg.find("</svg>") != std::string::npos);
  EXPECT_TRUE(svg.find(name_of(result)) != std::string::npos) << "it names what it shows";
  for (const char* number : {"=\"nan", "=\"inf", "=\"-nan", " nan ", " -nan "})
    EXPECT_TRUE(svg.find(number) == std::string::npos) << number;
}

void expect_every_figure(const Report& report) {
  const Report read = read_report(parse_json(to_json(report, -1), "law"), "law").report;
  for (const Figure& figure : figures()) {
    SCOPED_TRACE(figure.name);
    std::vector<FigureOptions> choices{{}};
    for (const Map& map : report.attributions.front().maps)
      if (!map.name.empty()) choices.push_back({.map = map.name});
    for (const FigureOptions& options : choices) {
      SCOPED_TRACE(options.map);
      if (shows(figure.name, report)) {
        std::string svg;
        ASSERT_NO_THROW(svg = figure.draw(report, options, "{}"));
        expect_drawn(svg, report.attributions.front());
        if (report.picture.empty()) {
          EXPECT_EQ(figure.draw(read, options, "{}"), svg) << "read back";
        }
      } else {
        EXPECT_THROW(figure.draw(report, options, "{}"), InputError);
      }
    }
  }
}

TEST(FigureLaw, WhatAResultHasIsDrawnAndNamed) {
  int figures_of_aggregates = 0;
  for (const TinyModel& tiny : all_tiny_models(DType::Float32)) {
    const ModelInfo& info = tiny.model->info();
    Study study(*tiny.model, random_batch(info, 1, 6, 3), {});
    study.special_ids = {.mask = 1, .unknown = 2, .pad = 0};
    const bool has_output = info.task != Task::FeatureExtraction;
    if (has_output)
      study.aim({.position = study.logits().rank() == 3 ? study.size(study.written()) - 1 : -1, .index = 0});
    for (const Method* method : all_methods()) {
      try {
        require_supported(*method, info);
      } catch (const Unsupported&) {
        continue;
      }
      for (const char* aggregate : {"", "rollout", "flow"}) {
        if (*aggregate != '\0' && method->mixing == Mixing::None) continue;
        SCOPED_TRACE(fmt::format("{} {} {}", tiny.name, method->name, aggregate));
        const Job job{method, MethodOptions(method->name, method->options, {}), aggregate};
        const Report report = drawable_report(study, run_job(job, study));
        expect_every_figure(report);
        figures_of_aggregates += *aggregate != '\0' ? 1 : 0;
      }
    }
  }
  EXPECT_GT(figures_of_aggregates, 0);
}

}  // namespace
}  // namespace headwater::testing
