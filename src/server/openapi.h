// The document that describes the service (OpenAPI 3.0), made of the lists of fields of bodies and answers and of the
// records of methods and metrics.
#pragma once

#include <string>

namespace headwater {

std::string openapi_text();  // ends with a line break

}  // namespace headwater
