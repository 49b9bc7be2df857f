// Reproduction: a paper's experiment, run again here and set beside what was published, as a record. The
// folder is the registry.
//
// A published figure stands in a table only if it is known; where a paper has curves alone, or a figure could
// not be confirmed, the table says so. What differs (model, data, their size) is said before any number.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <headwater/engine.h>

#include "drawing/map_panels.h"

namespace headwater {

struct ReproduceRequest {
  const Engine& engine;
  std::string data;       // file or folder
  std::size_t limit = 0;  // inputs; 0: the record's own number
  unsigned seed = 1;
  std::function<void(const Progress&)> progress;
};

struct FigureTable {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> notes;
};

// Whether the direction of what was published is seen here.
struct Finding {
  enum class Outcome { Holds, Fails, Unclear };
  std::string claim;
  Outcome outcome = Outcome::Unclear;
  std::string evidence;  // the figures it is judged by
};

struct Reproduced {
  std::vector<std::string> here;  // what was used, and how it differs from the paper's
  std::vector<FigureTable> tables;
  std::vector<Finding> findings;
  std::optional<MapPanels> picture = {};  // of a paper whose record says so
};

struct Reproduction {
  std::string_view name, paper, summary;
  std::string_view published_with;  // the paper's model and data
  std::string_view model, data;     // what --model and --data should be here
  std::size_t limit;                // inputs, where the caller says nothing
  Reproduced (*run)(const ReproduceRequest&);
  bool has_picture = false;
};

std::span<const Reproduction* const> all_reproductions();
const Reproduction& find_reproduction(std::string_view name);  // throws InputError with the nearest names

inline Finding::Outcome outcome_if(bool holds) {
  return holds ? Finding::Outcome::Holds : Finding::Outcome::Fails;
}
// "BertForMaskedLM, 12 layers of 12 heads, width 768"
std::string described(const ModelInfo& info);

struct ReproducedReport {
  const Reproduction& reproduction;
  Reproduced result;
  RunRecord record;
};
std::string reproduced_text(const ReproducedReport& report, const std::string& command, int width);
std::string reproduced_markdown(const ReproducedReport& report, const std::string& command);
std::string reproduced_json(const ReproducedReport& report, const std::string& command);
// The paper's picture, if it has one.
std::string reproduced_svg(const ReproducedReport& report, const std::string& command);

}  // namespace headwater
