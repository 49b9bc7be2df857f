// Evaluations as documents.
#pragma once

#include <string>

#include <headwater/evaluate.h>

#include "prose/document.h"

namespace headwater {

// CSV has one row per figure, per point of a curve and per pair of methods:
// metric,method,other,x,value,low,high,p,adjusted_p,examples. LaTeX needs booktabs.
Document evaluate_document(const EvaluateReport& report, const std::string& command);

}  // namespace headwater
