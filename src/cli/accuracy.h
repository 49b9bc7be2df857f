// The accuracy of a classifier: how often its answer is the label that a file gives its input.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <headwater/model_info.h>
#include <headwater/report.h>

namespace headwater {

class Accuracy {
 public:
  // `names` maps labels of the file to the model's.
  Accuracy(const ModelInfo& info, const std::map<std::string, std::string>& names)
      : info_(info), names_(names) {}
  void add(const std::string& gold, const Prediction& prediction);
  // "accuracy 91.4 % (95 % interval 88.6 to 93.5 %): 457 of 500 labelled inputs", or why there is none; empty
  // if no input had a label.
  std::string text() const;

 private:
  const ModelInfo& info_;
  const std::map<std::string, std::string>& names_;
  std::vector<int> hits_;  // for each labelled input
  std::string unknown_;    // the error of the first label that the model does not have
};

}  // namespace headwater
