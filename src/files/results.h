// Results to compare: everything a file holds as named arrays of numbers and named texts, whatever its
// format.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <headwater/tensor.h>

#include "base/json_fwd.h"

namespace headwater {

struct NamedNumbers {
  std::string name;  // "attributions[chefer].scores", "[line 3].logits"
  std::vector<Index> shape;
  std::vector<double> values;
};

struct Results {
  std::string from;  // for messages: a path, a model
  std::vector<NamedNumbers> arrays;
  std::map<std::string, std::string> texts;
};

// JSON, JSON Lines, npz or safetensors, by the ending of the name. What says how a run was made and not what
// it found is left out: records, commands, times, and the measured values of checks (whether they passed is
// kept). Throws InputError for another ending, FormatError for a broken file.
Results read_results(const std::string& path);

// Adds what a JSON value holds, its names after `prefix`. Nested lists of numbers are one array, null is NaN;
// an entry of another list is named by its "method" or "name", where it has one that is not taken, else
// counted.
void add_json(const Json& json, const std::string& prefix, Results& results);

// The arrays of an npz, stored or deflated; `where` names it in messages. Throws FormatError.
void add_npz(std::string_view bytes, const std::string& where, Results& results);

}  // namespace headwater
