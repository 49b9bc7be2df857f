// View: a report over words instead of tokens, or without special tokens.
#pragma once

#include <headwater/report.h>
#include <headwater/request.h>

namespace headwater {

// The report as its view (asked.view) shows it, for writers: every axis that counts units regrouped, and with
// them the units, the positions of outcomes and target. The report itself keeps what was measured. A detail
// over pairs of tokens has no meaning over words and is left out, which a note says. Pictures stay as they
// are. Throws InputError if nothing would be left.
Report viewed(const Report& report);

}  // namespace headwater
