// The sentence with which every answer begins (sentence_of, formats.h), and its first half alone.
#pragma once

#include <string>

#include <headwater/report.h>

namespace headwater {

// What the output says about the target: "POSITIVE 96.4 %", "next token “was” 35.2 %"; empty for a model
// without an output.
std::string answer_of(const Report& report);

}  // namespace headwater
