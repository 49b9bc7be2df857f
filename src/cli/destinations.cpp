#include "cli/destinations.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "cli/pictures.h"
#include "drawing/kept_figure.h"
#include "drawing/overlay.h"
#include "files/score_table.h"
#include "result/rows.h"
#include "result/short_line.h"

namespace headwater {
namespace {

bool is_one_of(const std::string& format, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return format == name; });
}

// Of several targets: results that follow each other, or that one page or picture shows side by side.
bool takes_targets(const std::string& format) {
  return ReportFormats::holds_many(format) || format == "html" || ReportFormats::is_figure(format);
}

// Of the output, then of the further files.
std::vector<std::string> formats_of(const DestinationOptions& options) {
  std::vector<std::string> formats{options.format};
  for (const std::string& path : options.also) {
    OutputOptions named;
    named.path = path;
    formats.push_back(named.chosen_format(ReportFormats::names, ReportFormats::endings));
  }
  return formats;
}

}  // namespace

bool ReportFormats::is_figure(const std::string& format) {
  return is_one_of(format, {"svg", "pdf", "png"});
}

bool ReportFormats::is_binary(const std::string& format) {
  return is_one_of(format, {"npz", "safetensors", "pdf", "png"});
}

bool ReportFormats::holds_many(const std::string& format) {
  return is_one_of(format, {"terminal", "jsonl", "csv", "tsv"});
}

void Destinations::check(const DestinationOptions& options) {
  bool figure = false;
  for (const std::string& format : formats_of(options)) {
    figure = figure || ReportFormats::is_figure(format);
    if (options.targets && !takes_targets(format))
      throw InputError(
          fmt::format("--target: expected one for {}, found several; terminal, jsonl, csv, tsv, html and "
                      "figures take them",
                      format));
  }
  if (!options.kind.empty() && !figure)
    throw InputError(fmt::format("--kind: expected a figure to write (-o FILE.svg, .pdf or .png), found {}",
                                 options.format));
}

Destinations::Destinations(CorpusRun& run, const OutputOptions& output, DestinationOptions options)
    : run_(run), named_(output), options_(std::move(options)) {
  for (const std::string& format : formats_of(options_)) places_.push_back({format, nullptr});
  for (std::size_t f = 0; f < options_.also.size(); ++f)
    places_[f + 1].file = std::make_unique<Output>(options_.also[f]);
}

std::string Destinations::holds_one() const {
  for (const Place& place : places_)
    if (!ReportFormats::holds_many(place.format)) return place.format;
  return {};
}

void Destinations::shorten() {
  short_lines_ = true;
}

std::string Destinations::on_terminal(const Report& report, const Output& output) const {
  TerminalFormat format = terminal_of(output, named_.colour);
  format.brief = output.is_terminal() && !options_.details;
  const bool maps = std::any_of(report.attributions.begin(), report.attributions.end(),
                                [](const Attribution& a) { return has_axis(a, Axis::Query); });
  if (!options_.row.empty() && !maps)
    throw InputError("--row: expected a method with rows, found scores per token; value_zeroing has rows");
  if (!options_.row.empty()) format.row = row_named(viewed(report), options_.row);
  return to_terminal(report, format);
}

std::string Destinations::formatted(const Place& place, const CorpusRun::Item& item,
                                    std::span<const Report> reports) const {
  const std::string& format = place.format;
  const Report& report = reports.front();
  const Output& output = place.file ? *place.file : run_.output();
  if (format == "html") return to_html(reports);
  if (ReportFormats::is_figure(format)) {
    std::string svg = figure_of_reports(reports, options_.kind);
    if (format == "svg") return svg;
    const std::string picture = picture_of_svg(svg, format);
    return format == "png" ? png_with_record(picture, reports) : picture;
  }
  if (format == "csv" || format == "tsv") {
    const TableKind kind = format == "csv" ? TableKind::Csv : TableKind::Tsv;
    const std::string rows = score_rows(report, {item.example.line, item.example.gold}, kind);
    return (place.written == 0 ? score_header(kind) : "") + rows;
  }
  if (format == "json") return to_json(report, 2) + "\n";
  if (format == "jsonl")
    return place.file ? to_json(report, -1) + "\n" : run_.json_line(item, to_json(report, -1));
  if (format == "npz") return to_npz(report);
  if (format == "safetensors") return to_safetensors(report);
  if (short_lines_ && !place.file)
    return short_line(report, item.example.line,
                      output.is_terminal() ? terminal_of(output, named_.colour).width : 0);
  return (place.written > 0 ? "\n" : "") + on_terminal(report, output);
}

void Destinations::write(const CorpusRun::Item& item, std::span<const Report> reports) {
  for (Place& place : places_) {
    Output& output = place.file ? *place.file : run_.output();
    const std::size_t together = ReportFormats::holds_many(place.format) ? 1 : reports.size();
    for (std::size_t r = 0; r < reports.size(); r += together) {
      output.write(formatted(place, item, reports.subspan(r, together)));
      ++place.written;
    }
  }
  run_.output().flush();
}

void Destinations::finish() {
  for (std::size_t f = 0; f < options_.also.size(); ++f) {
    Output& file = *places_[f + 1].file;
    file.finish();
    if (file.is_file()) named_.say(fmt::format("written: {}", options_.also[f]));
  }
}

}  // namespace headwater
