// Attribution trees as text and JSON; charts.h has the picture.
#pragma once

#include <string>
#include <vector>

#include <headwater/formats.h>
#include <headwater/report.h>

#include "heads/tree.h"

namespace headwater {

// A tree with the report it was made from and the names of its tokens. `command` repeats the run.
struct GrownTree {
  const Tree& tree;
  const Report& report;
  std::vector<std::string> tokens;
  std::vector<Check> checks;
  std::string command;
};

GrownTree grown(const TreeReport& made, const std::string& command);

// One line per edge.
std::string tree_text(const Tree& tree, const std::vector<std::string>& tokens);
// The same with checks and record.
std::string tree_text(const GrownTree& grown, const TerminalFormat& terminal);
std::string tree_json(const GrownTree& grown);
std::string tree_svg(const GrownTree& grown);

}  // namespace headwater
