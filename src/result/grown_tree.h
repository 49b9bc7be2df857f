// An attribution tree with what its writers need beside it.
#pragma once

#include <string>
#include <vector>

#include <headwater/report.h>
#include <headwater/tree.h>

#include "heads/tree.h"

namespace headwater {

// A tree with the report it was made from and the names of its tokens. `command` repeats the run.
struct GrownTree {
  Tree tree;
  Report report;
  std::vector<std::string> tokens;
  std::vector<Check> checks;
  std::string command;
};

GrownTree grown(const TreeReport& made, const std::string& command);

}  // namespace headwater
