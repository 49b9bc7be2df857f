// Head importance over labelled inputs; include/headwater/heads.h says what each ranking measures.
#pragma once

#include "heads/labelled.h"

namespace headwater {

// Throws InputError for an unknown ranking, listing them.
HeadImportance head_importance(const Reader& reader, std::span<const Labelled> inputs,
                               const std::string& ranking, const Advance& advance);

}  // namespace headwater
