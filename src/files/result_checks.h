// What everything that draws a result takes for granted, asked of one that was read from a file.
#pragma once

#include <headwater/evaluate.h>
#include <headwater/heads.h>
#include <headwater/report.h>

namespace headwater {

// Each throws FormatError, naming the key and what was expected.
void require_drawable(const Report& report);
void require_drawable(const PruningReport& report);
void require_drawable(const EvaluateReport& report);

}  // namespace headwater
