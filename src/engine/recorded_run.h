// Makes a RecordedRun for the facade.
#pragma once

#include <span>

#include <headwater/run.h>

#include "study/inputs.h"

namespace headwater {

struct RecordedRun::Impl {
  std::shared_ptr<const Model> model;  // the tape's ops read its weights
  InputUnits units;
  std::unique_ptr<const Tape> tape;
  std::vector<Place> edited;
};

// Computes all rows of a token-wise head. Throws InputError for edits of places that the model does not have,
// and for values, heads or rows that do not fit.
std::shared_ptr<const RecordedRun::Impl> recorded_run(const LoadedModel& loaded, const Prepared& prepared,
                                                      std::span<const PlaceEdit> edits);

}  // namespace headwater
