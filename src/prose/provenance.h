// Where a result comes from, as every format shows it: the checks measured on it, the run record, and the
// command that repeats it.
#pragma once

#include <string>
#include <vector>

#include <headwater/formats.h>
#include <headwater/report.h>

#include "base/json_fwd.h"

namespace headwater {

// How much of what is explained the scores account for.
std::string account_text(const Account& account);
// One line per check, such as "✓ rows sum to 1 (1.2e-07, bound 1.0e-05)", then the notes. Every line ends
// with a line break.
std::string checks_text(const std::vector<Check>& checks, const std::vector<std::string>& notes,
                        const TerminalFormat& format);

// The same in one line if all checks passed: "✓ 2 checks passed, 1 note (--details)".
std::string checks_summary(const std::vector<Check>& checks, const std::vector<std::string>& notes,
                           const TerminalFormat& format);

// The same on a terminal after an empty line, with the command that repeats the run if one is given.
std::string record_text(const RunRecord& record, const TerminalFormat& format,
                        const std::string& command = {});

}  // namespace headwater
