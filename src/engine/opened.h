// A request that is about to be explained: its input is read and its study stands, but nothing has run. So
// that requests of a stream can have their runs made together (explain_some.cpp).
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
  bool no_output = false;     // none is explained, and there is none to predict
  int generated = 0;          // tokens the model wrote, all of which are explained
  double seconds = 0;         // that were spent on it before it is finished
  std::string left_out = {};  // a note on a method that was not affordable
};

}  // namespace headwater
