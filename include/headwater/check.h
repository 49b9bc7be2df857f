// A model's self-test: the properties on which every explanation relies, measured on a few inputs of this
// model.
#pragma once

#include <string>
#include <vector>

#include <headwater/export.h>
#include <headwater/model_info.h>
#include <headwater/report.h>

namespace headwater {

// One property, tested on every input; the numbers are those of the worst input.
struct TestedProperty {
  std::string name;      // "patterns"
  std::string promise;   // "rows of attention sum to 1, none below 0"
  std::string measured;  // the meaning of `value`: "largest deviation of a row"
  bool applies = true;
  std::string reason;  // why it does not apply
  bool passed = true;  // true also if it does not apply
  double value = 0, bound = 0;
  std::string worst;  // the input that gave the value
};

struct ModelTest {
  ModelInfo model;
  std::vector<std::string> inputs;  // texts, paths, or names of generated pictures
  int longest = 0;                  // tokens or patches of the longest input
  std::vector<TestedProperty> properties;
  RunRecord record;
};

inline bool holds(const ModelTest& test) {
  for (const TestedProperty& property : test.properties)
    if (!property.passed) return false;
  return true;
}

}  // namespace headwater
