// What a run would need, without running it.
#pragma once

#include <string>

#include <headwater/engine.h>

namespace headwater {

// As text, or as JSON when `format` is json or jsonl.
std::string dry_run(const Engine& engine, const Request& request, const std::string& format);

}  // namespace headwater
