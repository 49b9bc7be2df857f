// The destinations of an explanation's results: the output of the run, and further files, each in the format
// of its extension.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <headwater/report.h>

#include "cli/corpus_run.h"

namespace headwater {

struct ReportFormats {
  static constexpr const char* names = "terminal|json|jsonl|csv|tsv|npz|safetensors|html|svg|pdf|png";
  static constexpr const char* endings = ".txt=terminal .htm=html .ndjson=jsonl";
  static bool is_figure(const std::string& format);  // a figure as `plot` draws it
  static bool is_binary(const std::string& format);
  // Whether there is one input, or several one after the other.
  static bool holds_many(const std::string& format);
};

struct DestinationOptions {
  std::string format;             // of the run's output
  std::vector<std::string> also;  // further files
  std::string kind;               // of figures
  std::string row;                // of maps, on a terminal
  bool details = false;           // on a terminal: everything instead of what fits on a screen
  bool targets = false;           // several targets: one result after the other, or side by side
};

class Destinations {
 public:
  // Throws InputError for formats that cannot hold the requested results.
  static void check(const DestinationOptions& options);
  Destinations(CorpusRun& run, const OutputOptions& output, DestinationOptions options);

  // The first format that holds only one input, or nothing.
  std::string holds_one() const;
  // Whether many inputs go to a terminal, with a line for each.
  void shorten();
  void write(const CorpusRun::Item& item, std::span<const Report> reports);
  void finish();

 private:
  struct Place {
    std::string format;
    std::unique_ptr<Output> file;  // null: the output of the run
    std::size_t written = 0;
  };
  std::string formatted(const Place& place, const CorpusRun::Item& item,
                        std::span<const Report> reports) const;
  std::string on_terminal(const Report& report, const Output& output) const;

  CorpusRun& run_;
  const OutputOptions& named_;
  const DestinationOptions options_;
  std::vector<Place> places_;
  bool short_lines_ = false;
};

}  // namespace headwater
