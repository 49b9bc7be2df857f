// A model's self-test as one page for the terminal.
#pragma once

#include <string>

#include <headwater/check.h>
#include <headwater/formats.h>

namespace headwater {

// `command` repeats the run.
std::string check_page(const ModelTest& test, const std::string& command, const TerminalFormat& format);

}  // namespace headwater
