// A request that is ready to be explained: its input is read and its study is made, but nothing has run. The
// runs of several requests of a stream can then be made together (explain_some.cpp).
#pragma once

#include <string>
#include <vector>

#include <headwater/report.h>

#include "engine/jobs.h"
#include "study/inputs.h"
#include "study/study.h"
#include "study/token_target.h"

namespace headwater {

struct Opened {
  std::vector<Job> jobs;
  Prepared prepared;
  MovedOn moved;
  Report report;
  Study study;
  bool no_output = false;     // nothing is explained, and there is nothing to predict
  int generated = 0;          // number of tokens the model wrote, all of which are explained
  double seconds = 0;         // spent on it before it is finished
  std::string left_out = {};  // a note on a method that was not affordable
};

}  // namespace headwater
