// A model's self-test as a document.
#pragma once

#include <string>

#include <headwater/check.h>

#include "prose/document.h"

namespace headwater {

// `command` repeats the run.
Document check_document(const ModelTest& test, const std::string& command);

}  // namespace headwater
