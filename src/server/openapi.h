// The document that describes the service (OpenAPI 3.0): src/server/openapi.json with the records of methods
// and evaluations put in.
#pragma once

#include <string>

namespace headwater {

std::string openapi_text();  // ends with a line break; web/openapi.json is a copy of it

}  // namespace headwater
