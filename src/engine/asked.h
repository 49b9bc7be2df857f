// Asked: a request in terms that mean the same wherever and whenever it is run again.
#pragma once

#include <headwater/report.h>
#include <headwater/request.h>

namespace headwater {

// `spec` with the resolved target in place of its texts: labels by name if that fits one label, otherwise by
// index; tokens of a vocabulary by id, because a token's text need not encode to the same token; answers by
// their tokens, because a text may occur several times. The position stays as it was given.
TargetSpec named_target(const Target& target, TargetSpec spec, const ModelInfo& info);

// Whether every token that the model writes is explained, because the request names none of them.
bool explains_generated(const Request& request);

// The request with that target and without its callback.
Request asked_of(Request request, const Target& target, const ModelInfo& info);

}  // namespace headwater
