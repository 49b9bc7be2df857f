// View: a report over words instead of tokens, or without special tokens.
#pragma once

#include <headwater/report.h>
#include <headwater/request.h>

namespace headwater {

// Regroups every axis that counts tokens: scores, tokens, positions of outcomes and target. A Detail over
// pairs of tokens has no meaning over words and is left out, which a note says. Image models stay as they
// are. Throws InputError if nothing would be left.
void apply_view(Report& report, const View& view);

}  // namespace headwater
