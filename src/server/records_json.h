// The records of methods and evaluations as clients read them.
#pragma once

#include "base/json.h"

namespace headwater {

OrderedJson methods_json_of_records();      // of /v1/methods
OrderedJson evaluations_json_of_records();  // of /v1/evaluations

}  // namespace headwater
