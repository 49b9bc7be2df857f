// Asked: a request in words that mean the same wherever and whenever it is run again.
#pragma once

#include <headwater/report.h>
#include <headwater/request.h>

namespace headwater {

// `spec`, with the target it was resolved to in place of its texts: labels by name where that fits one label
// and by index otherwise, tokens of a vocabulary by id, because a token's text need not encode to itself,
// answers by their tokens, because a text may stand several times. The position stays as it was given.
TargetSpec named_target(const Target& target, TargetSpec spec, const ModelInfo& info);

// Whether all that the model writes is explained, and no token of it was named.
bool explains_generated(const Request& request);

// The request with that target, and without its callback.
Request asked_of(Request request, const Target& target, const ModelInfo& info);

}  // namespace headwater
